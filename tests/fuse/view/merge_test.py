#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""dgfs merge: a repacked image is the one that a build of the mount makes."""
import json
import os
import pathlib
import random
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "system"))

import mount_case  # noqa: E402
from delta_case import DeltaCase, snapshot  # noqa: E402
from support import HERE, build, dgfs, run, test_seed  # noqa: E402

REPACK = ("--repack", "--renumber")


class Merges(DeltaCase):
    def make_image(self, *options):
        tree = self.scratch / "tree"
        run(sys.executable, HERE / "feature_tree.py", tree)
        (tree / "dir").mkdir()
        for number in range(400):
            text = f"Dear reader {number},\n" + "once more what we told you.\n" * (number % 70)
            (tree / "dir" / f"{number}.letter").write_text(text)
        self.image = self.scratch / "image" / "features.dgfs"
        self.image.parent.mkdir()
        build(tree, self.image, *options)

    def change(self, seed):
        """Changes the mount in all ways that a merge has to show."""
        chance = random.Random(seed)
        directory = self.point / "dir"
        names = sorted(directory.iterdir())
        for path in chance.sample(names, 60):
            path.unlink()
        names = sorted(directory.iterdir())
        for path in chance.sample(names, 40):
            with open(path, "r+b") as file:
                file.seek(chance.randrange(200))
                file.write(chance.randbytes(chance.randrange(1, 3000)))
        for path in chance.sample(names, 20):
            os.truncate(path, chance.randrange(5000))
        for number, path in enumerate(chance.sample(names, 20)):
            os.rename(path, self.point / f"moved-{number}")
        for number, path in enumerate(chance.sample(sorted(directory.iterdir()), 20)):
            os.link(path, self.point / f"linked-{number}")
        os.rename(directory, self.point / "elsewhere")
        with open(self.point / "large", "wb") as file:
            file.write(chance.randbytes(1 << 20))
            file.seek(5 << 20)
            file.write(b"behind a hole")
        (self.point / "new").mkdir()
        (self.point / "new" / "link").symlink_to("../large")
        os.setxattr(self.point / "new", "user.kind", b"made here")
        os.mkfifo(self.point / "new" / "fifo", 0o620)

    def built_from_mount(self, *options):
        """Returns the files of an image of the mounted tree."""
        place = self.scratch / "built"
        place.mkdir()
        dgfs("build", "-q", self.point, place / "new.dgfs", *options)
        return {path.name: digest for path, digest in snapshot(place).items()}

    def merged(self, *options):
        place = self.scratch / "merged"
        place.mkdir()
        dgfs("merge", self.image, "--delta", self.delta, "-o", place / "new.dgfs", *REPACK,
             *options)
        return {path.name: digest for path, digest in snapshot(place).items()}

    def expect_equal(self, image_options=(), build_options=(), merge_options=None):
        self.make_image(*image_options)
        self.mount_delta()
        self.change(test_seed(1))
        self.remount("ro")
        built = self.built_from_mount(*build_options)
        self.unmount()
        before = snapshot(self.delta), snapshot(self.image.parent)
        self.assertEqual(self.merged(*(build_options if merge_options is None else merge_options)),
                         built)
        self.assertEqual((snapshot(self.delta), snapshot(self.image.parent)), before)

    def test_raw(self):
        self.expect_equal()

    def test_compressed_with_digests_as_the_image_is(self):
        options = ("--compress", "zstd", "--digest", "sha256")
        self.expect_equal(options, options, ("-j", "3"))

    def test_fragment_frames_as_the_image_has_them(self):
        options = ("--compress", "zstd", "--fragment-frames", "64K")
        self.expect_equal(options, options, ("--memory", "64M"))

    def test_other_options_than_the_image(self):
        self.expect_equal(("--compress", "zstd", "--digest", "sha256"),
                          ("--no-dedup",),
                          ("--no-dedup", "--compress", "none", "--digest", "none"))

    def test_over_volumes(self):
        self.make_image()
        self.mount_delta()
        self.change(test_seed(1))
        self.remount("ro")
        built = self.built_from_mount("--volume", self.scratch / "built" / "new.1")
        self.unmount()
        self.assertEqual(self.merged("--new-volume", self.scratch / "merged" / "new.1"), built)


class KeptContents(Merges):
    """Contents that were not changed stay in the image."""

    def expect_merged(self, image_options, *options, mount=()):
        """Returns the new image, after comparing it with the mount."""
        self.make_image(*image_options)
        self.mount_delta(*mount)
        self.change(test_seed(2))
        self.remount("ro", *mount)
        numbers = {path: os.lstat(path).st_ino for path in self.point.rglob("*")}
        place = self.image.parent / "new.dgfs"
        told = self.scratch / "told"
        run("cp", "-a", self.point, told)
        self.unmount()
        before = snapshot(self.delta)
        self.said = dgfs("merge", self.image, "--delta", self.delta, "-o", place,
                         *options).stdout.decode()
        self.assertEqual(snapshot(self.delta), before)
        places = [f"--volume={option.split('=')[1]}" for option in mount]
        dgfs("verify", *places, place)
        other = self.scratch / "new"
        other.mkdir()
        dgfs("mount", *places, place, other)
        # As in a build, a hole that is no whole block becomes zeros.
        run(sys.executable, HERE / "compare_trees.py", "--no-holes", told, other)
        self.assertLess(os.lstat(other / "large").st_blocks * 512, 3 << 20)
        for path, number in numbers.items():
            self.assertEqual(os.lstat(other / path.relative_to(self.point)).st_ino, number, path)
        run("umount", other)
        return place

    def test_raw(self):
        new = self.expect_merged(())
        self.assertIn("needs", self.said)
        self.assertLess(new.stat().st_size, self.image.stat().st_size)
        needed = json.loads(dgfs("info", "--json", new).stdout)["needed_volumes"]
        self.assertEqual([volume["number"] for volume in needed], [0])
        self.assertGreater(needed[0]["dead_bytes"], 0)

    def test_compressed_with_digests_as_the_image_is(self):
        new = self.expect_merged(("--compress", "zstd", "--digest", "sha256"))
        dgfs("verify", "--digest", new)

    def test_fragment_frames_as_the_image_has_them(self):
        self.expect_merged(("--compress", "zstd", "--fragment-frames", "64K"))

    def test_over_volumes(self):
        further = self.scratch / "further"
        further.mkdir()
        new = self.expect_merged(("--volume", further / "old.1"), "--volume", further,
                                 mount=(f"volume={further}",))
        self.assertIn(str(further), dgfs("volume", "list", "--volume", further,
                                         new).stdout.decode())

    def test_other_options_than_the_image(self):
        self.expect_merged(("--compress", "zstd"), "--compress", "none", "--times", "mtime")

    def test_all_packed_anew_needs_no_other_image(self):
        new = self.expect_merged((), "--repack")
        self.assertEqual(json.loads(dgfs("info", "--json", new).stdout)["needed_volumes"], [])

    def test_a_lost_image_is_named(self):
        new = self.expect_merged(())
        self.image.rename(self.scratch / "away")
        refused = dgfs("cat", new, "elsewhere/7.letter", check=False)
        self.expect_refused(refused, "volume 1, which is volume 0 of the image of uuid", code=1)
        dgfs("ls", new)
        self.assertEqual(dgfs("cat", "--volume", self.scratch / "away", new,
                              "elsewhere/7.letter", check=False).returncode, 0)


class MergeCommands(DeltaCase):
    def merge(self, *options, **keywords):
        return dgfs("merge", self.image, "--delta", self.delta, *options, **keywords)

    def expect_nothing_written(self):
        left = [path.name for path in self.scratch.iterdir() if "new" in path.name]
        self.assertEqual(left, [])

    def test_an_earlier_state_is_merged_beside_the_writer(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        dgfs("delta", "seal", "--name", "one", self.delta)
        (self.point / "new").write_text("two")
        new = self.scratch / "new.dgfs"
        refused = self.merge("-o", new, *REPACK, check=False)
        self.expect_refused(refused, "seal it and merge --as-of newest", code=1)
        self.expect_nothing_written()
        self.merge("-o", new, *REPACK, "--as-of", "one")
        self.assertEqual(dgfs("cat", new, "new").stdout, b"one")
        self.merge("-q", "-o", new, *REPACK, "--as-of", "newest")
        self.assertEqual(dgfs("cat", new, "new").stdout, b"one")
        dgfs("delta", "seal", self.delta)
        told = json.loads(self.merge("--json", "-o", new, *REPACK, "--as-of", "newest").stdout)
        self.assertEqual(dgfs("cat", new, "new").stdout, b"two")
        self.assertEqual(told["image"], str(new))
        self.expect_refused(self.merge("-o", new, *REPACK, "--as-of", "base", check=False),
                            "nothing to merge", code=1)

    def test_bad_input_is_explained(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.unmount()
        new = self.scratch / "new.dgfs"
        self.expect_refused(self.merge(*REPACK, check=False), "-o", code=2)
        self.expect_refused(self.merge("-o", new, "--renumber", check=False), "--repack", code=2)
        self.expect_refused(self.merge("-o", new, "--repack=100", check=False), "from 0 to 99",
                            code=2)
        self.expect_refused(dgfs("merge", self.image, "-o", new, *REPACK, check=False), "--delta",
                            code=2)
        for output in (self.image, f"{self.image}.idx"):
            refused = self.merge("-o", output, *REPACK, "--force", check=False)
            self.expect_refused(refused, "belongs to IMAGE", code=1)
        self.expect_refused(self.merge("-o", new, "--new-index", self.image, *REPACK, check=False),
                            "belongs to IMAGE", code=1)
        before = snapshot(self.delta)
        for output in ("new.dgfs", "MANIFEST", "0001/blocks"):
            refused = self.merge("-o", self.delta / output, *REPACK, "--force", check=False)
            self.expect_refused(refused, "lies in the delta", code=1)
        self.assertEqual(snapshot(self.delta), before)
        self.expect_refused(self.merge("-o", new, *REPACK, "--fragment-frames", "64K", check=False),
                            "--fragment-frames needs --compress", code=1)
        self.expect_refused(self.merge("-o", new, *REPACK, "--memory", "27M", check=False),
                            "must be at least 28M", code=2)
        other = self.scratch / "other.dgfs"
        build(pathlib.Path(__file__).parent, other)
        refused = dgfs("merge", other, "--delta", self.delta, "-o", new, *REPACK, check=False)
        self.expect_refused(refused, "is not the image of ", code=1)
        self.expect_refused(self.merge("-o", new, *REPACK, "--as-of", "nope", check=False),
                            'no state "nope"', code=1)
        missing = dgfs("merge", self.image, "--delta", self.scratch / "none", "-o", new, *REPACK,
                       check=False)
        self.assertEqual(missing.returncode, 1)
        self.expect_nothing_written()

    def test_a_full_disk_leaves_nothing(self):
        self.mount_delta()
        with open(self.point / "large", "wb") as file:
            file.write(os.urandom(8 << 20))
        self.unmount()
        small = self.scratch / "small"
        small.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small)
        try:
            refused = self.merge("-o", small / "new.dgfs", *REPACK, check=False)
            self.expect_refused(refused, "nothing was written", code=1)
            self.assertEqual(list(small.iterdir()), [])
        finally:
            run("umount", small)
        shutil.rmtree(small)


if __name__ == "__main__":
    mount_case.main()
