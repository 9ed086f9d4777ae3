#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Compares two directory trees by a walk that shares no code with DGFS.

Compares type, mode, owner, size, times in nanoseconds, device numbers, link targets, extended
attributes (ACLs and capabilities included), bytes, holes, and which names are links of one object.
Walks by directory descriptors, so paths may be longer than PATH_MAX. Exit 0 equal, 1 different, 2
trouble.
"""
import argparse
import errno
import os
import stat
import sys

CHUNK = 1 << 20
HUGE = 256 << 20
NOATIME = getattr(os, "O_NOATIME", 0)


def open_file(name, parent):
    flags = os.O_RDONLY | os.O_NOFOLLOW
    try:
        return os.open(name, flags | NOATIME, dir_fd=parent)
    except PermissionError:
        return os.open(name, flags, dir_fd=parent)


def read_fully(fd, offset, length):
    """Calls pread until all bytes are read, or the file ends."""
    data = b""
    while len(data) < length:
        more = os.pread(fd, length - len(data), offset + len(data))
        if not more:
            break
        data += more
    return data


def xattrs(name, parent):
    """All extended attributes of an object, without following a link."""
    path = b"/proc/self/fd/%d/%s" % (parent, name)
    try:
        names = os.listxattr(path, follow_symlinks=False)
        return {n: os.getxattr(path, n, follow_symlinks=False) for n in names}
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return {}
        raise


def data_segments(fd, size):
    """Returns data ranges rounded out to 4 KiB and joined: any file system keeps holes this
    exactly.
    """
    segments = []
    offset = 0
    while offset < size:
        try:
            begin = os.lseek(fd, offset, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                break
            raise
        end = os.lseek(fd, begin, os.SEEK_HOLE)
        begin_page, end_page = begin // 4096, -(-end // 4096)
        if segments and segments[-1][1] >= begin_page:
            segments[-1][1] = end_page
        else:
            segments.append([begin_page, end_page])
        offset = end
    return segments


class Comparison:
    """State of one run: options, link groups and the differences found."""

    def __init__(self, options):
        self.options = options
        self.differences = 0
        self.entries = 0
        self.bytes = 0
        self.links = ({}, {})  # (device, inode) -> first path, for each side

    def report(self, path, text):
        self.differences += 1
        if self.differences <= 50:
            print(f"{os.fsdecode(path) or '.'!r}: {text}")

    def check(self, path, what, a, b):
        if a != b:
            self.report(path, f"{what}: {a!r} != {b!r}")

    def range(self, path, fds, begin, end):
        """Compares bytes [begin, end); False once they differ."""
        while begin < end:
            a, b = (read_fully(fd, begin, min(CHUNK, end - begin)) for fd in fds)
            if a != b or not a:
                self.report(path, f"bytes differ between {begin} and {begin + len(a)}")
                return False
            self.bytes += len(a)
            begin += len(a)
        return True

    def contents(self, path, name, parents, size):
        fds = []
        try:
            for parent in parents:
                fds.append(open_file(name, parent))
            segments = [data_segments(fd, size) for fd in fds]
            if self.options.holes:
                self.check(path, "data segments (4 KiB units)", *segments)
            ranges = [[0, size]]
            if size > HUGE:  # reading gigabytes of holes shows no more than the segments
                ranges = [[begin * 4096, min(end * 4096, size)]
                          for begin, end in segments[0] + segments[1]]
            for begin, end in ranges:
                if not self.range(path, fds, begin, end):
                    return
            for fd in fds:
                if os.pread(fd, 1, size):
                    self.report(path, "bytes follow the end")
        except OSError as error:
            self.report(path, f"cannot be read: {error}")
        finally:
            for fd in fds:
                os.close(fd)

    def attributes(self, path, name, parents, a, b):
        kept = ~0 if self.options.set_id else ~(stat.S_ISUID | stat.S_ISGID)
        self.check(path, "mode", oct(a.st_mode & kept), oct(b.st_mode & kept))
        if self.options.owner:
            self.check(path, "owner", (a.st_uid, a.st_gid), (b.st_uid, b.st_gid))
        if self.options.times and not (stat.S_ISLNK(a.st_mode) and not self.options.link_times):
            self.check(path, "mtime", a.st_mtime_ns, b.st_mtime_ns)
        if not stat.S_ISDIR(a.st_mode):
            self.check(path, "size", a.st_size, b.st_size)
        if stat.S_ISBLK(a.st_mode) or stat.S_ISCHR(a.st_mode):
            self.check(path, "device", a.st_rdev, b.st_rdev)
        if stat.S_ISLNK(a.st_mode):
            targets = [os.readlink(name, dir_fd=parent) for parent in parents]
            self.check(path, "target", *targets)
        if self.options.xattrs:
            self.check(path, "xattrs", *(xattrs(name, parent) for parent in parents))

    def link_groups(self, path, a, b):
        """The first path seen of each multiply linked object must be the same on both sides."""
        firsts = []
        for links, status in zip(self.links, (a, b)):
            key = (status.st_dev, status.st_ino)
            firsts.append(links.setdefault(key, path) if status.st_nlink > 1 else path)
        self.check(path, "is a link of", *firsts)

    def entry(self, path, name, parents):
        a, b = (os.stat(name, dir_fd=parent, follow_symlinks=False) for parent in parents)
        self.entries += 1
        if stat.S_IFMT(a.st_mode) != stat.S_IFMT(b.st_mode):
            self.check(path, "type", oct(a.st_mode), oct(b.st_mode))
            return False
        self.attributes(path, name, parents, a, b)
        if not stat.S_ISDIR(a.st_mode):
            if not self.options.partial_links:
                self.link_groups(path, a, b)
            first_of_group = self.links[0].get((a.st_dev, a.st_ino), path) == path
            if stat.S_ISREG(a.st_mode) and first_of_group:
                self.contents(path, name, parents, a.st_size)
        return stat.S_ISDIR(a.st_mode)

    def directory(self, path, parents):
        names = []
        for parent in parents:
            with os.scandir(parent) as entries:
                names.append({os.fsencode(entry.name) for entry in entries})
        for name in sorted(names[0] ^ names[1]):
            full = path + name
            if full not in self.options.skip:
                self.report(full, "only in the " + ("first" if name in names[0] else "second"))
        subdirectories = []
        for name in sorted(names[0] & names[1]):
            full = path + name
            if full in self.options.skip:
                continue
            if self.entry(full, name, parents):
                subdirectories.append(name)
        for name in subdirectories:
            self.descend(path, name, parents)

    def descend(self, path, name, parents):
        fds = []
        try:
            for parent in parents:
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                fds.append(os.open(name, flags, dir_fd=parent))
            self.directory(path + name + b"/", fds)
        except OSError as error:
            self.report(path + name, f"cannot be entered: {error}")
        finally:
            for fd in fds:
                os.close(fd)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first")
    parser.add_argument("second")
    for what in ("owner", "times", "xattrs", "holes", "link-times", "set-id"):
        parser.add_argument(f"--no-{what}", dest=what.replace("-", "_"), action="store_false")
    parser.add_argument("--partial-links", action="store_true",
                        help="some names of the linked objects lie outside the first tree")
    parser.add_argument("--skip", action="append", default=[], type=os.fsencode,
                        help="relative path that only one side need have")
    options = parser.parse_args()
    options.skip = set(options.skip)
    sys.setrecursionlimit(100000)
    comparison = Comparison(options)
    roots = [os.open(p, os.O_RDONLY | os.O_DIRECTORY) for p in (options.first, options.second)]
    a, b = (os.fstat(fd) for fd in roots)
    comparison.attributes(b"", b".", roots, a, b)
    comparison.directory(b"", roots)
    print(f"{comparison.entries} entries, {comparison.bytes} bytes compared, "
          f"{comparison.differences} differences")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
