#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A delta keeps private files private: its modes, older deltas, and other users."""
import os
import pathlib
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from delta_case import DeltaCase, snapshot  # noqa: E402
from mount_case import as_nobody  # noqa: E402
import support  # noqa: E402
from support import dgfs, run  # noqa: E402


class Privacy(DeltaCase):
    def open_to_others(self):
        """Returns the delta and the names in it for which others have permissions."""
        return [str(path) for path in (self.delta, *self.delta.rglob("*"))
                if path.lstat().st_mode & 0o077]

    def open_all_to_others(self):
        for path in (self.delta, *self.delta.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)

    def with_umask(self, umask, call):
        before = os.umask(umask)
        try:
            return call()
        finally:
            os.umask(before)

    def test_each_umask_leaves_it_to_its_owner(self):
        for umask in (0o000, 0o002, 0o022, 0o027, 0o077):
            with self.subTest(umask=oct(umask)):
                self.delta = self.scratch / f"delta{umask}"
                self.with_umask(umask, self.mount_delta)
                (self.point / "key").write_text("PRIVATE")
                self.assertTrue(stat.S_ISSOCK((self.delta / "control").stat().st_mode))
                self.assertEqual(self.open_to_others(), [])
                self.assertEqual(stat.S_IMODE(self.delta.stat().st_mode), 0o700)
                self.unmount()
                self.assertEqual(self.open_to_others(), [])

    def test_its_contents_are_not_for_others(self):
        self.mount_delta("allow_other")
        with open(self.point / "key", "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o600)
            file.writelines(f"{i}-PRIVATE-KEY\n" for i in range(200))
            file.flush()
            os.fsync(file.fileno())
        self.assertNotEqual(as_nobody("cat", self.point / "key", check=False).returncode, 0)
        grep = ("grep", "-rlaF", "PRIVATE-KEY", self.delta)
        self.assertEqual(as_nobody(*grep, check=False).stdout, b"")
        self.assertNotEqual(run(*grep, check=False).stdout, b"", "root finds it")

    def test_an_older_delta_is_tightened_and_that_is_told(self):
        self.mount_delta()
        self.unmount()
        self.open_all_to_others()
        told = "other users had permissions for it"
        self.assertNotIn(told, self.mount_delta("ro").stdout.decode())
        self.unmount()
        self.assertNotEqual(self.open_to_others(), [], "a mount with ro changes nothing")
        self.assertIn(told, self.mount_delta().stdout.decode())
        self.assertEqual(self.open_to_others(), [])
        self.unmount()
        self.assertEqual(self.mount_delta().stdout, b"")

    def test_an_empty_directory_is_tightened_too(self):
        self.delta.mkdir(0o755)
        self.assertIn(b"is new", self.mount_delta().stdout)
        self.assertEqual(stat.S_IMODE(self.delta.stat().st_mode), 0o700)

    def test_a_repair_tightens_it(self):
        self.mount_delta()
        self.unmount()
        self.open_all_to_others()
        dgfs("delta", "check", self.delta)
        self.assertNotEqual(self.open_to_others(), [])
        said = dgfs("delta", "check", "--repair", "--image", self.image, self.delta).stderr
        self.assertIn(b"other users had permissions", said)
        self.assertEqual(self.open_to_others(), [])

    def test_others_can_neither_mount_nor_look_at_it(self):
        self.mount_delta()
        self.unmount()
        before = snapshot(self.delta)
        point = self.scratch / "theirs"
        point.mkdir()
        os.chown(point, mount_case.NOBODY, mount_case.NOBODY)
        for command in (("mount", self.image, point, "-o", f"ro,delta={self.delta}"),
                        ("mount", self.image, point, "--delta", self.delta),
                        ("delta", "info", self.delta), ("delta", "check", self.delta)):
            refused = as_nobody(support.DGFS, *command, check=False)
            self.expect_refused(refused, "Permission denied", code=1)
        self.assertEqual(snapshot(self.delta), before)

    def test_who_may_read_its_files_may_mount_it_to_be_read(self):
        self.mount_delta()
        (self.point / "new").write_text("hello")
        self.unmount()
        self.open_all_to_others()
        point = self.scratch / "theirs"
        point.mkdir()
        os.chown(point, mount_case.NOBODY, mount_case.NOBODY)
        as_nobody(support.DGFS, "mount", self.image, point, "-o", f"ro,delta={self.delta}")
        self.assertEqual(as_nobody("cat", point / "new").stdout, b"hello")


class RefusedMount(DeltaCase):
    """A mount that fails leaves no new delta."""

    def setUp(self):
        super().setUp()
        self.place = self.scratch / "place"
        self.place.mkdir()
        os.chown(self.place, mount_case.NOBODY, mount_case.NOBODY)
        self.delta = self.place / "delta"

    def expect_nothing_new(self, refused):
        self.expect_refused(refused, code=1)
        self.assertNotIn(b"is new", refused.stdout + refused.stderr)
        self.assertEqual(os.listdir(self.place), [])

    def test_on_a_mount_point_of_another_user(self):
        self.expect_nothing_new(as_nobody(support.DGFS, "mount", self.image, self.point, "--delta",
                                          self.delta, check=False))

    def test_on_a_file(self):
        file = self.scratch / "file"
        file.write_text("")
        self.expect_nothing_new(dgfs("mount", self.image, file, "--delta", self.delta,
                                     check=False))

    def test_with_a_device_that_cannot_be_opened(self):
        empty = self.scratch / "empty"
        empty.write_text("")
        run("mount", "--bind", empty, "/dev/fuse")
        try:
            refused = self.mount_delta(check=False)
        finally:
            run("umount", "/dev/fuse")
        self.expect_nothing_new(refused)

    def test_in_an_empty_directory_that_stays_as_it_was(self):
        self.delta.mkdir(0o755)
        os.chown(self.delta, mount_case.NOBODY, mount_case.NOBODY)
        refused = as_nobody(support.DGFS, "mount", self.image, self.point, "--delta", self.delta,
                            check=False)
        self.expect_refused(refused, code=1)
        self.assertEqual(os.listdir(self.delta), [])
        self.assertEqual(stat.S_IMODE(self.delta.stat().st_mode), 0o755)

    def test_an_older_delta_stays(self):
        os.chown(self.place, 0, 0)
        self.mount_delta()
        (self.point / "new").write_text("hello")
        self.unmount()
        file = self.scratch / "file"
        file.write_text("")
        dgfs("mount", self.image, file, "--delta", self.delta, check=False)
        empty = self.scratch / "empty"
        empty.write_text("")
        run("mount", "--bind", empty, "/dev/fuse")
        try:
            self.expect_refused(self.mount_delta(check=False), code=1)
        finally:
            run("umount", "/dev/fuse")
        self.mount_delta()
        self.assertEqual((self.point / "new").read_text(), "hello")


if __name__ == "__main__":
    mount_case.main()
