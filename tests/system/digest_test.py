#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Digests of random trees equal those of sha256sum, with any options of the build."""
import hashlib
import itertools
import os
import pathlib
import random
import sys
import tempfile

import support
from support import dgfs, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from random_tree import RandomTree  # noqa: E402

SEEDS = 3
OPTIONS = (["--compress", "zstd:3"], ["-j", "1"], ["-j", "5", "--memory", "8M"])
VOLUME = "second.volume"
# Not combined with all others: a build for each takes too long.
FURTHER = (["--no-dedup"], ["--volume", VOLUME],
           ["--compress", "zstd:3", "--fragment-frames", "16K"],
           ["--compress", "zstd:3", "--fragment-frames", "16K", "--no-dedup", "--volume", VOLUME])


def add_large(root, seed):
    """Adds files of several pieces, and holes in small and large files."""
    rng = random.Random(seed)
    for number in range(3):
        (root / f"large-{number}").write_bytes(rng.randbytes(rng.randrange(1, 12 << 20)))
        with open(root / f"holes-{number}", "wb") as out:
            for _ in range(rng.randrange(6)):
                out.seek(rng.randrange(1 << 24) // 4096 * 4096)
                out.write(rng.randbytes(rng.randrange(1, 1 << 20)))
            out.truncate(max(out.tell(), rng.randrange(1 << 24)))
    os.link(root / "large-0", root / "large-too")


def digests_of(root):
    """Returns digests by path, read by other code than the code under test."""
    found = {}
    for base, _, names in os.walk(os.fsencode(root)):
        for name in names:
            path = os.path.join(base, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            found[os.path.relpath(path, os.fsencode(root))] = digest
    return found


def listed(image, *options):
    lines = dgfs("digest", "-z", image, *options).stdout.split(b"\0")[:-1]
    return {line[66:]: line[:64].decode() for line in lines}


class Digests(support.ScratchCase):
    def test_are_those_of_sha256sum(self):
        for seed in map(support.test_seed, range(SEEDS)):
            tree = self.scratch / f"tree-{seed}"
            RandomTree(tree, seed)
            add_large(tree, seed)
            truth = digests_of(tree)
            mixed = [sum(chosen, []) for number in range(len(OPTIONS) + 1)
                     for chosen in itertools.combinations(OPTIONS, number)]
            for options in (*mixed, *FURTHER):
                with self.subTest(seed=seed, options=options):
                    self.check(tree, truth, options)

    def check(self, tree, truth, options):
        with tempfile.TemporaryDirectory(dir=self.scratch) as out:
            image = pathlib.Path(out) / "image.dgfs"
            placed = [os.path.join(out, word) if word == VOLUME else word for word in options]
            support.build(tree, image, "--digest", "sha256", *placed)
            self.assertEqual(listed(image), truth)
            dgfs("verify", "--digest", "-q", image)

    def test_are_of_what_was_chosen(self):
        tree = self.scratch / "tree"
        RandomTree(tree, 9)
        truth = digests_of(tree)
        image = self.scratch / "image.dgfs"
        support.build(tree, image, "--digest", "sha256", "--exclude", "*.c", "--exclude", "*.h")
        kept = {path: digest for path, digest in truth.items()
                if not any(part.endswith((b".c", b".h")) for part in path.split(b"/"))}
        self.assertEqual(listed(image), kept)
        chosen = sorted(truth)[::3]
        names = self.scratch / "names"
        names.write_bytes(b"".join(path + b"\0" for path in chosen))
        support.build(tree, image, "--digest", "sha256", "--files-from", names, "-0")
        self.assertEqual(listed(image), {path: truth[path] for path in chosen})

    def test_are_checked_by_sha256sum(self):
        tree = self.scratch / "tree"
        RandomTree(tree, 4)
        image = self.scratch / "image.dgfs"
        support.build(tree, image, "--digest", "sha256")
        sums = self.scratch / "sums"
        sums.write_bytes(dgfs("digest", image).stdout)
        dgfs("extract", image, self.scratch / "out", "--quiet")
        run("sha256sum", "--strict", "--quiet", "-c", sums, cwd=self.scratch / "out")
        self.assertEqual(sums.read_bytes().count(b"\n"), len(digests_of(tree)))


if __name__ == "__main__":
    support.main()
