#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Images that are cut or overwritten under a live mount: live_damage_test.py [ROUNDS [SEED]].

In each round another piece of a mounted image is gone or is other bytes. Every answer of the mount
is the one of the sound image or EIO, the server lives, and nothing of it is left when the bytes are
as they were.
"""
import errno
import os
import pathlib
import random
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import support
from support import ScratchCase, build, mounted

WRITE_SAMPLE = os.environ["WRITE_SAMPLE"]
ROUNDS = 25
SEED = 1
PAGE_BYTES = 4096


def answer(question, *arguments, **keywords):
    try:
        return question(*arguments, **keywords)
    except OSError as error:
        return error.errno


def attributes(path):
    status = os.lstat(path)
    return (status.st_mode, status.st_size, status.st_nlink, status.st_uid, status.st_gid,
            status.st_mtime_ns, status.st_ino)


def names_below(point):
    """All paths of a sound mount, "" for its root."""
    names = [""]
    for base, directories, files in os.walk(point):
        names += [os.path.relpath(os.path.join(base, name), point) for name in directories + files]
    return sorted(names)


def ask(point, names):
    """Question -> answer; an error is its number."""
    answers = {}
    for name in names:
        path = point / name
        answers[name, "attributes"] = answer(attributes, path)
        answers[name, "xattrs"] = answer(os.listxattr, path, follow_symlinks=False)
        mode = answers[name, "attributes"]
        kind = mode[0] & 0o170000 if isinstance(mode, tuple) else 0
        if kind == 0o040000:
            answers[name, "names"] = answer(lambda: sorted(os.listdir(path)))
        if kind == 0o120000:
            answers[name, "target"] = answer(os.readlink, path)
        if kind == 0o100000:
            answers[name, "contents"] = answer(path.read_bytes)
    return answers


class Sound:
    """An image, its bytes, and what a mount of it says."""

    def __init__(self, image):
        self.image = image
        sidecar = image.with_name(image.name + ".idx")
        self.files = [path for path in (image, sidecar) if path.exists()]
        self.bytes = {path: path.read_bytes() for path in self.files}
        with mounted(image) as point:
            self.names = names_below(point)
            self.truth = ask(point, self.names)

    def write(self, path, content):
        # In place: the server has the file open.
        with open(path, "r+b") as file:
            file.write(content)
            file.truncate()

    def restore(self):
        for path in self.files:
            self.write(path, self.bytes[path])


class Damage:
    """What happens to one file of an image."""

    def __init__(self, sound, dice):
        # Of two files the index alone does no harm, since the image has a copy.
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
        tree = self.scratch / "tree"
        (tree / "directory").mkdir(parents=True)
        for number in range(200):
            (tree / "directory" / f"{random.Random(number).randbytes(20).hex()}").write_bytes(b"")
        (tree / "large").write_bytes(random.Random(1).randbytes(300_000))
        build(tree, self.scratch / "sound" / "pair.dgfs")
        return [Sound(image) for image in sorted((self.scratch / "sound").glob("*.dgfs"))]

    def check(self, sound, answers, what):
        """All are true or EIO; returns how many are EIO."""
        failures = 0
        for question, got in answers.items():
            if got == errno.EIO:
                failures += 1
            else:
                self.assertEqual(got, sound.truth[question], f"{what}: {question}")
        return failures

    def round(self, sound, damage, what):
        with mounted(sound.image) as point:
            damage.apply(sound)
            try:
                failures = self.check(sound, ask(point, sound.names), what)
                os.statvfs(point)  # needs no page of the index: the server must answer
            finally:
                sound.restore()
            self.assertEqual(self.check(sound, ask(point, sound.names), what), 0,
                             f"{what}: something of the damage is left")
        return failures

    def test_rounds(self):
        support.need_fuse()
        dice = random.Random(SEED)
        sounds = self.sound_images()
        hurt = failures = cuts = 0
        for number in range(ROUNDS):
            sound = sounds[number % len(sounds)]
            damage = Damage(sound, dice)
            what = f"round {number} of seed {SEED}: {sound.image.name}, {damage.kind} " \
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
