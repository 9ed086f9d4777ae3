#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Copies of a delta, on a busy machine: right after the mount has ended, and at other moments.

A copy is complete, or it is refused. Files that were written before the mount ended are in it.
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from mount_case import MountCase  # noqa: E402
import support  # noqa: E402
from support import dgfs, run  # noqa: E402

FILES = 3000
BYTES = b"x" * 3000  # a large value of the store
HOGS = 4
TORN = "is a copy that was taken while a process had the delta open for writing"


class Busy(MountCase):
    def setUp(self):
        super().setUp()
        self.delta = self.scratch / "d"
        self.copy = self.scratch / "c"
        self.hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                     for _ in range(HOGS)]

    def tearDown(self):
        for hog in self.hogs:
            hog.kill()
            hog.wait()
        super().tearDown()
        self.wait_for_servers()

    def wait_for_servers(self):
        for delta in (self.delta, self.copy):
            if (delta / "MANIFEST").exists():
                dgfs("delta", "wait", delta, check=False)

    def fill(self, folder):
        (self.point / folder).mkdir()
        for i in range(FILES):
            (self.point / folder / str(i)).write_bytes(BYTES)

    def sync(self, folder):
        # The file that was written last: it is durable with all that came before.
        with open(self.point / folder / str(FILES - 1), "rb") as file:
            os.fsync(file.fileno())

    def mount_delta(self, delta=None):
        return self.mount(f"delta={delta or self.delta}")

    def expect_whole(self, *folders):
        dgfs("delta", "check", self.copy, "--image", self.image)
        self.mount_delta(self.copy)
        for folder in folders:
            names = os.listdir(self.point / folder)
            self.assertEqual(len(names), FILES)
            for name in names:
                self.assertEqual((self.point / folder / name).read_bytes(), BYTES)
        run("umount", self.point)
        self.wait_for_servers()
        run("rm", "-rf", self.copy)

    def expect_torn(self):
        for arguments in (("check", self.copy), ("info", self.copy)):
            self.expect_refused(dgfs("delta", *arguments, check=False), TORN, "dgfs delta wait",
                                "dgfs delta repair", code=1)
        self.expect_refused(self.mount(f"delta={self.copy}", check=False), TORN)
        self.expect_refused(self.mount(f"delta={self.copy},ro", check=False), TORN)


class AfterTheMount(Busy):
    def copy_at_once(self, *command, end, may_fail=False):
        run("rm", "-rf", self.copy, self.delta)
        self.mount_delta()
        self.fill("x")
        # umount(8) of root calls helpers of FUSE file systems only for a relative path.
        run(*end, self.point.name, cwd=self.point.parent)
        copied = run(*command, check=not may_fail)
        if copied.returncode == 0:
            self.expect_whole("x")
        self.wait_for_servers()
        return copied

    def copy_by_all(self, end, may_tar_fail=False):
        with self.subTest(tool="cp", end=end):
            self.copy_at_once("cp", "-a", self.delta, self.copy, end=end)
        with self.subTest(tool="rsync", end=end):
            self.copy_at_once("rsync", "-a", f"{self.delta}/", self.copy, end=end)
        with self.subTest(tool="tar", end=end):
            copied = self.copy_at_once(
                "sh", "-ec", f"mkdir {self.copy}; cd {self.delta}; tar cf {self.scratch}/t . && "
                f"tar xf {self.scratch}/t -C {self.copy}", end=end, may_fail=may_tar_fail)
            if copied.returncode != 0:  # tar does not wait for a file
                self.assertIn(b"Resource temporarily unavailable", copied.stderr)

    def test_umount_waits_for_the_server(self):
        self.copy_by_all(("umount",))
        # The helper has waited: nothing is left to be done.
        self.mount_delta()
        run("umount", self.point.name, cwd=self.point.parent)
        self.assertEqual(dgfs("delta", "wait", self.delta).stderr, b"")

    def test_without_the_helper_the_files_are_kept_until_they_are_whole(self):
        self.copy_by_all(("umount", "-i"), may_tar_fail=True)

    def test_fusermount(self):
        self.copy_by_all(("fusermount3", "-u"), may_tar_fail=True)

    def test_wait_makes_every_tool_do(self):
        self.mount_delta()
        self.fill("x")
        run("fusermount3", "-u", self.point)
        dgfs("delta", "wait", self.delta)
        self.copy.mkdir()
        run("sh", "-ec", f"tar c -C {self.delta} . | tar x -C {self.copy}")
        self.expect_whole("x")

    def test_a_copy_without_times_is_read_completely_once(self):
        self.mount_delta()
        self.fill("x")
        run("umount", self.point)
        run("cp", "-r", self.delta, self.copy)
        self.expect_whole("x")


class WhileInUse(Busy):
    def test_a_copy_of_a_mounted_delta_is_refused(self):
        self.mount_delta()
        self.fill("x")
        run("cp", "-a", self.delta, self.copy)
        self.expect_torn()
        self.fill("y")
        run("umount", self.point)
        self.expect_torn()

    def test_repair_keeps_what_a_copy_of_a_resting_mount_has(self):
        self.mount_delta()
        self.fill("x")
        self.sync("x")
        run("cp", "-a", self.delta, self.copy)
        self.expect_torn()
        said = dgfs("delta", "repair", self.copy).stdout.decode()
        self.assertIn("may be missing", said)
        run("umount", self.point)
        self.expect_whole("x")

    def test_after_a_lazy_unmount_wait_waits_for_the_last_writer(self):
        self.mount_delta()
        writer = subprocess.Popen(
            [sys.executable, "-c",
             "import itertools\nwith open('w', 'wb') as f:\n"
             "  for i in itertools.count(): f.write(b'w' * 5000); f.flush()"], cwd=self.point)
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        time.sleep(1)
        run("umount", "-l", self.point)
        run("cp", "-a", self.delta, self.copy)
        self.expect_torn()
        waited = dgfs("delta", "wait", "--timeout", "1", self.delta, check=False)
        self.expect_refused(waited, "waiting", "in use by process", "waited 1 s", code=1)
        writer.kill()
        writer.wait()
        dgfs("delta", "wait", self.delta)
        run("rm", "-rf", self.copy)
        run("cp", "-a", self.delta, self.copy)
        self.expect_whole()

    def test_a_killed_mount_is_recovered_and_its_copy_is_refused(self):
        self.mount_delta()
        self.fill("x")
        self.sync("x")
        in_use = dgfs("delta", "check", self.delta, check=False).stderr.decode()
        os.kill(int(re.search(r"process (\d+)", in_use).group(1)), signal.SIGKILL)
        waited = dgfs("delta", "wait", self.delta, check=False)
        self.expect_refused(waited, "Mount it once, which recovers it", code=1)
        run("cp", "-a", self.delta, self.copy)
        self.expect_torn()
        dgfs("delta", "check", self.delta)
        self.mount_delta()
        self.assertEqual(len(os.listdir(self.point / "x")), FILES)
        run("umount", self.point)

    def test_at_any_moment_a_copy_is_whole_or_refused(self):
        chance = random.Random(support.test_seed(71))
        rounds = int(os.environ.get("DGFS_COPY_ROUNDS", "8"))
        refused = 0
        for number in range(rounds):
            run("rm", "-rf", self.copy)
            self.mount_delta()
            folder = str(number)
            writer = subprocess.Popen([sys.executable, "-c", (
                "import os, sys\nos.mkdir(sys.argv[1])\n"
                f"for i in range({FILES}):\n"
                "  with open(sys.argv[1] + '/%d' % i, 'wb') as f: f.write(b'x' * 3000)\n"),
                self.point / folder])
            tool = chance.choice((("cp", "-a", self.delta, self.copy),
                                  ("cp", "-r", self.delta, self.copy),
                                  ("rsync", "-a", f"{self.delta}/", self.copy)))
            delay = chance.uniform(0, 1.5)
            copier = subprocess.Popen(["sh", "-c", f"sleep {delay}; exec \"$@\"", "sh", *tool])
            writer.wait()
            run(*chance.choice((("umount", "-i"), ("fusermount3", "-u"), ("umount",))), self.point)
            self.assertEqual(copier.wait(), 0)
            checked = dgfs("delta", "check", self.copy, "--image", self.image, check=False)
            mounted = self.mount(f"delta={self.copy}", check=False)
            self.assertEqual(mounted.returncode == 0, checked.returncode == 0,
                             checked.stdout + checked.stderr + mounted.stderr)
            if mounted.returncode != 0:
                refused += 1
                continue
            # Either all of this round, or all up to the one before.
            for made in range(number):
                self.assertEqual(len(os.listdir(self.point / str(made))), FILES)
            if (self.point / folder).exists():
                self.assertEqual(len(os.listdir(self.point / folder)), FILES)
            run("umount", self.point)
            self.wait_for_servers()
        print(f"{refused} of {rounds} copies were refused", file=sys.stderr)


if __name__ == "__main__":
    mount_case.main()
