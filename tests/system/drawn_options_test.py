#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Round trips of the feature tree with random options of the build, and with flipped bytes."""
import contextlib
import json
import os
import random
import shutil
import struct
import sys

import round_trip_test
import support
from support import dgfs

SEED = 240  # this seed and the next two cover every choice
PAGE_BYTES = 4096
DATA_END_OFFSET = 64  # offset in the header of a volume
FLIPS = 8


class Drawn:
    """Random options of a build, by a seed."""

    def __init__(self, seed):
        dice = random.Random(seed)
        self.level = dice.randint(1, 12) if dice.random() < 0.8 else None
        fragment_bytes = dice.choice(("4K", "16K", "64K")) if dice.random() < 0.5 else None
        self.fragment_bytes = fragment_bytes if self.level else None
        self.dedup = dice.random() < 0.7
        self.digest = dice.random() < 0.5
        self.index_copy = dice.random() < 0.6
        self.volumes = dice.randint(1, 3)
        self.jobs = dice.randint(1, 9)

    def words(self):
        """Returns all options except jobs and volumes."""
        words = ["--compress", f"zstd:{self.level}" if self.level else "none"]
        if self.fragment_bytes:
            words += ["--fragment-frames", self.fragment_bytes]
        if not self.dedup:
            words.append("--no-dedup")
        if self.digest:
            words += ["--digest", "sha256"]
        if not self.index_copy:
            words.append("--no-index-copy")
        return words


def data_end(volume):
    """Contents reach from the second page to this offset."""
    with open(volume, "rb") as file:
        return struct.unpack_from("<Q", file.read(PAGE_BYTES), DATA_END_OFFSET)[0]


def content(path):
    with open(path, "rb") as file:
        return file.read()


@contextlib.contextmanager
def flipped(file, at, bits):
    """Changes bits of a byte of a file for a while."""
    with open(file, "r+b", buffering=0) as opened:
        byte = os.pread(opened.fileno(), 1, at)[0]
        os.pwrite(opened.fileno(), bytes([byte ^ bits]), at)
        try:
            yield
        finally:
            os.pwrite(opened.fileno(), bytes([byte]), at)


class DrawnFeatureTree(round_trip_test.FeatureTree):
    """The tests of the feature tree with random options, and with flipped bytes."""
    number = 0  # which of the tested seeds

    @classmethod
    def setUpClass(cls):
        cls.seed = support.test_seed(SEED + cls.number)
        cls.drawn = Drawn(cls.seed)
        cls.jobs = cls.drawn.jobs
        print(f"seed {cls.seed}: {vars(cls.drawn)}", file=sys.stderr, flush=True)
        super().setUpClass()

    @staticmethod
    def add_to(tree):
        round_trip_test.add_letters(tree)

    @classmethod
    def volumes(cls, folder):
        return [folder / f"tree.volume{number}" for number in range(cls.drawn.volumes)]

    @classmethod
    def options(cls, folder):
        volumes = [word for volume in cls.volumes(folder) for word in ("--volume", volume)]
        return [*cls.drawn.words(), *volumes]

    def test_image_without_index_file_opens(self):
        if self.drawn.index_copy:
            super().test_image_without_index_file_opens()
            return
        alone = self.scratch / "alone.dgfs"
        shutil.copyfile(self.image, alone)
        self.assertEqual(dgfs("find", alone, check=False).returncode, 1)

    def test_image_has_what_was_drawn(self):
        told = json.loads(dgfs("info", "--scan", "--json", self.image).stdout)
        features = json.dumps(told["features"])
        self.assertEqual("zstd-extents" in features, self.drawn.level is not None)
        self.assertEqual("fragment-frames" in features, self.drawn.fragment_bytes is not None)
        self.assertEqual(told["shared_files"] != 0, self.drawn.dedup)
        self.assertEqual(told["digests"] == "sha256", self.drawn.digest)
        self.assertEqual(told["volumes"], 1 + self.drawn.volumes)

    def not_extracted(self, image, what):
        """Returns regular files that extract leaves out, by inode. Checks that the others are
        unchanged.
        """
        out = self.scratch / "out"
        dgfs("extract", "--keep-going", "--quiet", image, out, check=False)
        left_out = set()
        for base, _, names in os.walk(os.fsencode(self.tree)):
            for name in names:
                path = os.path.join(base, name)
                inside = os.path.relpath(path, os.fsencode(self.tree))
                copy = os.path.join(os.fsencode(out), inside)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                if not os.path.exists(copy):
                    left_out.add(os.stat(path).st_ino)
                # Comparing gigabytes of holes shows nothing.
                elif inside != b"sparse/above-4-gib":
                    self.assertTrue(content(path) == content(copy), f"{what}: {inside}")
        shutil.rmtree(out)
        return left_out

    def test_flipped_byte_is_found_and_never_wrong_data(self):
        for file in (self.image, self.index, *self.volumes(self.shared)):
            shutil.copy(file, self.scratch)
        image = self.scratch / self.image.name
        ends = {file: data_end(file) for file in (image, *self.volumes(self.scratch))}
        # This tree has fewer groups of files than the build may have volumes.
        files = [file for file, end in ends.items() if end > PAGE_BYTES]
        dice = random.Random(self.seed)
        lost = 0
        for number in range(FLIPS):
            file = files[number % len(files)]
            at = dice.randrange(PAGE_BYTES, ends[file])
            what = f"seed {self.seed}, byte {at} of {file.name}"
            with flipped(file, at, 1 << dice.randrange(8)):
                found = dgfs("verify", "--json", image, check=False)
                self.assertEqual(found.returncode, 1, what)
                rows = [json.loads(line) for line in found.stdout.splitlines()]
                # A file with several names is reported once.
                damaged = {os.stat(os.path.join(self.tree, row["damaged"])).st_ino
                           for row in rows if "damaged" in row}
                self.assertEqual(self.not_extracted(image, what), damaged, what)
                lost += len(damaged)
        self.assertGreater(lost, 0)
        dgfs("verify", image)


class DrawnFeatureTreeToo(DrawnFeatureTree):
    number = 1


class DrawnFeatureTreeOnceMore(DrawnFeatureTree):
    number = 2


if __name__ == "__main__":
    support.main()
