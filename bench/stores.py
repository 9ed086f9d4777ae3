# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Stores of files that are read by their own programs and not through a mount.

Like the files of a daemon, each store is a file or two on an ext4 on a loop device. Regular files
only.
"""
import contextlib
import pathlib
import shutil

import measuring
from systems import Dgfs, Packed, Served, timed_and_synced


def beside_reader(options, name):
    """A program of the bench preset; it lies in the directory of the reader in the options."""
    return pathlib.Path(shutil.which(options.reader)).with_name(name)


class Store(Served):
    has_mount = False

    def __init__(self, name, options):
        super().__init__(name, options.scratch)
        self.program = beside_reader(options, self.program)
        self.served = None

    @contextlib.contextmanager
    def mount(self):
        with self.lower_mounted() as self.served:
            yield


class Library(Store):
    """The DGFS image, read by path with the library."""
    program = "dgfs_image_files"
    suffixes = Dgfs.suffixes
    build_options = ()

    def __init__(self, name, options, way="read"):
        super().__init__(name, options)
        self.way = way

    def make(self, tree, tree_bytes):
        return Dgfs.make(self, tree, tree_bytes)

    def read_command(self, _):
        return self.program, self.way, self.served


class Sqlite(Store):
    """A table of paths and blobs; of 4 to 32 KiB, pages of 16 KiB were the fastest to read."""
    program = "dgfs_sqlite_files"
    suffixes = (".sqlite",)

    def make(self, tree, _):
        file = self.outputs()[0]
        run = timed_and_synced(file, self.program, "pack", tree, file, "16384")
        return Packed(run, file.stat().st_size, None)

    def read_command(self, _):
        return self.program, "read", self.served


class IndexedTar(Store):
    """tar, and an index of paths that the reader loads into memory before it begins."""
    program = "dgfs_tar_files"
    suffixes = (".tar", ".tar.index")

    def make(self, tree, _):
        file, index = self.outputs()
        run = timed_and_synced(file, "tar", "--format=gnu", "-C", tree, "-cf", file, ".")
        run.seconds += timed_and_synced(index, self.program, "index", file, index).seconds
        sizes = [path.stat().st_size for path in (file, index)]
        return Packed(run, sum(sizes), sizes[1])

    def read_command(self, _):
        return self.program, "read", self.served, self.served.with_name(self.outputs()[1].name)
