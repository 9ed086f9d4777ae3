#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Trees at the limits: names, paths, sizes, times, owners, attributes, links, holes.

The test packs, mounts and extracts each tree, and compares by the independent walk.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import support

SHARED_MEMORY = pathlib.Path("/dev/shm")
NAME_BYTES_MAX = 255


def make_path(root, names):
    """Makes nested directories of any depth, with a file "end" in the last one."""
    fd = os.open(root, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=fd)
        below = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    end = os.open("end", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=fd)
    os.write(end, b"reached")
    os.close(end)
    os.close(fd)


def remove_tree(root):
    """Removes a tree; shutil.rmtree() cannot follow long paths."""
    subprocess.run(["rm", "-rf", root], check=True)


class ExtremeCase(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(remove_tree, self.scratch)
        self.source = self.scratch / "source"
        self.source.mkdir()
        self.image = self.scratch / "image.dgfs"

    def pack(self, *options):
        support.build(self.source, self.image, *options)
        support.dgfs("verify", self.image)

    def check_same(self):
        """The mount and an extraction give the tree that was packed."""
        if os.path.exists("/dev/fuse"):
            with support.mounted(self.image) as mount:
                support.compare(self.source, mount)
        out = self.scratch / "out"
        support.dgfs("extract", self.image, out)
        support.compare(self.source, out)
        remove_tree(out)

    def round_trip(self):
        self.pack()
        self.check_same()

    def refuse(self, *options):
        """Expects the build to fail and to leave nothing; returns the message."""
        result = support.dgfs("build", self.source, self.image, "--quiet", *options, check=False)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(sorted(os.listdir(self.scratch)), ["source"])
        return result.stderr.decode(errors="replace")


class Names(ExtremeCase):
    def test_longest_names_of_any_bytes(self):
        root = os.fsencode(self.source)
        for first in range(1, 256):
            if first != ord("/"):
                name = bytes([first]) + b"n" * (NAME_BYTES_MAX - 1)
                with open(os.path.join(root, name), "wb") as file:
                    file.write(name)
        self.round_trip()

    def test_a_path_beyond_path_max(self):
        make_path(self.source, [f"{level:03}" + "d" * 200 for level in range(60)])
        self.pack()
        self.check_same()
        path = "/".join(f"{level:03}" + "d" * 200 for level in range(60)) + "/end"
        self.assertGreater(len(path), 3 * 4096 - 200)
        self.assertEqual(support.dgfs("cat", self.image, path).stdout, b"reached")

    def test_a_path_that_is_too_long_is_refused_in_few_words(self):
        make_path(self.source, ["d" * NAME_BYTES_MAX] * 256)
        told = self.refuse()
        self.assertIn("path is too long", told)
        self.assertIn("65535", told)
        self.assertLess(len(told), 2000)
        self.assertEqual(support.dgfs("build", self.source, self.image, "--keep-going",
                                      check=False).returncode, 1)
        support.dgfs("verify", self.image)


class Attributes(ExtremeCase):
    def test_owners(self):
        support.need_root()
        for number in (0, 1, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 2):
            path = self.source / str(number)
            path.touch()
            os.chown(path, number, 2**32 - 2 - number)
        self.round_trip()

    def test_times(self):
        wanted = [-2**31, -2**31 + 1, -1, 0, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**33]
        kept = set()
        for seconds in wanted:
            path = self.source / f"t{seconds}"
            path.touch()
            os.utime(path, ns=(0, seconds * 10**9 + 999_999_999))
            kept.add(path.stat().st_mtime_ns // 10**9)
        self.assertLess(min(kept), 0)  # some before 1970
        self.assertGreaterEqual(max(kept), 2**32)  # some after 2106
        self.round_trip()
        for seconds in kept:
            told = support.dgfs("stat", "-c", "%Y", self.image,
                                f"t{seconds}").stdout.strip()
            self.assertEqual(told, str(seconds).encode())

    def test_large_xattrs(self):
        support.need_root()
        support.need_program("mkfs.xfs")
        backing = self.scratch / "disk"
        with open(backing, "wb") as disk:
            disk.truncate(320 << 20)
        support.run("mkfs.xfs", "-q", backing)
        place = self.scratch / "place"
        place.mkdir()
        support.run("mount", "-o", "loop", backing, place)
        self.addCleanup(support.run, "umount", "-l", place, check=False)
        self.source = place / "source"
        self.source.mkdir()
        for number in range(4):
            path = self.source / str(number)
            path.touch()
            for key in range(3):
                os.setxattr(path, f"user.{key}", os.urandom(65536 - number))
        self.pack()
        out = place / "out"
        support.dgfs("extract", self.image, out)
        support.compare(self.source, out)
        with support.mounted(self.image) as mount:
            support.compare(self.source, mount)


class Sizes(ExtremeCase):
    def test_a_file_of_nearly_all_sizes_there_are(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-extreme-", dir=SHARED_MEMORY))
        self.addCleanup(remove_tree, place)
        self.source = place / "source"
        self.source.mkdir()
        size = 2**63 - 1 - 4096
        with open(self.source / "huge", "wb") as file:
            try:
                file.truncate(size)
            except OSError as error:
                self.skipTest(f"no such file in {SHARED_MEMORY}: {error.strerror}")
            file.seek(2**62)
            file.write(b"middle")
        self.pack()
        told = support.dgfs("stat", "-c", "%s", self.image, "huge").stdout
        self.assertEqual(int(told), size)
        self.assertLess(self.image.stat().st_size, 1 << 20)
        out = place / "out"
        support.dgfs("extract", self.image, out)
        for tree in (self.source, out):
            self.assertEqual((tree / "huge").stat().st_size, size)
        with open(out / "huge", "rb") as file:
            file.seek(2**62 - 1)
            self.assertEqual(file.read(8), b"\0middle\0")
        with support.mounted(self.image) as mount, open(mount / "huge", "rb") as file:
            self.assertEqual(os.fstat(file.fileno()).st_size, size)
            self.assertEqual(os.lseek(file.fileno(), 0, os.SEEK_DATA), 2**62)
            file.seek(2**62 - 1)
            self.assertEqual(file.read(8), b"\0middle\0")
            # Unbuffered: the system refuses ranges that end beyond 2^63 - 1.
            self.assertEqual(os.pread(file.fileno(), 8, size - 3), b"\0\0\0")


class Links(ExtremeCase):
    def test_ten_thousand_names_of_one_file(self):
        first = self.source / "00000"
        first.write_bytes(b"one content")
        for number in range(1, 10000):
            os.link(first, self.source / f"{number:05}")
        self.round_trip()
        told = support.dgfs("stat", "-c", "%h %i", self.image, "00000", "09999").stdout.split(b"\n")
        self.assertTrue(told[0].startswith(b"10000 "))
        self.assertEqual(told[0], told[1])

    def test_a_tree_of_nothing_but_hard_links(self):
        for directory in ("a", "a/b", "c"):
            (self.source / directory).mkdir()
        for number in range(2000):
            first = self.source / "a" / "b" / f"{number}"
            first.write_bytes(b"%d" % number * 50)
            os.link(first, self.source / "c" / f"{number}")
            os.link(first, self.source / f"{number}")
        self.round_trip()


class CombCase(ExtremeCase):
    def check_comb(self, holes):
        """Writes a byte into every other block: 4 KiB of data after each 4 KiB hole."""
        with open(self.source / "comb", "wb") as file:
            for hole in range(holes):
                file.seek(hole * 8192 + 4096)
                file.write(b"%d" % hole)
        self.round_trip()
        out = self.scratch / "again"
        support.dgfs("extract", self.image, out)
        allocated = [(tree / "comb").stat().st_blocks for tree in (self.source, out)]
        self.assertLessEqual(allocated[1], allocated[0] * 1.1)


class Holes(CombCase):
    def test_thousands(self):
        self.check_comb(1 << 12)


class ManyHoles(CombCase):
    """Slow: 4 GiB of data."""

    def test_a_million(self):
        if shutil.disk_usage(self.scratch).free < 20 << 30:
            self.skipTest("needs 20 GiB of free space")
        self.check_comb(1 << 20)


class ManyEntries(ExtremeCase):
    """Slow: up to two million inodes, in a file system in memory if there is room."""

    COUNT = 1_000_000

    def setUp(self):
        super().setUp()
        room = os.statvfs(SHARED_MEMORY)
        if room.f_favail > 2 * self.COUNT and room.f_bavail * room.f_frsize > 4 << 30:
            place = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-extreme-", dir=SHARED_MEMORY))
            self.addCleanup(remove_tree, place)
            self.source = place / "source"
            self.source.mkdir()

    def test_a_million_entries_of_a_directory(self):
        for number in range(self.COUNT):
            fd = os.open(self.source / f"{number:x}", os.O_CREAT | os.O_WRONLY, 0o644)
            os.write(fd, b"%d" % number)
            os.close(fd)
        self.round_trip()

    def test_a_million_directories_of_one_entry(self):
        for number in range(self.COUNT):
            directory = self.source / f"{number // 1000:03x}" / f"{number % 1000:03x}"
            directory.mkdir(parents=True)
            os.symlink(str(number), directory / "link")
        self.round_trip()


if __name__ == "__main__":
    sys.exit(support.main())
