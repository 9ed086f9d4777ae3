#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Damaged images in the hands of every command and of a live mount.

No command ends by a signal, hangs or takes more than its share of memory; damage is said with its
place and exit code 1. Under a mount it is EIO, and the server goes on serving.
"""
import errno
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import support
from support import DGFS, ScratchCase

WRITE_SAMPLE = os.environ["WRITE_SAMPLE"]
SECONDS = 60
ADDRESS_SPACE = 2 << 30
SANITIZED = os.environ.get("SANITIZED") == "1"  # needs an address space without limit
READ_BYTES = 1 << 20
COMMANDS = (
    ("info",), ("info", "--scan"), ("ls", "-lR"), ("find", "-ls"), ("du", "-a"), ("stat", "/"),
    ("cat", "/d/one", "/d/file", "/e"), ("extract", "OUT"), ("verify",), ("diff", "SELF"),
    ("mount", "--dry-run", "--check=all", "OUT"), ("digest",), ("verify", "--digest"),
    ("salvage", "--list"), ("salvage", "OUT"), ("salvage", "--partial", "OUT"),
    ("volume", "list"),
)
# These work on a copy.
CHANGING = (("verify", "--fix-index"), ("volume", "move", "0", "OUT"))
WITH_TROUBLE_2 = ("ls", "diff")  # as those that they are named after
# Damage that no sum covers or that is only to be found by reading all of it is for verify.
PLACE = re.compile(r"(header|superblock|page|directory|table|inode|volume|target|xattr|sparse|"
                   r"contents|models|digests).*offset \d+|neither an image nor an index|"
                   r"volume \d+ \(uuid \S+\) is missing")


def limit():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(*arguments):
    return subprocess.run([os.fspath(a) for a in arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS,
                          preexec_fn=limit)


class DamagedImages(ScratchCase):
    def setUp(self):
        super().setUp()
        subprocess.run([WRITE_SAMPLE, self.scratch / "sample"], check=True)
        self.images = sorted((self.scratch / "sample").iterdir())
        self.assertGreater(len(self.images), 25)

    def check(self, result, what):
        codes = (0, 1, 2) if what.split()[0] in WITH_TROUBLE_2 else (0, 1)
        self.assertIn(result.returncode, codes, f"{what}: {result}")
        text = (result.stdout + result.stderr).decode(errors="replace")
        if result.returncode != 0:
            self.assertTrue(text.strip(), what)
        self.assertNotIn("Sanitizer", text, what)
        return text

    def test_commands(self):
        for image in self.images:
            for command, *operands in COMMANDS:
                what = f"{command} {image.name} {len(operands)} {operands[:1]}"
                places = {"OUT": self.scratch / what, "SELF": image}
                if command == "mount":
                    places["OUT"].mkdir()
                operands = [places.get(operand, operand) for operand in operands]
                result = run(DGFS, *self.words(command, image, operands))
                text = self.check(result, what)
                if command == "verify":
                    self.assertEqual(result.returncode, 1, what + text)
                if command == "verify" and "keeps no digests" not in text:
                    self.assertRegex(text, PLACE, what)

    @staticmethod
    def words(command, image, operands):
        """The image follows the command, or what 'volume' is to do."""
        at = 1 if command == "volume" else 0
        return [command, *operands[:at], image, *operands[at:]]

    def test_commands_that_change_something(self):
        for image in self.images:
            for command, *operands in CHANGING:
                what = f"{command} {operands[0]} {image.name}"
                folder = self.scratch / what
                folder.mkdir()
                copy = folder / image.name
                shutil.copy(image, copy)
                operands = [folder / "moved" if word == "OUT" else word for word in operands]
                result = run(DGFS, *self.words(command, copy, operands))
                self.check(result, what)
                names = {path.name for path in folder.iterdir()}
                if command == "volume":
                    self.assertEqual(names, {"moved" if result.returncode == 0 else copy.name})
                    (place,) = folder.iterdir()
                    self.assertEqual(place.read_bytes(), image.read_bytes(), what)
                else:
                    self.assertLessEqual(names, {copy.name, copy.name + ".idx"}, what)
                    self.assertEqual(copy.stat().st_size, image.stat().st_size, what)

    def test_nothing_is_written_outside(self):
        (self.scratch / "out").mkdir()
        outside = set(self.scratch.iterdir())
        for image in self.images:
            self.check(run(DGFS, "extract", image, self.scratch / "out" / image.stem), image.name)
        self.assertEqual(set(self.scratch.iterdir()), outside)

    def read(self, path):
        try:
            if path.is_symlink():
                os.readlink(path)
            elif path.is_file():
                with open(path, "rb") as file:
                    file.read(READ_BYTES)
            os.listxattr(path, follow_symlinks=False)
        except OSError as error:
            if error.errno == errno.EOPNOTSUPP:  # an image without any extended attribute
                return 0
            self.assertIn(error.errno, (errno.EIO, errno.ENOENT), path)
            return 1
        return 0

    def test_mounts(self):
        support.need_fuse()
        mounts = failures = 0
        for image in self.images:
            point = self.scratch / "mount"
            point.mkdir(exist_ok=True)
            if run(DGFS, "mount", image, point).returncode != 0:
                self.assertFalse(os.path.ismount(point), image)
                continue
            mounts += 1
            try:
                for base, directories, files in os.walk(point):
                    for name in directories + files:
                        failures += self.read(pathlib.Path(base) / name)
                os.statvfs(point)  # needs no page of the index: the server must answer
            finally:
                support.unmount(point)
        self.assertGreaterEqual(mounts, 20)
        self.assertGreaterEqual(failures, 20)
        print(f"{mounts} damaged images mounted, {failures} reads failed", file=sys.stderr)


if __name__ == "__main__":
    support.main()
