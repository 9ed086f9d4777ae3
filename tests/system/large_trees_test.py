#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Real trees: the Linux 6.1 source and /usr go in and come out identical.

The kernel tree is DGFS_LINUX_TREE if set, else unpacked from Debian's linux-source-6.1.
"""
import os
import pathlib
import shutil
import sys
import unittest

import support
from support import build, compare, dgfs, mounted, run

ARCHIVE = pathlib.Path("/usr/src/linux-source-6.1.tar.xz")


class RealTree:
    """Cases for one tree; subclasses set `tree`."""

    @classmethod
    def prepare(cls):
        import tempfile
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-large-", dir=os.environ.get(
            "DGFS_LARGE_SCRATCH", "/var/tmp")))
        cls.image = cls.shared / "tree.dgfs"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def test_verify_finds_no_damage(self):
        dgfs("verify", self.image)

    def test_mount_equals_source(self):
        with mounted(self.image) as point:
            compare(self.tree, point, *self.options)

    def test_extract_equals_source(self):
        out = self.shared / "out"
        self.addCleanup(shutil.rmtree, out, ignore_errors=True)
        dgfs("extract", self.image, out, "--quiet")
        compare(self.tree, out, *self.options)

    def test_peers_see_no_difference(self):
        with mounted(self.image) as point:
            run("diff", "-r", "--no-dereference", self.tree, point)
            changes = run("rsync", "-aHAXn", "--numeric-ids", "--checksum", "--itemize-changes",
                          "--delete", f"{self.tree}/", f"{point}/")
            self.assertEqual(changes.stdout, b"")
            archive = self.shared / "tree.tar"
            run("tar", "-C", self.tree, "-cf", archive, ".")
            run("tar", "-C", point, "-df", archive)
            archive.unlink()


class LinuxSource(RealTree, support.ScratchCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.prepare()
        tree = os.environ.get("DGFS_LINUX_TREE")
        if tree:
            cls.tree = pathlib.Path(tree)
        elif ARCHIVE.exists():
            run("tar", "-C", cls.shared, "-xf", ARCHIVE)
            cls.tree = cls.shared / "linux-source-6.1"
        else:
            cls.tearDownClass()
            raise unittest.SkipTest("linux-source-6.1 is not installed")
        build(cls.tree, cls.image)

    def test_programs_compile_inside_the_mounted_tree(self):
        with mounted(self.image) as point:
            for source, flags in (("scripts/basic/fixdep.c", ()), ("scripts/kallsyms.c", ()),
                                  ("drivers/tty/vt/conmakehash.c", ()),
                                  ("scripts/sorttable.c", ("-Itools/include",))):
                program = self.scratch / "program"
                run("cc", "-O1", *flags, "-o", program, source, cwd=point)
                self.assertTrue(program.exists())
                program.unlink()


class Usr(RealTree, support.ScratchCase):
    tree = pathlib.Path("/usr")
    # Some objects of /usr have further names outside of it.
    options = ("--partial-links",)

    @classmethod
    def setUpClass(cls):
        support.need_root()
        cls.prepare()
        build(cls.tree, cls.image, "--one-file-system")


if __name__ == "__main__":
    sys.exit(support.main())
