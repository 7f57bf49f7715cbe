// What instructions are carried out by, wired up: a unit knows those that it uses.
#pragma once

#include "emulate/executor/barriers.hpp"
#include "emulate/executor/bulk_copies.hpp"
#include "emulate/executor/calls.hpp"
#include "emulate/executor/convergence.hpp"
#include "emulate/executor/machine_unit.hpp"
#include "emulate/executor/matrix_unit.hpp"
#include "emulate/executor/tensor_copies.hpp"
#include "emulate/executor/texture_unit.hpp"
#include "emulate/executor/together.hpp"

namespace warpmem::emulate {

struct Units {
  explicit Units(Running& run)
      : recorder(run),
        divergence(run),
        frames(run),
        memory(run, recorder),
        calls(run, frames),
        barriers(run, recorder),
        matrix(run, recorder, memory),
        together(divergence, matrix),
        texture(run, recorder),
        bulk(run, recorder, memory),
        tensor(run, recorder, memory, bulk),
        machine(run, recorder, memory, calls) {}
  Units(const Units&) = delete;

  Recorder recorder;
  Divergence divergence;
  Frames frames;
  MemoryUnit memory;
  Calls calls;
  Barriers barriers;
  MatrixUnit matrix;
  Together together;
  TextureUnit texture;
  BulkCopies bulk;
  TensorCopies tensor;
  MachineUnit machine;
};

}  // namespace warpmem::emulate
