#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The builder's memory does not grow with the tree, whatever the tree contains.

Both trees of a pair are large enough to fill the builder's buffers, which --memory makes small;
beyond that nothing may grow.
"""
import json
import os
import pathlib
import random
import shutil
import string
import subprocess
import tempfile
import unittest

import support

PEAK_BYTES_MAX = 256 << 20  # for any tree, with the builder's defaults
ALLOWED_GROWTH_BYTES = 8 << 20  # allocator noise; 1 byte a file would be 0.2 MiB
BUILDS = 3
MEMORY = pathlib.Path("/dev/shm")
XATTR_BYTES = 60_000


def make_tree(root, directories, files):
    for number in range(directories):
        directory = root / f"{number // 100:03}" / f"{number % 100:02}"
        directory.mkdir(parents=True)
        for file in range(files):
            path = directory / f"{file:06}"
            fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)
            os.write(fd, b"%d" % (number * files + file))
            os.close(fd)


def make_directory(root, files):
    """Makes one directory with many files."""
    root.mkdir()
    for number in range(files):
        os.close(os.open(root / f"{number:07}", os.O_CREAT | os.O_WRONLY, 0o644))


def make_subdirectories(root, count):
    """Makes one directory with many directories of one entry."""
    for number in range(count):
        directory = root / f"{number:07}"
        directory.mkdir(parents=True)
        os.symlink("target", directory / "link")


def make_links(root, count):
    """Makes a tree of hard links: each object has a name in each of two directories."""
    for name in ("a", "b"):
        (root / name).mkdir(parents=True)
    for number in range(count):
        first = root / "a" / f"{number:07}"
        first.touch()
        os.link(first, root / "b" / first.name)


def make_names(root, count):
    """Makes a few objects with many names."""
    root.mkdir()
    for number in range(count):
        first = root / f"{number // 10000:03}-00000"
        if number % 10000 == 0:
            first.touch()
        else:
            os.link(first, root / f"{number // 10000:03}-{number % 10000:05}")


def make_holes(root, files, holes):
    """Makes files of many holes each: a byte in every other block."""
    root.mkdir()
    for number in range(files):
        with open(root / f"{number:03}", "wb") as file:
            for hole in range(holes):
                file.seek(hole * 8192)
                file.write(b"x")


def make_paths(root, count, levels, name_bytes):
    """Makes chains of directories, each with a file at its end that only openat(2) reaches."""
    root.mkdir()
    for number in range(count):
        fd = os.open(root, os.O_RDONLY)
        for level in range(levels):
            name = f"{number:04}{level:05}".ljust(name_bytes, "d")[:name_bytes]
            os.mkdir(name, dir_fd=fd)
            below = os.open(name, os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = below
        os.close(os.open("end", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=fd))
        os.close(fd)


def make_comb(root, levels, teeth):
    """Makes a chain of directories, each with many more that the scan visits on its way up."""
    root.mkdir()
    fd = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("c", dir_fd=fd)
        for tooth in range(teeth):
            os.mkdir(f"t{tooth:03}", dir_fd=fd)
        below = os.open("c", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)


def make_xattrs(root, files):
    """Makes files with an attribute of nearly 64 KiB each, all different."""
    root.mkdir()
    for number in range(files):
        path = root / f"{number:05}"
        path.touch()
        try:
            os.setxattr(path, "user.large", random.Random(number).randbytes(XATTR_BYTES))
        except OSError as error:
            raise unittest.SkipTest(f"no large extended attributes here: {error}") from error


def make_long_names(root, directories, files):
    """Makes names of 255 bytes without common parts: the most work for training."""
    letters = string.ascii_letters + string.digits + "-_"
    generator = random.Random(20261121)
    for number in range(directories):
        directory = root / f"{number:03}"
        directory.mkdir(parents=True)
        for _ in range(files):
            name = "".join(letters[byte & 63] for byte in generator.randbytes(255))
            (directory / name).write_bytes(b"x" * 4096)


def make_texts(root, endings, files):
    """Makes files of up to 100 KiB, of words that files with the same ending share."""
    root.mkdir()
    for ending in range(endings):
        generator = random.Random(ending)
        words = ["".join(generator.choices(string.ascii_lowercase, k=generator.randint(2, 12)))
                 for _ in range(1000)]
        for number in range(files):
            text = " ".join(generator.choices(words, k=generator.randint(10, 12_000)))
            (root / f"{number:05}.e{ending}").write_text(text)


def remove_tree(root):
    """Removes a tree; shutil.rmtree() cannot follow long paths."""
    subprocess.run(["rm", "-rf", root], check=True)


def peak_bytes(source, image):
    """Returns the smallest peak of a few builds. Reading threads run ahead more or less, so the
    number of buffers in use at once differs by some MiB from build to build.
    """
    small = ("--jobs", "2", "--memory", "16M")
    return min(one_peak_bytes(source, image, *small) for _ in range(BUILDS))


def one_peak_bytes(source, image, *options):
    """Returns the peak that the build itself reports. A shell starts it, because a process also
    counts its parent's memory at the start, and this process may have more than the build.
    """
    result = support.run("sh", "-c", '"$@"; exit $?', "sh", support.DGFS, "build", source, image,
                         "--json", *options)
    return json.loads(result.stdout)["peak_memory_bytes"]


class BuildMemory(support.ScratchCase):
    def setUp(self):
        super().setUp()
        if MEMORY.is_dir():  # making many small files is ten times faster there
            self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-memory-", dir=MEMORY))
            self.addCleanup(remove_tree, self.scratch)

    def check_flat(self, make, small, large, growth_bytes_max=ALLOWED_GROWTH_BYTES):
        peaks = []
        for size in (small, large):
            tree = self.scratch / f"tree-{size[0]}-{size[-1]}"
            make(tree, *size)
            peaks.append(peak_bytes(tree, self.scratch / "image.dgfs"))
            remove_tree(tree)
        print(f"peak memory: {peaks[0] / 2**20:.1f} MiB, then {peaks[1] / 2**20:.1f} MiB")
        self.assertLess(peaks[1] - peaks[0], growth_bytes_max)

    def test_flat_in_the_number_of_files(self):
        self.check_flat(make_tree, (1000, 100), (4000, 100))

    def test_flat_in_the_number_of_directories(self):
        self.check_flat(make_tree, (40000, 1), (160000, 1))

    def test_flat_in_the_size_of_a_directory(self):
        self.check_flat(make_directory, (200000,), (1000000,))

    def test_flat_in_the_number_of_subdirectories(self):
        self.check_flat(make_subdirectories, (50000,), (250000,))

    def test_flat_in_the_number_of_hard_links(self):
        self.check_flat(make_links, (100000,), (400000,))

    def test_flat_in_the_number_of_names_of_an_object(self):
        self.check_flat(make_names, (50000,), (300000,))

    def test_bounded_with_long_names(self):
        tree = self.scratch / "tree"
        make_long_names(tree, 64, 4000)
        peak = one_peak_bytes(tree, self.scratch / "image.dgfs")
        print(f"peak memory: {peak / 2**20:.1f} MiB")
        self.assertLess(peak, PEAK_BYTES_MAX)

    def test_bounded_where_contents_are_compressed_the_densest(self):
        """zstd's contexts and dictionaries are largest then, and in use for the longest time."""
        tree = self.scratch / "tree"
        make_texts(tree, 30, 80)
        peak = one_peak_bytes(tree, self.scratch / "image.dgfs", "--compress", "zstd:19")
        print(f"peak memory: {peak / 2**20:.1f} MiB")
        self.assertLess(peak, PEAK_BYTES_MAX)

    def test_flat_in_the_number_of_files_with_holes(self):
        self.check_flat(make_holes, (1, 1 << 17), (8, 1 << 17))

    def test_flat_in_the_number_of_holes_of_a_file(self):
        # Its data takes 4 GiB, and so does the image.
        if shutil.disk_usage(self.scratch).free < 16 << 30:
            self.skipTest("needs 16 GiB of free space")
        # The build makes its record in the index in one piece, 4 bytes a hole, and needs twice as
        # much.
        self.check_flat(make_holes, (1, 1 << 17), (1, 1 << 20),
                        growth_bytes_max=16 * ((1 << 20) - (1 << 17)))

    def test_flat_in_the_number_of_paths_beyond_path_max(self):
        self.check_flat(make_paths, (400, 60, 204), (1200, 60, 204))

    def test_bounded_with_the_longest_paths(self):
        """The keys of a page or two then take many MiB."""
        for make, *size in ((make_paths, 20, 255, 255), (make_paths, 1, 20000, 2),
                            (make_comb, 2000, 200)):
            tree = self.scratch / "tree"
            make(tree, *size)
            peak = one_peak_bytes(tree, self.scratch / "image.dgfs")
            print(f"peak memory: {peak / 2**20:.1f} MiB")
            self.assertLess(peak, PEAK_BYTES_MAX)
            remove_tree(tree)

    def test_flat_in_the_number_of_large_attributes(self):
        self.check_flat(make_xattrs, (500,), (4000,))


if __name__ == "__main__":
    support.main()
