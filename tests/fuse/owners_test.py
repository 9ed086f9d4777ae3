#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Owners for other users: mounts with mapped ids, and uid=, gid=, umask= on writable mounts."""
import errno
import os
import stat
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "view"))
import mount_case  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from idmapped_mount import kernel_has_them, mount_mapped  # noqa: E402
from mount_case import NOBODY, as_nobody  # noqa: E402
from support import run  # noqa: E402

USER = 1000   # owns files in the mount with mapped ids
SHOWN = 5000  # the same files in the mount itself


class MappedTest(DeltaCase):
    """Ids from 5000 on in the mount are those from 1000 on in the mapped one."""

    def setUp(self):
        super().setUp()
        if not kernel_has_them():
            self.skipTest("this kernel maps no ids of FUSE mounts")
        self.mapped = self.scratch / "mapped"
        self.mapped.mkdir()

    def owner(self, path):
        status = os.lstat(path)
        return status.st_uid, status.st_gid

    def as_user(self, *arguments, **keywords):
        return run("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *arguments,
                   **keywords)

    def test_the_ids_of_a_read_only_mount_are_mapped(self):
        for transport in ("classic", "auto"):
            with self.subTest(transport):
                self.mount(f"allow_other,transport={transport}")
                self.expect_served()  # the kernel knows the answer to INIT then
                mount_mapped(self.point, self.mapped, 0, USER, 1)
                self.assertEqual(self.owner(self.mapped / "secret"), (USER, USER))
                self.assertEqual(self.owner(self.point / "secret"), (0, 0))
                self.assertEqual(self.as_user("cat", self.mapped / "secret").stdout, b"secret\n")
                self.assertNotEqual(
                    self.as_user("cat", self.point / "secret", check=False).returncode, 0)
                run("umount", self.mapped)
                run("umount", self.point)

    def test_new_objects_belong_to_the_mapped_user(self):
        self.mount_delta("allow_other")
        os.mkdir(self.point / "own")
        os.chown(self.point / "own", SHOWN, SHOWN)
        mount_mapped(self.point, self.mapped, SHOWN, USER, 10)
        own = self.mapped / "own"
        self.as_user("sh", "-c", f"cd {own} && echo x > file && mkdir dir && ln -s file link && "
                                 "mkfifo pipe && mv file moved && ln moved hard")
        for name in ("moved", "dir", "link", "pipe", "hard"):
            self.assertEqual(self.owner(own / name), (USER, USER), name)
            self.assertEqual(self.owner(self.point / "own" / name), (SHOWN, SHOWN), name)
        os.chown(own / "moved", USER + 1, USER + 1)
        self.assertEqual(self.owner(self.point / "own" / "moved"), (SHOWN + 1, SHOWN + 1))
        # The mapping knows only ten ids.
        with self.assertRaises(OSError) as refused:
            os.chown(own / "moved", 7, 7)
        self.assertEqual(refused.exception.errno, errno.EOVERFLOW)
        run("umount", self.mapped)
        self.unmount()
        self.mount_delta()
        self.assertEqual(self.owner(self.point / "own" / "dir"), (SHOWN, SHOWN))

    def test_allow_root_still_lets_root_in(self):
        self.mount_delta("allow_root")
        self.assertEqual((self.point / "secret").read_bytes(), b"secret\n")

    # Requests that make nothing do not name their user then.
    def test_root_keeps_what_is_only_for_root(self):
        self.mount_delta("allow_other,suid")
        file = self.point / "program"
        for change in ("--punch-hole", "--zero-range"):
            file.write_bytes(b"x" * 100_000)
            file.chmod(0o4755)
            run("fallocate", change, "-o", "0", "-l", "65536", file)
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o4755, "root may keep the bit")
            file.chmod(0o4777)
            as_nobody("fallocate", change, "-o", "0", "-l", "4096", file)
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o777)
        os.setxattr(file, "trusted.note", b"1")
        os.setxattr(file, "user.note", b"1")
        names = "import os,sys; print(sorted(os.listxattr(sys.argv[1])))"
        self.assertIn(b"trusted.note", run(sys.executable, "-c", names, file).stdout)
        shown = as_nobody(sys.executable, "-c", names, file).stdout
        self.assertIn(b"user.note", shown)
        self.assertNotIn(b"trusted.note", shown)


class OverriddenTest(DeltaCase):
    """A mount that shows one owner for all files, and keeps the stored ones."""

    def status(self, name):
        status = os.lstat(self.point / name)
        return status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)

    def refused(self, code, call, *arguments):
        with self.assertRaises(OSError) as error:
            call(*arguments)
        self.assertEqual(error.exception.errno, code)

    def test_shown_owners_decide_and_stored_ones_stay(self):
        self.mount_delta("allow_other", f"uid={NOBODY}", f"gid={NOBODY}", "umask=022")
        self.assertEqual(self.status("secret"), (NOBODY, NOBODY, 0o755))
        self.assertEqual(self.status("id"), (NOBODY, NOBODY, 0o755))
        as_nobody("sh", "-c", f"cd {self.point} && echo more >> secret && echo new > new && "
                              "mkdir fresh && touch -d 2001-01-01 secret && "
                              "chmod 600 secret new && rm dir/1 && mv dir/2 fresh/two")
        for name in ("secret", "new", "fresh", "fresh/two"):
            self.assertEqual(self.status(name), (NOBODY, NOBODY, 0o755), name)
        self.assertEqual(int(os.stat(self.point / "secret").st_mtime), 978307200)
        # Even root cannot set values that are not kept.
        self.refused(errno.EPERM, os.chown, self.point / "secret", 7, -1)
        self.refused(errno.EPERM, os.chown, self.point / "secret", -1, 7)
        self.refused(errno.EPERM, os.chmod, self.point / "secret", 0o4755)
        self.refused(errno.EPERM, os.chmod, self.point / "fresh", 0o1777)
        os.chown(self.point / "secret", NOBODY, NOBODY)
        run("umount", self.point)
        self.mount_delta("allow_other")
        self.assertEqual(self.status("secret"), (0, 0, 0o600))
        self.assertEqual(self.status("fresh/two")[:2], (0, 0))
        self.assertEqual(self.status("new")[:2], (NOBODY, NOBODY), "who made it owns it")
        self.assertEqual((self.point / "secret").read_bytes(), b"secret\nmore\n")
        self.assertEqual(self.status("id"), (0, 0, 0o4755))

    def test_permissions_change_where_only_the_owner_is_shown(self):
        self.mount_delta("allow_other", f"uid={NOBODY}")
        as_nobody("chmod", "640", self.point / "secret")
        self.assertEqual(self.status("secret"), (NOBODY, 0, 0o640))
        self.refused(errno.EPERM, os.chmod, self.point / "secret", 0o4755)
        os.chown(self.point / "secret", -1, 7)
        self.assertEqual(self.status("secret"), (NOBODY, 7, 0o640))
        run("umount", self.point)
        self.mount_delta("allow_other")
        self.assertEqual(self.status("secret"), (0, 7, 0o640))

    def test_lists_and_capabilities_are_hidden_and_stay(self):
        self.mount_delta()
        value = bytes.fromhex("0100000200000020000000000000000000000000")
        os.setxattr(self.point / "id", "security.capability", value)
        run("umount", self.point)
        self.mount_delta("uid=7")
        file = self.point / "id"
        self.refused(errno.ENODATA, os.getxattr, file, "security.capability")
        self.assertEqual(os.listxattr(file), [])
        self.refused(errno.ENODATA, os.removexattr, file, "security.capability")
        self.refused(errno.EOPNOTSUPP, os.setxattr, file, "security.capability", value)
        run("umount", self.point)
        self.mount_delta()
        self.assertEqual(os.listxattr(file), ["security.capability"])


if __name__ == "__main__":
    mount_case.main()
