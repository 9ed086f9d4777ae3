#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""File handles, as NFS servers keep them: the same image or delta again keeps its own, and those of
another one are stale."""
import ctypes
import errno
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from support import build, run  # noqa: E402

LIBC = ctypes.CDLL(None, use_errno=True)


class FileHandle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("bytes", ctypes.c_ubyte * 128)]


def take_handle(path):
    handle = FileHandle(128)
    mount = ctypes.c_int()
    if LIBC.name_to_handle_at(-100, os.fsencode(path), ctypes.byref(handle), ctypes.byref(mount),
                              0) != 0:
        raise OSError(ctypes.get_errno(), f"no handle of {path}")
    return handle


class FileHandleTest(DeltaCase):
    def read(self, handle):
        """Returns the content of the file of a handle; an errno if it cannot be opened."""
        root = os.open(self.point, os.O_RDONLY)
        try:
            file = LIBC.open_by_handle_at(root, ctypes.byref(handle), os.O_RDONLY)
            if file < 0:
                return ctypes.get_errno()
            with open(file, "rb") as opened:
                return opened.read()
        finally:
            os.close(root)

    def again(self, mount, *arguments):
        run("umount", self.point)
        mount(*arguments)

    def test_handles_of_an_image_are_valid_in_all_its_mounts(self):
        self.mount("allow_other")
        secret = take_handle(self.point / "secret")
        for mount in (lambda: self.mount("allow_other"), self.mount_delta,
                      lambda: self.mount_delta("ro"), lambda: self.mount("allow_other")):
            self.again(mount)
            self.assertEqual(self.read(secret), b"secret\n")

    def test_handles_of_another_image_are_stale(self):
        self.mount("allow_other")
        secret = take_handle(self.point / "secret")
        directory = take_handle(self.point / "dir")
        tree = self.scratch / "tree"
        (tree / "dir").mkdir(parents=True)
        for name in ("a", "b", "c", "dir/7"):
            (tree / name).write_text("other")
        other = self.scratch / "other.dgfs"
        build(tree, other)
        self.again(self.mount, "allow_other", other)
        self.assertEqual(self.read(secret), errno.ESTALE)
        self.assertEqual(self.read(directory), errno.ESTALE)
        self.again(self.mount, f"delta={self.delta}", other)
        self.assertEqual(self.read(secret), errno.ESTALE)

    def test_handles_of_new_objects_belong_to_the_delta(self):
        self.mount_delta()
        (self.point / "new").write_text("new")
        (self.point / "made").mkdir()
        (self.point / "made" / "deep").write_text("deep")
        new, deep = take_handle(self.point / "new"), take_handle(self.point / "made" / "deep")
        os.rename(self.point / "new", self.point / "made" / "moved")
        self.again(self.mount_delta)
        self.assertEqual(self.read(new), b"new")
        self.again(self.mount_delta, "ro")
        self.assertEqual(self.read(deep), b"deep")
        self.delta = self.scratch / "second"
        self.again(self.mount_delta)
        for name in range(20):
            (self.point / str(name)).write_text("of another delta")
        self.assertEqual(self.read(new), errno.ESTALE)
        self.again(self.mount, "allow_other")
        self.assertEqual(self.read(new), errno.ESTALE)

    def test_a_handle_of_what_was_removed_is_stale(self):
        self.mount_delta()
        (self.point / "new").write_text("new")
        new, secret = take_handle(self.point / "new"), take_handle(self.point / "secret")
        os.unlink(self.point / "new")
        os.unlink(self.point / "secret")
        self.again(self.mount_delta)
        (self.point / "newer").write_text("newer")
        self.assertEqual((self.read(new), self.read(secret)), (errno.ESTALE, errno.ESTALE))

    def test_the_handle_of_the_root_opens_what_is_mounted(self):
        self.mount("allow_other")
        root = take_handle(self.point)
        self.again(self.mount_delta)
        place = os.open(self.point, os.O_RDONLY)
        opened = LIBC.open_by_handle_at(place, ctypes.byref(root), os.O_RDONLY | os.O_DIRECTORY)
        self.assertGreaterEqual(opened, 0)
        self.assertIn("secret", os.listdir(opened))
        os.close(opened)
        os.close(place)


if __name__ == "__main__":
    mount_case.main()
