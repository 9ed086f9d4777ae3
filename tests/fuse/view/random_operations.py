# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Random operations on a tree, with their arguments."""
import os
import random
import stat

from tree_calls import (ACCESS_LIST, DEFAULT_LIST, FALLOC_KEEP_SIZE, FALLOC_PUNCH_HOLE,
                        FALLOC_ZERO_RANGE, RENAME_EXCHANGE, RENAME_NOREPLACE, RENAME_WHITEOUT,
                        access_list)


def random_list(chance):
    bits = [chance.randrange(8) for _ in range(5)]
    return access_list([(1, bits[0], 0xFFFFFFFF), (2, bits[1], 1000), (4, bits[2], 0xFFFFFFFF),
                        (16, bits[3], 0xFFFFFFFF), (32, bits[4], 0xFFFFFFFF)])


class Operations:
    """Chooses operations with their arguments, and the names that they are about. Most of these
    names exist in the tree.
    """

    def __init__(self, seed, root, file_bytes):
        self.chance = random.Random(seed)
        self.root = str(root)
        self.names = [os.path.relpath(os.path.join(place, name), root)
                      for place, directories, files in os.walk(root)
                      for name in directories + files]
        self.file_bytes = file_bytes

    def name(self, wanted=os.path.lexists):
        """Returns an existing name of the wanted kind; one in ten is any name."""
        for _ in range(0 if self.chance.random() < 0.1 else 20):
            name = self.chance.choice(self.names)
            if wanted(f"{self.root}/{name}"):
                return name
        return self.chance.choice(self.names)

    def file(self):
        return self.name(os.path.isfile)

    def directory(self):
        return self.name(os.path.isdir) if self.chance.random() < 0.9 else ""

    def new_name(self):
        chance = self.chance
        if chance.random() < 0.2:
            return self.name()
        base, leaf = self.directory(), f"n{chance.randrange(30)}"
        name = f"{base}/{leaf}" if base else leaf
        if len(self.names) > 400:
            self.names.pop(chance.randrange(len(self.names)))
        self.names.append(name)
        return name

    def offset(self):
        chance = self.chance
        edge = chance.choice((0, 4096, 65536, 131072, self.file_bytes))
        return max(0, edge + chance.choice((-4096, -17, -1, 0, 1, 5, 4000)))

    def content(self):
        length = self.chance.choice((1, 3, 4096, 5000, 65536, 70000))
        return self.chance.randbytes(length)

    def key(self):
        return self.chance.choice(("user.a", "user.b", "trusted.c", "security.d"))

    def next(self):
        """Returns (operation, arguments, names that it may touch)."""
        chance = self.chance
        kind = chance.choice(KINDS)
        return getattr(self, f"make_{kind}")()

    def make_create(self):
        name = self.new_name()
        flags = chance_of(self.chance,
                          (os.O_WRONLY, os.O_RDWR | os.O_EXCL, os.O_WRONLY | os.O_TRUNC))
        return "create", (name, flags, self.chance.choice((0o644, 0o666, 0o4755, 0o2770))), (name,)

    def make_mkdir(self):
        name = self.new_name()
        return "mkdir", (name, self.chance.choice((0o755, 0o700, 0o2775, 0o1777))), (name,)

    def make_mknod(self):
        name = self.new_name()
        mode = self.chance.choice((stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFREG))
        return "mknod", (name, mode | 0o640, os.makedev(1, 3)), (name,)

    def make_symlink(self):
        name = self.new_name()
        return "symlink", (name, self.chance.choice(("x", self.name(), "a" * 300))), (name,)

    def make_link(self):
        old, name = self.name(), self.new_name()
        return "link", (old, name), (old, name)

    def make_unlink(self):
        name = self.name()
        return "unlink", (name,), (name,)

    def make_rmdir(self):
        name = self.name(os.path.isdir)
        return "rmdir", (name,), (name,)

    def make_rename(self):
        old, new = self.name(), self.new_name()
        flags = chance_of(self.chance, (0, 0, 0, RENAME_NOREPLACE, RENAME_EXCHANGE,
                                        RENAME_WHITEOUT))
        return "rename", (old, new, flags), (old, new)

    def make_unnamed(self):
        directory, name = self.directory(), self.new_name()
        return "unnamed", (directory, name, self.content()), (name,)

    def make_chmod(self):
        name = self.name()
        return "chmod", (name, self.chance.choice((0o644, 0o600, 0o777, 0o4755, 0o2755, 0o2644,
                                                   0o6711, 0o000))), (name,)

    def make_chown(self):
        # Without (-1, -1): other file systems refuse it for set-user-id files of other users, but
        # the kernel does not send it to a FUSE server.
        name = self.name()
        owner, group = self.chance.choice(((0, 0), (1000, 1000), (1001, -1), (-1, 1002), (0, -1)))
        return "chown", (name, owner, group), (name,)

    def make_utime(self):
        name = self.name()
        times = self.chance.choice(((1, 2), (-5 * 10**9 - 7, 10**9 + 3), (3 * 10**18, 4 * 10**18)))
        return "utime", (name, times), (name,)

    def make_access(self):
        name = self.name()
        return "access", (name, self.chance.randrange(8)), (name,)

    def make_truncate(self):
        name = self.file()
        return "truncate", (name, self.offset()), (name,)

    def make_write(self):
        name = self.file()
        flags = chance_of(self.chance, (0, 0, 0, os.O_TRUNC, os.O_SYNC))
        return "write", (name, self.offset(), self.content(), flags), (name,)

    def make_append(self):
        name = self.file()
        return "append", (name, self.content()), (name,)

    def make_read(self):
        name = self.file()
        return "read", (name, self.offset(), self.chance.choice((1, 100, 5000, 200000))), (name,)

    def make_punch(self):
        name = self.file()
        mode = self.chance.choice((FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, FALLOC_ZERO_RANGE,
                                   FALLOC_ZERO_RANGE | FALLOC_KEEP_SIZE))
        return "punch", (name, mode, self.offset(), self.chance.choice((1, 4096, 70000))), (name,)

    def make_copy(self):
        old, new = self.file(), self.file()
        if old == new:
            return self.make_read()
        return "copy", (old, new, self.offset(), self.offset(),
                        self.chance.choice((1, 5000, 70000))), (new,)

    def make_map_write(self):
        name = self.file()
        return "map_write", (name, self.offset(), self.content()), (name,)

    def make_hold(self):
        name = self.file()
        return "hold", (self.chance.randrange(4), name), (name,)

    def make_use_held(self):
        return "use_held", (self.chance.randrange(4), self.offset(), self.content()), ()

    def make_release(self):
        return "release", (self.chance.randrange(4),), ()

    def make_set_xattr(self):
        name = self.name()
        value = self.chance.randbytes(self.chance.choice((5, 200, 2000)))
        flags = chance_of(self.chance, (0, os.XATTR_CREATE, os.XATTR_REPLACE))
        return "set_xattr", (name, self.key(), value, flags), (name,)

    def make_set_list(self):
        name = self.name()
        key = self.chance.choice((ACCESS_LIST, DEFAULT_LIST))
        return "set_xattr", (name, key, random_list(self.chance), 0), (name,)

    def make_remove_xattr(self):
        name = self.name()
        key = self.chance.choice((self.key(), ACCESS_LIST, DEFAULT_LIST))
        return "remove_xattr", (name, key), (name,)

    def make_readlink(self):
        name = self.name()
        return "readlink", (name,), (name,)

    def make_listing(self):
        name = self.chance.choice((self.name(), self.directory()))
        return "listing", (name,), (name,)


def chance_of(chance, choices):
    return choices[chance.randrange(len(choices))]


KINDS = [name[len("make_"):] for name in dir(Operations) if name.startswith("make_")] + [
    # Operations that build trees come more often than those that remove.
    *("create", "create", "mkdir", "mkdir", "link", "write", "write", "append", "read", "symlink")]
