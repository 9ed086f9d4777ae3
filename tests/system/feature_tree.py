#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Makes a tree that has every feature an image must keep. Same seed, same tree.

Only root makes objects that need privilege (devices, foreign owners, capabilities, trusted xattrs).
Features that the file system lacks are left out. The output names all that was left out.
"""
import argparse
import os
import random
import socket
import stat
import struct
import sys

# Two capabilities, permitted and effective, revision 2: cap_net_raw, cap_net_bind_service.
CAPABILITY = struct.pack("<IIIII", 0x02000001, 1 << 13 | 1 << 10, 0, 0, 0)
# user::rw-, user:1234:r--, group::r--, mask::r--, other::---
ACL_ACCESS = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, perm, who) for tag, perm, who in (
        (0x01, 6, 0xFFFFFFFF), (0x02, 4, 1234), (0x04, 4, 0xFFFFFFFF),
        (0x10, 4, 0xFFFFFFFF), (0x20, 0, 0xFFFFFFFF)))
ODD_NAMES = [b" ", b"  leading", b"trailing ", b"new\nline", b"tab\t", b"back\\slash", b"-rf",
             b"\x01\x02\x7f", b"\xff\xfe not utf-8", "ümläut 漢字 🎉".encode(), b"*?[]{}",
             b"'single'", b'"double"', b"$(x)`y`", b"...", b"~", b"#", b"%41", b"a" * 255]


class Maker:
    """Makes objects below one root, and remembers those that it could not make."""

    def __init__(self, root, seed):
        self.root = os.fsencode(root)
        self.random = random.Random(seed)
        self.left_out = []
        self.privileged = os.geteuid() == 0

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def file(self, name, data=b"", mode=0o644):
        fd = os.open(self.path(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "wb") as out:
            out.write(data)
        os.chmod(self.path(name), mode)

    def try_to(self, what, function, *arguments, **keywords):
        try:
            function(*arguments, **keywords)
        except OSError as error:
            self.left_out.append(f"{what}: {error.strerror}")

    def directories(self):
        for name in (b"empty", b"deep", b"names", b"sizes", b"links", b"links/other", b"sparse",
                     b"special", b"attributes", b"times", b"many", b"order", b"order/a",
                     b"order/a-b", b"order/a/c", b"order/aa"):
            os.mkdir(self.path(name))
        path = b"deep"
        for level in range(40):
            path += b"/level-%02d" % level
            os.mkdir(self.path(path))
            if level % 7 == 0:
                self.file(path + b"/leaf", b"%d\n" % level)
        for name in (b"order/a/x", b"order/a-b/x", b"order/a/c/x", b"order/aa/x", b"order/a.x",
                     b"order/a\x01"):
            self.file(name, name)

    def names(self):
        for name in ODD_NAMES:
            self.file(b"names/" + name, name)

    def sizes(self):
        for size in (0, 1, 7, 8, 9, 4095, 4096, 4097, 65535, 65536, 65537, 131072, 131073,
                     1 << 20, (5 << 20) + 12345):
            self.file(b"sizes/%d" % size, self.random.randbytes(size))
        self.file(b"sizes/zeros", bytes(300000))

    def many(self):
        for number in range(3000):
            size = self.random.choice((0, 10, 100, 1000, 9000))
            self.file(b"many/file-%04d.txt" % number, self.random.randbytes(size))

    def links(self):
        self.file(b"links/first", b"shared by three names\n")
        os.link(self.path(b"links/first"), self.path(b"links/other/second"))
        os.link(self.path(b"links/first"), self.path(b"a-third"))
        self.file(b"links/empty", b"")
        os.link(self.path(b"links/empty"), self.path(b"links/other/empty-too"))
        for name, target in ((b"plain", b"first"), (b"dangling", b"../nowhere"),
                             (b"absolute", b"/etc/hostname"), (b"up", b".."),
                             (b"self", b"self"), (b"long", b"x/" * 1000 + b"end"),
                             (b"edge-255", b"t" * 255), (b"edge-256", b"t" * 256),
                             (b"longest", b"y" * 4095), (b"odd", b"\xff\n")):
            os.symlink(target, self.path(b"links/" + name))
        os.link(self.path(b"links/plain"), self.path(b"links/plain-too"), follow_symlinks=False)

    def sparse_file(self, name, size, segments):
        with open(self.path(name), "wb") as out:
            out.truncate(size)
            for begin, length in segments:
                out.seek(begin)
                out.write(self.random.randbytes(length))

    def sparse(self):
        self.sparse_file(b"sparse/all-hole", 1 << 20, [])
        self.sparse_file(b"sparse/head", 1 << 20, [(0, 5000)])
        self.sparse_file(b"sparse/tail", (1 << 20) + 77, [((1 << 20) - 4096, 4096 + 77)])
        self.sparse_file(b"sparse/middle", 3 << 20, [(1 << 20, 100000), (2 << 20, 1)])
        self.sparse_file(b"sparse/above-4-gib", (5 << 30) + 3,
                         [(0, 4096), (1 << 32, 70000), ((5 << 30), 3)])
        self.sparse_file(b"sparse/comb", 1 << 20, [(i * 16384, 4096) for i in range(64)])
        os.link(self.path(b"sparse/comb"), self.path(b"sparse/comb-too"))

    def special(self):
        os.mkfifo(self.path(b"special/fifo"), 0o640)
        # bind() takes paths of at most 107 bytes, so this changes to the directory first.
        here = os.getcwd()
        os.chdir(self.path(b"special"))
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(b"socket")
        os.chdir(here)
        if not self.privileged:
            self.left_out.append("devices: not root")
            return
        self.try_to("devices", os.mknod, self.path(b"special/null"), stat.S_IFCHR | 0o666,
                    os.makedev(1, 3))
        self.try_to("devices", os.mknod, self.path(b"special/disk"), stat.S_IFBLK | 0o660,
                    os.makedev(259, 1048575))

    def attributes(self):
        for mode in (0o000, 0o400, 0o777, 0o4755, 0o2755, 0o1644, 0o7777):
            self.file(b"attributes/mode-%04o" % mode, b"m", mode)
        os.mkdir(self.path(b"attributes/sticky"))
        os.chmod(self.path(b"attributes/sticky"), 0o1777)
        names = [b"user", b"many", b"big", b"acl", b"capable", b"user-too"]
        for name in names:
            self.file(b"attributes/" + name, name)
        p = lambda name: self.path(b"attributes/" + name)
        for name in (b"user", b"user-too"):
            self.try_to("user xattrs", os.setxattr, p(name), "user.comment", b"same on both")
        self.try_to("user xattrs", os.setxattr, p(b"user"), "user.empty", b"")
        for number in range(20):
            self.try_to("user xattrs", os.setxattr, p(b"many"), f"user.n{number}",
                        b"%d" % number)
        self.try_to("large xattrs", os.setxattr, p(b"big"), "user.big",
                    self.random.randbytes(3000))
        self.try_to("directory xattrs", os.setxattr, p(b"sticky"), "user.dir", b"\x00\xff")
        self.try_to("ACLs", os.setxattr, p(b"acl"), "system.posix_acl_access", ACL_ACCESS)
        self.try_to("default ACLs", os.setxattr, p(b"sticky"), "system.posix_acl_default",
                    ACL_ACCESS)
        if not self.privileged:
            self.left_out.append("capabilities, owners, link xattrs: not root")
            return
        self.try_to("capabilities", os.setxattr, p(b"capable"), "security.capability", CAPABILITY)
        os.symlink(b"x", p(b"link-with-xattr"))
        self.try_to("link xattrs", os.setxattr, p(b"link-with-xattr"), "trusted.t", b"on a link",
                    follow_symlinks=False)
        for uid, gid in ((1, 1), (65534, 65534), (4294967294, 4294967294), (1000, 100)):
            self.file(b"attributes/owner-%d-%d" % (uid, gid), b"o", 0o4711)
            self.try_to("owners", os.chown, p(b"owner-%d-%d" % (uid, gid)), uid, gid)
            os.chmod(p(b"owner-%d-%d" % (uid, gid)), 0o4711)
        os.lchown(p(b"link-with-xattr"), 12, 34)

    def times(self):
        for second, nanosecond in ((0, 0), (-1, 1), (-2147483648, 999999999), (1, 123456789),
                                   (2147483648, 5), (4294967296, 7), (10000000000, 999999999)):
            name = b"times/%d.%09d" % (second, nanosecond)
            self.file(name, b"t")
            ns = second * 10**9 + nanosecond
            self.try_to("far times", os.utime, self.path(name), ns=(ns, ns))

    def settle(self):
        """Gives each object its own time, at the end and deepest first; the given times stay."""
        now = 1_700_000_000 * 10**9
        for base, directories, files in os.walk(self.root, topdown=False):
            for name in sorted(files) + sorted(directories) + [b"."]:
                if not base.endswith(b"/times") or name == b".":
                    now += self.random.randrange(10**9)
                    os.utime(os.path.join(base, name), ns=(now, now), follow_symlinks=False)

    def make(self):
        os.makedirs(self.root, exist_ok=True)
        for step in (self.directories, self.names, self.sizes, self.many, self.links, self.sparse,
                     self.special, self.attributes, self.times, self.settle):
            step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    maker = Maker(options.root, options.seed)
    maker.make()
    for line in sorted(set(maker.left_out)):
        print(f"left out: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
