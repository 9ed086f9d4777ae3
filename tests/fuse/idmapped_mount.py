# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Mounts with mapped ids (mount_setattr(2)), which mount(8) offers only from util-linux 2.39 on."""
import ctypes
import os
import signal
import subprocess

_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_OPEN_TREE_CLONE = 1
_AT_EMPTY_PATH = 0x1000
_MOVE_MOUNT_F_EMPTY_PATH = 4
_MOUNT_ATTR_IDMAP = 0x00100000
_AT_FDCWD = -100


class _MountAttr(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def _call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def _user_name_space(first, shown, count):
    """Returns a process in a name space of users, in which `shown` are the ids from `first` on."""
    process = subprocess.Popen(["unshare", "--user", "sh", "-c", "echo; exec sleep 1000"],
                               stdout=subprocess.PIPE)
    process.stdout.readline()
    for kind in ("uid_map", "gid_map"):
        with open(f"/proc/{process.pid}/{kind}", "w", encoding="ascii") as out:
            out.write(f"{first} {shown} {count}\n")
    return process


def mount_mapped(source, target, first, shown, count):
    """Mounts the tree at `source` on `target`, where ids from `first` on look like those from
    `shown` on. Raises OSError; EINVAL if the file system has no mapped ids."""
    process = _user_name_space(first, shown, count)
    try:
        users = os.open(f"/proc/{process.pid}/ns/user", os.O_RDONLY)
        tree = _call(_OPEN_TREE, ctypes.c_int(_AT_FDCWD), os.fsencode(source),
                     ctypes.c_uint(_OPEN_TREE_CLONE))
        try:
            attr = _MountAttr(_MOUNT_ATTR_IDMAP, 0, 0, users)
            _call(_MOUNT_SETATTR, ctypes.c_int(tree), b"", ctypes.c_uint(_AT_EMPTY_PATH),
                  ctypes.byref(attr), ctypes.c_size_t(ctypes.sizeof(attr)))
            _call(_MOVE_MOUNT, ctypes.c_int(tree), b"", ctypes.c_int(_AT_FDCWD),
                  os.fsencode(target), ctypes.c_uint(_MOVE_MOUNT_F_EMPTY_PATH))
        finally:
            os.close(tree)
            os.close(users)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()


def kernel_has_them():
    """Whether the kernel maps ids of FUSE mounts (Linux 6.12 and later)."""
    version = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
    return version >= (6, 12)
