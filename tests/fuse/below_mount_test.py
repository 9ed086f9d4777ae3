#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Files of a mount that lie below its own mount point.

A server that looked up a path through its own mount would wait for itself. Each test has a time
after which it ends the connections of the mounts that hang.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import threading

import mount_case
import support
from mount_case import MountCase
from support import dgfs, run

PATIENCE_SECONDS = 30


class BelowMount(MountCase):
    def setUp(self):
        super().setUp()
        self.place = self.scratch / "place"
        self.place.mkdir()
        shutil.copy(self.image, self.place / "i.dgfs")
        shutil.copy(f"{self.image}.idx", self.place / "i.dgfs.idx")
        self.hung = False
        watch = threading.Timer(PATIENCE_SECONDS, self.end_connections)
        watch.start()
        self.addCleanup(watch.cancel)

    def tearDown(self):
        self.assertFalse(self.hung, "the mount waited for itself")
        super().tearDown()

    def end_connections(self):
        """A mount of this test that hangs cannot be unmounted or killed otherwise."""
        self.hung = True
        for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
            fields = line.split()
            if fields[4].startswith(str(self.scratch)):
                minor = fields[2].split(":")[1]
                with contextlib.suppress(OSError):
                    pathlib.Path(f"/sys/fs/fuse/connections/{minor}/abort").write_text("1")
                run("umount", "-l", fields[4], check=False)

    def start(self, *arguments):
        return subprocess.run([support.DGFS, "mount", *map(os.fspath, arguments)], cwd=self.place,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)

    def test_a_delta_below_is_refused_before_it_is_made(self):
        (self.place / "mnt").mkdir()
        (self.place / "link").symlink_to("mnt")
        for point, delta in ((".", "d"), (".", self.place / "d"), ("mnt", "mnt/d"), ("mnt", "mnt"),
                             (".", "."), ("mnt", "link/d"), ("link", "mnt/d"), (".", "mnt/d")):
            for more in ((), ("-o", "ro")):
                with self.subTest(point=point, delta=delta, more=more):
                    result = self.start("i.dgfs", point, "--delta", delta, *more)
                    self.expect_refused(result, "below its own mount point", code=1)
        self.assertEqual(sorted(os.listdir(self.place)), ["i.dgfs", "i.dgfs.idx", "link", "mnt"])
        self.assertEqual(os.listdir(self.place / "mnt"), [])

    def test_a_delta_that_a_second_place_of_the_mount_hides_is_refused(self):
        first, second = self.scratch / "first", self.scratch / "second"
        first.mkdir()
        second.mkdir()
        run("mount", "-t", "tmpfs", "none", first)
        run("mount", "--make-shared", first)
        run("mount", "--bind", first, second)  # what is mounted in one appears in the other
        (first / "mnt").mkdir()
        result = self.start("i.dgfs", first / "mnt", "--delta", second / "mnt" / "d")
        self.expect_refused(result, "below its own mount point", code=1)
        self.assertIsNone(self.table_entry(first / "mnt"))

    def test_a_mount_point_in_the_delta_is_refused(self):
        self.assertEqual(self.start("i.dgfs", self.point, "--delta", "d").returncode, 0)
        support.unmount(self.point)
        inner = next(path for path in (self.place / "d").iterdir() if path.is_dir())
        result = self.start("i.dgfs", inner, "--delta", "d")
        self.expect_refused(result, "lies in the delta", code=1)

    def test_a_delta_beside_the_mount_point_is_none_below_it(self):
        for name in ("mn", "mnt2"):
            point = self.place / "mnt"
            point.mkdir(exist_ok=True)
            self.assertEqual(self.start("i.dgfs", "mnt", "--delta", name).returncode, 0)
            (point / "new").touch()
            support.unmount(point)

    def test_an_image_below_is_served_until_it_is_unmounted(self):
        for point in (".", self.place):
            for options in ((), ("--delta", self.scratch / "d"), ("-o", "check=all")):
                with self.subTest(point=point, options=options):
                    result = self.start("i.dgfs", point, *options)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.expect_served(self.place)
                    self.assertEqual(run("du", "-a", self.place, check=False).returncode, 0)
                    dgfs("info", "--live", self.place)
                    support.unmount(self.place)

    def test_a_damaged_index_below_heals_from_the_copy_below(self):
        index = self.place / "i.dgfs.idx"
        content = bytearray(index.read_bytes())
        content[4096:8192] = bytes(4096)
        index.write_bytes(content)
        self.assertEqual(self.start("i.dgfs", ".").returncode, 0)
        self.expect_served(self.place)

    def test_a_missing_volume_is_not_searched_through_the_mount(self):
        (self.place / "i.dgfs").unlink()
        (self.scratch / "to-place").symlink_to(self.place)
        for more in ((), ("--volume", "volumes"), ("--volume", self.place / "dir"),
                     ("--volume", self.scratch / "to-place" / "dir" / "7"),
                     ("--volume", f"{self.scratch}/tree/../to-place/dir"), ("--threads", "1")):
            with self.subTest(more=more):
                result = self.start("i.dgfs.idx", ".", *more)
                self.assertEqual(result.returncode, 0, result.stderr)
                with self.assertRaises(OSError):
                    (self.place / "dir" / "7").read_bytes()
                self.assertEqual(len(os.listdir(self.place / "dir")), 100)
                support.unmount(self.place)

    def test_a_missing_volume_elsewhere_is_still_found_later(self):
        os.rename(self.place / "i.dgfs", self.scratch / "away")
        late = self.scratch / "late"
        self.assertEqual(self.start("i.dgfs.idx", ".", "--volume", late).returncode, 0)
        with self.assertRaises(OSError):
            (self.place / "dir" / "7").read_bytes()
        os.rename(self.scratch / "away", late)
        deadline_tries = 100
        for _ in range(deadline_tries):
            with contextlib.suppress(OSError):
                self.expect_served(self.place)
                return
            threading.Event().wait(0.1)
        self.fail("the volume was not found")


if __name__ == "__main__":
    mount_case.main()
