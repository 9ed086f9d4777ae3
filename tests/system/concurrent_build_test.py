#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Two builds to one output at the same time: one writes, the other is refused or comes after it.

Whatever the moment, the result is one image with its own index.
"""
import os
import re
import signal
import subprocess
import time

import support
from support import DGFS, build, dgfs

ROUNDS = 25
REFUSAL = re.compile(rb"dgfs: build: [^\n]*: another dgfs command(?: \(process (\d+)\))? is "
                     rb"writing this file; nothing was written\n")


class ConcurrentBuild(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.out = self.scratch / "out"
        self.out.mkdir()
        self.image = self.out / "t.dgfs"

    def make_tree(self, name, files, size=3000):
        tree = self.scratch / name
        tree.mkdir()
        for number in range(files):
            (tree / f"{name}{number}").write_bytes(os.urandom(size))
        return tree

    def start(self, tree, *options):
        return subprocess.Popen([DGFS, "build", "-q", tree, self.image, *options],
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def names(self):
        return sorted(os.listdir(self.out))

    def check_rounds(self, *options):
        trees = [self.make_tree("a", 40), self.make_tree("b", 55)]
        lists = [sorted(os.listdir(tree)) for tree in trees]
        refused = 0
        for _ in range(ROUNDS):
            builds = [self.start(tree, *options) for tree in trees]
            errors = [process.communicate()[1] for process in builds]
            codes = [process.returncode for process in builds]
            self.assertIn(0, codes, errors)
            for process, error in zip(builds, errors):
                if process.returncode != 0:
                    self.assertEqual(process.returncode, 1)
                    refusal = REFUSAL.fullmatch(error)
                    self.assertIsNotNone(refusal, error)
                    pids = [b"%d" % other.pid for other in builds if other is not process]
                    self.assertIn(refusal.group(1), [None, *pids])
                    refused += 1
            verified = dgfs("verify", self.image, "--volume", self.out)
            self.assertEqual(verified.stderr, b"")
            self.assertIn(dgfs("ls", self.image).stdout.decode().split(), lists)
            self.assertFalse([name for name in self.names() if name.startswith(".")])
        self.assertGreater(refused, 0)

    def test_of_an_image(self):
        self.check_rounds()

    def test_of_an_image_with_volumes(self):
        self.check_rounds("--volume", self.out / "t.1")

    def test_a_lock_ends_with_its_process(self):
        """A killed build may leave a hidden file, which hinders no other build."""
        tree = self.make_tree("large", 60, 1 << 20)
        killed = 0
        for _ in range(10):
            process = self.start(tree)
            while process.poll() is None and not self.names():
                time.sleep(0.0005)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += process.returncode == -signal.SIGKILL
            for name in self.names():
                self.assertIn(name, (".t.dgfs.lock", ".t.dgfs.idx.lock"))
            build(tree, self.image)
            self.assertEqual(self.names(), ["t.dgfs", "t.dgfs.idx"])
            for name in self.names():
                os.remove(self.out / name)
        self.assertGreater(killed, 0)


if __name__ == "__main__":
    support.main()
