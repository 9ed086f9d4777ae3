# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Further systems for comparison, if their programs are installed."""
import contextlib

import measuring
from systems import (EXT4_BLOCK_BYTES, Native, Packed, PassThrough, Served, copy_tree, entry_count,
                     make_squashfs, mounted_once, timed_and_synced)

XFS_LEAST_BYTES = 512 << 20  # mkfs.xfs refuses less than 300 MB


class Xfs(Native):
    def make(self, tree, tree_bytes):
        with open(self.file, "wb") as out:
            out.truncate(tree_bytes * 2 + entry_count(tree) * EXT4_BLOCK_BYTES + XFS_LEAST_BYTES)
        measuring.run("mkfs.xfs", "-q", "-f", self.file)
        return mounted_once(self.file, lambda point: copy_tree(tree, point))

    def mount(self):
        return measuring.mounted("mount", "-o", "ro,norecovery", self.device, self.point,
                                 point=self.point)


class MemoryTree(PassThrough):
    """The floor of the transport: a FUSE server that loads the tree into memory before timing."""


class RawReads(Native):
    """The floor of the device: the same files past the page cache, with all metadata in memory."""

    def warm(self):
        measuring.run("sh", "-c", "find . -ls > /dev/null", cwd=self.point)

    def read_command(self, options):
        return options.reader, "--direct", self.point


def sequential_seconds(system, mebibytes):
    """The time to read this many MiB of a system's device in order, past the page cache."""
    measuring.drop_caches()
    return measuring.timed("dd", f"if={system.device}", "of=/dev/null", "bs=1M", "iflag=direct",
                           f"count={max(1, round(mebibytes))}").seconds


class Dwarfs(Served):
    program, serve = "dwarfs", ()
    suffixes = (".dwarfs",)

    def __init__(self, name, scratch, *options):
        super().__init__(name, scratch)
        self.options = options

    def make(self, tree, _):
        image = self.outputs()[0]
        image.unlink(missing_ok=True)
        run = timed_and_synced(image, "mkdwarfs", "--input", tree, "--output", image,
                               "--no-progress", "--with-specials", *self.options)
        return Packed(run, image.stat().st_size, None)


class FuseOverlay(Served):
    """fuse-overlayfs, read-only, over squashfuse."""
    suffixes = (".squashfs",)

    def make(self, tree, _):
        return make_squashfs(tree, *self.outputs())

    @contextlib.contextmanager
    def mount(self):
        # Names that begin as the mount point does, so that both daemons are measured.
        below = self.point.with_name(f"{self.point.name}.below")
        empty = self.point.with_name(f"{self.point.name}.empty")
        for directory in (below, empty):
            directory.mkdir(exist_ok=True)
        try:
            with self.lower_mounted() as file, \
                    measuring.mounted("squashfuse_ll", file, below, point=below,
                                      unmount=("fusermount3", "-u")), \
                    measuring.mounted("fuse-overlayfs", "-o", f"lowerdir={below}:{empty}",
                                      self.point, point=self.point,
                                      unmount=("fusermount3", "-u")):
                yield
        finally:
            below.rmdir()
            empty.rmdir()
