#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Mounts that end without umount(8): their process is killed (auto_unmount), or nothing uses them
(idle=). The four kinds of mount are: read-only or with a delta, through /dev/fuse or io_uring.
"""
import contextlib
import os
import pathlib
import select
import signal
import subprocess
import time

import mount_case
import support
from mount_case import NOBODY, MountCase, as_nobody, mount_table
from support import dgfs, run

RING = pathlib.Path("/sys/module/fuse/parameters/enable_uring")
WAIT_SECONDS = 20


@contextlib.contextmanager
def rings():
    """Offers io_uring to mounts that begin now; without it, transport=uring is classic."""
    before = RING.read_text().strip() if RING.exists() else None
    if before == "N":
        RING.write_text("Y")
    try:
        yield
    finally:
        if before == "N":
            RING.write_text("N")


def processes(*words):
    """Returns the ids of the processes whose command line begins with the words."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if line[:len(words)] == [os.fspath(word) for word in words]:
                found.append(int(place.name))
    return found


def count_of_nobody():
    """Returns how many processes run as NOBODY."""
    count = 0
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            count += place.stat().st_uid == NOBODY
    return count


class KeeperCase(MountCase):
    def tearDown(self):
        super().tearDown()
        self.wait_for_processes()

    def kinds(self):
        for delta in ("", f",delta={self.scratch}/delta"):
            for way in ("classic", "uring"):
                with self.subTest(delta=bool(delta), way=way):
                    yield f"transport={way}{delta}"

    def start(self, options, **keywords):
        with rings():
            return self.mount(options, **keywords)

    def servers(self):
        return [pid for pid in processes(support.DGFS) if pid != os.getpid()]

    def wait_for(self, condition, what):
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)

    def wait_until_gone(self):
        self.wait_for(lambda: self.table_entry() is None, "still mounted")

    def wait_for_processes(self):
        self.wait_for(lambda: not self.servers() and not processes("mount-keeper"),
                      "a process is left")

    def kill(self):
        servers = self.servers()
        self.assertEqual(len(servers), 1)
        os.kill(servers[0], signal.SIGKILL)


class AutoUnmount(KeeperCase):
    def test_a_used_mount_goes_away_with_its_process(self):
        for options in self.kinds():
            self.start(f"auto_unmount,{options}")
            os.listdir(self.point)
            self.expect_served()
            with open(self.point / "dir" / "8", "rb"):  # even if it is in use
                self.kill()
                self.wait_until_gone()
            self.wait_for_processes()

    def test_a_delta_keeps_what_was_synced(self):
        options = f"auto_unmount,delta={self.scratch}/delta"
        self.mount(options)
        with open(self.point / "new", "w") as file:
            file.write("synced")
            file.flush()
            os.fsync(file.fileno())
        self.kill()
        self.wait_until_gone()
        self.mount(options)
        self.assertEqual((self.point / "new").read_text(), "synced")

    def test_no_process_outlives_an_unmounted_mount(self):
        for options in self.kinds():
            self.start(f"auto_unmount,{options}")
            self.assertEqual(len(processes("mount-keeper")), 1)
            support.unmount(self.point)
            self.wait_for_processes()
        self.mount("auto_unmount")
        os.kill(self.servers()[0], signal.SIGTERM)
        self.wait_until_gone()
        self.wait_for_processes()

    def test_a_refused_mount_leaves_no_process(self):
        self.expect_refused(self.mount("auto_unmount,idle=1", image=self.tree / "secret",
                                       check=False), "secret", code=1)
        self.wait_for_processes()

    def test_a_newer_mount_in_the_same_place_stays(self):
        self.mount("auto_unmount")
        keeper, = processes("mount-keeper")
        # The keeper is slow: meanwhile somebody replaces the dead mount.
        os.kill(keeper, signal.SIGSTOP)
        self.kill()
        self.wait_for(lambda: not self.servers(), "the server lives")
        self.mount("noexec")
        os.kill(keeper, signal.SIGCONT)
        self.wait_for(lambda: not processes("mount-keeper"), "the keeper lives")
        self.assertIn("noexec", self.table_entry()[2])
        self.expect_served()

    def test_a_mount_below_is_not_lost(self):
        self.mount("auto_unmount")
        run("mount", "-t", "tmpfs", "none", self.point / "dir")
        self.kill()
        self.wait_for(lambda: not processes("mount-keeper"), "the keeper lives")
        self.assertIsNotNone(self.table_entry())
        self.assertIsNotNone(self.table_entry(self.point / "dir"))

    def test_the_keeper_holds_nothing_of_its_caller(self):
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [support.DGFS, "mount", "-o", "auto_unmount", self.image, self.point],
            stdin=writer, stdout=writer, stderr=writer, cwd=self.scratch)
        os.close(writer)
        self.assertEqual(process.wait(timeout=20), 0)
        readable = select.select([reader], [], [], WAIT_SECONDS)[0]
        self.assertTrue(readable and os.read(reader, 1) == b"", "a process holds the output")
        os.close(reader)
        keeper, = processes("mount-keeper")
        self.assertEqual(os.readlink(f"/proc/{keeper}/cwd"), "/")
        self.assertEqual(sorted(os.listdir(f"/proc/{keeper}/fd")), ["0", "1", "2", "3"])
        self.assertNotEqual(os.getsid(keeper), os.getsid(self.servers()[0]))

    def test_a_parent_that_ignores_its_children_changes_nothing(self):
        result = subprocess.run(
            [support.DGFS, "mount", "-o", "auto_unmount", self.image, self.point],
            preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), check=False,
            stderr=subprocess.PIPE, timeout=WAIT_SECONDS)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.kill()
        self.wait_until_gone()

    def test_as_an_ordinary_user(self):
        os.chown(self.point, NOBODY, NOBODY)
        as_nobody(support.DGFS, "mount", "-o", "auto_unmount", self.image, self.point)
        as_nobody("ls", self.point)
        self.kill()
        self.wait_until_gone()
        self.wait_for_processes()


class Idle(KeeperCase):
    IDLE = 1

    def test_an_unused_mount_ends(self):
        for options in self.kinds():
            self.start(f"idle={self.IDLE},{options}")
            begin = time.monotonic()
            os.listdir(self.point)
            self.wait_until_gone()
            self.assertGreaterEqual(time.monotonic() - begin, self.IDLE)
            self.wait_for_processes()

    def test_what_was_written_is_there_again(self):
        options = f"idle={self.IDLE}s,delta={self.scratch}/delta"
        self.mount(options)
        (self.point / "new").write_text("written")
        self.wait_until_gone()
        self.wait_for_processes()
        self.assertIn(b"no damage", dgfs("delta", "check", self.scratch / "delta").stdout)
        result = self.mount(options)
        self.assertNotIn(b"recovered", result.stdout, "it was closed well")
        self.assertEqual((self.point / "new").read_text(), "written")

    def test_an_open_file_or_a_working_directory_keeps_it(self):
        self.mount(f"idle={self.IDLE}")
        with open(self.point / "dir" / "8", "rb"):
            time.sleep(self.IDLE * 3)
            self.assertIsNotNone(self.table_entry())
        process = subprocess.Popen(["sleep", "60"], cwd=self.point)
        try:
            time.sleep(self.IDLE * 3)
            self.assertIsNotNone(self.table_entry())
        finally:
            process.kill()
            process.wait()
        self.wait_until_gone()

    def test_uses_that_the_kernel_answers_alone_keep_it(self):
        self.mount(f"idle={self.IDLE}")
        end = time.monotonic() + self.IDLE * 4
        while time.monotonic() < end:
            os.stat(self.point / "dir" / "8")  # from the second time on, no request
            time.sleep(0.05)
        self.assertIsNotNone(self.table_entry())
        self.wait_until_gone()

    def test_zero_is_never(self):
        self.mount("idle=0")
        self.assertEqual(processes("mount-keeper"), [])

    def test_in_the_foreground(self):
        process = subprocess.Popen(
            [support.DGFS, "mount", "-f", "-o", f"idle={self.IDLE}", self.image, self.point])
        self.assertEqual(process.wait(timeout=WAIT_SECONDS), 0)
        self.assertIsNone(self.table_entry())

    def test_a_user_who_has_no_thread_left_gets_an_error(self):
        os.chown(self.point, NOBODY, NOBODY)
        others = count_of_nobody()
        for limit in range(others + 1, others + 10):
            with self.subTest(limit=limit):
                result = as_nobody("prlimit", f"--nproc={limit}", support.DGFS, "mount", "-f", "-o",
                                   f"idle={self.IDLE},threads=1", self.image, self.point,
                                   check=False)
                self.assertIn(result.returncode, (0, 1), result.stderr)
                self.assertIsNone(self.table_entry())
                self.wait_for_processes()

    def test_another_mount_over_it_stays(self):
        self.mount(f"idle={self.IDLE}")
        run("mount", "-t", "tmpfs", "none", self.point)
        time.sleep(self.IDLE * 4)
        self.assertEqual(self.table_entry()[1], "tmpfs")
        run("umount", self.point)
        self.assertEqual(self.table_entry()[1], "fuse.dgfs")
        self.wait_until_gone()

    def test_as_an_ordinary_user(self):
        os.chown(self.point, NOBODY, NOBODY)
        as_nobody(support.DGFS, "mount", "-o", f"idle={self.IDLE}", self.image, self.point)
        process = subprocess.Popen(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                                    "--clear-groups", "tail", "-f", self.point / "dir" / "8"],
                                   stdout=subprocess.DEVNULL)
        try:
            time.sleep(self.IDLE * 3)
            self.assertIn(str(self.point), mount_table())
        finally:
            process.kill()
            process.wait()
        self.wait_until_gone()
        self.wait_for_processes()


if __name__ == "__main__":
    mount_case.main()
