#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Mounts with a delta: made, found again, refused, killed, full, read, watched."""
import ctypes
import errno
import filecmp
import json
import mmap
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from delta_case import DeltaCase, snapshot  # noqa: E402
from mount_case import mount_table  # noqa: E402
from support import build, compare, dgfs, run  # noqa: E402

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100


DIRENT_NAME_OFFSET = 19  # of struct dirent


class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]


def handle_of(path):
    handle, mount_id = Handle(bytes=128), ctypes.c_int()
    if LIBC.name_to_handle_at(AT_FDCWD, os.fsencode(path), ctypes.byref(handle),
                              ctypes.byref(mount_id), 0) != 0:
        raise OSError(ctypes.get_errno(), "name_to_handle_at")
    return handle


def open_by_handle(directory, handle):
    fd = LIBC.open_by_handle_at(directory, ctypes.byref(handle), os.O_RDONLY)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "open_by_handle_at")
    return fd


class Delta(DeltaCase):
    def test_is_made_and_found_again(self):
        said = self.mount_delta().stdout.decode()
        self.assertEqual(said, f"{self.delta} is new: it keeps all changes made in the mount\n")
        self.assertIn("rw", self.table_entry()[2])
        self.assertIn("default_permissions", self.table_entry()[2])
        (self.point / "new").write_text("hello")
        (self.point / "dir" / "7").write_text("other")
        os.rename(self.point / "dir", self.point / "moved")
        os.unlink(self.point / "link")
        self.unmount()
        self.assertEqual(self.mount_delta().stdout, b"")
        self.assertEqual((self.point / "new").read_text(), "hello")
        self.assertEqual((self.point / "moved" / "7").read_text(), "other")
        self.assertEqual((self.point / "moved" / "8").read_bytes(),
                         (self.tree / "dir" / "8").read_bytes())
        self.assertEqual(sorted(os.listdir(self.point)), ["id", "moved", "new", "secret"])
        self.unmount()
        self.expect_sound()

    def test_an_empty_directory_becomes_one(self):
        self.delta.mkdir()
        self.assertIn(b"is new", self.mount_delta().stdout)

    def test_another_directory_is_refused_and_left_alone(self):
        self.delta.mkdir()
        (self.delta / "photo").write_text("precious")
        self.expect_refused(self.mount_delta(check=False), "neither a delta nor an empty", code=1)
        self.assertEqual(os.listdir(self.delta), ["photo"])
        self.assertIsNone(self.table_entry())

    def test_one_that_has_lost_its_manifest_is_refused_and_left_alone(self):
        self.mount_delta()
        (self.point / "new").write_text("precious")
        self.unmount()
        manifest = (self.delta / "MANIFEST").read_bytes()
        (self.delta / "MANIFEST").unlink()
        before = snapshot(self.delta)
        self.expect_refused(self.mount_delta(check=False), "MANIFEST is missing", code=1)
        self.assertEqual(snapshot(self.delta), before)
        (self.delta / "MANIFEST").write_bytes(manifest)
        self.mount_delta()
        self.assertEqual((self.point / "new").read_text(), "precious")

    def test_a_folder_named_as_a_store_is_refused_and_left_alone(self):
        (self.delta / "0001").mkdir(parents=True)
        (self.delta / "0001" / "photo").write_text("precious")
        self.expect_refused(self.mount_delta(check=False), "neither a delta nor an empty", code=1)
        self.assertEqual(os.listdir(self.delta), ["0001"])
        self.assertEqual(os.listdir(self.delta / "0001"), ["photo"])

    def test_belongs_to_one_image(self):
        self.mount_delta()
        self.unmount()
        other = self.scratch / "other.dgfs"
        build(self.tree / "dir", other)
        self.expect_refused(self.mount_delta(image=other, check=False), "another image", code=1)

    def test_is_open_once(self):
        self.mount_delta()
        second = self.scratch / "second"
        second.mkdir()
        refused = dgfs("mount", self.image, second, "--delta", self.delta, check=False)
        self.expect_refused(refused, f"in use by process {self.daemon()}", code=1)
        self.expect_refused(dgfs("delta", "check", self.delta, check=False), "in use", code=1)

    def test_is_waited_for_while_it_is_closed(self):
        self.mount_delta()
        for i in range(20):
            (self.point / f"file{i}").write_bytes(os.urandom(300_000))
            self.remount()
        for i in range(20):
            self.assertEqual((self.point / f"file{i}").stat().st_size, 300_000)

    def test_says_that_it_is_closing_from_the_unmount_on(self):
        for _ in range(20):
            self.mount_delta()
            os.listdir(self.point)  # now it serves
            self.assertIn(b'"open"', self.ask_state())
            run("umount", self.point)
            self.assertNotIn(b'"open"', self.ask_state())

    def test_through_mount_and_fstab(self):
        run("mount", "-t", "dgfs", "-o", f"delta={self.delta}", self.image, self.point)
        (self.point / "new").write_text("hello")
        self.unmount()
        fstab = self.scratch / "fstab"
        fstab.write_text(f"{self.image} {self.point} dgfs delta={self.delta},nofail 0 0\n")
        run("mount", "-a", "-T", fstab)
        self.assertIn("rw", self.table_entry()[2])
        self.assertEqual((self.point / "new").read_text(), "hello")

    def test_options_of_the_other_kind_are_refused(self):
        for options, text in (("size=1G", "only with a delta"), ("writeback", "only with a delta"),
                              (f"delta={self.delta},page_cache=1M", "memory="),
                              (f"delta={self.delta},memory=1M", "16M"),
                              (f"delta={self.delta},size=0", "size=0")):
            with self.subTest(options):
                self.expect_refused(self.mount(options, check=False), text, code=2)
        self.assertFalse(self.delta.exists())

    def test_a_dry_run_makes_nothing(self):
        dgfs("mount", "--dry-run", self.image, self.point, "--delta", self.delta)
        self.assertFalse(self.delta.exists())
        self.mount_delta()
        (self.point / "new").write_text("hello")
        self.unmount()
        before = snapshot(self.delta)
        dgfs("mount", "--dry-run", self.image, self.point, "--delta", self.delta)
        self.assertEqual(snapshot(self.delta), before)

    def test_places_in_a_directory_are_exact(self):
        self.mount_delta()
        place = self.point / "large"
        place.mkdir()
        for i in range(5000):
            (place / f"name{i}").touch()
        libc = ctypes.CDLL(None, use_errno=True)
        libc.opendir.restype = libc.readdir.restype = ctypes.c_void_p
        libc.telldir.restype = ctypes.c_long
        stream = ctypes.c_void_p(libc.opendir(os.fsencode(place)))
        read = []  # the name, and the place behind it
        while entry := libc.readdir(stream):
            read.append((ctypes.string_at(entry + DIRENT_NAME_OFFSET), libc.telldir(stream)))
        self.assertEqual(len(read), 5002)
        for at in range(0, 5000, 37):
            libc.seekdir(stream, ctypes.c_long(read[at][1]))
            entry = libc.readdir(stream)
            self.assertEqual(ctypes.string_at(entry + DIRENT_NAME_OFFSET), read[at + 1][0])
        libc.closedir(stream)

    def test_a_build_from_the_mount_has_all_of_it(self):
        self.mount_delta()
        os.rename(self.point / "dir", self.point / "moved")
        (self.point / "moved" / "new").write_bytes(os.urandom(100_000))
        os.truncate(self.point / "moved" / "50", 100)
        image = self.scratch / "merged.dgfs"
        build(self.point, image)
        other = self.scratch / "extracted"
        dgfs("extract", image, other)
        compare(self.point, other)


class Remount(DeltaCase):
    def test_to_be_read_and_to_be_changed_again(self):
        self.mount_delta()
        (self.point / "new").write_text("hello")
        run("mount", "-o", "remount,ro", self.point)
        self.assertIn("ro", self.table_entry()[2])
        with self.assertRaises(OSError) as refused:
            (self.point / "more").write_text("no")
        self.assertEqual(refused.exception.errno, errno.EROFS)
        before = snapshot(self.delta)
        time.sleep(1.5)
        self.assertEqual(snapshot(self.delta), before, "a checkpoint had everything already")
        run("mount", "-o", "remount,rw", self.point)
        (self.point / "more").write_text("yes")
        self.remount()
        self.assertEqual((self.point / "more").read_text(), "yes")
        self.unmount()
        self.expect_sound()

    def test_leaves_what_the_server_was_asked_for(self):
        self.mount_delta("sync")
        run("mount", "-o", "remount,noexec,async", self.point)
        self.assertLessEqual({"rw", "noexec", "sync"}, self.table_entry()[2])

    def test_not_while_a_file_is_open_for_writing(self):
        self.mount_delta()
        with open(self.point / "new", "w", encoding="utf-8"):
            result = run("mount", "-o", "remount,ro", self.point, check=False)
            self.expect_refused(result, "busy")
        run("mount", "-o", "remount,ro", self.point)

    def test_one_that_was_mounted_to_be_read_stays_so(self):
        self.mount_delta()
        self.remount("ro")
        result = run("mount", "-o", "remount,rw", self.point, check=False)
        self.expect_refused(result, "is mounted read-only")


class ReadOnlyDelta(DeltaCase):
    def test_shows_the_tree_and_writes_nothing(self):
        self.mount_delta()
        (self.point / "new").write_text("hello")
        self.unmount()
        before = snapshot(self.delta)
        self.mount_delta("ro")
        self.assertIn("ro", self.table_entry()[2])
        self.assertEqual((self.point / "new").read_text(), "hello")
        with self.assertRaises(OSError) as refused:
            (self.point / "more").write_text("no")
        self.assertEqual(refused.exception.errno, errno.EROFS)
        self.unmount()
        self.assertEqual(snapshot(self.delta), before)

    def test_shows_what_a_kill_has_left(self):
        self.mount_delta()
        with open(self.point / "new", "w", encoding="utf-8") as file:
            file.write("hello")
            file.flush()
            os.fsync(file.fileno())
        os.kill(self.daemon(), signal.SIGKILL)
        run("umount", "-l", self.point)
        before = snapshot(self.delta)
        self.mount_delta("ro")
        self.assertEqual((self.point / "new").read_text(), "hello")
        self.unmount()
        self.assertEqual(snapshot(self.delta), before)

    def test_is_not_made(self):
        self.expect_refused(self.mount_delta("ro", check=False), "there is no delta", code=1)
        self.assertFalse(self.delta.exists())


class Endings(DeltaCase):
    def test_what_was_synced_survives_a_kill_and_the_dead_mount_is_replaced(self):
        self.mount_delta()
        with open(self.point / "new", "wb") as file:
            file.write(b"hello")
            file.flush()
            os.fsync(file.fileno())
        os.kill(self.daemon(), signal.SIGKILL)
        said = self.mount_delta().stdout.decode()
        self.assertIn("unmounted a mount whose process was killed", said)
        self.assertRegex(said, r"recovered \d+ changes? that w")
        self.assertEqual((self.point / "new").read_bytes(), b"hello")
        self.assertEqual(len([p for p in mount_table() if p == str(self.point)]), 1)

    def test_a_mount_may_follow_a_kill_at_once(self):
        self.mount_delta()
        for _ in range(20):
            os.stat(self.point)  # the kernel keeps the answer, even if the server dies
            os.kill(self.daemon(), signal.SIGKILL)
            self.assertIn(b"unmounted a mount whose process was killed", self.mount_delta().stdout)
        self.assertEqual(len([p for p in mount_table() if p == str(self.point)]), 1)

    def test_dead_mounts_on_each_other_are_all_replaced(self):
        link = self.scratch / "link"
        link.symlink_to(self.point)
        self.mount_delta()
        dgfs("mount", self.image, self.point)
        for process in run("pgrep", "-f", f"mount .*{self.point}").stdout.split():
            os.kill(int(process), signal.SIGKILL)
        dgfs("mount", self.image, link, "--delta", self.delta)
        self.assertEqual(len([p for p in mount_table() if p == str(self.point)]), 1)
        self.expect_served()

    def test_a_mount_that_a_dead_one_hides_is_in_nobodys_way(self):
        hidden = self.point / "hidden"
        hidden.mkdir()
        run("mount", "-t", "tmpfs", "none", hidden)
        self.mount_delta()
        self.kill_daemon()
        self.assertIn(b"unmounted a mount whose process was killed", self.mount_delta().stdout)
        self.expect_served()

    def test_a_dead_mount_stays_while_another_lies_below_it(self):
        self.mount_delta()
        below = self.point / "dir"
        run("mount", "-t", "tmpfs", "none", below)
        self.kill_daemon()
        self.expect_refused(self.mount_delta(check=False), f"while {below} is mounted below it")
        run("umount", below)
        self.mount_delta()
        self.expect_served()

    def test_a_signal_ends_it_in_good_order(self):
        self.mount_delta()
        path = self.point / "mapped"
        path.write_bytes(bytes(10_000))
        fd = os.open(path, os.O_RDWR)
        with mmap.mmap(fd, 10_000) as memory:
            memory[5000:5005] = b"dirty"
            daemon = self.daemon()
            os.kill(daemon, signal.SIGTERM)
            deadline = time.monotonic() + 20
            while str(self.point) in mount_table() and time.monotonic() < deadline:
                time.sleep(0.02)
            self.assertIsNone(self.table_entry())
        os.close(fd)
        self.assertNotIn(b"recovered", self.mount_delta().stdout)
        self.assertEqual(path.read_bytes()[5000:5005], b"dirty")

    def test_an_unlinked_file_lives_while_it_is_open(self):
        self.mount_delta()
        for name in ("dir/90", "made"):
            path = self.point / name
            if name == "made":
                path.write_bytes(b"x" * 100_000)
            content = path.read_bytes()
            with open(path, "r+b") as file:
                path.unlink()
                self.assertEqual(file.read(), content)
                self.assertEqual(os.fstat(file.fileno()).st_nlink, 0)
                file.write(b"more")
                file.flush()
                self.assertEqual(os.fstat(file.fileno()).st_size, len(content) + 4)
        self.unmount()
        self.expect_sound()

    def test_an_orphan_of_a_killed_mount_is_ended_by_the_next(self):
        self.mount_delta()
        file = open(self.point / "made", "wb")
        file.write(b"x" * 3_000_000)
        file.flush()
        (self.point / "made").unlink()
        root = os.open(self.point, os.O_RDONLY)
        os.fsync(root)
        os.close(root)
        os.kill(self.daemon(), signal.SIGKILL)
        file.close()
        self.mount_delta()
        self.unmount()
        self.expect_sound()

    def test_handles_survive_a_restart(self):
        self.mount_delta()
        (self.point / "new").write_text("hello")
        handles = [handle_of(self.point / name) for name in ("new", "dir/7")]
        self.remount()
        root = os.open(self.point, os.O_RDONLY)
        for handle, content in zip(handles, (b"hello", (self.tree / "dir" / "7").read_bytes())):
            fd = open_by_handle(root, handle)
            self.assertEqual(os.read(fd, 100_000), content)
            os.close(fd)
        os.close(root)


class Watching(DeltaCase):
    def test_a_live_delta_tells_of_itself(self):
        self.mount_delta()
        (self.point / "new").write_bytes(b"x" * 5000)
        text = dgfs("delta", "info", self.delta).stdout.decode()
        for word in ("mounted", "requests", "create", "together", "written", "space", "waited",
                     "tree"):
            self.assertIn(word, text)
        facts = json.loads(dgfs("delta", "info", "--json", self.delta).stdout)
        self.assertEqual(facts["requests"]["create"]["count"], 1)
        self.assertGreater(facts["requests"]["create"]["total_ns"], 0)
        self.assertEqual(facts["written_bytes"], 5000)
        self.assertEqual(facts["delta"]["path"], str(self.delta))
        self.assertEqual(json.loads(dgfs("info", "--live", "--json", self.point).stdout)["uuid"],
                         facts["uuid"])
        self.unmount()
        self.assertIn(b"store", dgfs("delta", "info", self.delta).stdout)

    def test_its_socket_is_its_owners(self):
        self.mount_delta()
        dgfs("delta", "info", self.delta)
        control = self.delta / "control"
        self.assertEqual(stat.S_IMODE(control.stat().st_mode), 0o600)
        self.unmount()
        # Its name stays: one that vanished would make a copy of the directory fail.
        for _ in range(200):
            with socket.socket(socket.AF_UNIX) as asker:
                try:
                    asker.connect(str(control))
                except ConnectionRefusedError:
                    return
            time.sleep(0.05)
        self.fail("somebody still listens at the control socket")

    def test_the_log_tells_of_a_full_delta(self):
        log = open(self.scratch / "log", "wb+")
        server = subprocess.Popen([support.DGFS, "mount", "-f", self.image, self.point, "-o",
                                   f"delta={self.delta},size=64M"],
                                  stdout=subprocess.DEVNULL, stderr=log)
        while self.table_entry() is None:
            self.assertIsNone(server.poll())
            time.sleep(0.01)
        written = 0
        with self.assertRaises(OSError) as full:
            for i in range(1000):
                (self.point / f"fill{i}").write_bytes(os.urandom(1 << 20))
                written += 1
        self.assertEqual(full.exception.errno, errno.ENOSPC)
        self.assertGreater(written, 20)
        for i in range(written):
            self.assertEqual((self.point / f"fill{i}").stat().st_size, 1 << 20)
        for i in range(written):
            (self.point / f"fill{i}").unlink()
        deadline = time.monotonic() + 20
        while True:
            try:
                (self.point / "again").write_bytes(os.urandom(5 << 20))
                break
            except OSError:
                self.assertLess(time.monotonic(), deadline, "the space was not freed in time")
                time.sleep(0.1)
        self.unmount()
        self.assertEqual(server.wait(), 0)
        log.seek(0)
        said = log.read().decode()
        log.close()
        self.assertIn(f"the delta {self.delta} is full", said)
        self.assertLess(said.count("\n"), 10, said)
        self.expect_sound()


class UnderOverlay(DeltaCase):
    def overlay(self, lower, upper_base):
        upper, work, merged = (upper_base / name for name in ("upper", "work", "merged"))
        for directory in (upper, work):
            directory.mkdir()
        merged = self.scratch / "merged"
        merged.mkdir()
        run("mount", "-t", "overlay", "overlay", "-o",
            f"lowerdir={lower},upperdir={upper},workdir={work}", merged)
        return merged, upper

    def setUp(self):
        super().setUp()
        if "overlay" not in pathlib.Path("/proc/filesystems").read_text():
            self.skipTest("this kernel has no overlay file system")

    def test_as_upper(self):
        self.mount_delta("suid,dev")
        merged, upper = self.overlay(self.tree, self.point)
        (merged / "dir" / "7").unlink()
        (merged / "dir" / "8").write_text("changed")
        os.rename(merged / "dir" / "9", merged / "dir" / "nine")
        os.rename(merged / "secret", merged / "dir" / "secret")
        names = set(os.listdir(merged / "dir"))
        self.assertNotIn("7", names)
        self.assertLessEqual({"nine", "secret"}, names)
        whiteout = (upper / "dir" / "7").lstat()
        self.assertTrue(stat.S_ISCHR(whiteout.st_mode))
        self.assertEqual(whiteout.st_rdev, 0)
        run("umount", merged)

    def test_as_lower(self):
        self.mount_delta()
        (self.point / "new").write_text("hello")
        base = self.scratch / "base"
        base.mkdir()
        merged, _ = self.overlay(self.point, base)
        self.assertEqual((merged / "new").read_text(), "hello")
        (merged / "new").write_text("above")
        self.assertTrue(filecmp.cmp(merged / "dir" / "7", self.tree / "dir" / "7", shallow=False))
        self.assertEqual((self.point / "new").read_text(), "hello")
        run("umount", merged)


if __name__ == "__main__":
    mount_case.main()
