// Copies over size, small ones and events, engines, streams, and the host's own memory. Prints
// section, case, bytes, n, metric, median, least and most (cards/gpus/h100/link.csv). nvcc -O2
// -arch=sm_90 -std=c++17; about 15 s on an H100.
#include "link.cuh"

static void host_memory() {  // the host's own memory: memcpy on one core
  for (size_t n : {64ul << 10, 1 * MiB, 16 * MiB, 256 * MiB}) {
    std::vector<double> v, w;
    for (int r = 0; r < 5; ++r) {
      double a = us_now();
      memcpy(h_page2, h_page, n);
      v.push_back(us_now() - a);
      a = us_now();
      memcpy(h_pin, h_page, n);
      w.push_back(us_now() - a);
    }
    row("host", "memcpy pageable to pageable", n, 1, "host_us", v);
    row("host", "memcpy pageable to pinned", n, 1, "host_us", w);
  }
  for (size_t n : {1 * MiB, 64 * MiB}) {
    std::vector<double> v, w, x;
    for (int r = 0; r < 5; ++r) {
      double a = us_now();
      char* q;
      CK(cudaHostAlloc(&q, n, 0));
      v.push_back(us_now() - a);
      a = us_now();
      CK(cudaFreeHost(q));
      w.push_back(us_now() - a);
      char* m = (char*)malloc(n);
      memset(m, 1, n);
      a = us_now();
      CK(cudaHostRegister(m, n, 0));
      x.push_back(us_now() - a);
      CK(cudaHostUnregister(m));
      free(m);
    }
    row("host", "cudaHostAlloc", n, 1, "host_us", v);
    row("host", "cudaFreeHost", n, 1, "host_us", w);
    row("host", "cudaHostRegister", n, 1, "host_us", x);
  }
}

static void copies() {
  for (size_t n = 4096; n <= BIG; n *= 2) {
    const int reps = n <= 64 * MiB ? 10 : 5;
    struct M {
      const char* name;
      char* p;
    } mem[] = {{"pinned", h_pin}, {"wc", h_wc}, {"pageable", h_page}};
    for (auto& m : mem) {
      timed("copy", f("h2d %s", m.name), n, 1, reps,
            [&] { CK(cudaMemcpyAsync(d_a, m.p, n, cudaMemcpyHostToDevice, S[0])); });
      timed("copy", f("d2h %s", m.name), n, 1, reps,
            [&] { CK(cudaMemcpyAsync(m.p, d_a, n, cudaMemcpyDeviceToHost, S[0])); });
    }
    timed("copy", "both pinned", n, 2, reps, [&] {
      CK(cudaStreamWaitEvent(S[1], E0));
      CK(cudaMemcpyAsync(d_a, h_pin, n, cudaMemcpyHostToDevice, S[0]));
      CK(cudaMemcpyAsync(h_pin2, d_b, n, cudaMemcpyDeviceToHost, S[1]));
      cudaEvent_t e;
      CK(cudaEventCreate(&e));
      CK(cudaEventRecord(e, S[1]));
      CK(cudaStreamWaitEvent(S[0], e));
      CK(cudaEventDestroy(e));
    });
    timed("copy", "sync h2d pinned", n, 1, reps,
          [&] { CK(cudaMemcpy(d_a, h_pin, n, cudaMemcpyHostToDevice)); });
    timed("copy", "sync d2h pinned", n, 1, reps,
          [&] { CK(cudaMemcpy(h_pin, d_a, n, cudaMemcpyDeviceToHost)); });
    timed("copy", "sync h2d pageable", n, 1, reps,
          [&] { CK(cudaMemcpy(d_a, h_page, n, cudaMemcpyHostToDevice)); });
    timed("copy", "sync d2h pageable", n, 1, reps,
          [&] { CK(cudaMemcpy(h_page, d_a, n, cudaMemcpyDeviceToHost)); });
    timed("copy", "d2d", n, 1, reps,
          [&] { CK(cudaMemcpyAsync(d_b, d_a, n, cudaMemcpyDeviceToDevice, S[0])); });
    timed("copy", "memset", n, 1, reps, [&] { CK(cudaMemsetAsync(d_b, 1, n, S[0])); });
    timed("copy", "memset32", n, 1, reps,
          [&] { CK(cudaMemset2DAsync(d_b, 4096, 1, 4096, n / 4096, S[0])); });
    timed("copy", "kernel copy", n, 1, reps,
          [&] { stream_copy<<<SMS * 8, 256, 0, S[0]>>>((float4*)d_a, (float4*)d_b, n / 16); });
  }
}
static void small() {
  for (size_t n : {4ul, 64ul, 256ul, 1024ul, 2048ul, 3072ul, 16384ul, 32768ul, 65536ul, 65540ul}) {
    timed("small", "h2d pinned", n, 1, 20,
          [&] { CK(cudaMemcpyAsync(d_a, h_pin, n, cudaMemcpyHostToDevice, S[0])); });
    timed("small", "d2h pinned", n, 1, 20,
          [&] { CK(cudaMemcpyAsync(h_pin, d_a, n, cudaMemcpyDeviceToHost, S[0])); });
    timed("small", "h2d pageable", n, 1, 20,
          [&] { CK(cudaMemcpyAsync(d_a, h_page, n, cudaMemcpyHostToDevice, S[0])); });
    timed("small", "d2h pageable", n, 1, 20,
          [&] { CK(cudaMemcpyAsync(h_page, d_a, n, cudaMemcpyDeviceToHost, S[0])); });
    timed("small", "d2d", n, 1, 20,
          [&] { CK(cudaMemcpyAsync(d_b, d_a, n, cudaMemcpyDeviceToDevice, S[0])); });
    // Many in a stream: what one costs beyond its bytes.
    const int k = 256;
    timed("small", "h2d pinned in a row", n, k, 5, [&] {
      for (int i = 0; i < k; ++i)
        CK(cudaMemcpyAsync(d_a + i * 65536, h_pin + i * 65536, n, cudaMemcpyHostToDevice, S[0]));
    });
    timed("small", "d2h pinned in a row", n, k, 5, [&] {
      for (int i = 0; i < k; ++i)
        CK(cudaMemcpyAsync(h_pin + i * 65536, d_a + i * 65536, n, cudaMemcpyDeviceToHost, S[0]));
    });
    // The same, queued behind a kernel: no launch on the host's side in between.
    timed("small", "h2d pinned queued", n, k, 5, [&] {
      full_spin(5000, S[0]);
      for (int i = 0; i < k; ++i)
        CK(cudaMemcpyAsync(d_a + i * 65536, h_pin + i * 65536, n, cudaMemcpyHostToDevice, S[0]));
    });
    timed("small", "d2h pinned queued", n, k, 5, [&] {
      full_spin(5000, S[0]);
      for (int i = 0; i < k; ++i)
        CK(cudaMemcpyAsync(h_pin + i * 65536, d_a + i * 65536, n, cudaMemcpyDeviceToHost, S[0]));
    });
    timed("small", "d2d queued", n, k, 5, [&] {
      full_spin(5000, S[0]);
      for (int i = 0; i < k; ++i)
        CK(cudaMemcpyAsync(d_b + i * 65536, d_a + i * 65536, n, cudaMemcpyDeviceToDevice, S[0]));
    });
    timed("small", "memset queued", n, k, 5, [&] {
      full_spin(5000, S[0]);
      for (int i = 0; i < k; ++i) CK(cudaMemsetAsync(d_b + i * 65536, 0, n, S[0]));
    });
  }
  timed("small", "nothing", 0, 0, 20, [] {});
  for (int k : {1, 2, 16, 128}) {
    timed("small", "empty kernels", 0, k, 10, [&] {
      for (int i = 0; i < k; ++i) empty<<<1, 32, 0, S[0]>>>();
    });
    timed("small", "empty kernels queued", 0, k, 10, [&] {
      full_spin(5000, S[0]);
      for (int i = 0; i < k; ++i) empty<<<1, 32, 0, S[0]>>>();
    });
    timed("small", "spin kernels of 20 us queued", 0, k, 5, [&] {
      full_spin(5000, S[0]);
      for (int i = 0; i < k; ++i) full_spin(20, S[0]);
    });
    timed("small", "kernel then h2d 4 bytes queued", 0, k, 5, [&] {
      full_spin(5000, S[0]);
      for (int i = 0; i < k; ++i) {
        empty<<<1, 32, 0, S[0]>>>();
        CK(cudaMemcpyAsync(d_a, h_pin, 4, cudaMemcpyHostToDevice, S[0]));
      }
    });
    timed("small", "event records queued", 0, k, 5, [&] {
      full_spin(5000, S[0]);
      for (int i = 0; i < k; ++i) {
        static cudaEvent_t e = [] {
          cudaEvent_t x;
          cudaEventCreate(&x);
          return x;
        }();
        CK(cudaEventRecord(e, S[0]));
      }
    });
    timed("small", "stream waits across 2 streams queued", 0, k, 5, [&] {
      static cudaEvent_t e = [] {
        cudaEvent_t x;
        cudaEventCreateWithFlags(&x, cudaEventDisableTiming);
        return x;
      }();
      full_spin(5000, S[0]);
      for (int i = 0; i < k; ++i) {
        CK(cudaEventRecord(e, S[0]));
        CK(cudaStreamWaitEvent(S[1], e));
        empty<<<1, 32, 0, S[1]>>>();
        CK(cudaEventRecord(e, S[1]));
        CK(cudaStreamWaitEvent(S[0], e));
        empty<<<1, 32, 0, S[0]>>>();
      }
    });
    timed("small", "synchronised kernels", 0, k, 10, [&] {
      for (int i = 0; i < k; ++i) {
        empty<<<1, 32, 0, S[0]>>>();
        CK(cudaStreamSynchronize(S[0]));
      }
    });
    timed("small", "host functions", 0, k, 5, [&] {
      for (int i = 0; i < k; ++i)
        CK(cudaLaunchHostFunc(
            S[0], [](void*) {}, nullptr));
    });
  }
  {  // a graph of 16 empty kernels, and of one copy, kernel, copy
    cudaGraph_t g;
    cudaGraphExec_t x;
    CK(cudaStreamBeginCapture(S[0], cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 16; ++i) empty<<<1, 32, 0, S[0]>>>();
    CK(cudaStreamEndCapture(S[0], &g));
    CK(cudaGraphInstantiate(&x, g, 0));
    timed("small", "graph of empty kernels", 0, 16, 20, [&] { CK(cudaGraphLaunch(x, S[0])); });
    timed("small", "graphs of 16 empty kernels queued", 0, 16 * 16, 5, [&] {
      full_spin(5000, S[0]);
      for (int i = 0; i < 16; ++i) CK(cudaGraphLaunch(x, S[0]));
    });
  }
}
// n streams of copy, kernel, copy; chunks pieces in all. Kernels fill the GPU; their times sum to
// kernel_us.
static void streams() {
  for (size_t total : {4 * MiB, 64 * MiB, 128 * MiB})
    for (double kernel_us : {0.0, total / MiB * 10.0, total / MiB * 40.0, total / MiB * 120.0})
      for (int n : {1, 2, 3, 4, 6, 8, 12, 16}) {
        const size_t c = total / n / 4096 * 4096;
        const int reps = 5;
        auto depth = [&](const char* name, char* in, char* out) {
          timed("streams", f("%s kernel_us=%g", name, kernel_us), total, n, reps, [&] {
            fork(n);
            for (int i = 0; i < n; ++i) {
              CK(cudaMemcpyAsync(d_a + i * c, in + i * c, c, cudaMemcpyHostToDevice, S[i]));
              if (kernel_us > 0) full_spin(kernel_us / n, S[i]);
              CK(cudaMemcpyAsync(out + i * c, d_a + i * c, c, cudaMemcpyDeviceToHost, S[i]));
            }
            join(n);
          });
        };
        depth("depth pinned", h_pin, h_pin2);
        if (total == 64 * MiB) {
          if (kernel_us == 2560) depth("depth pageable", h_page, h_page2);
          timed("streams", f("breadth pinned kernel_us=%g", kernel_us), total, n, reps, [&] {
            fork(n);
            for (int i = 0; i < n; ++i)
              CK(cudaMemcpyAsync(d_a + i * c, h_pin + i * c, c, cudaMemcpyHostToDevice, S[i]));
            if (kernel_us > 0)
              for (int i = 0; i < n; ++i) full_spin(kernel_us / n, S[i]);
            for (int i = 0; i < n; ++i)
              CK(cudaMemcpyAsync(h_pin2 + i * c, d_a + i * c, c, cudaMemcpyDeviceToHost, S[i]));
            join(n);
          });
          if (kernel_us == 2560)
            timed("streams", "one block kernels kernel_us=2560", total, n, reps, [&] {
              fork(n);
              for (int i = 0; i < n; ++i) {
                CK(cudaMemcpyAsync(d_a + i * c, h_pin + i * c, c, cudaMemcpyHostToDevice, S[i]));
                spin<<<1, 32, 0, S[i]>>>(cycles_of(kernel_us / n));
                CK(cudaMemcpyAsync(h_pin2 + i * c, d_a + i * c, c, cudaMemcpyDeviceToHost, S[i]));
              }
              join(n);
            });
          if (kernel_us == 2560)
            timed("streams", "4 chunks a stream kernel_us=2560", total, n, reps, [&] {
              fork(n);
              const size_t q = c / 4;
              for (int j = 0; j < 4; ++j)
                for (int i = 0; i < n; ++i) {
                  const size_t o = i * c + j * q;
                  CK(cudaMemcpyAsync(d_a + o, h_pin + o, q, cudaMemcpyHostToDevice, S[i]));
                  full_spin(kernel_us / n / 4, S[i]);
                  CK(cudaMemcpyAsync(h_pin2 + o, d_a + o, q, cudaMemcpyDeviceToHost, S[i]));
                }
              join(n);
            });
        }
      }
}
static void engines() {  // what overlaps with what: two streams, and k of one kind
  const size_t n = 64 * MiB;
  const char* names[] = {"h2d", "d2h", "d2d", "memset", "spin", "kernel copy", "h2d pageable"};
  auto put = [&](int k, int i) {
    char *a = d_a + i * n, *b = d_b + i * n, *h = h_pin + i * n, *h2 = h_pin2 + i * n;
    switch (k) {
      case 0: CK(cudaMemcpyAsync(a, h, n, cudaMemcpyHostToDevice, S[i])); break;
      case 1: CK(cudaMemcpyAsync(h2, b, n, cudaMemcpyDeviceToHost, S[i])); break;
      case 2:
        for (int j = 0; j < 20; ++j) CK(cudaMemcpyAsync(b, a, n, cudaMemcpyDeviceToDevice, S[i]));
        break;
      case 3:
        for (int j = 0; j < 20; ++j) CK(cudaMemsetAsync(b, 0, n, S[i]));
        break;
      case 4: full_spin(1200, S[i]); break;
      case 5:
        for (int j = 0; j < 20; ++j)
          stream_copy<<<SMS * 8, 256, 0, S[i]>>>((float4*)a, (float4*)b, n / 16);
        break;
      case 6: CK(cudaMemcpyAsync(a, h_page + i * n, n, cudaMemcpyHostToDevice, S[i])); break;
    }
  };
  for (int x = 0; x < 7; ++x) {
    for (int k = 1; k <= 4; ++k)
      timed("engines", f("%s alone", names[x]), n, k, 5, [&] {
        fork(k);
        for (int i = 0; i < k; ++i) put(x, i);
        join(k);
      });
    for (int y = x + 1; y < 7; ++y)
      timed("engines", f("%s with %s", names[x], names[y]), n, 2, 5, [&] {
        fork(2);
        put(x, 0);
        put(y, 1);
        join(2);
      });
  }
  timed("engines", "h2d with d2h with spin", n, 3, 5, [&] {
    fork(3);
    put(0, 0);
    put(1, 1);
    put(4, 2);
    join(3);
  });
  // priorities, and a copy behind a small one: are copies of two streams served in turn or one
  // after the other?
  for (size_t m : {4096ul, 1 * MiB}) {
    std::vector<double> v;
    for (int r = 0; r < 10; ++r) {
      CK(cudaDeviceSynchronize());
      CK(cudaEventRecord(E0, S[1]));
      CK(cudaMemcpyAsync(d_a, h_pin, BIG / 2, cudaMemcpyHostToDevice, S[0]));
      CK(cudaMemcpyAsync(d_b, h_pin2, m, cudaMemcpyHostToDevice, S[1]));
      CK(cudaEventRecord(E1, S[1]));
      CK(cudaDeviceSynchronize());
      float ms;
      CK(cudaEventElapsedTime(&ms, E0, E1));
      v.push_back(ms * 1000);
    }
    row("engines", "small h2d behind 128 MiB h2d of another stream", m, 1, "event_us", v);
  }
  for (size_t w : {64ul, 256ul, 1024ul, 4096ul, 16384ul}) {
    const size_t rows = std::min<size_t>(16384, 64 * MiB / (2 * w));
    timed("engines", "2d h2d pinned pitch twice the width", w, rows, 5, [&] {
      CK(cudaMemcpy2DAsync(d_a, 2 * w, h_pin, 2 * w, w, rows, cudaMemcpyHostToDevice, S[0]));
    });
    timed("engines", "2d d2h pinned pitch twice the width", w, rows, 5, [&] {
      CK(cudaMemcpy2DAsync(h_pin, 2 * w, d_a, 2 * w, w, rows, cudaMemcpyDeviceToHost, S[0]));
    });
  }
  // legacy default stream: it waits for blocking streams
  cudaStream_t b1, b2;
  CK(cudaStreamCreate(&b1));
  CK(cudaStreamCreate(&b2));
  std::vector<double> v;
  for (int r = 0; r < 6; ++r) {
    CK(cudaDeviceSynchronize());
    double a = us_now();
    spin<<<1, 32, 0, b1>>>(cycles_of(500));
    spin<<<1, 32>>>(cycles_of(500));
    spin<<<1, 32, 0, b2>>>(cycles_of(500));
    CK(cudaDeviceSynchronize());
    v.push_back(us_now() - a);
  }
  row("engines", "three 500 us spins: blocking legacy blocking", 0, 3, "host_us", v);
}

int main() {
  setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
  printf("section,case,bytes,n,metric,median,min,max\n");
  device();
  setup();
  buffers();
  auto section = [&](const char* name, const std::function<void()>& g) {
    const double a = seconds();
    g();
    printf("time,%s,0,0,seconds,%.2f,%.2f,\n", name, seconds() - a, seconds());
    fflush(stdout);
  };
  section("copies", copies);
  section("small", small);
  section("engines", engines);
  section("streams", streams);
  section("host", host_memory);
  return 0;
}
