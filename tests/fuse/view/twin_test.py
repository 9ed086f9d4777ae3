#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A mount with a delta behaves as the file system below it does.

A tree is packed and mounted with a delta; its twin is a copy in a plain directory. The test does
random operations, by root and by ordinary users, on both.
"""
import os
import pathlib
import signal
import stat
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from support import build, dgfs, run  # noqa: E402
from random_operations import Operations  # noqa: E402
from tree_calls import DEFAULT_LIST, access_list  # noqa: E402
from twins import USERS, Twins  # noqa: E402

STEPS = int(os.environ.get("DGFS_TWIN_STEPS", "1500"))
FILE_BYTES = 200_000


def noise(length, seed):
    import random
    return random.Random(seed).randbytes(length)


def make_tree(root):
    """Makes a base tree with every feature, open to all users."""
    root.mkdir()
    root.chmod(0o777)
    for directory, mode in (("a", 0o777), ("a/b", 0o755), ("a/b/c", 0o777), ("group", 0o2777),
                            ("sticky", 0o1777), ("listed", 0o777), ("own", 0o755)):
        (root / directory).mkdir()
        (root / directory).chmod(mode)
    os.chown(root / "group", 0, 1002)
    os.chown(root / "own", 1000, 1000)
    os.setxattr(root / "listed", DEFAULT_LIST,
                access_list([(1, 7, 2**32 - 1), (2, 6, 1000), (4, 5, 2**32 - 1),
                             (16, 7, 2**32 - 1), (32, 0, 2**32 - 1)]))
    for i, length in enumerate((0, 1, 4096, 65536, 70_000, FILE_BYTES)):
        for place in ("a", "a/b", "sticky"):
            file = root / place / f"f{i}"
            file.write_bytes(noise(length, i) if i % 2 else b"text\n" * (length // 5))
            file.chmod((0o666, 0o644, 0o4777, 0o2775, 0o6711, 0o600)[i])
            os.chown(file, i % 2 * 1000, 1002)
    with open(root / "a/sparse", "wb") as file:
        file.truncate(FILE_BYTES)
        file.seek(100_000)
        file.write(b"island")
    for name in ("a/l1", "a/b/l2", "own/l3"):
        os.link(root / "a/f4", root / name)
    os.setxattr(root / "a/f1", "user.a", b"value")
    os.setxattr(root / "a/f2", "security.capability",
                struct.pack("<IIIII", 0x02000000, 1 << 10, 0, 0, 0))
    os.symlink("f1", root / "a/s")
    os.mknod(root / "a/fifo", stat.S_IFIFO | 0o666)
    os.mknod(root / "a/null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    for i in range(50):
        (root / f"a/b/c/many{i}").write_bytes(b"x" * i)


class Twin(mount_case.MountCase):
    build_options = ()
    compares_times = True

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-twin-"))
        cls.shared.chmod(0o755)
        cls.tree = cls.shared / "tree"
        make_tree(cls.tree)
        cls.image = cls.shared / "image.dgfs"
        build(cls.tree, cls.image, *cls.build_options)

    def setUp(self):
        super().setUp()
        self.twin = self.scratch / "twin"
        self.delta = self.scratch / "delta"
        run("cp", "-a", self.tree, self.twin)
        self.mount_delta()
        self.twins = Twins(self.point, self.twin, self.compares_times)
        self.addCleanup(self.twins.release_all)

    def mount_delta(self, *options):
        given = ",".join(("allow_other,suid,dev", f"delta={self.delta}", *options))
        return dgfs("mount", self.image, self.point, "-o", given)

    def daemon(self):
        """The process that serves the mount."""
        pids = run("pgrep", "-f", f"mount.*{self.point}").stdout.split()
        self.assertEqual(len(pids), 1)
        return int(pids[0])

    def step_often(self, operations, count):
        for i in range(count):
            user = USERS[operations.chance.randrange(len(USERS))]
            operation, arguments, names = operations.next()
            difference = self.twins.step(user, operation, arguments, names)
            if difference:
                shown = repr(arguments)
                self.fail(f"step {i}: user {user[0]}: {operation}{shown[:300]}: {difference}")

    def expect_alike(self):
        difference = self.twins.difference()
        self.assertIsNone(difference)

    def remount(self, *options):
        run("umount", self.point)
        return self.mount_delta(*options)

    def test_random_operations(self):
        operations = Operations(support.test_seed(1), self.twin, FILE_BYTES)
        for _ in range(3):
            self.step_often(operations, STEPS // 3)
            self.expect_alike()
            self.twins.release_all()
            self.remount()
            self.expect_alike()
        run("umount", self.point)
        dgfs("delta", "check", "--image", self.image, self.delta)

    def test_all_that_was_synced_survives_a_kill(self):
        operations = Operations(support.test_seed(2), self.twin, FILE_BYTES)
        for _ in range(3):
            self.step_often(operations, STEPS // 6)
            self.twins.release_all()
            for root in (self.point, self.twin):
                fd = os.open(root / "synced", os.O_CREAT | os.O_WRONLY)
                os.write(fd, b"all before this is durable")
                os.fsync(fd)
                os.close(fd)
            os.kill(self.daemon(), signal.SIGKILL)
            self.mount_delta()
            self.expect_alike()
        run("umount", self.point)
        dgfs("delta", "check", "--image", self.image, self.delta)


class CompressedTwin(Twin):
    build_options = ("--compress", "zstd")


class WriteBackTwin(Twin):
    compares_times = False

    def mount_delta(self, *options):
        return super().mount_delta("writeback", *options)


if __name__ == "__main__":
    mount_case.main()
