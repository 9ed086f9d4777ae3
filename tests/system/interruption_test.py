#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Signals in the middle of commands, at moments spread over a whole run of each.

A command ends by its signal, unless it was done before. It leaves nothing hidden or unfinished. A
file that is changed in place is as before or as intended.
"""
import os
import random
import shutil
import tempfile
import time
import unittest

import support
from signal_case import MOMENTS, SIGNALS, SignalCase, content_of
from support import build, dgfs, need_fuse, run

FILES = 1600
SHARED_MEMORY = "/dev/shm"


class Interruption(SignalCase):
    def setUp(self):
        super().setUp()
        self.image = self.scratch / "tree.dgfs"

    def make_tree(self):
        return super().make_tree("tree", FILES)

    def spoil(self, file, needle_at):
        """Changes a byte at each place; negative places count from the end."""
        data = bytearray(file.read_bytes())
        for at in needle_at:
            data[at] ^= 0x40
        file.write_bytes(data)

    def check_files(self, out):
        """Returns the number of files below a directory, after checking that each is complete."""
        count = 0
        for directory, _, names in os.walk(out):
            for name in names:
                count += 1
                number = int(name[1:])
                path = os.path.join(directory, name)
                self.assertEqual(os.lstat(path).st_mtime_ns, number, path)
                with open(path, "rb") as file:
                    self.assertEqual(file.read(), content_of(number), path)
        return count

    def check_writer(self, command):
        """extract and salvage: each file that they write is complete or missing."""
        out = self.scratch / "out"
        partial = 0
        for delay, number in self.moments(command, self.image, self.scratch / "whole"):
            for twice in (False, True):
                ended, _, errors = self.interrupt(delay, number, command, self.image, out,
                                                  twice=twice)
                count = self.check_files(out)
                if ended:
                    partial += 0 < count < FILES
                    self.assertNotIn(b"Error", errors)
                else:
                    self.assertEqual(count, self.check_files(self.scratch / "whole"))
                shutil.rmtree(out, ignore_errors=True)
        self.assertEqual(sorted(self.scratch.iterdir()), self.before + [self.scratch / "whole"])
        self.assertGreater(partial, 0)
        self.assertGreater(self.handled, 0)

    def test_of_extract(self):
        build(self.make_tree(), self.image)
        self.before = sorted(self.scratch.iterdir())
        self.check_writer("extract")

    def test_of_salvage(self):
        build(self.make_tree(), self.image)
        os.remove(f"{self.image}.idx")
        self.spoil(self.image, [100, 4096 * 100 + 7])
        self.before = sorted(self.scratch.iterdir())
        self.check_writer("salvage")

    def check_reader(self, *arguments):
        """The output is the beginning of the whole output; the command writes nothing else."""
        before = sorted(self.scratch.iterdir())
        whole = dgfs(*arguments, check=False).stdout
        ends = 0
        for delay, number in self.moments(*arguments):
            ended, output, _ = self.interrupt(delay, number, *arguments)
            ends += ended
            if ended:
                self.assertTrue(whole.startswith(output), output[-200:])
                self.assertTrue(not output or output.endswith(b"\n"), output[-200:])
        self.assertGreater(ends, 0)
        self.assertEqual(sorted(self.scratch.iterdir()), before)

    def test_of_diff(self):
        tree = self.make_tree()
        build(tree, self.image)
        for path in sorted(tree.glob("d*/f*7")):
            path.write_bytes(b"other")
        self.check_reader("diff", "--no-times", self.image, tree)
        self.assertGreater(self.handled, 0)

    def test_of_verify(self):
        build(self.make_tree(), self.image, "--digest", "sha256")
        self.check_reader("verify", "--digest", "-j1", self.image)
        self.assertGreater(self.handled, 0)

    def make_many_names(self):
        tree = self.scratch / "tree"
        tree.mkdir()
        for number in range(30000):
            (tree / f"f{number}").touch()
        build(tree, self.image, "--digest", "sha256")

    def test_of_digest(self):
        self.make_many_names()
        self.check_reader("digest", self.image)

    def test_of_what_reads_the_index_only(self):
        self.make_many_names()
        for command in (["info", "--scan"], ["du", "-a"], ["ls", "-R"], ["ls", "-lR"],
                        ["find", "-ls"]):
            with self.subTest(command):
                self.check_reader(command[0], self.image, *command[1:])

    def make_wide_image(self):
        """Makes an image with an index of some megabytes."""
        rng = random.Random(11)
        tree = self.scratch / "tree"
        tree.mkdir()
        for _ in range(20000):
            (tree / rng.randbytes(90).hex()).touch()
        build(tree, self.image)
        return self.scratch / "tree.dgfs.idx"

    def test_of_fix_index(self):
        index = self.make_wide_image()
        sound_index, sound_image = index.read_bytes(), self.image.read_bytes()
        pages = len(sound_index) // 4096
        self.assertGreater(pages, 400)
        base = sound_image.index(sound_index)
        self.spoil(index, [4096 * page + 99 for page in range(1, pages - 40, 2)])
        self.spoil(self.image, [base + 4096 * page + 99 for page in range(2, pages - 40, 2)])
        old_index, old_image = index.read_bytes(), self.image.read_bytes()
        before = sorted(self.scratch.iterdir())
        command = ["verify", "--fix-index", "-q", self.image]
        states = set()
        for delay, number in list(self.moments(*command)):
            index.write_bytes(old_index)
            self.image.write_bytes(old_image)
            self.interrupt(delay, number, *command)
            self.assertEqual(sorted(self.scratch.iterdir()), before)
            found = index.read_bytes()
            self.assertIn(found, (old_index, sound_index))
            image = self.image.read_bytes()
            self.assertEqual(len(image), len(old_image))
            for at in range(0, len(image), 4096):
                page = image[at:at + 4096]
                self.assertIn(page, (old_image[at:at + 4096], sound_image[at:at + 4096]))
            # The command mends pages of the image in place, but only once the index is complete.
            self.assertTrue(found == sound_index or image == old_image)
            states.add((found == sound_index, image == sound_image))
            dgfs(*command)
            self.assertEqual(index.read_bytes(), sound_index)
            self.assertEqual(self.image.read_bytes(), sound_image)
        self.assertIn((False, False), states)
        self.assertGreater(self.handled, 0)

    def is_mounted(self, point):
        with open("/proc/self/mounts", encoding="utf-8") as table:
            return any(line.split()[1] == str(point) for line in table)

    def unmount_if_mounted(self, point):
        """Unmounts; a daemon that was told to end may do that itself meanwhile."""
        deadline = time.monotonic() + 20
        while self.is_mounted(point):
            run("fusermount3", "-u", point, check=False)
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def check_mount(self, command, point, seconds):
        """An interrupted mount command has mounted nothing; any other mount can be unmounted as
        always.
        """
        def when_mounted(process):
            while process.poll() is None and not self.is_mounted(point):
                time.sleep(0.0005)

        in_foreground = "--foreground" in command
        delays = [seconds * part / MOMENTS for part in range(0, MOMENTS, 2)]
        ends = 0
        for part, when in enumerate(delays + [when_mounted] * 3):
            ended, _, _ = self.interrupt(when, SIGNALS[part % 2], *command, twice=part % 3 == 2)
            ends += ended
            if ended or in_foreground:
                self.assertFalse(self.is_mounted(point))
            self.unmount_if_mounted(point)
            self.assertEqual(os.listdir(point), [])
        self.assertGreater(ends, 0)

    def test_of_mount(self):
        need_fuse()
        self.make_wide_image()
        point = self.scratch / "point"
        point.mkdir()
        self.addCleanup(run, "umount", "--lazy", point, check=False)
        before = sorted(self.scratch.iterdir())
        command = ["mount", "-o", "check=all", self.image, point]
        seconds = self.seconds_of(*command)
        self.unmount_if_mounted(point)
        self.check_mount(command, point, seconds)
        self.check_mount([*command, "--foreground"], point, seconds)
        self.assertEqual(sorted(self.scratch.iterdir()), before)

    def check_move(self, target):
        """A volume is complete at one of both places. A second signal, which kills, may leave it
        with both names (tools/main.cpp).
        """
        rng = random.Random(5)
        tree = self.scratch / "tree"
        tree.mkdir()
        for number in range(8):
            (tree / f"f{number}").write_bytes(rng.randbytes(12 << 20))
        volume = self.scratch / "disk" / "tree.1"
        volume.parent.mkdir()
        build(tree, self.image, "--volume", volume)
        content = volume.read_bytes()
        moved = target / volume.name
        command = ["volume", "move", self.image, "1", target, "--volume", volume.parent]
        seconds = self.seconds_of(*command)
        self.assertEqual(moved.read_bytes(), content)
        shutil.move(moved, volume)
        before = sorted(self.scratch.iterdir())
        ends = 0
        for part in range(MOMENTS):
            for twice in (False, True):
                ended, _, _ = self.interrupt(seconds * part / MOMENTS, SIGNALS[part % 2], *command,
                                             twice=twice)
                ends += ended
                for lock in (volume.parent / ".tree.1.lock", target / ".tree.1.lock"):
                    if twice and ended:
                        lock.unlink(missing_ok=True)
                there = list(volume.parent.iterdir()) + list(target.iterdir())
                for file in there:
                    self.assertEqual(file.read_bytes(), content)
                if twice and ended and there == [volume, moved]:
                    # The process was killed between the new name and the removal of the old one.
                    volume.unlink()
                    there = [moved]
                self.assertIn(there, ([volume], [moved]))
                if not ended:
                    self.assertEqual(there, [moved])
                if there == [moved]:
                    shutil.move(moved, volume)
        self.assertEqual(sorted(self.scratch.iterdir()), before)
        return ends

    def test_of_volume_move(self):
        target = self.scratch / "other"
        target.mkdir()
        self.assertGreater(self.check_move(target), 0)

    def test_of_volume_move_to_another_file_system(self):
        if (not os.access(SHARED_MEMORY, os.W_OK)
                or os.stat(SHARED_MEMORY).st_dev == os.stat(self.scratch).st_dev):
            raise unittest.SkipTest("no other file system to write to")
        with tempfile.TemporaryDirectory(dir=SHARED_MEMORY, prefix="dgfs-test-") as target:
            self.assertGreater(self.check_move(type(self.scratch)(target)), 0)
        self.assertGreater(self.handled, 0)


if __name__ == "__main__":
    support.main()
