# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Helpers for tests of merges under a mount: the merges themselves, and what a tree shows."""
import ctypes
import errno
import hashlib
import json
import os
import pathlib
import random
import signal
import socket
import stat
import subprocess
import time

from delta_case import DeltaCase
from support import DGFS, dgfs, run

LIBC = ctypes.CDLL(None, use_errno=True)
PATIENCE_S = 60
MIB = 1 << 20


class FileHandle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("bytes", ctypes.c_ubyte * 128)]


def take_handle(path):
    """Returns the file handle of a path, without following a link."""
    handle = FileHandle(128)
    mount = ctypes.c_int()
    if LIBC.name_to_handle_at(-100, os.fsencode(path), ctypes.byref(handle), ctypes.byref(mount),
                              0) != 0:
        raise OSError(ctypes.get_errno(), f"no handle of {path}")
    return handle


def open_handle(root, handle, flags):
    """Opens what a handle means, in the file system of the descriptor `root`."""
    file = LIBC.open_by_handle_at(root, ctypes.byref(handle), flags)
    if file < 0:
        raise OSError(ctypes.get_errno(), "a handle cannot be opened")
    return file


def handle_text(handle):
    return f"{handle.kind}:{bytes(handle.bytes[:handle.size]).hex()}"


def read_from_server(descriptor):
    """Returns the content of an open file, none of it from the page cache."""
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def content_of(path, mode):
    if stat.S_ISLNK(mode):
        return os.readlink(path)
    if stat.S_ISREG(mode):
        with open(path, "rb") as file:
            return hashlib.sha256(read_from_server(file.fileno())).hexdigest()
    if stat.S_ISDIR(mode):
        return sorted(os.listdir(path))
    return None


def attributes_of(path):
    try:
        return {name: os.getxattr(path, name, follow_symlinks=False)
                for name in os.listxattr(path, follow_symlinks=False)}
    except OSError as error:
        if error.errno != errno.ENOTSUP:  # as mounts of images without any say
            raise
        return {}


def tree_of(root):
    """Returns path -> all that a program can see of it, except for access times and blocks. Two
    names of one object have one inode number and one handle."""
    shown = {}
    for path in [root, *sorted(root.rglob("*"))]:
        status = os.lstat(path)
        shown[str(path.relative_to(root))] = (
            oct(status.st_mode), status.st_ino, status.st_nlink, status.st_uid, status.st_gid,
            status.st_rdev, status.st_size, status.st_mtime_ns, status.st_ctime_ns,
            attributes_of(path), handle_text(take_handle(path)), content_of(path, status.st_mode))
    return shown


class LiveMergeCase(DeltaCase):
    def merge(self, *options, **keywords):
        return dgfs("delta", "merge", *options, self.delta, **keywords)

    def merged(self, *options):
        """Merges, and returns the answer as JSON."""
        return json.loads(self.merge("--json", *options).stdout)

    def seal(self, name):
        dgfs("delta", "seal", "--name", name, self.delta)

    def ask(self, question):
        """Asks the mount over its control socket; the answer is parsed."""
        answer = b""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(self.delta / "control"))
            asking.sendall(question.encode() + b"\n")
            while more := asking.recv(65536):
                answer += more
        return json.loads(answer)

    def merge_state(self):
        return self.ask("merge-state")

    def wait_until(self, condition, what):
        deadline = time.monotonic() + PATIENCE_S
        while not (value := condition()):
            self.assertLess(time.monotonic(), deadline, f"waited in vain for {what}")
            time.sleep(0.02)
        return value

    def files_of_merges(self):
        return sorted(name for name in os.listdir(self.delta)
                      if name.lstrip(".").startswith("base"))

    def bases(self):
        return sorted(path.name for path in self.delta.glob("base.*"))

    def info(self):
        return dgfs("delta", "info", self.delta).stdout.decode()

    def expect_same_tree(self, before):
        """Compares entry by entry: a difference of whole trees cannot be read."""
        now = tree_of(self.point)
        self.assertEqual(sorted(now), sorted(before))
        for path, shown in before.items():
            self.assertEqual(now[path], shown, path)

    def write_large(self, name, size_mib):
        """Writes a file that a merge has to pack, and which cannot be compressed."""
        chance = random.Random(name)
        with open(self.point / name, "wb") as file:
            for _ in range(size_mib):
                file.write(chance.randbytes(MIB))

    def begin_slow_merge(self, *options):
        """Starts a merge and returns its command. The mount has a low merge_rate, and there are
        large files to pack, so that it takes long."""
        command = subprocess.Popen([DGFS, "delta", "merge", *options, self.delta],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end_command, command)
        self.wait_until(lambda: self.merge_state()["percent"] > 10, "a merge that packs")
        return command

    def end_command(self, command):
        if command.poll() is None:
            command.send_signal(signal.SIGKILL)
        command.communicate()

    def expect_merge_ended(self):
        self.wait_until(lambda: not self.merge_state()["running"], "the end of the merge")

    def image_digests(self):
        return {path: hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
                for path in (str(self.image), f"{self.image}.idx")}

    def expect_whole_after_remount(self, before):
        """Compares the tree now, in a new mount, and in a read-only one."""
        self.expect_same_tree(before)
        for options in ((), ("ro",)):
            self.unmount()
            self.expect_sound()
            self.mount_delta(*options)
            self.expect_same_tree(before)

    def unmount_lazily(self):
        run("umount", "-l", self.point)
