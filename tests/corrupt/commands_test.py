#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Runs every command on damaged images, and mounts them.

No command ends by a signal, hangs or takes more than its share of memory; it reports damage with
its place and exit code 1. Under a mount each answer is that of the sound image or EIO, and the
server keeps serving until it is told to end.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import support
from answers import ask, count_failures, names_below
from support import DGFS, ScratchCase, mounted

WRITE_SAMPLE = os.environ["WRITE_SAMPLE"]
SECONDS = 60
ADDRESS_SPACE = 2 << 30
SANITIZED = os.environ.get("SANITIZED") == "1"  # a sanitizer needs an address space without limit
EACH = int(sys.argv.pop(1))  # each command runs on one of so many images
READ_BYTES = 1 << 20
COMMANDS = (
    ("info",), ("info", "--scan"), ("ls", "-lR"), ("find", "-ls"), ("du", "-a"), ("stat", "/"),
    ("cat", "/d/one", "/d/file", "/e"), ("extract", "OUT"), ("verify",), ("diff", "SELF"),
    ("mount", "--dry-run", "--check=all", "OUT"), ("digest",), ("verify", "--digest"),
    ("salvage", "--list"), ("salvage", "OUT"), ("salvage", "--partial", "OUT"),
    ("volume", "list"),
)
# These commands run on a copy.
CHANGING = (("verify", "--fix-index"), ("volume", "move", "0", "OUT"))
HARMLESS = ("Forged-extents-overlap",)  # commands that only read find nothing wrong
WITH_TROUBLE_2 = ("ls", "diff")  # exit code 2 means trouble, as with the tools of the same name
# Only verify finds damage that no checksum covers, or that shows only when everything is read.
PLACE = re.compile(r"(header|superblock|page|directory|table|inode|volume|target|xattr|sparse|"
                   r"contents|models|digests|dictionaries|link names|state).*offset \d+|"
                   r"neither an image nor an index|volume \d+ \(uuid \S+\) is missing|"
                   r"volume \d+, which is volume \d+ of the image of uuid \S+, is missing")


def limit():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(*arguments):
    return subprocess.run([os.fspath(a) for a in arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS,
                          preexec_fn=limit)


def is_mounted(point):
    """Tells without asking the mount: its root may be damaged."""
    mounts = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8")
    return any(line.split()[1] == str(point) for line in mounts.splitlines())


class DamagedImages(ScratchCase):
    def setUp(self):
        super().setUp()
        subprocess.run([WRITE_SAMPLE, self.scratch / "sample"], check=True)
        self.images = sorted((self.scratch / "sample").glob("*/t.dgfs"))
        self.assertGreater(len(self.images), 70)

    def check(self, result, what):
        codes = (0, 1, 2) if what.split()[0] in WITH_TROUBLE_2 else (0, 1)
        self.assertIn(result.returncode, codes, f"{what}: {result}")
        text = (result.stdout + result.stderr).decode(errors="replace")
        if result.returncode != 0:
            self.assertTrue(text.strip(), what)
        self.assertNotIn("Sanitizer", text, what)
        return text

    def test_commands(self):
        for number, image in enumerate(self.images):
            for command, *operands in COMMANDS[number % EACH::EACH]:
                what = f"{command} {image.parent.name} {len(operands)} {operands[:1]}"
                places = {"OUT": self.scratch / what, "SELF": image}
                if command == "mount":
                    places["OUT"].mkdir()
                operands = [places.get(operand, operand) for operand in operands]
                result = run(DGFS, *self.words(command, image, operands))
                text = self.check(result, what)
                if command == "verify" and not operands and image.parent.name in HARMLESS:
                    self.assertEqual(result.returncode, 0, what + text)
                elif command == "verify":
                    self.assertEqual(result.returncode, 1, what + text)
                found = command == "verify" and result.returncode == 1
                if found and "keeps no digests" not in text:
                    self.assertRegex(text, PLACE, what)

    @staticmethod
    def words(command, image, operands):
        """Puts the image after the command, or after the subcommand of 'volume'."""
        at = 1 if command == "volume" else 0
        return [command, *operands[:at], image, *operands[at:]]

    def test_commands_that_change_something(self):
        for image in self.images[::EACH]:
            for command, *operands in CHANGING:
                what = f"{command} {operands[0]} {image.parent.name}"
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
        for image in self.images[::EACH]:
            name = image.parent.name
            self.check(run(DGFS, "extract", image, self.scratch / "out" / name), name)
        self.assertEqual(set(self.scratch.iterdir()), outside)

    def learn(self):
        """Returns the answers of sound mounts, by the base name of the damaged images."""
        subprocess.run([WRITE_SAMPLE, "--sound", self.scratch / "sound"], check=True)
        truths = {}
        for image in sorted((self.scratch / "sound").glob("*/t.dgfs")):
            with mounted(image) as point:
                truths[image.parent.name] = ask(point, names_below(point))
        return truths

    def serve(self, image, point):
        """Starts a server in the foreground, and waits until it has mounted or ended."""
        server = subprocess.Popen([DGFS, "mount", "--foreground", image, point],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, preexec_fn=limit)
        deadline = time.monotonic() + SECONDS
        while server.poll() is None and not is_mounted(point):
            self.assertLess(time.monotonic(), deadline, image)
            time.sleep(0.005)
        return server

    def end(self, server, what):
        """The server ends as one of a sound image does."""
        _, text = server.communicate(timeout=SECONDS)
        self.assertEqual(server.returncode, 0, f"{what}: {text}")
        self.assertNotIn(b"Sanitizer", text, what)

    def failures_of(self, point, truth, what):
        if truth is not None:
            answers = ask(point, sorted({name for name, _ in truth}))
            if "-forged-" in what:  # damage of other parts than contents
                answers = {key: value for key, value in answers.items() if key[1] == "contents"}
            return count_failures(self, answers, truth, what)
        # All its checksums fit, so the image alone says what it holds. But the test knows this
        # content.
        answers = ask(point, names_below(point), READ_BYTES)
        if ("d/file", "contents") in answers:
            self.assertEqual(answers["d/file", "contents"], b"content", what)
        return sum(isinstance(answer, int) for answer in answers.values())

    def test_mounts(self):
        support.need_fuse()
        truths = self.learn()
        mounts = answers = failures = 0
        point = self.scratch / "mount"
        point.mkdir()
        for image in self.images:
            base, what = image.parent.name.split("-")[0], image.parent.name
            server = self.serve(image, point)
            if server.poll() is not None:
                self.assertEqual(server.returncode, 1, f"{what}: {server.communicate()}")
                continue
            mounts += 1
            try:
                failures += self.failures_of(point, truths.get(base), what)
                answers += len(truths.get(base, ()))
                os.statvfs(point)  # needs no page of the index: the server must answer
            finally:
                support.unmount(point)
            self.end(server, what)
        self.assertGreaterEqual(mounts, 40)
        self.assertGreaterEqual(failures, 100)
        print(f"{len(self.images)} damaged images, {mounts} of them mounted: {answers} answers "
              f"compared, {failures} were errors, none was wrong", file=sys.stderr)


if __name__ == "__main__":
    support.main()
