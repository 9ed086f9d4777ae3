#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Tests the output of a mount in the background: lines of the system's log, and live statistics.

The log is a socket of the test, in a separate /dev and mount name space.
"""
import errno
import json
import os
import pathlib
import socket
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import support  # noqa: E402
from support import build, dgfs, run  # noqa: E402

INSIDE = "DGFS_TEST_NAME_SPACE"


class SystemLog(support.ScratchCase):
    """The output of a mount in the background: lines of the system's log, and live statistics."""

    NAME = "fooled\ndgfs: all is well"

    def setUp(self):
        super().setUp()
        tree = self.scratch / "log-tree"
        tree.mkdir()
        (tree / "sound").write_bytes(b"sound" * 3000)
        (tree / self.NAME).write_bytes(b"damaged" * 3000)
        self.damaged = self.scratch / "log.dgfs"
        build(tree, self.damaged)
        data = bytearray(self.damaged.read_bytes())
        data[data.index(b"damaged" * 100) + 9] ^= 1
        self.damaged.write_bytes(data)
        self.log = self.make_devices()

    def make_devices(self):
        """Makes a separate /dev, with a log that the test reads; the system may have none."""
        devices = self.scratch / "dev"
        devices.mkdir()
        run("mount", "-t", "tmpfs", "none", devices)
        self.addCleanup(run, "umount", "-l", devices, check=False)
        for name in ("null", "zero", "full", "random", "urandom", "fuse"):
            os.mknod(devices / name, stat.S_IFCHR | 0o666, os.stat(f"/dev/{name}").st_rdev)
        log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(log.close)
        log.bind(str(devices / "log"))
        log.settimeout(20)
        run("mount", "--bind", devices, "/dev")
        self.addCleanup(run, "umount", "/dev", check=False)
        return log

    def test_damage_is_logged_and_counted(self):
        point = self.scratch / "point"
        point.mkdir()
        dgfs("mount", self.damaged, point)
        try:
            self.assertEqual((point / "sound").read_bytes(), b"sound" * 3000)
            with self.assertRaises(OSError) as caught:
                (point / self.NAME).read_bytes()
            self.assertEqual(caught.exception.errno, errno.EIO)
            lines = []
            while len(lines) < 2:
                line = self.log.recv(8192).decode()
                if not line.startswith("<30>"):  # not daemon.info, which tells how requests come
                    lines.append(line)
            for line in lines:  # <daemon.err>, time, program and process
                self.assertRegex(line, r"^<27>.{15} dgfs\[\d+\]: ")
                self.assertNotIn("\n", line.rstrip("\n\0"))
            self.assertIn("read of /fooled\\ndgfs: all is well: ", lines[0])
            self.assertRegex(lines[0], r"log\.dgfs.*offset \d+")
            self.assertIn("dgfs verify IMAGE", lines[1])

            text = dgfs("info", "--live", point).stdout.decode()
            self.assertRegex(text, r"\n  read +[1-9]")
            self.assertRegex(text, r"\ndamage +[1-9]")  # the kernel may ask more than once
            facts = json.loads(dgfs("info", "--live", "--json", point).stdout)
            self.assertGreaterEqual(facts["errors"], 1)
            self.assertGreaterEqual(facts["content_bytes"], 15000)
        finally:
            support.unmount(point)
        result = dgfs("info", "--live", point, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"no image is mounted here", result.stderr)


def enter_name_space():
    """Starts this program again in its own mount name space."""
    reason = None
    if os.geteuid() != 0:
        reason = "needs root"
    elif not os.path.exists("/dev/fuse"):
        reason = "/dev/fuse is missing on this machine"
    elif run("unshare", "--mount", "true", check=False).returncode != 0:
        reason = "no name spaces can be made here"
    if reason:
        support.skip(reason)
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "--mount", "--propagation=private", sys.executable, __file__,
                          *sys.argv[1:]])


if __name__ == "__main__":
    if INSIDE not in os.environ:
        enter_name_space()
    support.main()
