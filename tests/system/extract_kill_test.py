#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""An extraction that is killed leaves only complete files, which inherit no ACLs."""
import os
import signal
import struct
import subprocess
import time
import unittest

import support
from support import build, compare, dgfs

FILES = 3000
MTIME_NS = 1_000_000_000_000_000_123


def names_below(path):
    return sum(len(names) for _, _, names in os.walk(path))


class Kill(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.tree = self.scratch / "tree"
        for number in range(FILES):
            path = self.tree / f"d{number % 30}" / f"f{number}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes([number % 251]) * (number * 7 % 60000))
            os.chmod(path, 0o751)
            os.utime(path, ns=(MTIME_NS, MTIME_NS + number))
        self.image = self.scratch / "tree.dgfs"
        build(self.tree, self.image)

    def check(self, out):
        """Returns the number of files, after checking that each is complete."""
        count = 0
        for directory, _, names in os.walk(out):
            for name in names:
                count += 1
                path = os.path.join(directory, name)
                number = int(name[1:])
                status = os.lstat(path)
                self.assertEqual(status.st_size, number * 7 % 60000, path)
                self.assertEqual(status.st_mode & 0o7777, 0o751, path)
                self.assertEqual(status.st_mtime_ns, MTIME_NS + number, path)
                with open(path, "rb") as file:
                    self.assertEqual(file.read().strip(bytes([number % 251])), b"", path)
        return count

    def test_kill_leaves_only_whole_files(self):
        dgfs("extract", "-q", self.image, self.scratch / "whole")
        self.assertEqual(self.check(self.scratch / "whole"), FILES)
        partial = 0
        for part in range(1, 11):
            out = self.scratch / f"out{part}"
            process = subprocess.Popen([support.DGFS, "extract", "-q", self.image, out])
            while process.poll() is None and names_below(out) < FILES * part / 12:
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
            process.wait()
            partial += 0 < self.check(out) < FILES
        self.assertGreater(partial, 0)


def acl(*entries):
    """The bytes of a POSIX ACL extended attribute: version, then tag, permissions, id."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


class DefaultAcl(support.ScratchCase):
    def test_acls_of_the_destination_stay_out(self):
        none = 0xffffffff
        inherited = acl((1, 7, none), (2, 7, 12345), (4, 5, none), (16, 7, none), (32, 5, none))
        tree, out = self.scratch / "tree", self.scratch / "out"
        (tree / "d").mkdir(parents=True)
        (tree / "d" / "f").write_text("x")
        os.mkfifo(tree / "d" / "fifo", 0o640)
        out.mkdir()
        try:
            os.setxattr(out, "system.posix_acl_default", inherited)
            os.setxattr(tree / "d", "system.posix_acl_access", inherited)
        except OSError as error:
            raise unittest.SkipTest(f"no POSIX ACLs here: {error}")
        build(tree, self.scratch / "i")
        dgfs("extract", "-q", self.scratch / "i", out)
        compare(tree, out)
        self.assertEqual(os.listxattr(out), [])
        self.assertEqual(os.listxattr(out / "d"), ["system.posix_acl_access"])
        self.assertEqual(os.listxattr(out / "d" / "f"), [])
        self.assertEqual(os.listxattr(out / "d" / "fifo"), [])


if __name__ == "__main__":
    support.main()
