#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Lists of paths and patterns choose the same from files, FIFOs, pipes and standard input."""
import os
import signal
import subprocess
import threading
import time

import support
from support import build, dgfs


class ListInput(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.tree = self.scratch / "tree"
        for name in ("a/x.c", "a/y.o", "b/x.c", "b/y.o", "c/x.c"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(name)
        self.image = self.scratch / "tree.dgfs"
        build(self.tree, self.image)

    def through(self, way, content, *command):
        """Runs a command with the list's name in place of LIST."""
        def run(name, **keywords):
            words = [os.fspath(name) if word == "LIST" else word for word in command]
            return subprocess.run([support.DGFS, *map(os.fspath, words)], check=False,
                                  capture_output=True, timeout=60, **keywords)
        if way == "standard input":
            return run("-", input=content)
        if way == "pipe":
            reader, writer = os.pipe()
            os.write(writer, content)
            os.close(writer)
            try:
                return run(f"/dev/fd/{reader}", pass_fds=[reader])
            finally:
                os.close(reader)
        path = self.scratch / "list"
        path.unlink(missing_ok=True)
        if way == "file":
            path.write_bytes(content)
            return run(path)
        os.mkfifo(path)
        feeder = threading.Thread(target=path.write_bytes, args=[content])
        feeder.start()
        try:
            return run(path)
        finally:
            feeder.join()

    def same_everywhere(self, content, *command):
        """Returns the output of the command, which must be the same for all ways."""
        expected = self.through("file", content, *command)
        for way in ("standard input", "pipe", "FIFO"):
            with self.subTest(way=way):
                result = self.through(way, content, *command)
                self.assertEqual((result.returncode, result.stdout, result.stderr),
                                 (expected.returncode, expected.stdout, expected.stderr))
        return expected

    def test_extract_takes_every_list(self):
        list_only = ["extract", "-n", self.image, self.scratch / "out"]
        for option, content, expected in (
                ("--files-from", b"a\nb/x.c\n", b"a/\na/x.c\na/y.o\nb/x.c\n"),
                ("--files-from", b"# some\nb/x.c\n;a\n", b"b/x.c\n"),
                ("--exclude-from", b"# none\n*.o\nc\n", b"a/\nb/\na/x.c\nb/x.c\n"),
                ("--include-from", b"- *.c\n- /c\n", b"a/\nb/\na/y.o\nb/y.o\n")):
            with self.subTest(option=option):
                result = self.same_everywhere(content, *list_only, option, "LIST")
                self.assertEqual(result.stdout, expected, result.stderr)

    def test_build_takes_lists(self):
        other = self.scratch / "other.dgfs"
        for way in ("file", "standard input", "pipe", "FIFO"):
            with self.subTest(way=way):
                self.through(way, b"b\n", "build", "-q", self.tree, other, "--files-from", "LIST")
                self.assertEqual(dgfs("ls", other).stdout, b"b\n")
                os.remove(other)

    def test_diff_takes_lists(self):
        (self.tree / "a/x.c").write_text("other")
        (self.tree / "b/x.c").write_text("other")
        result = self.same_everywhere(b"a\n", "diff", "-q", self.image, self.tree,
                                      "--files-from", "LIST")
        self.assertEqual((result.returncode, result.stdout), (1, b"a/x.c differs\n"))

    def test_a_long_list_comes_whole(self):
        names = [f"f{number:06}" for number in range(30000)]
        content = "".join(f"{name}\n" for name in names + ["a"]).encode()
        result = self.through("standard input", content, "diff", self.image, self.tree,
                              "--files-from", "LIST")
        self.assertEqual(result.returncode, 2)  # none of the listed names exists
        self.assertEqual(result.stderr.count(b"No such file"), len(names))

    def test_messages_name_the_list(self):
        for content, command, code, text in (
                (b"", ["build", self.tree, self.scratch / "x.dgfs", "--files-from", "-"], 1,
                 b"dgfs: build: -: names no path; nothing was written\n"),
                (b"", ["extract", self.image, self.scratch / "out", "--files-from", self.tree], 1,
                 b"Is a directory; nothing was extracted\n"),
                (b"", ["diff", self.image, self.tree, "--exclude-from", self.scratch / "none"], 2,
                 b"No such file or directory\n")):
            result = subprocess.run([support.DGFS, *command], input=content, capture_output=True,
                                    check=False)
            self.assertEqual(result.returncode, code)
            self.assertTrue(result.stderr.endswith(text), result.stderr)
        self.assertFalse((self.scratch / "x.dgfs").exists())
        self.assertFalse((self.scratch / "out").exists())

    def test_a_signal_ends_the_wait_for_a_list(self):
        process = subprocess.Popen([support.DGFS, "build", self.tree, self.scratch / "x.dgfs",
                                    "--files-from", "-"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), -signal.SIGINT)
        self.assertEqual(process.stderr.read(), b"dgfs: build: interrupted; nothing was written\n")
        process.stdin.close()
        process.stderr.close()


if __name__ == "__main__":
    support.main()
