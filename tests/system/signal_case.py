# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Helpers for tests of signals: a tree to pack, and a command that gets a signal while it runs."""
import os
import signal
import subprocess
import tempfile
import time

import support
from support import DGFS

MOMENTS = 10
SIGNALS = (signal.SIGINT, signal.SIGTERM)
SECONDS_MAX = 60  # for a command that was told to end; machines may be busy


def content_of(number):
    return bytes([number % 251, number // 251]) * (number * 37 % 40000)


class SignalCase(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.handled = 0  # how often the command was under way, and reported the interruption

    def make_tree(self, name, files):
        """Makes files; each has its number in its name, its content and its time."""
        tree = self.scratch / name
        for number in range(files):
            path = tree / f"d{number % 30}" / f"f{number}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content_of(number))
            os.utime(path, ns=(number, number))
        return tree

    def seconds_of(self, *arguments):
        begin = time.monotonic()
        support.run(DGFS, *arguments, check=False)
        return time.monotonic() - begin

    def moments(self, *arguments):
        """Returns delays that are spread over a run of the command, each with a signal."""
        seconds = self.seconds_of(*arguments)
        for part in range(MOMENTS):
            yield seconds * part / MOMENTS, SIGNALS[part % 2]

    def interrupt(self, when, number, *arguments, twice=False, pause=0.0, codes=(0, 1)):
        """Runs a command and sends it a signal; returns (whether it ended by that, both outputs).

        `when` is a delay in seconds, or a function that is called with the process and waits for
        the moment; `pause` comes before a second signal. If no signal ended the command, its exit
        code must be one of `codes`.
        """
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen([DGFS, *map(os.fspath, arguments)], stdout=out,
                                       stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
            if callable(when):
                when(process)
            else:
                time.sleep(when)
            process.send_signal(number)
            if twice:
                time.sleep(pause)
                process.send_signal(number)
            try:
                _, errors = process.communicate(timeout=SECONDS_MAX)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise
            code = process.returncode
            out.seek(0)
            output = out.read()
        ended = code == -number
        if not ended:
            self.assertIn(code, codes, (arguments, errors))
        elif not twice:
            self.handled += b"interrupted" in errors
        return ended, output, errors
