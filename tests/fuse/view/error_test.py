#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A call that a mount with a delta refuses gets the errno that Linux has for it.

The test does the same calls on a copy of the tree in a plain directory, so that Linux confirms each
expected errno.
"""
import ctypes
import errno
import os
import pathlib
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from support import run  # noqa: E402
from tree_calls import Acting, access_list, fallocate, rename  # noqa: E402
from tree_calls import ACCESS_LIST, DEFAULT_LIST  # noqa: E402
from tree_calls import FALLOC_KEEP_SIZE, FALLOC_PUNCH_HOLE  # noqa: E402
from tree_calls import RENAME_EXCHANGE, RENAME_NOREPLACE  # noqa: E402

NAME = "x" * 255
USER = (1000, 1000, [])


def opened(path, flags, use):
    fd = os.open(path, flags)
    try:
        return use(fd)
    finally:
        os.close(fd)


def get_xattr(path, key, room):
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(max(room, 1))
    count = libc.getxattr(os.fsencode(path), key.encode(), buffer, room)
    if count < 0:
        raise OSError(ctypes.get_errno(), "getxattr")
    return count


# Refused calls: errno, and the call with the root of the tree. Done by root unless "user" is set.
CASES = {
    "lookup of nothing": ("ENOENT", lambda r: os.lstat(f"{r}/none")),
    "lookup in a file": ("ENOTDIR", lambda r: os.lstat(f"{r}/id/x")),
    "lookup of a long name": ("ENAMETOOLONG", lambda r: os.lstat(f"{r}/{NAME}x")),
    "open of a directory for writing": ("EISDIR", lambda r: os.open(f"{r}/dir", os.O_WRONLY)),
    "exclusive create of what is there": (
        "EEXIST", lambda r: os.open(f"{r}/id", os.O_CREAT | os.O_EXCL | os.O_WRONLY)),
    "create with a long name": (
        "ENAMETOOLONG", lambda r: os.open(f"{r}/{NAME}x", os.O_CREAT | os.O_WRONLY)),
    "create in nothing": ("ENOENT", lambda r: os.open(f"{r}/none/x", os.O_CREAT | os.O_WRONLY)),
    "mkdir of what is there": ("EEXIST", lambda r: os.mkdir(f"{r}/dir")),
    "mkdir with a long name": ("ENAMETOOLONG", lambda r: os.mkdir(f"{r}/{NAME}x")),
    "mknod of what is there": ("EEXIST", lambda r: os.mknod(f"{r}/id", stat.S_IFIFO | 0o600)),
    "symlink of what is there": ("EEXIST", lambda r: os.symlink("x", f"{r}/link")),
    "symlink to nothing": ("ENOENT", lambda r: os.symlink("", f"{r}/new")),
    "symlink to a long path": ("ENAMETOOLONG", lambda r: os.symlink("x" * 4096, f"{r}/new")),
    "link of a directory": ("EPERM", lambda r: os.link(f"{r}/dir", f"{r}/new")),
    "link over what is there": ("EEXIST", lambda r: os.link(f"{r}/id", f"{r}/secret")),
    "unlink of a directory": ("EISDIR", lambda r: os.unlink(f"{r}/dir")),
    "unlink of nothing": ("ENOENT", lambda r: os.unlink(f"{r}/none")),
    "rmdir of a file": ("ENOTDIR", lambda r: os.rmdir(f"{r}/id")),
    "rmdir of what is not empty": ("ENOTEMPTY", lambda r: os.rmdir(f"{r}/dir")),
    "rmdir of .": ("EINVAL", lambda r: os.rmdir(f"{r}/dir/.")),
    "rename of nothing": ("ENOENT", lambda r: os.rename(f"{r}/none", f"{r}/new")),
    "rename into itself": ("EINVAL", lambda r: os.rename(f"{r}/dir", f"{r}/dir/sub")),
    "rename of a file over a directory": ("EISDIR", lambda r: os.rename(f"{r}/id", f"{r}/empty")),
    "rename of a directory over a file": ("ENOTDIR", lambda r: os.rename(f"{r}/dir", f"{r}/id")),
    "rename over a full directory": ("ENOTEMPTY", lambda r: os.rename(f"{r}/empty", f"{r}/dir")),
    "rename to a long name": ("ENAMETOOLONG", lambda r: os.rename(f"{r}/id", f"{r}/{NAME}x")),
    "rename that may not replace": (
        "EEXIST", lambda r: rename(f"{r}/id", f"{r}/secret", RENAME_NOREPLACE)),
    "exchange with nothing": (
        "ENOENT", lambda r: rename(f"{r}/id", f"{r}/none", RENAME_EXCHANGE)),
    "rename with flags that exclude each other": (
        "EINVAL", lambda r: rename(f"{r}/id", f"{r}/none", RENAME_EXCHANGE | RENAME_NOREPLACE)),
    "truncate of a directory": ("EISDIR", lambda r: os.truncate(f"{r}/dir", 0)),
    "truncate below zero": ("EINVAL", lambda r: os.truncate(f"{r}/id", -1)),
    "read of a directory": ("EISDIR", lambda r: opened(f"{r}/dir", os.O_RDONLY,
                                                       lambda fd: os.read(fd, 1))),
    "punch without keep-size": (
        "ENOTSUP", lambda r: opened(f"{r}/dir/9", os.O_RDWR, lambda fd: fallocate(
            fd, FALLOC_PUNCH_HOLE, 0, 10))),
    "punch of nothing": (
        "EINVAL", lambda r: opened(f"{r}/dir/9", os.O_RDWR, lambda fd: fallocate(
            fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, 0, 0))),
    "data behind the end": (
        "ENXIO", lambda r: opened(f"{r}/dir/9", os.O_RDONLY, lambda fd: os.lseek(
            fd, 1 << 30, os.SEEK_DATA))),
    "xattr that is not there": ("ENODATA", lambda r: os.getxattr(f"{r}/id", "user.none")),
    "xattr of no name space": ("ENOTSUP", lambda r: os.setxattr(f"{r}/id", "none.x", b"x")),
    "xattr of an empty name": ("EINVAL", lambda r: os.setxattr(f"{r}/id", "user.", b"x")),
    "xattr with a long name": (
        "ERANGE", lambda r: os.setxattr(f"{r}/id", "user." + "x" * 251, b"x")),
    "xattr that is too long": ("E2BIG", lambda r: os.setxattr(f"{r}/id", "user.x", b"x" * 65537)),
    "xattr into too little room": ("ERANGE", lambda r: get_xattr(f"{r}/noted", "user.note", 2)),
    "xattr made twice": (
        "EEXIST", lambda r: os.setxattr(f"{r}/noted", "user.note", b"x", os.XATTR_CREATE)),
    "xattr replaced that is not there": (
        "ENODATA", lambda r: os.setxattr(f"{r}/id", "user.none", b"x", os.XATTR_REPLACE)),
    "xattr removed that is not there": (
        "ENODATA", lambda r: os.removexattr(f"{r}/id", "user.none")),
    "user xattr of a symlink": (
        "EPERM", lambda r: os.setxattr(f"{r}/link", "user.x", b"x", follow_symlinks=False)),
    "access list that is none": ("EINVAL", lambda r: os.setxattr(f"{r}/id", ACCESS_LIST, b"xyz")),
    "default list of a file": ("EACCES", lambda r: os.setxattr(
        f"{r}/id", DEFAULT_LIST, access_list([(1, 7, 2**32 - 1), (4, 5, 2**32 - 1),
                                              (32, 0, 2**32 - 1)]))),
    "chmod as a user": ("EPERM", lambda r: os.chmod(f"{r}/id", 0o777)),
    "chown as a user": ("EPERM", lambda r: os.chown(f"{r}/id", 1000, 1000)),
    "utime as a user": ("EPERM", lambda r: os.utime(f"{r}/id", (1, 1))),
    "create as a user": ("EACCES", lambda r: os.open(f"{r}/dir/x", os.O_CREAT | os.O_WRONLY)),
    "open as a user": ("EACCES", lambda r: os.open(f"{r}/secret", os.O_RDONLY)),
    "unlink as a user of a sticky directory": ("EPERM", lambda r: os.unlink(f"{r}/sticky/file")),
    "trusted xattr as a user": ("EPERM", lambda r: os.setxattr(f"{r}/id", "trusted.x", b"x")),
}


class Errors(DeltaCase):
    def setUp(self):
        super().setUp()
        self.twin = self.scratch / "twin"
        run("cp", "-a", self.tree, self.twin)
        self.mount_delta("allow_other")
        for root in (self.point, self.twin):
            (root / "empty").mkdir()
            (root / "noted").write_bytes(b"x")
            os.setxattr(root / "noted", "user.note", b"a note")
            (root / "sticky").mkdir()
            (root / "sticky").chmod(0o1777)
            (root / "sticky" / "file").write_bytes(b"x")

    @staticmethod
    def errno_of(call, root, title):
        with Acting(USER if "as a user" in title else (0, 0, [])):
            try:
                call(root)
            except OSError as failure:
                return errno.errorcode[failure.errno]
        return "none"

    def test_all(self):
        for title, (expected, call) in CASES.items():
            with self.subTest(title):
                self.assertEqual(self.errno_of(call, self.twin, title), expected,
                                 "the errno of the plain directory")
                self.assertEqual(self.errno_of(call, self.point, title), expected)
        self.unmount()
        self.expect_sound()


if __name__ == "__main__":
    mount_case.main()
