#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Extraction and salvage when the system refuses attributes or links.

Contents are written anyway, and attributes that could not be restored are reported.
"""
import contextlib
import json
import os
import pathlib
import stat
import tempfile
import unittest

import support
from support import build, dgfs, need_program, need_root, run

# The number of names that a file of ext4 may have.
EXT_LINKS_MAX = 65000


@contextlib.contextmanager
def file_system(*arguments):
    """Mounts a file system on a scratch directory, by mount(8) with these arguments."""
    point = tempfile.mkdtemp(prefix="dgfs-place-")
    try:
        if run("mount", *arguments, point, check=False).returncode != 0:
            raise unittest.SkipTest(f"mount {' '.join(map(str, arguments))} is not possible here")
        try:
            yield pathlib.Path(point)
        finally:
            run("umount", "-l", point)
    finally:
        os.rmdir(point)


class RestoreCase(support.ScratchCase):
    """A tree packed as root."""

    def setUp(self):
        need_root()
        super().setUp()
        self.source = self.scratch / "source"
        self.image = self.scratch / "tree.dgfs"
        (self.source / "d").mkdir(parents=True)
        os.chmod(self.source, 0o755)

    @contextlib.contextmanager
    def ext2(self, *options):
        """An empty file system that mkfs.ext2 makes."""
        need_program("mkfs.ext2")
        backing = self.scratch / "ext2"
        with open(backing, "wb") as file:
            file.truncate(64 << 20)
        run("mkfs.ext2", "-q", *options, backing)
        with file_system("-o", "loop", backing) as place:
            yield place

    def summary(self, *arguments, status=1):
        """Returns the summary that a command prints for programs, and the rest of its output."""
        result = dgfs(*arguments, "--json", check=False)
        self.assertEqual(result.returncode, status, result)
        lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
        return lines[-1], lines[:-1], result.stderr.decode()

    def expect_tree(self, out):
        self.assertEqual((out / "d" / "f").read_bytes(), b"content")
        self.assertEqual(stat.S_IMODE((out / "d" / "f").stat().st_mode), 0o644)
        self.assertEqual(stat.S_IMODE((out / "d").stat().st_mode), 0o755)
        self.assertEqual((out / "d" / "f").stat().st_mtime, 1000)
        self.assertEqual((out / "d").stat().st_mtime, 2000)


class Xattrs(RestoreCase):
    """A destination without room for extended attributes."""

    def setUp(self):
        super().setUp()
        (self.source / "d" / "f").write_bytes(b"content")
        for path in ("d/f", "d"):
            try:
                os.setxattr(self.source / path, "user.large", b"v" * 2000)
            except OSError:
                self.skipTest("no extended attributes in the scratch directory")
        os.utime(self.source / "d" / "f", (1000, 1000))
        os.utime(self.source / "d", (2000, 2000))
        build(self.source, self.image)

    def check(self, place):
        summary, _, told = self.summary("extract", "-k", self.image, place / "out")
        self.assertEqual((summary["failures"], summary["lost_attributes"]), (0, 2))
        self.assertRegex(told, "d/f: .*user.large: .*--no-xattrs")
        self.expect_tree(place / "out")

        summary, lines, _ = self.summary("salvage", self.image, place / "saved")
        self.assertEqual((summary["lost_entries"], summary["lost_attributes"]), (0, 2))
        self.assertEqual({line["lost_attribute"] for line in lines}, {"d", "d/f"})
        self.assertEqual({line["attribute"] for line in lines}, {"user.large"})
        self.expect_tree(place / "saved")

        ended = dgfs("extract", self.image, place / "ended", check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertIn(b"--no-xattrs", ended.stderr)
        self.assertFalse((place / "ended" / "d" / "f").exists())
        self.assertEqual(stat.S_IMODE((place / "ended" / "d").stat().st_mode), 0o755)

        for command in ("extract", "salvage"):
            out = place / f"{command}-without"
            self.assertEqual(dgfs(command, "--no-xattrs", self.image, out).stderr, b"")
            self.expect_tree(out)

    def test_ramfs(self):
        with file_system("-t", "ramfs", "none") as place:
            self.check(place)

    def test_ext2_with_little_room(self):
        with self.ext2("-I", "128", "-b", "1024") as place:
            self.check(place)


class Acls(RestoreCase):
    def test_destination_without_them(self):
        need_program("setfacl")
        path = self.source / "d" / "f"
        path.write_bytes(b"content")
        os.chmod(path, 0o600)
        if run("setfacl", "-m", "u:1234:rw", path, check=False).returncode != 0:
            self.skipTest("no ACLs in the scratch directory")
        build(self.source, self.image)
        with file_system("-t", "ramfs", "none") as place:
            summary, _, told = self.summary("extract", "-k", self.image, place / "out")
            self.assertEqual((summary["failures"], summary["lost_attributes"]), (0, 1))
            self.assertRegex(told, "d/f: .*posix_acl_access: .*--no-acls")
            self.assertIn(b"--no-acls", dgfs("extract", self.image, place / "x",
                                             check=False).stderr)
            dgfs("extract", "--no-acls", self.image, place / "without")
            # The group had no rights; its bits in the mode were the ACL's mask.
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o660)
            for out in ("out", "without"):
                copy = place / out / "d" / "f"
                self.assertEqual(copy.read_bytes(), b"content")
                self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o600)


class Owners(RestoreCase):
    """A root user in a name space without other users, who may make no devices."""

    def setUp(self):
        super().setUp()
        need_program("unshare")
        if run("unshare", "-r", "true", check=False).returncode != 0:
            self.skipTest("no user namespaces here")
        path = self.source / "d" / "f"
        path.write_bytes(b"content")
        os.chown(path, 1234, 5678)
        os.chmod(path, 0o6755)
        os.mknod(self.source / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        build(self.source, self.image)

    def restore(self, *arguments):
        return run("unshare", "-r", support.DGFS, *arguments, check=False)

    def check(self, out):
        self.assertEqual((out / "d" / "f").read_bytes(), b"content")
        self.assertEqual(stat.S_IMODE((out / "d" / "f").stat().st_mode), 0o755)
        self.assertFalse((out / "null").exists())

    def test_extract_goes_on_and_tells(self):
        result = self.restore("extract", "-k", "--json", self.image, self.scratch / "out")
        self.assertEqual(result.returncode, 1, result)
        self.assertRegex(result.stderr.decode(), "d/f: cannot set owner: .*--no-same-owner")
        summary = json.loads(result.stdout)
        self.assertEqual((summary["failures"], summary["devices_refused"]), (0, 1))
        self.check(self.scratch / "out")

    def test_salvage_tells_attributes_from_files(self):
        result = self.restore("salvage", self.image, self.scratch / "out")
        self.assertEqual(result.returncode, 1, result)
        self.assertRegex(result.stdout.decode(), "(?m)^lost attribute: d/f: cannot set owner: ")
        self.assertNotRegex(result.stdout.decode(), "(?m)^lost: d/f")
        self.check(self.scratch / "out")

    def test_without_owners_nothing_fails(self):
        ended = self.restore("extract", self.image, self.scratch / "ended")
        self.assertEqual(ended.returncode, 1)
        self.assertIn(b"--no-same-owner", ended.stderr)
        for command in ("extract", "salvage"):
            out = self.scratch / command
            result = self.restore(command, "--no-same-owner", "--no-devices", self.image, out)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.check(out)


class Links(RestoreCase):
    def test_more_names_than_the_file_system_allows(self):
        with file_system("-t", "tmpfs", "none") as source, self.ext2("-t", "ext4") as place:
            (source / "0").write_bytes(b"content")
            for i in range(1, EXT_LINKS_MAX + 5):
                os.link(source / "0", source / str(i))
            build(source, self.image)
            summary, _, told = self.summary("extract", self.image, place / "out", status=0)
            self.assertEqual((summary["failures"], summary["further_copies"]), (0, 1))
            self.assertEqual(told.count("\n"), 1)
            self.assertIn("further copy", told)
            names = {}
            for entry in os.scandir(place / "out"):
                names.setdefault(entry.inode(), []).append(entry.path)
            self.assertEqual(sorted(map(len, names.values())), [5, EXT_LINKS_MAX])
            for paths in names.values():
                self.assertEqual(pathlib.Path(paths[0]).read_bytes(), b"content")


class WithoutProc(RestoreCase):
    """As in a chroot, where nothing is mounted on /proc."""

    def test_attributes_of_each_kind_are_restored(self):
        need_program("unshare")
        (self.source / "d" / "f").write_bytes(b"content")
        os.chmod(self.source / "d", 0o1751)
        (self.source / "link").symlink_to("target")
        os.mkfifo(self.source / "pipe", 0o640)
        for path in (self.source / "d", self.source / "d" / "f", self.source / "link"):
            os.setxattr(path, "trusted.test", b"value", follow_symlinks=False)
        build(self.source, self.image)
        out = self.scratch / "out"
        script = f"mount -t tmpfs none /proc && exec {support.DGFS} extract -q {self.image} {out}"
        result = run("unshare", "-m", "sh", "-c", script, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((out / "d" / "f").read_bytes(), b"content")
        self.assertEqual(stat.S_IMODE((out / "d").stat().st_mode), 0o1751)
        self.assertEqual(stat.S_IMODE((out / "pipe").stat().st_mode), 0o640)
        for path in (out / "d", out / "d" / "f", out / "link"):
            value = os.getxattr(path, "trusted.test", follow_symlinks=False)
            self.assertEqual(value, b"value", path)


class Modes(RestoreCase):
    def test_a_new_destination_of_chosen_paths(self):
        (self.source / "d" / "f").write_bytes(b"content")
        build(self.source, self.image)
        for umask, mode in ((0o022, 0o755), (0o027, 0o750)):
            out = self.scratch / f"out-{umask:o}"
            old = os.umask(umask)
            try:
                dgfs("extract", self.image, out, "d/f")
            finally:
                os.umask(old)
            self.assertEqual(stat.S_IMODE(out.stat().st_mode), mode)


if __name__ == "__main__":
    support.main()
