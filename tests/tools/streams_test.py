#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Commands with an output that is full or closed, and commands that a signal ends."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import support  # noqa: E402
from random_tree import RandomTree  # noqa: E402

LONG_LINE = "x" * 2000 + "\\n"  # for some hundred entries: more than a pipe and our buffer hold


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="dgfs-streams-")
        cls.addClassCleanup(folder.cleanup)
        cls.place = pathlib.Path(folder.name)
        (cls.place / "tree").mkdir()
        cls.tree = RandomTree(cls.place / "tree" / "t", 1)
        cls.image = cls.place / "tree.dgfs"
        support.build(cls.place / "tree", cls.image, "--digest", "sha256")
        cls.file = os.fsdecode(os.path.relpath(
            max(cls.tree.files, key=os.path.getsize), os.path.dirname(cls.tree.top)))

    def commands(self):
        image = self.image
        return (["ls", image], ["ls", "-lR", image], ["find", image], ["find", image, "-ls"],
                ["du", "-a", image], ["stat", image, "t"], ["cat", image, self.file],
                ["info", image], ["info", "--json", image], ["verify", image],
                ["verify", "--digest", image], ["digest", image], ["volume", "list", image],
                ["salvage", "--list", image], ["help"],
                ["help", "ls"], ["ls", "--help"], ["--version"])

    def test_a_full_device_is_an_error(self):
        for command in self.commands():
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                result = subprocess.run([support.DGFS, *command], stdout=full,
                                        stderr=subprocess.PIPE, check=False)
                self.assertEqual(result.returncode, 1)
                self.assertIn(b"No space left on device", result.stderr)

    def test_a_difference_that_cannot_be_told_is_trouble(self):
        (self.place / "other").mkdir()
        support.build(self.place / "other", self.place / "other.dgfs")
        with open("/dev/full", "wb") as full:
            result = subprocess.run(
                [support.DGFS, "diff", self.image, self.place / "other.dgfs"], stdout=full,
                stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"No space left on device", result.stderr)

    def test_a_closed_pipe_is_quiet(self):
        for command in self.commands():
            with self.subTest(command=command):
                reader, writer = os.pipe()
                os.close(reader)
                result = subprocess.run([support.DGFS, *command], stdout=writer,
                                        stderr=subprocess.PIPE, check=False)
                os.close(writer)
                self.assertEqual((result.returncode, result.stderr), (-signal.SIGPIPE, b""))

    def test_ends_by_the_signal_that_came(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                # No process reads the pipe, so the command blocks in the middle of its output.
                process = subprocess.Popen(
                    [support.DGFS, "find", self.image, "-printf", LONG_LINE],
                    stdout=subprocess.PIPE)
                time.sleep(0.3)
                self.assertIsNone(process.poll())
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=20), -number)
                process.stdout.close()

    def test_an_ignored_signal_stays_ignored(self):
        process = subprocess.Popen(
            [support.DGFS, "find", self.image, "-printf", LONG_LINE], stdout=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.3)
        process.send_signal(signal.SIGHUP)
        self.assertTrue(process.stdout.read().endswith(b"x\n"))
        process.stdout.close()
        self.assertEqual(process.wait(timeout=20), 0)

    def test_an_interrupted_build_leaves_nothing(self):
        source = self.place / "large"
        source.mkdir(exist_ok=True)
        with open(source / "file", "wb") as file:
            for _ in range(200):
                file.write(os.urandom(1 << 20))
        for number in (signal.SIGINT, signal.SIGTERM):
            target = self.place / f"out{int(number)}"
            target.mkdir()
            process = subprocess.Popen([support.DGFS, "build", source, target / "x.dgfs"],
                                       stderr=subprocess.PIPE)
            time.sleep(0.02)
            process.send_signal(number)
            message = process.stderr.read()
            process.stderr.close()
            code = process.wait(timeout=60)
            if code == 0:
                continue  # the command ended before the signal came
            # Before the handler is installed, the signal ends the process.
            self.assertEqual(code, -number, message)
            self.assertEqual(os.listdir(target), [])


if __name__ == "__main__":
    support.main()
