#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Mounts of images with several volumes: they are found wherever they are, and may be missing one
by one.
"""
import errno
import json
import os
import random
import time

import support
from support import dgfs

VOLUMES = 4
FILES = 16


class Volumes(support.ScratchCase):
    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        self.tree = self.scratch / "tree"
        self.tree.mkdir()
        for number in range(FILES):  # large files go to the volume with the least bytes
            (self.tree / f"file-{number}").write_bytes(rng.randbytes(5_000_000 + number))
        self.image = self.scratch / "tree.dgfs"
        self.disks = [self.scratch / f"disk{number}" for number in range(1, VOLUMES)]
        self.volumes = [disk / "tree.volume" for disk in self.disks]
        for disk in self.disks:
            disk.mkdir()
        support.build(self.tree, self.image, *self.options("--volume", self.volumes))

    @staticmethod
    def options(name, values):
        return [word for value in values for word in (name, value)]

    def folders(self):
        return self.options("--volume", reversed(self.disks))

    def outcomes(self, point):
        """Returns for each file whether it reads correctly, or its error number."""
        found = {}
        for path in sorted(self.tree.iterdir()):
            try:
                found[path.name] = (point / path.name).read_bytes() == path.read_bytes()
            except OSError as error:
                found[path.name] = error.errno
        return found

    def listed(self):
        lines = dgfs("volume", "list", "--json", self.image, *self.folders(), check=False).stdout
        return [json.loads(line) for line in lines.splitlines()]

    def test_every_volume_has_its_share(self):
        rows = self.listed()
        self.assertEqual([row["volume"] for row in rows], list(range(VOLUMES)))
        for row in rows:
            self.assertAlmostEqual(row["content_bytes"], FILES * 5e6 / VOLUMES, delta=1e6)

    def test_a_missing_one_costs_its_own_files(self):
        away = self.volumes[1].with_name("away")
        folder = self.scratch / "elsewhere"
        folder.mkdir()
        self.volumes[1].rename(folder / away.name)
        with support.mounted(self.image, *self.folders()) as point:
            found = self.outcomes(point)
            self.assertEqual(sorted(map(str, set(found.values()))), [str(errno.EIO), "True"])
            lost = [name for name, outcome in found.items() if outcome is not True]
            self.assertEqual(len(lost), FILES // VOLUMES)
            self.assertEqual([row["is_missing"] for row in self.listed()],
                             [False, False, True, False])
            # It comes back under another name, and works from then on.
            (folder / away.name).rename(away)
            time.sleep(1.1)  # the server looks for it once a second
            self.assertEqual(set(self.outcomes(point).values()), {True})

    def test_without_volume_0_the_index_serves(self):
        """A volume that is missing, empty, or without header pages costs only its own files."""
        whole = self.image.read_bytes()
        zeros = bytes(4096)

        def put(content):
            self.image.unlink(missing_ok=True)
            if content is not None:
                self.image.write_bytes(content)
        for left in (None, b"", zeros + whole[4096:-4096] + zeros):
            put(left)
            listed = dgfs("ls", self.image)
            self.assertEqual(len(listed.stdout.split()), FILES)
            self.assertEqual(listed.stderr.count(b"\n"), 1, listed.stderr)
            self.assertIn(b"opened by its index", listed.stderr)
            with support.mounted(self.image, *self.folders()) as point:
                outcomes = list(self.outcomes(point).values())
                self.assertEqual(outcomes.count(errno.EIO), FILES // VOLUMES)
                self.assertEqual(outcomes.count(True), FILES - FILES // VOLUMES)
                put(whole)
                time.sleep(1.1)  # the server looks for it once a second
                self.assertEqual(set(self.outcomes(point).values()), {True})
        self.image.unlink()
        index = self.image.with_name("tree.dgfs.idx").rename(self.scratch / "index")
        self.assertEqual(dgfs("ls", "--index", index, self.image).returncode, 0)
        lost = dgfs("ls", self.image, check=False)
        self.assertEqual(lost.returncode, 1)
        self.assertIn(b"tree.dgfs: cannot open: No such file or directory", lost.stderr)

    def test_one_beside_the_image_needs_no_name(self):
        for number, volume in enumerate(self.volumes):
            volume.rename(self.scratch / f"renamed-{number}")
        with support.mounted(self.image) as point:
            self.assertEqual(set(self.outcomes(point).values()), {True})

    def test_a_damaged_one_costs_its_own_files(self):
        os.truncate(self.volumes[2], 4096)
        options = ["-o", "check=all", *self.folders()]
        with support.mounted(self.image, *options) as point:
            outcomes = list(self.outcomes(point).values())
            self.assertEqual(outcomes.count(errno.EIO), FILES // VOLUMES)
            self.assertEqual(outcomes.count(True), FILES - FILES // VOLUMES)

    def test_each_is_verified_alone(self):
        damaged = self.volumes[0]
        with open(damaged, "r+b") as file:
            file.seek(100_000)
            file.write(b"damage")
        self.image.unlink()
        for number, volume in enumerate(self.volumes, 1):
            result = dgfs("verify", f"{self.image}.idx", "--only-volume", str(number),
                          "--volume", volume, check=False)
            self.assertEqual(result.returncode, 1 if volume == damaged else 0, result.stdout)

    def test_a_mount_goes_on_while_one_is_moved(self):
        with support.mounted(self.image, *self.folders()) as point:
            moved = dgfs("volume", "move", self.image, "2", self.disks[0] / "moved",
                         *self.folders()).stdout
            self.assertIn(b"moved", moved)
            self.assertFalse(self.volumes[1].exists())
            self.assertEqual(set(self.outcomes(point).values()), {True})
        with support.mounted(self.image, *self.folders()) as point:
            self.assertEqual(set(self.outcomes(point).values()), {True})

    def test_moves_to_another_file_system(self):
        support.need_root()
        other = self.scratch / "tmpfs"
        other.mkdir()
        support.run("mount", "-t", "tmpfs", "none", other)
        self.addCleanup(support.run, "umount", "-l", other, check=False)
        before = self.volumes[0].read_bytes()
        result = json.loads(dgfs("volume", "move", "--json", self.image, "1", other,
                                 *self.folders()).stdout)
        self.assertTrue(result["is_copied"])
        self.assertEqual((other / self.volumes[0].name).read_bytes(), before)
        self.assertFalse(self.volumes[0].exists())

    def test_a_new_image_takes_the_place_of_a_mounted_one(self):
        with support.mounted(self.image, *self.folders()) as point:
            truth = {path.name: path.read_bytes() for path in self.tree.iterdir()}
            for path in self.tree.iterdir():
                path.write_bytes(path.read_bytes()[::-1])
            support.build(self.tree, self.image, *self.options("--volume", self.volumes))
            for name, content in truth.items():
                self.assertEqual((point / name).read_bytes(), content)
        with support.mounted(self.image, *self.folders()) as point:
            self.assertEqual(set(self.outcomes(point).values()), {True})

    def test_a_full_disk_changes_nothing(self):
        support.need_root()
        small = self.scratch / "small"
        small.mkdir()
        support.run("mount", "-t", "tmpfs", "-o", "size=4m", "none", small)
        self.addCleanup(support.run, "umount", "-l", small, check=False)
        before = {file: file.read_bytes() for file in (self.image, *self.volumes)}
        volumes = [*self.volumes[:2], small / "tree.volume"]
        result = dgfs("build", self.tree, self.image, *self.options("--volume", volumes),
                      check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(os.fsencode(small), result.stderr)
        for file, content in before.items():
            self.assertEqual(file.read_bytes(), content)
        self.assertEqual(list(small.iterdir()), [])
        names = {path.name for path in self.scratch.iterdir() if path.is_file()}
        self.assertEqual(names, {"tree.dgfs", "tree.dgfs.idx"})


if __name__ == "__main__":
    support.main()
