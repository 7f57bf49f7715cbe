"""explore --jobs slurm on a real Slurm: one that the test starts, of this machine alone."""

import os
import shutil
import signal
import socket
import subprocess
import time
import unittest

import harness
from harness import SOURCE, WARPMEM

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
TRACE = os.path.join(SOURCE, "validate/reference/h200/spmv_vector.wmt")
SWEEP = [TRACE, "--counts", "--vary", "l1.size=32KiB:256KiB:16KiB", "--vary", "l2.size=8MiB,16MiB,32MiB"]


def free_port():
    with socket.socket() as s:
        s.bind(("", 0))
        return s.getsockname()[1]


@unittest.skipUnless(all(shutil.which(p, path=PATH) for p in PROGRAMS), "Slurm and munge are not installed (slurm-wlm)")
@unittest.skipUnless(os.geteuid() == 0, "the daemons of Slurm need root")
class Slurm(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.daemons = []
        self.addCleanup(self.stop)
        for name in ("state", "spool", "munge"):
            os.mkdir(self.path(name), 0o700)
        key = os.open(self.path("munge/key"), os.O_WRONLY | os.O_CREAT, 0o400)
        os.write(key, os.urandom(1024))
        os.close(key)
        self.start("munged", "--foreground", "--force", *(
            f"--{what}={self.path('munge/' + file)}" for what, file in (
                ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))))
        host = socket.gethostname().split(".")[0]
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as conf:
            conf.write(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={self.path('munge/socket')}
SlurmUser=root
StateSaveLocation={self.path('state')}
SlurmdSpoolDir={self.path('spool')}
SlurmctldPidFile={self.path('slurmctld.pid')}
SlurmdPidFile={self.path('slurmd.pid')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MpiDefault=none
KillWait=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": self.path("slurm.conf")}
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D")
        for _ in range(120):
            if "idle" in self.tool("sinfo", "-h", "-o", "%t"):
                return
            time.sleep(0.5)
        self.fail("the node did not come up: " + self.log("slurmctld") + self.log("slurmd"))

    def start(self, program, *arguments):
        log = open(self.path(program + ".log"), "wb")  # noqa: SIM115 (the daemon keeps it)
        self.daemons.append(subprocess.Popen(
            [shutil.which(program, path=PATH), *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=getattr(self, "environment", {**os.environ, "PATH": PATH})))
        log.close()

    def log(self, program):
        with open(self.path(program + ".log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def tool(self, *words):
        return subprocess.run(words, capture_output=True, text=True, env=self.environment, timeout=60).stdout

    def explore(self, *arguments):
        return subprocess.Popen([WARPMEM, "explore", *SWEEP, *arguments], cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def pid_of_a_task(self):
        """A task's own process: one of ours that runs a part."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if b"--shard" in words and any(w.startswith(self.folder.encode()) for w in words):
                return int(pid)
        return None

    def test_a_job_array_of_which_a_task_is_killed_has_the_same_bytes(self):
        local = self.run_command("explore", *SWEEP, "--results", "local.sqlite")
        self.assert_works(local)
        run = self.explore("--jobs", "slurm", "--tasks", "3", "--results", "slurm.sqlite")
        killed = None
        while killed is None and run.poll() is None:
            killed = self.pid_of_a_task()
            time.sleep(0.005)
        self.assertIsNotNone(killed, "no task was seen")
        os.kill(killed, signal.SIGKILL)
        out, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 0, err)
        self.assertIn("3 of 3 parts go to Slurm", err)
        self.assertIn("(attempt 2)", err)
        self.assertEqual(out, local.out)
        with open(self.path("local.sqlite"), "rb") as a, open(self.path("slurm.sqlite"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        self.assertEqual([f for f in os.listdir(self.folder) if f.startswith("slurm.sqlite")], ["slurm.sqlite"])

    def test_parts_that_never_finish_are_an_error_that_names_the_log(self):
        os.mkdir(self.path("slurm.sqlite.jobs"))
        with open(self.path("slurm.sqlite.jobs/run.sh"), "w", encoding="utf-8") as script:  # of a run before
            script.write("#!/bin/sh\n# One part of a sweep: the number of the task says which.\n")
        for part in (1, 2):
            os.mkdir(self.path(f"slurm.sqlite.jobs/part-{part}-of-2.partial"))  # where the part's points would be
        run = self.explore("--jobs", "slurm", "--tasks", "2", "--retries", "0", "--results", "slurm.sqlite")
        out, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 5, err)
        self.assertEqual(out, "")
        self.assertIn("2 of 2 parts were not finished", err)
        self.assertIn("slurm.sqlite.jobs/log-1", err)
        with open(self.path("slurm.sqlite.jobs/log-1"), encoding="utf-8") as log:
            self.assertIn("part-1-of-2", log.read())


if __name__ == "__main__":
    harness.main()
