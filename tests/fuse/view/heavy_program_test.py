#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Programs that look for faults of file systems, and a database server, on a mount with a delta."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from support import run  # noqa: E402

SECONDS = os.environ.get("DGFS_STRESS_SECONDS", "2")


class Fio(DeltaCase):
    """Each block holds a checksum of itself, and its place."""

    # fio empties a file that is too short before it verifies it.
    JOB = ("--rw=randwrite", "--bsrange=512-96k", "--bs_unaligned", "--size=48m",
           "--fallocate=truncate", "--verify=crc32c", "--verify_state_save=0", "--verify_fatal=1",
           "--randseed=7", "--minimal")

    def check(self, engine, *options):
        job = (f"--name={engine}", f"--directory={self.point}", f"--ioengine={engine}", *self.JOB,
               *options)
        run("fio", *job, "--do_verify=1", "--end_fsync=1")
        self.kill_daemon()
        self.mount_delta()
        run("fio", *job, "--verify_only")
        self.remount()
        run("fio", *job, "--verify_only")

    def test_finds_what_it_wrote(self):
        support.need_program("fio")
        self.mount_delta()
        self.check("psync")
        self.check("libaio", "--iodepth=16", "--numjobs=2")
        self.check("psync", "--overwrite=1", "--fsync=64")

    def test_finds_what_it_wrote_through_mappings(self):
        support.need_program("fio")
        self.mount_delta()
        self.check("mmap", "--bsrange=4k-96k", "--bs_unaligned=0")


class StressNg(DeltaCase):
    """Without stressors that need more than this kernel or a mount has (fallocate that reserves
    space, verity, quotas).
    """

    STRESSORS = ("access", "acl", "chdir", "chmod", "chown", "copy-file", "dentry", "dir",
                 "dirdeep", "dirmany", "dup", "eventfd", "fcntl", "fiemap", "file-ioctl",
                 "filename", "flock", "fpunch", "fsize", "fstat", "getdent", "handle", "hdd", "io",
                 "lease", "link", "locka", "lockf", "lockofd", "metamix", "mknod", "mmap",
                 "msync", "null", "open", "rename", "revio", "seek", "sendfile", "splice",
                 "symlink", "sync-file", "touch", "unlink", "utime", "xattr")

    def known(self):
        said = run("stress-ng", "--stressors").stdout.decode().split()
        return [name for name in self.STRESSORS if name in said]

    def test_finds_nothing(self):
        support.need_program("stress-ng")
        self.mount_delta()
        place = self.point / "stress"
        place.mkdir()
        place.chmod(0o777)
        known = self.known()
        self.assertGreater(len(known), 30)
        failed, passed = [], 0
        for name in known:
            done = run("stress-ng", f"--{name}", "2", "-t", SECONDS, "--temp-path", place,
                       "--verify", check=False, timeout=300)
            passed += done.returncode == 0
            # 2: it found a fault; 3 and 4: it cannot run here.
            if done.returncode not in (0, 3, 4):
                failed.append((name, (done.stdout + done.stderr).decode()[-600:]))
        self.assertEqual(failed, [])
        self.assertGreater(passed, 30)
        self.remount()
        shutil.rmtree(place)
        self.unmount()
        self.expect_sound()


class Postgres(DeltaCase):
    KILLS = 3

    def setUp(self):
        super().setUp()
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        if not programs:
            support.skip("postgresql is not installed")
        self.programs = programs[-1]
        self.data = self.point / "data"
        self.socket = self.scratch / "socket"
        self.socket.mkdir()
        self.socket.chmod(0o777)

    def call(self, program, *arguments, **keywords):
        return mount_case.as_nobody(self.programs / program, *arguments, **keywords)

    def start(self):
        for lock in (self.data / "postmaster.pid", *self.socket.iterdir()):
            lock.unlink(missing_ok=True)
        started = self.call("pg_ctl", "-w", "-D", self.data, "-l", self.data / "log", "-o",
                            f"-k {self.socket} -c listen_addresses=''", "start", check=False)
        self.assertEqual(started.returncode, 0, (self.data / "log").read_text()[-3000:])

    def stop(self):
        mount_case.as_nobody(self.programs / "pg_ctl", "-D", self.data, "-m", "immediate", "stop",
                             check=False)

    def ask(self, question):
        return self.call("psql", "-h", self.socket, "-Atc", question, "postgres").stdout.decode()

    def test_keeps_what_was_committed(self):
        self.mount_delta("allow_other")
        self.data.mkdir(mode=0o700)
        os.chown(self.data, mount_case.NOBODY, mount_case.NOBODY)
        self.call("initdb", "-D", self.data, "-U", "nobody", "--auth=trust", "--data-checksums")
        self.addCleanup(self.stop)
        self.start()
        self.call("pgbench", "-h", self.socket, "-i", "-q", "-s", "2", "postgres")
        for _ in range(self.KILLS):
            bench = subprocess.Popen(
                ["setpriv", f"--reuid={mount_case.NOBODY}", f"--regid={mount_case.NOBODY}",
                 "--clear-groups", self.programs / "pgbench", "-h", self.socket, "-c", "4", "-T",
                 "60", "-n", "-P", "1", "postgres"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(3)
            server = int((self.data / "postmaster.pid").read_text().split()[0])
            committed = int(self.ask("select count(*) from pgbench_history"))
            self.kill_daemon()
            run("pkill", "-KILL", "-P", str(server), check=False)
            os.kill(server, signal.SIGKILL)
            bench.wait()
            self.mount_delta("allow_other")
            self.start()
            self.assertGreaterEqual(int(self.ask("select count(*) from pgbench_history")),
                                    committed)
            # Each transaction adds the same amount to one row of each of these tables.
            sums = self.ask("select (select sum(abalance) from pgbench_accounts),"
                            "(select sum(bbalance) from pgbench_branches),"
                            "(select sum(tbalance) from pgbench_tellers),"
                            "(select sum(delta) from pgbench_history)").strip().split("|")
            self.assertEqual(len(set(sums)), 1, sums)
        self.call("pg_ctl", "-w", "-D", self.data, "-m", "fast", "stop")
        self.call("pg_checksums", "--check", "-D", self.data)
        self.unmount()
        self.expect_sound()


if __name__ == "__main__":
    mount_case.main()
