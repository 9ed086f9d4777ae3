# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""File systems under test, and measurements on their mounts.

Each lies on its own loop device (direct I/O, so nothing is cached below it). Files that a daemon
serves lie on an ext4 there. Needs root.
"""
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import struct
import subprocess
import time
from typing import Optional

import measuring
from daemons import processors_used


EXT4_BLOCK_BYTES = 4096
EXT4_LEAST_BYTES = 64 << 20  # its own structures and journal
EXT4_OWN_INODES = 64


def make_ext4(file, content_bytes, entries, fill):
    """Makes an ext4 with room for the contents twice; returns what fill(mount point) returns."""
    # An ext4 cannot have more inodes than blocks.
    size_bytes = content_bytes * 2 + entries * EXT4_BLOCK_BYTES + EXT4_LEAST_BYTES
    with open(file, "wb") as out:
        out.truncate(size_bytes // EXT4_BLOCK_BYTES * EXT4_BLOCK_BYTES)
    inodes = max(size_bytes // 8192, entries + EXT4_OWN_INODES)
    measuring.run("mkfs.ext4", "-q", "-F", "-m", "0", "-b", str(EXT4_BLOCK_BYTES),
                  "-N", str(inodes), file)
    return mounted_once(file, fill)


def mounted_once(file, work):
    """Mounts the file system in a file; returns what work(mount point) returns."""
    point = file.with_suffix(".fill")
    point.mkdir(exist_ok=True)
    try:
        with measuring.loop_device(file) as device, \
                measuring.mounted("mount", device, point, point=point):
            return work(point)
    finally:
        point.rmdir()


def entry_count(tree):
    return sum(len(folders) + len(files) for _, folders, files in os.walk(tree)) + 1


def used_bytes(point):
    room = os.statvfs(point)
    return (room.f_blocks - room.f_bfree) * room.f_frsize


def timed_and_synced(output, *command):
    """Wall time until `output` is durable, and peak memory."""
    run = measuring.timed(*command)
    run.seconds += measuring.sync_file(output)
    return run


@dataclasses.dataclass
class Packed:
    """The results of packing the tree."""
    run: measuring.Run               # until the output was durable
    size_bytes: int                  # of all files
    metadata_bytes: Optional[int]    # part of size_bytes; None if contents are mixed with it


class System:
    """A file system under test: packed once, mounted anew for every cold run.

    pack() calls make(), whose output is on stable storage when its clock stops, and place(), which
    puts that on the loop device where it is read.
    """
    has_mount = True  # False: only whole files can be read, by its own program

    def __init__(self, name, scratch):
        self.name = name
        self.file = scratch / f"bench-read.{name}"
        self.point = scratch / f"bench-read.{name}.mnt"
        self.point.mkdir(exist_ok=True)
        self.device = None

    def pack(self, tree, tree_bytes):
        packed = self.make(tree, tree_bytes)
        self.place()
        return packed

    def place(self):
        pass

    @contextlib.contextmanager
    def attached(self):
        with measuring.loop_device(self.file, read_only=True) as self.device:
            yield

    def mount(self):
        return measuring.mounted("mount", "-o", "ro", self.device, self.point, point=self.point)

    def warm(self):
        """Loads memory before a cold measurement; called after everything else is dropped."""

    def read_command(self, options):
        """The command that reads a list of files and prints the same as dgfs_file_reader."""
        return options.reader, self.point

    def remove_output(self):
        """The files that make() and place() made."""
        self.file.unlink(missing_ok=True)

    def remove(self):
        self.remove_output()
        self.point.rmdir()


def mounted_ext4(device, point):
    return measuring.mounted("mount", "-o", "ro,noload", device, point, point=point)


@contextlib.contextmanager
def ext4_below(system):
    """Path of the ext4 below a system's mount, with nothing of it in memory."""
    lower = system.point.with_suffix(".lower")
    lower.mkdir(exist_ok=True)
    try:
        with mounted_ext4(system.device, lower):
            measuring.drop_caches()
            yield lower
    finally:
        lower.rmdir()


def copy_tree(tree, point):
    """Copies the tree into an empty file system, and syncs it."""
    empty_bytes = used_bytes(point)
    run = measuring.timed("cp", "-a", f"{tree}/.", point)
    run.seconds += measuring.timed("sync", "-f", point).seconds
    return Packed(run, used_bytes(point) - empty_bytes, None)


class Native(System):
    def make(self, tree, tree_bytes):
        return make_ext4(self.file, tree_bytes, entry_count(tree),
                         lambda point: copy_tree(tree, point))

    def mount(self):
        return mounted_ext4(self.device, self.point)


class PassThrough(Native):
    """The tree on an ext4, through a FUSE server that adds nothing: the floor of systems served by
    daemons. The kernel reads ahead as far as in the mount of DGFS."""

    def __init__(self, name, scratch, program, transport=None):
        super().__init__(name, scratch)
        self.command = (program, *([f"--transport={transport}"] if transport else []))

    @contextlib.contextmanager
    def mount(self):
        with ext4_below(self) as lower:
            with measuring.mounted(*self.command, lower, self.point, point=self.point,
                                   unmount=("fusermount3", "-u")):
                measuring.set_read_ahead(self.point, 512)
                yield


RAW_CONTENTS = ("-noD", "-noF")


def make_squashfs(tree, file, *options):
    """Metadata with zstd; contents raw unless the options say otherwise."""
    file.unlink(missing_ok=True)
    run = timed_and_synced(file, "mksquashfs", tree, file, "-comp", "zstd", "-quiet",
                           "-no-progress", *(options or RAW_CONTENTS))
    # The metadata lie behind the contents: from the inode table to the end.
    with open(file, "rb") as image:
        used, inode_table = struct.unpack("<40xQ16xQ", image.read(72))
    return Packed(run, file.stat().st_size, used - inode_table)


class Squashfs(System):
    def __init__(self, name, scratch, *options):
        super().__init__(name, scratch)
        self.options = options

    def make(self, tree, _):
        return make_squashfs(tree, self.file, *self.options)


class Erofs(System):
    def __init__(self, name, scratch, *options):
        super().__init__(name, scratch)
        self.options = options

    def make(self, tree, _):
        self.file.unlink(missing_ok=True)
        run = timed_and_synced(self.file, "mkfs.erofs", "--quiet", *self.options, self.file, tree)
        return Packed(run, self.file.stat().st_size, None)


class Served(System):
    """Files on an ext4 that stays attached; only the daemon that serves them is started anew."""

    def outputs(self):
        """The files that make() makes, first the one that is served."""
        return [self.file.with_name("bench-read.tree" + suffix) for suffix in self.suffixes]

    def place(self):
        files = self.outputs()
        size_bytes = sum(file.stat().st_size for file in files)
        make_ext4(self.file, size_bytes, len(files),
                  lambda point: measuring.run("cp", *files, point))
        for file in files:
            file.unlink()

    @contextlib.contextmanager
    def lower_mounted(self):
        """Mounts the ext4 from which the daemon reads; returns the file that is served."""
        with ext4_below(self) as lower:
            yield lower / self.outputs()[0].name

    @contextlib.contextmanager
    def mount(self):
        with self.lower_mounted() as file:
            with measuring.mounted(self.program, *self.serve, file, self.point, point=self.point,
                                   unmount=("fusermount3", "-u")):
                yield

    def remove_output(self):
        super().remove_output()
        for file in self.outputs():
            file.unlink(missing_ok=True)


class Dgfs(Served):
    program, serve = "dgfs", ("mount",)
    suffixes = (".dgfs", ".dgfs.idx")

    def __init__(self, name, scratch, *build_options, transport=None):
        super().__init__(name, scratch)
        self.build_options = build_options
        if transport:
            self.serve = ("mount", "-o", f"transport={transport}")

    def make(self, tree, _):
        self.remove_output()
        image, index = self.outputs()
        run = measuring.timed(Dgfs.program, "build", tree, image, "--quiet",  # syncs by itself
                              *self.build_options)
        return Packed(run, image.stat().st_size + index.stat().st_size, index.stat().st_size)


class Squashfuse(Served):
    program, serve = "squashfuse_ll", ()
    suffixes = (".squashfs",)

    def make(self, tree, _):
        return make_squashfs(tree, *self.outputs())


@contextlib.contextmanager
def packed(every, tree):
    """Packs and attaches each system; returns the results by name."""
    tree_bytes = int(measuring.run("du", "-s", "-B1", tree).split()[0])
    made = {}
    with contextlib.ExitStack() as stack:
        for system in every:
            stack.callback(system.remove)
            made[system.name] = system.pack(tree, tree_bytes)
            stack.enter_context(system.attached())
        yield made


@contextlib.contextmanager
def cold(system):
    measuring.drop_caches()
    with system.mount():
        measuring.drop_caches()
        system.warm()
        yield


def read_files(options, system, threads, rounds=1):
    return json.loads(measuring.run(*system.read_command(options), options.list, str(threads),
                                    str(rounds)))


def cold_reads(options, system, threads):
    used = {}
    with cold(system):
        before = measuring.device_reads(system.device)
        with processors_used(system.point, used):
            result = read_files(options, system, threads)
        after = measuring.device_reads(system.device)
    result["reads"] = (after[0] - before[0]) / result["files"]
    result["read_kib"] = (after[1] - before[1]) / result["files"] / 1024
    return result | used


def warm_reads(options, system):
    with system.mount():
        read_files(options, system, 1, 2)
        used = {}
        with processors_used(system.point, used):
            result = read_files(options, system, 1, 5)
        return result | used


@contextlib.contextmanager
def counted(system, result):
    """Adds the device reads since then, and the elapsed time, to the result."""
    before = measuring.device_reads(system.device)
    begin = time.monotonic()
    with processors_used(system.point, result):
        yield
        result["seconds"] = time.monotonic() - begin
    after = measuring.device_reads(system.device)
    result["device_reads"] = after[0] - before[0]
    result["device_mib"] = (after[1] - before[1]) / 2**20


def large_read(system, size_mib, *flags, at_once=1):
    """Reads with one dd, or with several that each read a part."""
    part_mib = size_mib // at_once
    dd = ["dd", f"if={system.point}/large", "of=/dev/null", "bs=1M", f"count={part_mib}", *flags]
    result = {}
    with cold(system), counted(system, result):
        parts = [subprocess.Popen([*dd, f"skip={part * part_mib}"], stderr=subprocess.DEVNULL)
                 for part in range(at_once)]
        if any([part.wait() for part in parts]):
            raise measuring.Failed(f"{dd} failed")
    result["mb_per_second"] = part_mib * at_once * (1 << 20) / 1e6 / result["seconds"]
    return result


def walk(system, command):
    result = {}
    with cold(system), counted(system, result):
        measuring.run("sh", "-c", command, cwd=system.point)
    return result


def walk_after(system, before, command):
    """A walk with the caches that another cold walk has left. both_s: the time of the two."""
    result = {}
    with cold(system):
        begin = time.monotonic()
        measuring.run("sh", "-c", before, cwd=system.point)
        between = time.monotonic() - begin
        with counted(system, result):
            measuring.run("sh", "-c", command, cwd=system.point)
    result["both_s"] = between + result["seconds"]
    return result


def warm_walk(system, command):
    with system.mount():
        measuring.run("sh", "-c", command, cwd=system.point)
        result = {}
        with processors_used(system.point, result):
            begin = time.monotonic()
            measuring.run("sh", "-c", command, cwd=system.point)
            result["seconds"] = time.monotonic() - begin
        return result


def sample_files(tree, count, seed, file):
    """Writes paths of regular files, one per line; returns their number."""
    paths = []
    for base, _, names in os.walk(tree):
        for name in names:
            path = pathlib.Path(base, name)
            if path.is_file() and not path.is_symlink() and "\n" not in name and "\n" not in base:
                paths.append(os.fspath(path.relative_to(tree)))
    chosen = random.Random(seed).sample(sorted(paths), min(count, len(paths)))
    file.write_bytes(os.fsencode("\n".join(chosen) + "\n"))
    return len(chosen)
