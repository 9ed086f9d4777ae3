#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Deltas on a separate disk: small, failing, and without power."""
import contextlib
import errno
import fcntl
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from support import run  # noqa: E402

# From linux/ext4.h: from then on every call at the file system fails, and nothing is written.
EXT4_IOC_SHUTDOWN = 0x8004587D
EXT4_NO_LOG_FLUSH = 2


class OwnDisk(DeltaCase):
    """The delta lies on a separate file system."""

    def setUp(self):
        super().setUp()
        support.need_program("mkfs.ext4")
        self.disk, self.place = self.scratch / "disk", self.scratch / "place"
        run("truncate", "-s", "200M", self.disk)
        run("mkfs.ext4", "-q", "-F", self.disk)
        self.place.mkdir()
        self.attach_disk()
        self.delta = self.place / "delta"

    def attach_disk(self):
        run("mount", "-o", "loop", self.disk, self.place)

    def detach_disk(self):
        run("umount", self.place)

    def stop_disk(self):
        """Stops the disk as a power cut does: bytes that the file system has not written are
        lost.
        """
        place = os.open(self.place, os.O_RDONLY)
        fcntl.ioctl(place, EXT4_IOC_SHUTDOWN, struct.pack("I", EXT4_NO_LOG_FLUSH))
        os.close(place)


class FailingDisk(OwnDisk):
    def test_changes_get_eio_and_what_was_synced_is_there_again(self):
        log = open(self.scratch / "log", "wb+")
        server = subprocess.Popen([support.DGFS, "mount", "-f", self.image, self.point, "-o",
                                   f"delta={self.delta}"], stdout=subprocess.DEVNULL, stderr=log)
        self.addCleanup(server.kill)
        deadline = time.monotonic() + 20
        while self.table_entry() is None:
            self.assertIsNone(server.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        fd = os.open(self.point / "new", os.O_CREAT | os.O_RDWR)
        os.write(fd, b"synced")
        os.fsync(fd)
        self.stop_disk()
        with self.assertRaises(OSError) as failed:
            os.pwrite(fd, b"not to be", 0)
            os.fsync(fd)
        self.assertEqual(failed.exception.errno, errno.EIO)
        with self.assertRaises(OSError) as failed:
            (self.point / "more").mkdir()
        self.assertEqual(failed.exception.errno, errno.EIO)
        self.assertEqual((self.point / "dir" / "9").read_bytes(),
                         (self.tree / "dir" / "9").read_bytes(), "the image can still be read")
        os.close(fd)
        # Nothing is mounted any more, but the delta is not whole, so a script must not copy it.
        ended = run("umount", self.point, check=False)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn(b"Input/output error", ended.stderr)
        self.assertIsNone(self.table_entry())
        self.assertEqual(server.wait(), 1, "the server could not close the delta")
        log.seek(0)
        said = log.read().decode()
        log.close()
        self.assertIn(f"the delta {self.delta} fails", said)
        self.assertLess(said.count("\n"), 12, said)
        self.detach_disk()
        self.attach_disk()
        self.mount_delta()
        self.assertEqual((self.point / "new").read_bytes(), b"synced")
        self.assertFalse((self.point / "more").exists())
        self.unmount()
        self.expect_sound()


class PowerCut(OwnDisk):
    ROUNDS = 4

    def write_and_sync(self, writer, synced):
        """Writes and syncs until the disk is gone; notes which files were synced."""
        with contextlib.suppress(OSError):
            for i in range(10_000):
                name, content = f"{writer}-{i}", os.urandom(1 + i * 37 % 9000)
                fd = os.open(self.point / name, os.O_CREAT | os.O_WRONLY, 0o644)
                try:
                    os.write(fd, content)
                    os.fsync(fd)
                finally:
                    os.close(fd)
                synced[name] = content

    def make_directories(self, first):
        """Makes directories in order, without a sync, until the disk is gone."""
        with contextlib.suppress(OSError):
            for i in range(first, first + 1_000_000):
                (self.point / "ordered" / str(i)).mkdir()

    def test_leaves_what_was_synced_and_a_beginning_of_the_rest(self):
        chance = random.Random(support.test_seed(4))
        synced, first = {}, 0
        self.mount_delta()
        (self.point / "ordered").mkdir()
        for cut in range(self.ROUNDS):
            threads = [threading.Thread(target=self.write_and_sync, args=(f"{cut}-{i}", synced))
                       for i in range(3)]
            threads.append(threading.Thread(target=self.make_directories, args=(first,)))
            for thread in threads:
                thread.start()
            time.sleep(0.3 + chance.random())
            self.stop_disk()
            for thread in threads:
                thread.join()
            self.kill_daemon()
            run("umount", "-l", self.point)
            self.detach_disk()
            self.attach_disk()
            self.mount_delta()
            for name, content in synced.items():
                self.assertEqual((self.point / name).read_bytes(), content, name)
            made = sorted(int(name) for name in os.listdir(self.point / "ordered"))
            self.assertEqual(made, list(range(len(made))), "the first ones, without a gap")
            first = len(made)
        self.assertGreater(len(synced), self.ROUNDS)
        self.unmount()
        self.expect_sound()


class PowerCutOfTheDevice(PowerCut):
    """The device keeps random sectors of what was written since its last flush."""

    def setUp(self):
        self.chance = random.Random(support.test_seed(8))
        super().setUp()

    def attach_disk(self):
        self.device = self.scratch / "device"
        self.device.mkdir(exist_ok=True)
        run(os.environ["VOLATILE_DISK"], self.disk, self.device)
        run("mount", "-o", "loop", self.device / "disk", self.place)

    def detach_disk(self):
        run("umount", self.place)
        # The loop device releases its file a little later, if another process looks at it just now.
        deadline = time.monotonic() + 20
        while run("umount", self.device, check=False).returncode != 0:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def stop_disk(self):
        seed = str(self.chance.randrange(1 << 31)).encode()
        os.setxattr(self.device / "disk", "user.power_cut", seed)


class SmallDisk(OwnDisk):
    def test_a_delta_leaves_room_for_changes(self):
        self.mount_delta()
        written = 0
        with self.assertRaises(OSError) as full:
            while True:
                (self.point / f"fill{written}").write_bytes(os.urandom(1 << 20))
                written += 1
        self.assertEqual(full.exception.errno, errno.ENOSPC)
        self.assertGreater(written, 80)
        for i in range(written + 1):
            (self.point / f"fill{i}").unlink(missing_ok=True)
        deadline = time.monotonic() + 20
        while True:
            try:
                (self.point / "again").write_bytes(os.urandom(20 << 20))
                break
            except OSError:
                self.assertLess(time.monotonic(), deadline, "the space was not freed in time")
                time.sleep(0.1)
        self.unmount()
        self.expect_sound()


class FirstMount(OwnDisk):
    """A first mount on a disk with little space: mounted and able to write, or refused with the
    bytes that it needs, and nothing left behind.
    """

    def leave_free(self, kib):
        filler = self.place / "filler"
        filler.unlink(missing_ok=True)
        status = os.statvfs(self.place)
        with open(filler, "wb") as file:
            os.posix_fallocate(file.fileno(), 0,
                               max(1, status.f_bavail * status.f_bsize - (kib << 10)))

    def test_is_of_use_or_leaves_nothing(self):
        outcomes = set()
        for kib in (0, 64, 1024, 4096, 8192, 10240, 12288, 14336, 15360, 16384, 20480, 32768):
            with self.subTest(kib=kib):
                self.leave_free(kib)
                mounted = self.mount_delta(check=False)
                outcomes.add(mounted.returncode)
                if mounted.returncode == 0:
                    (self.point / "new").write_bytes(os.urandom(256 << 10))
                    self.unmount()
                    self.expect_sound()
                    shutil.rmtree(self.delta)
                else:
                    self.expect_refused(mounted, "a new delta needs ", "bytes of disk", code=1)
                    self.assertFalse(self.delta.exists())
                (self.place / "filler").unlink()
                self.mount_delta()
                (self.point / "new").write_text("room was made")
                self.unmount()
                shutil.rmtree(self.delta)
        self.assertEqual(outcomes, {0, 1})

    def test_takes_up_what_an_interrupted_one_has_left(self):
        self.mount_delta()
        self.unmount()
        store = self.delta / "0001"
        (self.delta / "MANIFEST").unlink()
        for name in ("store", "log.1", "extents"):
            (store / name).unlink()
        os.truncate(store / "blocks", 0)
        self.assertIn(b"is new", self.mount_delta().stdout)
        (self.point / "new").write_text("hello")
        self.unmount()
        (self.delta / "MANIFEST").unlink()
        self.expect_refused(self.mount_delta(check=False), "MANIFEST is missing", code=1)


class TrueDf(OwnDisk):
    """Half of the space that df shows can be written."""

    def setUp(self):
        super().setUp()
        run("umount", self.place)
        run("truncate", "-s", "700M", self.disk)
        run("mkfs.ext4", "-q", "-F", self.disk)
        self.attach_disk()

    def available(self):
        status = os.statvfs(self.point)
        return status.f_bavail * status.f_frsize

    def expect_half_can_be_written(self):
        half = self.available() // 2
        with open(self.point / "half", "wb") as file:
            for begin in range(0, half, 1 << 20):
                file.write(os.urandom(min(1 << 20, half - begin)))
        return half

    def expect_half_can_be_written_as_small_files(self, numbers):
        """A file counts with the blocks that it takes of other file systems."""
        half = self.available() // 2
        (self.point / "halves").mkdir()
        counted = 0
        while True:
            length = numbers.randrange(1, 20_000)
            counted += (length + 4095) // 4096 * 4096
            if counted > half:
                return half
            (self.point / "halves" / str(counted)).write_bytes(numbers.randbytes(length))

    def write_3000_small_files_and_remove_half(self, numbers):
        for i in range(3000):
            (self.point / f"small-{i}").write_bytes(numbers.randbytes(numbers.randrange(40_000)))
        for i in numbers.sample(range(3000), 1500):
            (self.point / f"small-{i}").unlink()

    def taken(self):
        return sum(path.stat().st_blocks * 512 for path in self.delta.rglob("*"))

    def test_of_a_delta_that_was_larger(self):
        self.mount_delta("size=600M")
        with open(self.point / "big", "wb") as file:
            for _ in range(250):
                file.write(os.urandom(1 << 20))
            os.fsync(file.fileno())
        (self.point / "big").unlink()
        self.remount("size=200M")
        self.assertGreater(self.expect_half_can_be_written(), 8 << 20)
        self.unmount()
        self.expect_sound()

    def test_after_3000_small_files_of_which_half_are_removed(self):
        numbers = random.Random(5)
        self.mount_delta("size=150M")
        self.write_3000_small_files_and_remove_half(numbers)
        self.remount("size=150M")
        self.assertGreater(self.expect_half_can_be_written(), 8 << 20)
        (self.point / "half").unlink()
        self.remount("size=150M")
        self.assertGreater(self.expect_half_can_be_written_as_small_files(numbers), 8 << 20)
        self.assertLessEqual(self.taken(), 150 << 20)
        self.unmount()
        self.expect_sound()

    def test_in_a_mount_that_goes_on(self):
        numbers = random.Random(6)
        self.mount_delta("size=150M")
        self.write_3000_small_files_and_remove_half(numbers)
        for _ in range(3):
            self.expect_half_can_be_written()
            (self.point / "half").unlink()
            self.expect_half_can_be_written_as_small_files(numbers)
            shutil.rmtree(self.point / "halves")
        self.assertLessEqual(self.taken(), 150 << 20)
        self.unmount()
        self.expect_sound()

    def test_a_closed_delta_gives_back_what_it_does_not_need(self):
        self.mount_delta("memory=256M")
        (self.point / "new").write_bytes(os.urandom(1 << 20))
        mounted = self.taken()
        self.unmount()
        self.assertLess(self.taken(), mounted - (32 << 20))


if __name__ == "__main__":
    mount_case.main()
