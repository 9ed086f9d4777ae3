#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Golden merged images: later versions read them, and the same merge still gives the same bytes.

golden/NAME.img and NAME.idx are a merged image and its index; each needs the golden image ORIGINS
names. golden/NAME.delta.tar.xz is the delta from which it was merged, with the changes of
`change_NAME` below. --renew NAME writes them again; without NAME it writes all. For a deliberate
change of the format, in the commit that makes it.
"""
import hashlib
import json
import os
import pathlib
import shutil
import stat
import sys
import tempfile

import golden_test
import support
from golden_test import GOLDEN, TIME, TREES, need_pinned_zstd, put
from support import compare, dgfs, run

ORIGINS = {"foreign": "plain", "gaps": "tokens", "split": "features"}
# Besides those that the origin has.
FEATURES = {"foreign": {"volumes", "foreign-volumes"},
            "gaps": {"volumes", "foreign-volumes", "gaps", "split-inodes"},
            "split": {"volumes", "foreign-volumes", "split-inodes"}}


def settle(*paths):
    """Sets times that depend only on the place in the list."""
    for number, path in enumerate(paths):
        when = TIME + 10**14 + number * 10**9
        os.utime(path, ns=(when, when), follow_symlinks=False)


def change_foreign(root):
    """Changes, adds, moves and removes files and directories."""
    os.unlink(root / "src/file-01.txt")
    os.truncate(root / "src/file-04.txt", 10)
    with open(root / "src/file-10.txt", "r+b") as file:
        file.seek(100)
        file.write(b"a patch")
    put(root / "new/small", b"small")
    put(root / "new/noise", hashlib.shake_256(b"noise").digest(3000), 0o600)
    os.symlink("small", root / "new/link")
    os.rename(root / "docs/deep", root / "elsewhere")
    os.rename(root / "src/file-05.txt", root / "src/named-anew")
    settle(root / "src/file-04.txt", root / "src/file-10.txt", *sorted((root / "new").iterdir()),
           root / "new", root / "elsewhere", root / "docs", root / "src", root)


def change_gaps(root):
    """Removes some files with contents, few enough for pages of tokens, and writes others anew."""
    full = [path for path in sorted(root.rglob("*"))
            if stat.S_ISREG(path.lstat().st_mode) and 0 < path.lstat().st_size < 100]
    touched = set()
    for path in full[::25]:
        path.unlink()
        touched.add(path.parent)
    for path in full[3::50]:
        path.write_bytes(b"written anew " * 3)
        touched.add(path)
    settle(*sorted(touched))


def change_split(root):
    """Gives objects further names, and takes the first ones or all but one from others."""
    os.link(root / "src/file-02.txt", root / "src/file-02-too")
    os.link(root / "src/file-03.txt", root / "docs/other-name")
    os.unlink(root / "src/file-03.txt")
    os.link(root / "docs/big-too", root / "another-big")
    os.unlink(root / "big")
    os.unlink(root / "src/tool-too")
    os.mkfifo(root / "pipe", 0o640)
    os.link(root / "pipe", root / "empty/pipe-too")
    settle(root / "pipe", root / "docs", root / "empty", root / "src", root)


CHANGES = {"foreign": change_foreign, "gaps": change_gaps, "split": change_split}


def copy_origin(name, folder):
    """Copies the golden image that a merged one needs; its index is found by this name."""
    origin = ORIGINS[name]
    image = folder / f"{origin}.dgfs"
    golden_test.copy_golden(origin, image)
    return image


def merge(name, image, delta, folder):
    merged = folder / f"{name}.dgfs"
    dgfs("merge", image, "--delta", delta, "-o", merged, "--quiet")
    return merged


def numbers(image):
    """Returns {path: number of its object}."""
    found = dgfs("find", image, "-printf", "%i %P\\0").stdout.split(b"\0")[:-1]
    return {path: int(number) for number, path in (line.split(b" ", 1) for line in found)}


def facts(image):
    return json.loads(dgfs("info", "--json", image).stdout)


class GoldenMerges(support.ScratchCase):
    def each(self):
        """Yields each name, and a copy of the image beside its origin."""
        for name in ORIGINS:
            with self.subTest(image=name):
                folder = self.scratch / name
                folder.mkdir()
                origin = copy_origin(name, folder)
                image = folder / f"{name}.dgfs"
                golden_test.copy_golden(name, image)
                yield name, image, origin

    def test_are_read(self):
        os.umask(0o022)
        for name, image, _ in self.each():
            tree = self.scratch / f"{name}.tree"
            tree.mkdir()
            tree.chmod(0o755)
            TREES[ORIGINS[name]](tree)
            CHANGES[name](tree)
            dgfs("verify", image)
            dgfs("extract", image, self.scratch / f"{name}.out", "--quiet")
            compare(tree, self.scratch / f"{name}.out", "--no-owner", "--no-xattrs")

    def test_have_only_their_features(self):
        for name, image, origin in self.each():
            told = facts(image)
            self.assertEqual(set(told["features"]) - set(facts(origin)["features"]),
                             FEATURES[name])
            (needed,) = told["needed_volumes"]
            self.assertEqual((needed["number"], needed["uuid"]), (0, facts(origin)["uuid"]))
            self.assertEqual(needed["dead_bytes"] > 0, name != "split")

    def test_objects_keep_their_numbers(self):
        for _, image, origin in self.each():
            ours, theirs = numbers(image), numbers(origin)
            common = ours.keys() & theirs.keys()
            self.assertGreater(len(common), 100)
            for path in common:
                self.assertEqual(ours[path], theirs[path], path)
            new = {number for path, number in ours.items() if path not in theirs}
            self.assertTrue(new or len(common) == len(ours))

    def test_name_the_file_that_is_missing(self):
        for _, image, origin in self.each():
            origin.rename(self.scratch / "away")
            dgfs("ls", "-lR", image)
            failed = dgfs("verify", image, check=False)
            self.assertEqual(failed.returncode, 1)
            self.assertIn(b"volume 1, which is volume 0 of the image of uuid",
                          failed.stdout + failed.stderr)
            dgfs("verify", image, "--volume", self.scratch / "away")
            (self.scratch / "away").unlink()

    def test_same_delta_gives_the_pinned_bytes(self):
        need_pinned_zstd()
        for name in ORIGINS:
            with self.subTest(image=name):
                folder = self.scratch / f"{name}.merged"
                folder.mkdir()
                run("tar", "-xf", GOLDEN / f"{name}.delta.tar.xz", "-C", folder)
                image = merge(name, copy_origin(name, folder), folder / name, folder)
                for golden, path in golden_test.files_of(name, image):
                    self.assertEqual(golden.read_bytes(), pathlib.Path(path).read_bytes(), golden)


def renew(names):
    os.umask(0o022)
    for name in names:
        with tempfile.TemporaryDirectory(prefix="dgfs-golden-") as scratch:
            folder = pathlib.Path(scratch)
            point, delta = folder / "mnt", folder / name
            point.mkdir()
            image = copy_origin(name, folder)
            dgfs("mount", image, point, "--delta", delta, "-o", "size=32M")
            CHANGES[name](point)
            support.unmount(point)
            dgfs("delta", "check", "-q", delta)  # waits until the delta is closed
            run("tar", "--sparse", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "-cJf",
                GOLDEN / f"{name}.delta.tar.xz", "-C", folder, name)
            merged = merge(name, image, delta, folder)
            for golden, path in golden_test.files_of(name, merged):
                shutil.copyfile(path, golden)


if __name__ == "__main__":
    if "--renew" in sys.argv:
        renew(sys.argv[sys.argv.index("--renew") + 1:] or ORIGINS)
    else:
        support.main()
