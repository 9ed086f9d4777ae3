#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The builder's memory does not grow with the tree.

Both trees of a pair are large enough to fill the builder's buffers; beyond that nothing may grow.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

import support

ALLOWED_GROWTH_BYTES = 8 << 20  # allocator noise; 1 byte a file would be 0.2 MiB
MEMORY = pathlib.Path("/dev/shm")


def make_tree(root, directories, files):
    for number in range(directories):
        directory = root / f"{number // 100:03}" / f"{number % 100:02}"
        directory.mkdir(parents=True)
        for file in range(files):
            path = directory / f"{file:06}"
            fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)
            os.write(fd, b"%d" % (number * files + file))
            os.close(fd)


def make_links(root, count):
    """A tree of hard links: each object has a name in either of two directories."""
    for name in ("a", "b"):
        (root / name).mkdir(parents=True)
    for number in range(count):
        first = root / "a" / f"{number:07}"
        first.touch()
        os.link(first, root / "b" / first.name)


def peak_bytes(source, image):
    process = subprocess.Popen([support.DGFS, "build", source, image, "--quiet", "--jobs", "2"],
                               stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(f"dgfs build {source} ended with {process.returncode}")
    return usage.ru_maxrss * 1024


class BuildMemory(support.ScratchCase):
    def setUp(self):
        super().setUp()
        if MEMORY.is_dir():  # many small files are made ten times faster there
            self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-memory-", dir=MEMORY))
            self.addCleanup(shutil.rmtree, self.scratch, ignore_errors=True)

    def check_flat(self, make, small, large):
        peaks = []
        for size in (small, large):
            tree = self.scratch / f"tree-{size[0]}-{size[-1]}"
            make(tree, *size)
            peaks.append(peak_bytes(tree, self.scratch / "image.dgfs"))
            shutil.rmtree(tree)
        print(f"peak memory: {peaks[0] / 2**20:.1f} MiB, then {peaks[1] / 2**20:.1f} MiB")
        self.assertLess(peaks[1] - peaks[0], ALLOWED_GROWTH_BYTES)

    def test_flat_in_the_number_of_files(self):
        self.check_flat(make_tree, (1000, 100), (4000, 100))

    def test_flat_in_the_number_of_directories(self):
        self.check_flat(make_tree, (10000, 1), (40000, 1))

    def test_flat_in_the_number_of_hard_links(self):
        self.check_flat(make_links, (50000,), (200000,))


if __name__ == "__main__":
    support.main()
