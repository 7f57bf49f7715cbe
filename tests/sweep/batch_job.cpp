#include <algorithm>

#include "sweep/batch_job.hpp"

#include "tests/catch.hpp"

namespace {

using namespace warpmem::sweep;

TEST_CASE("words are safe for a shell") {
  CHECK(quoted("a b") == "'a b'");
  CHECK(quoted("it's $HOME") == "'it'\\''s $HOME'");
}

TEST_CASE("runs of parts are written as such, with the most at once behind them") {
  BatchJob job;
  job.folder = "/r/%j/s.sqlite.jobs";
  job.parts = 9;
  job.at_once = 4;
  job.cpus = 2;
  job.time_limit = "1:00:00";
  job.options = {"--partition=short"};
  const auto words = submission(job, {1, 2, 3, 5, 8, 9});
  CHECK(words.front() == "sbatch");
  CHECK(words.back() == "/r/%j/s.sqlite.jobs/run.sh");
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  CHECK(has("--array=1-3,5,8-9%4"));
  CHECK(has("--cpus-per-task=2"));
  CHECK(has("--time=1:00:00"));
  CHECK(has("--partition=short"));
  CHECK(has("--requeue"));
  CHECK(has("--output=/r/%%j/s.sqlite.jobs/log-%a"));
}

TEST_CASE("a task runs its part into a file of its own") {
  BatchJob job;
  job.command = "/opt/warp mem/warpmem";
  job.arguments = {"/t/a.wmt", "--vary", "l1.size=64KiB:256KiB"};
  job.folder = "/r/s.sqlite.jobs";
  job.parts = 3;
  CHECK(script_of(job) ==
        "#!/bin/sh\n# One part of a sweep: the number of the task says which.\n"
        "exec '/opt/warp mem/warpmem' explore '/t/a.wmt' '--vary' 'l1.size=64KiB:256KiB' --shard "
        "\"$SLURM_ARRAY_TASK_ID\"/3 --threads 1 --results "
        "'/r/s.sqlite.jobs'/part-\"$SLURM_ARRAY_TASK_ID\"-of-3 --yes\n");
  CHECK(part_file(job, 2) == "/r/s.sqlite.jobs/part-2-of-3");
}

}  // namespace
