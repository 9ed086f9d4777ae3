#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The rights that a mount gives: set-user-id programs, capabilities, lists, other users."""
import os
import shutil
import stat
import struct
import subprocess

import mount_case
import support
from mount_case import NOBODY, MountCase, as_nobody
from support import build, run


class Privileges(MountCase):
    def test_privileges_are_off_unless_asked_for(self):
        self.mount("ro")
        self.assertLessEqual({"nosuid", "nodev"}, self.table_entry()[2])
        run("umount", self.point)
        self.mount("suid,dev,noexec")
        self.assertFalse({"nosuid", "nodev"} & self.table_entry()[2])
        with self.assertRaises(PermissionError):
            subprocess.run([self.point / "id"], check=False)

    def test_suid_programs(self):
        for options, expected in (("allow_other", NOBODY), ("allow_other,suid", 0)):
            with self.subTest(options):
                self.mount(options)
                shown = as_nobody(self.point / "id", "-u").stdout
                self.assertEqual(int(shown), expected)
                run("umount", self.point)

    def test_overrides_take_capabilities_too(self):
        tree = self.scratch / "tree"
        tree.mkdir()
        shutil.copy("/bin/cat", tree / "reader")
        dac_override = 1 << 1
        os.setxattr(tree / "reader", "security.capability",
                    struct.pack("<5I", 0x02000001, dac_override, 0, 0, 0))
        build(tree, self.scratch / "able.dgfs")
        secret = self.scratch / "secret"
        secret.write_text("secret")
        secret.chmod(0o600)

        def reads(options):
            self.mount(f"allow_other,suid{options}", self.scratch / "able.dgfs")
            result = as_nobody(self.point / "reader", secret, check=False)
            run("umount", self.point)
            return result.returncode == 0

        if not reads(""):
            self.skipTest("capabilities of files have no effect here")
        for options in (",umask=022", ",uid=0", ",gid=0"):
            with self.subTest(options):
                self.assertFalse(reads(options))

    def test_overrides_make_no_set_user_id_program_of_another_owner(self):
        tree = self.scratch / "tree"
        tree.mkdir()
        shutil.copy("/usr/bin/id", tree / "id")
        os.chown(tree / "id", NOBODY, NOBODY)
        (tree / "id").chmod(0o6755)
        build(tree, self.scratch / "own.dgfs")
        self.mount("allow_other,suid,uid=0,gid=0", self.scratch / "own.dgfs")
        for what in ("-u", "-g"):
            self.assertEqual(int(as_nobody(self.point / "id", what).stdout), NOBODY)

    def test_others_need_allow_other(self):
        self.mount("ro")
        result = as_nobody("cat", self.point / "dir" / "7", check=False)
        self.expect_refused(result, "Permission denied")
        run("umount", self.point)
        self.mount("allow_other")
        as_nobody("cat", self.point / "dir" / "7")
        self.expect_refused(as_nobody("cat", self.point / "secret", check=False),
                            "Permission denied")

    def test_shown_owner_and_permissions_are_those_that_count(self):
        self.mount(f"allow_other,uid={NOBODY},gid=4294967294,umask=027")
        for name, kind in (("secret", stat.S_IFREG), ("dir", stat.S_IFDIR), ("id", stat.S_IFREG)):
            shown = (self.point / name).lstat()
            self.assertEqual((shown.st_uid, shown.st_gid), (NOBODY, 4294967294))
            self.assertEqual(shown.st_mode, kind | 0o750)
        self.assertEqual(self.point.stat().st_uid, NOBODY)
        self.assertEqual(stat.S_IMODE((self.point / "link").lstat().st_mode), 0o777)
        self.assertEqual(as_nobody("cat", self.point / "secret").stdout, b"secret\n")
        run("umount", self.point)
        self.mount("allow_other,umask=077")
        self.expect_refused(as_nobody("cat", self.point / "dir" / "7", check=False),
                            "Permission denied")

    def test_lists_of_readers_go_with_the_owner(self):
        support.need_program("setfacl")
        tree = self.scratch / "tree"
        tree.mkdir()
        (tree / "granted").write_text("x")
        (tree / "granted").chmod(0o600)
        if run("setfacl", "-m", f"u:{NOBODY}:r", tree / "granted", check=False).returncode != 0:
            self.skipTest("no access control lists on the scratch file system")
        build(tree, self.scratch / "acl.dgfs")
        self.mount("allow_other", self.scratch / "acl.dgfs")
        self.assertEqual(as_nobody("cat", self.point / "granted").stdout, b"x")
        run("umount", self.point)
        self.mount("allow_other,uid=0,umask=077", self.scratch / "acl.dgfs")
        self.expect_refused(as_nobody("cat", self.point / "granted", check=False), "Permission")
        self.assertNotIn(b"posix_acl",
                         run("getfattr", "-m", "-", self.point / "granted").stdout
                         if shutil.which("getfattr") else b"")

    def test_a_list_that_goes_leaves_nobody_more_than_it_gave(self):
        support.need_program("setfacl")
        tree = self.scratch / "tree"
        tree.mkdir()
        (tree / "kept").write_text("x")
        (tree / "kept").chmod(0o604)
        if run("setfacl", "-m", f"u:{NOBODY}:-,g::-,g:1:rw,m::rw", tree / "kept",
               check=False).returncode != 0:
            self.skipTest("no access control lists on the scratch file system")
        build(tree, self.scratch / "acl.dgfs")
        for options in ("", ",uid=0", f",gid={NOBODY}"):
            with self.subTest(options):
                self.mount(f"allow_other{options}", self.scratch / "acl.dgfs")
                os.listdir(self.point)  # and from a listing, too
                self.expect_refused(as_nobody("cat", self.point / "kept", check=False),
                                    "Permission denied")
                run("umount", self.point)


if __name__ == "__main__":
    mount_case.main()
