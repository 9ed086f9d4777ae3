#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Images that are cut or overwritten under a live mount: live_damage_test.py [ROUNDS [SEED]].

Each round cuts or overwrites another piece of a mounted image. Each answer of the mount is that of
the sound image or EIO, and the server lives. When the bytes are restored, no trace of the damage is
left.
"""
import os
import pathlib
import random
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import support
from answers import ask, count_failures, names_below
from support import ScratchCase, build, mounted

WRITE_SAMPLE = os.environ["WRITE_SAMPLE"]
ROUNDS = 25
SEED = 1
PAGE_BYTES = 4096


class Sound:
    """An image alone in its folder, its bytes, and the answers of a mount of it."""

    def __init__(self, image):
        self.image = image
        self.name = image.parent.name
        self.files = sorted(image.parent.iterdir())  # the image with its sidecar or further volumes
        self.bytes = {path: path.read_bytes() for path in self.files}
        with mounted(image) as point:
            self.names = names_below(point)
            self.truth = ask(point, self.names)

    def write(self, path, content):
        # Overwrites in place: the server has the file open.
        with open(path, "r+b") as file:
            file.write(content)
            file.truncate()

    def restore(self):
        for path in self.files:
            self.write(path, self.bytes[path])


class Damage:
    """The damage to one file of an image."""

    def __init__(self, sound, dice):
        # Damages all files at once, as an image may have another copy of its index beside it.
        self.paths = sound.files if dice.random() < 0.5 else [sound.image]
        self.kind = dice.choice(["cut", "cut", "noise", "zeros", "ones"])
        size = len(sound.bytes[sound.image])
        at = dice.randrange(size)
        if dice.random() < 0.5:  # at an edge of a page, or a byte beside it
            at = max(0, at - at % PAGE_BYTES + dice.choice([-1, 0, 1]))
        self.from_end = size - at
        self.length = dice.choice([1, 8, 512, PAGE_BYTES, 8 * PAGE_BYTES, size])
        self.noise = dice.randbytes(self.length)

    def apply(self, sound):
        for path in self.paths:
            sound.write(path, self.of(sound.bytes[path]))

    def of(self, sound_bytes):
        at = max(0, len(sound_bytes) - self.from_end)
        if self.kind == "cut":
            return sound_bytes[:at]
        fill = {"noise": self.noise, "zeros": bytes(self.length), "ones": b"\xff" * self.length}
        length = min(self.length, len(sound_bytes) - at)
        return sound_bytes[:at] + fill[self.kind][:length] + sound_bytes[at + length:]


class LiveDamage(ScratchCase):
    def sound_images(self):
        subprocess.run([WRITE_SAMPLE, "--sound", self.scratch / "sound"], check=True)
        tree, pair = self.scratch / "tree", self.scratch / "sound" / "Pair"
        pair.mkdir()
        (tree / "directory").mkdir(parents=True)
        for number in range(200):
            (tree / "directory" / f"{random.Random(number).randbytes(20).hex()}").write_bytes(b"")
        (tree / "large").write_bytes(random.Random(1).randbytes(300_000))
        build(tree, pair / "t.dgfs")
        return [Sound(image) for image in sorted((self.scratch / "sound").glob("*/t.dgfs"))]

    def round(self, sound, damage, what):
        with mounted(sound.image) as point:
            damage.apply(sound)
            try:
                failures = count_failures(self, ask(point, sound.names), sound.truth, what)
                os.statvfs(point)  # needs no page of the index: the server must answer
            finally:
                sound.restore()
            left = count_failures(self, ask(point, sound.names), sound.truth, what)
            self.assertEqual(left, 0, f"{what}: a trace of the damage is left")
        return failures

    def test_rounds(self):
        support.need_fuse()
        seed = support.test_seed(SEED)
        dice = random.Random(seed)
        sounds = self.sound_images()
        hurt = failures = cuts = 0
        for number in range(ROUNDS):
            sound = sounds[number % len(sounds)]
            damage = Damage(sound, dice)
            what = f"round {number} of seed {seed}: {sound.name}, {damage.kind} " \
                   f"{damage.from_end} bytes before the end, length {damage.length}"
            failed = self.round(sound, damage, what)
            cuts += damage.kind == "cut"
            hurt += failed != 0
            failures += failed
        print(f"{ROUNDS} images damaged under a mount, {cuts} of them cut: {hurt} of them felt it, "
              f"{failures} answers were EIO, none was wrong", file=sys.stderr)
        self.assertGreater(hurt, ROUNDS // 4)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        ROUNDS = int(sys.argv.pop(1))
        if len(sys.argv) > 1 and sys.argv[1].isdigit():
            SEED = int(sys.argv.pop(1))
    support.main()
