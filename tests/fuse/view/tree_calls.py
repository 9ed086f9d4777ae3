# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""System calls of a test on a tree, made as a given user.

Opening a file does not wait, because some files are FIFOs.
"""
import ctypes
import mmap
import os
import stat
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
AT_SYMLINK_FOLLOW = 0x400
RENAME_NOREPLACE, RENAME_EXCHANGE, RENAME_WHITEOUT = 1, 2, 4
FALLOC_KEEP_SIZE, FALLOC_PUNCH_HOLE, FALLOC_ZERO_RANGE = 1, 2, 16
ACCESS_LIST, DEFAULT_LIST = "system.posix_acl_access", "system.posix_acl_default"


def call(function, *arguments):
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def rename(old, new, flags):
    call(LIBC.renameat2, AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags)


def fallocate(fd, mode, offset, length):
    call(LIBC.fallocate, fd, mode, ctypes.c_long(offset), ctypes.c_long(length))


def access_list(entries):
    """Encodes (tag, permissions, id) entries as the extended attribute."""
    value = struct.pack("<I", 2)
    for tag, permissions, who in entries:
        value += struct.pack("<HHI", tag, permissions, who)
    return value


class Root:
    """The root of one twin. Operations take paths below it, and the same numbers on both twins."""

    def __init__(self, path):
        self.path = str(path)
        self.held = {}

    def at(self, name):
        return f"{self.path}/{name}" if name else self.path

    # Names.

    def create(self, name, flags, mode):
        fd = os.open(self.at(name), os.O_CREAT | os.O_NONBLOCK | flags, mode)
        os.close(fd)

    def mkdir(self, name, mode):
        os.mkdir(self.at(name), mode)

    def mknod(self, name, mode, device):
        os.mknod(self.at(name), mode, device)

    def symlink(self, name, target):
        os.symlink(target, self.at(name))

    def link(self, old, name):
        os.link(self.at(old), self.at(name), follow_symlinks=False)

    def unlink(self, name):
        os.unlink(self.at(name))

    def rmdir(self, name):
        os.rmdir(self.at(name))

    def rename(self, old, new, flags):
        rename(self.at(old), self.at(new), flags)

    def unnamed(self, directory, name, content):
        fd = os.open(self.at(directory), os.O_TMPFILE | os.O_RDWR, 0o640)
        try:
            os.write(fd, content)
            call(LIBC.linkat, AT_FDCWD, b"/proc/self/fd/%d" % fd, AT_FDCWD,
                 os.fsencode(self.at(name)), AT_SYMLINK_FOLLOW)
            return os.fstat(fd).st_size
        finally:
            os.close(fd)

    # Attributes.

    def chmod(self, name, mode):
        os.chmod(self.at(name), mode)

    def chown(self, name, uid, gid):
        os.lchown(self.at(name), uid, gid)

    def utime(self, name, times):
        os.utime(self.at(name), ns=times, follow_symlinks=False)

    def access(self, name, mode):
        return os.access(self.at(name), mode, effective_ids=True)

    # Contents.

    def truncate(self, name, size):
        os.truncate(self.at(name), size)

    def write(self, name, offset, content, flags):
        fd = os.open(self.at(name), os.O_WRONLY | os.O_NONBLOCK | flags)
        try:
            return os.pwrite(fd, content, offset)
        finally:
            os.close(fd)

    def append(self, name, content):
        fd = os.open(self.at(name), os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK)
        try:
            return os.write(fd, content), os.lseek(fd, 0, os.SEEK_CUR)
        finally:
            os.close(fd)

    def read(self, name, offset, length):
        fd = os.open(self.at(name), os.O_RDONLY | os.O_NONBLOCK)
        try:
            return os.pread(fd, length, offset)
        finally:
            os.close(fd)

    def punch(self, name, mode, offset, length):
        fd = os.open(self.at(name), os.O_RDWR | os.O_NONBLOCK)
        try:
            fallocate(fd, mode, offset, length)
        finally:
            os.close(fd)

    def copy(self, old, new, old_offset, new_offset, length):
        """Copies all bytes: one call may copy only a part."""
        source = os.open(self.at(old), os.O_RDONLY | os.O_NONBLOCK)
        try:
            target = os.open(self.at(new), os.O_RDWR | os.O_NONBLOCK)
            try:
                done = 0
                while done < length:
                    count = os.copy_file_range(source, target, length - done, old_offset + done,
                                               new_offset + done)
                    if count == 0:
                        break
                    done += count
                return done
            finally:
                os.close(target)
        finally:
            os.close(source)

    def map_write(self, name, offset, content):
        fd = os.open(self.at(name), os.O_RDWR | os.O_NONBLOCK)
        try:
            size = os.fstat(fd).st_size
            if size == 0:
                return 0
            with mmap.mmap(fd, size) as memory:
                end = min(size, offset + len(content))
                memory[min(offset, size):end] = content[:max(0, end - min(offset, size))]
            return size
        finally:
            os.close(fd)

    # Files that stay open, whatever becomes of their names.

    def hold(self, number, name):
        self.release(number)
        self.held[number] = os.open(self.at(name), os.O_RDWR | os.O_NONBLOCK)

    def release(self, number):
        fd = self.held.pop(number, None)
        if fd is not None:
            os.close(fd)

    def use_held(self, number, offset, content):
        if number not in self.held:
            return None
        fd = self.held[number]
        before = os.pread(fd, 4096, offset)
        count = os.pwrite(fd, content, offset)
        status = os.fstat(fd)
        return before, count, status.st_size, status.st_nlink, stat.S_IMODE(status.st_mode)

    def release_all(self):
        for number in list(self.held):
            self.release(number)

    # Extended attributes.

    def set_xattr(self, name, key, value, flags):
        os.setxattr(self.at(name), key, value, flags, follow_symlinks=False)

    def remove_xattr(self, name, key):
        os.removexattr(self.at(name), key, follow_symlinks=False)

    # Looking.

    def readlink(self, name):
        return os.readlink(self.at(name))

    def listing(self, name):
        return sorted(os.listdir(self.at(name)))

    def facts(self, name):
        """Returns all facts about a name, or the errno."""
        try:
            status = os.lstat(self.at(name))
        except OSError as failure:
            return failure.errno
        size = None if stat.S_ISDIR(status.st_mode) else status.st_size
        device = status.st_rdev if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode) \
            else 0
        try:
            keys = sorted(os.listxattr(self.at(name), follow_symlinks=False))
            xattrs = [(key, os.getxattr(self.at(name), key, follow_symlinks=False)) for key in keys]
        except OSError as failure:
            xattrs = failure.errno
        return (status.st_mode, status.st_nlink, status.st_uid, status.st_gid, size, device, xattrs)

    def times(self, name):
        try:
            status = os.lstat(self.at(name))
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_ctime_ns

    def contents(self, name):
        with open(self.at(name), "rb") as file:
            return file.read()


class Acting:
    """Acts as another user while it lives."""

    def __init__(self, user):
        self.uid, self.gid, self.groups = user

    def __enter__(self):
        os.setgroups(self.groups)
        os.setegid(self.gid)
        os.seteuid(self.uid)

    def __exit__(self, *_):
        os.seteuid(0)
        os.setegid(0)
        os.setgroups([])
