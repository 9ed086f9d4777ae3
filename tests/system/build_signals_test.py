#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Signals to builds, at moments spread over the whole run, most of them at its end.

After one signal the files are as before, or the complete new set, without hidden ones. A second
signal ends the process at any place: then hidden names may stay, but the image is the old or the
new one.
"""
import hashlib
import os
import random
import re
import shutil
import statistics
import time

import support
from signal_case import SIGNALS, SignalCase
from support import build, dgfs

FILES = 500
OLD_FILES = 60
LATE = (0.9, 1.05)  # parts of a run during which files get their names
# Names of files that are not complete yet, or about to be removed, and of locks.
HIDDEN = re.compile(r"\.+t\.(dgfs|dgfs\.idx|1|2)\..*(new|old|tmp|lock)")


class Sweep(SignalCase):
    EARLY_MOMENTS = 5
    LATE_MOMENTS = 5

    def setUp(self):
        super().setUp()
        self.tree = self.make_tree("tree", FILES)
        self.out = self.scratch / "out"
        self.disk = self.out / "disk"
        self.disk.mkdir(parents=True)
        self.image = self.out / "t.dgfs"
        self.rng = random.Random(support.test_seed(17))

    def state(self):
        """Returns all files, with hidden names: path -> digest; None for directories."""
        found = {}
        for directory, folders, names in os.walk(self.out):
            for name in folders + names:
                path = os.path.join(directory, name)
                content = None
                if name in names:
                    with open(path, "rb") as file:
                        content = hashlib.file_digest(file, "sha256").hexdigest()
                found[os.path.relpath(path, self.out)] = content
        return found

    def keep(self):
        shutil.copytree(self.out, self.scratch / "kept")

    def restore(self):
        shutil.rmtree(self.out)
        shutil.copytree(self.scratch / "kept", self.out)

    def verify(self):
        dgfs("verify", self.image, "--volume", self.disk)

    def prepare(self, *options):
        """Notes the files before and after an undisturbed build; returns how long it takes."""
        self.keep()
        self.command = ["build", self.tree, self.image, *options]
        self.before = self.state()
        durations = []
        for _ in range(3):
            self.restore()
            begin = time.monotonic()
            dgfs(*self.command)
            durations.append(time.monotonic() - begin)
        self.verify()
        self.after = self.state()
        self.assertFalse([path for path in self.after if os.path.basename(path).startswith(".")])
        return statistics.median(durations)

    def fractions(self):
        for part in range(self.EARLY_MOMENTS):
            yield (part + self.rng.random()) / self.EARLY_MOMENTS * LATE[0]
        for _ in range(self.LATE_MOMENTS):
            yield self.rng.uniform(*LATE)

    def check_ended_early(self):
        """Checks the files that a killed process has left."""
        found = self.state()
        visible = {path: content for path, content in found.items()
                   if not os.path.basename(path).startswith(".")}
        for path in found.keys() - visible.keys():
            self.assertIsNotNone(HIDDEN.fullmatch(os.path.basename(path)), path)
        for path, content in visible.items():
            self.assertIn(content, (self.before.get(path), self.after[path]), path)
        if self.image.exists():
            self.verify()
        else:
            self.assertEqual(visible, self.before)

    def interrupt_build(self, when, number, twice):
        self.restore()
        pause = self.rng.uniform(0, 0.004)
        ended, _, errors = self.interrupt(when, number, *self.command, twice=twice, pause=pause,
                                          codes=(0,))
        if twice and ended:
            self.check_ended_early()
            return ended
        found = self.state()
        if not ended:
            self.assertEqual(found, self.after)
        elif b"is complete and in its place" in errors:  # while it was reading the image back
            self.assertIn("--verify", self.command)
            self.assertEqual(found, self.after)
        else:
            self.assertEqual(found, self.before, errors)
        return ended

    def check_sweep(self, *options):
        seconds = self.prepare(*options)
        ends = 0
        for fraction in self.fractions():
            for twice in (False, True):
                number = self.rng.choice(SIGNALS)
                with self.subTest(fraction=fraction, number=number, twice=twice):
                    ends += self.interrupt_build(seconds * fraction, number, twice)
        self.assertGreater(ends, 0)
        self.assertGreater(self.handled, 0)

    def check_first_name(self, *options):
        """From the first name on, a single signal no longer ends the build."""
        def wait(process):
            while process.poll() is None and names() == names_before:
                pass

        def names():
            every = os.listdir(self.out) + os.listdir(self.disk)
            return sorted(name for name in every if not name.endswith(".lock"))

        self.prepare(*options)
        self.restore()
        names_before = names()
        for number in SIGNALS * 2:
            self.assertFalse(self.interrupt_build(wait, number, False))
            self.interrupt_build(wait, number, True)
            # The remaining files do not hinder a further build.
            dgfs(*self.command)
            self.verify()

    def make_old(self, *options):
        build(self.make_tree("old", OLD_FILES), self.image, *options)

    def test_plain(self):
        self.check_sweep()

    def test_without_an_index_file(self):
        self.check_sweep("--no-index-file")

    def test_over_an_old_image(self):
        self.make_old()
        self.check_sweep()

    def test_over_old_volumes(self):
        self.make_old("--volume", self.disk / "t.1")
        self.check_sweep("--volume", self.disk / "t.1")

    def test_volumes(self):
        self.check_sweep("--volume", self.disk / "t.1", "--volume", self.out / "t.2")

    def test_compressed(self):
        self.check_sweep("--compress", "zstd:1")

    def test_verified(self):
        self.check_sweep("--verify")

    def test_digests(self):
        self.check_sweep("--digest", "sha256")

    def test_at_the_first_name(self):
        self.check_first_name()

    def test_at_the_first_name_over_old_volumes(self):
        self.make_old("--volume", self.disk / "t.1")
        self.check_first_name("--volume", self.disk / "t.1")


class DenseSweep(Sweep):
    EARLY_MOMENTS = 40
    LATE_MOMENTS = 60


if __name__ == "__main__":
    support.main()
