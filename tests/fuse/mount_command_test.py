#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Mounts as a system does: through mount(8), fstab and fusermount3, as root and as a user."""
import concurrent.futures
import ctypes
import errno
import os
import pathlib
import shutil
import signal
import stat
import struct
import subprocess
import time

import mount_case
import support
from mount_case import NOBODY, MountCase, as_nobody, mount_table
from support import dgfs, run


class ThroughMount(MountCase):
    def test_by_type(self):
        for kind in ("dgfs", "fuse.dgfs"):
            with self.subTest(kind):
                run("mount", "-t", kind, self.image, self.point)
                source, shown, options = self.table_entry()
                self.assertEqual((source, shown), (str(self.image), "fuse.dgfs"))
                self.assertIn("ro", options)
                self.assertIn("default_permissions", options)
                self.expect_served()
                run("umount", self.point)
                self.assertIsNone(self.table_entry())

    def test_generic_options(self):
        cases = (("defaults", set(), {"nosuid", "nodev", "noexec"}),
                 ("suid,dev", set(), {"nosuid", "nodev"}),
                 ("nosuid,nodev,noexec", {"nosuid", "nodev", "noexec"}, set()),
                 ("user", {"nosuid", "nodev", "noexec"}, set()),
                 ("user,exec,suid", {"nodev"}, {"nosuid", "noexec"}),
                 ("ro,relatime,noatime,nodiratime,_netdev,nofail,x-systemd.automount", {"ro"},
                  set()),
                 ("allow_other", {"allow_other"}, set()))
        for given, present, absent in cases:
            with self.subTest(given):
                run("mount", "-t", "dgfs", "-o", given, self.image, self.point)
                options = self.table_entry()[2]
                self.assertLessEqual(present, options)
                self.assertFalse(absent & options, options)
                run("umount", self.point)

    def test_fstab(self):
        other = self.scratch / "other"
        other.mkdir()
        fstab = self.scratch / "fstab"
        fstab.write_text(
            f"{self.image} {self.point} dgfs noauto,user,ro,_netdev,nofail,x-systemd.automount,"
            f"x-systemd.requires=local-fs.target,index={self.image}.idx,umask=022 0 0\n"
            f"{self.image} {other} fuse.dgfs defaults,nofail,check=data 0 0\n")
        run("mount", "-a", "-T", fstab)
        self.assertIsNone(self.table_entry(), "noauto")
        self.expect_served(other)
        run("mount", "-a", "-T", fstab)
        lines = pathlib.Path("/proc/self/mounts").read_text()
        self.assertEqual(lines.count(str(other)), 1, "mount -a mounts it only once")
        run("mount", "-T", fstab, self.point)
        self.expect_served()

    def test_remount_changes_flags(self):
        run("mount", "-t", "dgfs", self.image, self.point)
        run("mount", "-f", "-o", "remount,noexec", self.point)
        self.assertNotIn("noexec", self.table_entry()[2], "mount -f changes nothing")
        # With both operands, mount(8) adds the option rw by itself.
        run("mount", "-t", "dgfs", "-o", "remount,noexec", self.image, self.point)
        self.assertLessEqual({"ro", "noexec"}, self.table_entry()[2])
        dgfs("mount", "-o", "remount,exec", self.image, self.point)
        self.assertNotIn("noexec", self.table_entry()[2])
        run("mount", "-o", "remount,noexec", self.point)
        self.assertLessEqual({"ro", "noexec"}, self.table_entry()[2])
        self.expect_served()
        result = run("mount", "-o", "remount,rw", self.point, check=False)
        self.expect_refused(result, "is mounted read-only")
        self.assertIn("ro", self.table_entry()[2])
        result = dgfs("mount", "-o", "remount,noexce", self.image, self.point, check=False)
        self.expect_refused(result, "noexce", code=2)
        result = dgfs("mount", "-o", "remount,ro", self.image, self.scratch, check=False)
        self.expect_refused(result, "no image is mounted here")

    def test_rw_of_an_image_is_refused_and_changes_nothing(self):
        dgfs("mount", self.image, self.point)
        # Whoever names the flag means it; only mount(8) adds rw by itself.
        for options in ("remount,rw", "remount,rw,noexec", "remount,noexec,rw"):
            result = dgfs("mount", "-o", options, self.image, self.point, check=False)
            self.expect_refused(result, "is mounted read-only", "--delta", code=1)
        self.assertFalse({"rw", "noexec"} & self.table_entry()[2])
        # The kernel tells no server of a remount. So all changes must be refused one by one.
        run("mount", "-i", "-o", "remount,rw", self.point)
        self.assertIn("rw", self.table_entry()[2])
        file, folder, new = (self.point / name for name in ("secret", "dir", "new"))
        changes = (new.touch, new.mkdir, lambda: new.symlink_to("x"), lambda: os.mkfifo(new),
                   lambda: os.link(file, new), lambda: file.rename(new), file.unlink,
                   lambda: file.chmod(0o700), lambda: os.utime(file), lambda: os.truncate(file, 1),
                   lambda: file.write_bytes(b"x"), lambda: os.setxattr(file, "user.x", b"x"),
                   lambda: os.removexattr(file, "user.x"), lambda: shutil.rmtree(folder))
        for number, change in enumerate(changes):
            with self.subTest(change=number), self.assertRaises(OSError) as caught:
                change()
            self.assertEqual(caught.exception.errno, errno.EROFS, number)
        self.expect_served()

    def test_rw_of_a_delta_mounted_ro_is_refused(self):
        delta = f"delta={self.scratch}/delta"
        self.mount(delta)
        (self.point / "new").touch()
        support.unmount(self.point)
        self.mount(f"{delta},ro")
        result = dgfs("mount", "-o", "remount,rw", self.image, self.point, check=False)
        self.expect_refused(result, "as -o ro asked", code=1)
        run("mount", "-i", "-o", "remount,rw", self.point)
        with self.assertRaises(OSError) as caught:
            (self.point / "new").unlink()
        self.assertEqual(caught.exception.errno, errno.EROFS)

    def test_failures_say_why(self):
        absent = self.scratch / "absent.dgfs"
        result = run("mount", "-t", "dgfs", absent, self.point, check=False)
        self.expect_refused(result, str(absent), code=32)
        result = run("mount", "-t", "dgfs", "-o", "colour=red", self.image, self.point, check=False)
        self.expect_refused(result, "colour", code=1)
        self.assertIsNone(self.table_entry())
        result = run("mount", "-s", "-t", "dgfs", "-o", "colour=red", self.image, self.point)
        self.expect_served()

    def test_fake_mounts_nothing(self):
        run("mount", "-f", "-t", "dgfs", self.image, self.point)
        self.assertIsNone(self.table_entry())
        result = run("mount", "-f", "-t", "dgfs", "-o", "uid=x", self.image, self.point,
                     check=False)
        self.expect_refused(result, "uid")

    def test_mount_fuse(self):
        support.need_program("mount.fuse3")
        path = self.scratch / "bin"
        path.mkdir()
        os.symlink(support.DGFS, path / "dgfs")
        environment = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}")
        run(shutil.which("mount.fuse3"), f"dgfs#{self.image}", self.point, env=environment)
        self.expect_served()

    def test_offset_through_a_loop_device(self):
        if not os.path.exists("/dev/loop-control"):
            self.skipTest("no loop devices")
        shifted = self.scratch / "shifted"
        shifted.write_bytes(bytes(4096 * 3) + self.image.read_bytes())
        result = run("mount", "-t", "dgfs", "-o", f"offset={4096 * 3}", shifted, self.point,
                     check=False)
        if result.returncode != 0 and b"loop" in result.stderr:
            self.skipTest("no loop device is available: " + result.stderr.decode())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.expect_served()


class Options(MountCase):
    def test_rw_and_unknown_ones_are_refused(self):
        for option, text in (("rw", "read-only"), ("uid=me", "uid"), ("threads=all", "threads")):
            self.expect_refused(self.mount(option, check=False), text, code=2)
        self.expect_refused(self.mount("remount,noexec", check=False), "no image is mounted",
                            code=1)
        self.assertIsNone(self.table_entry())

    def test_offset_in_a_file(self):
        shifted = self.scratch / "shifted"
        shifted.write_bytes(b"\x7fELF" + bytes(1021) + self.image.read_bytes() + b"behind it")
        self.mount("offset=1025", shifted)
        self.expect_served()
        run("umount", self.point)
        self.expect_refused(self.mount("offset=1024", shifted, check=False), str(shifted), code=1)
        self.expect_refused(self.mount("offset=1T", shifted, check=False), "beyond its end",
                            code=1)

    def test_an_offset_without_an_image_is_refused(self):
        shifted = self.scratch / "shifted"
        content = self.image.read_bytes()
        shifted.write_bytes(bytes(8192) + content)
        index = pathlib.Path(f"{self.image}.idx").read_bytes()
        (self.scratch / "shifted.idx").write_bytes(index)
        behind = 8192 + content.index(index[:4096])  # begin of the index copy
        for offset in (1, 4096, 8191, 12288, behind):
            with self.subTest(offset):
                self.expect_refused(self.mount(f"offset={offset}", shifted, check=False),
                                    str(shifted), f"offset={offset}", "no image begins there",
                                    code=1)
                self.assertIsNone(self.table_entry())
        self.mount("offset=8K", shifted)
        self.expect_served()

    def test_security_contexts_reach_the_kernel(self):
        if os.path.exists("/sys/fs/selinux/enforce"):
            self.skipTest("this system runs SELinux, whose policy decides")
        label = "system_u:object_r:removable_t:s0:c1,c2"
        for name in ("context", "fscontext", "defcontext", "rootcontext"):
            # A comma that is split would leave the unknown option "c2".
            for option in (f'{name}="{label}"', f"{name}={label}".replace(",", "\\,")):
                dgfs("mount", "--dry-run", "-o", f"{option},noexec", self.image, self.point)
                result = self.mount(f"noexec,{option}", check=False)
                self.expect_refused(result, "Invalid argument", "runs no SELinux", code=1)
        self.expect_refused(self.mount("context=", check=False), "option context=", code=2)
        self.assertIsNone(self.table_entry())

    def test_empty_values_are_refused(self):
        for option in ("index=", "volume=", "fsname=", "subtype=", "=x"):
            self.expect_refused(self.mount(option, check=False), f"option {option}", code=2)
        for operands in (("", self.point), (self.image, ""), ("--index=", self.image, self.point)):
            self.expect_refused(dgfs("mount", *operands, check=False), "'': cannot", code=1)
        self.assertIsNone(self.table_entry())

    def test_index_elsewhere_and_relative_paths(self):
        lone = self.scratch / "lone.dgfs"
        shutil.copy(self.image, lone)
        shutil.copy(f"{self.image}.idx", self.scratch / "elsewhere")
        dgfs("mount", "lone.dgfs", "mnt", "-o", "index=elsewhere", cwd=self.scratch)
        self.expect_served()
        run("umount", self.point)
        # Mounted by its index: the daemon looks for the image after it has left the directory.
        shutil.copy(f"{self.image}.idx", self.scratch / "lone.dgfs.idx")
        dgfs("mount", "lone.dgfs.idx", "mnt", cwd=self.scratch)
        self.expect_served()

    def test_dry_run(self):
        result = dgfs("mount", "--dry-run", f"--volume={self.tree}/id", self.image, self.point)
        self.assertIn(f"{self.tree}/id: ".encode(), result.stderr)
        self.assertIsNone(self.table_entry())
        self.expect_refused(dgfs("mount", "--dry-run", self.tree / "secret", self.point,
                                 check=False), "secret", code=1)


class Checks(MountCase):
    def damaged(self, marker, length=1):
        """Makes a copy of the image and overwrites the block that begins with `marker`."""
        copy = self.scratch / "damaged.dgfs"
        content = bytearray(self.image.read_bytes())
        at = content.index(marker)
        content[at:at + length] = b"X" * length
        copy.write_bytes(content)
        return copy

    def test_contents(self):
        copy = self.damaged(b"content 7\n")
        for check, served in (("data", False), ("all", False), ("off", True)):
            with self.subTest(check):
                dgfs("mount", "--check", check, copy, self.point)
                path = self.point / "dir" / "7"
                if served:
                    self.assertEqual(path.read_bytes()[:10], b"Xontent 7\n")
                else:
                    with self.assertRaises(OSError):
                        path.read_bytes()
                run("umount", self.point)

    def test_all_reads_the_index_first(self):
        dgfs("mount", "--check=all", self.image, self.point)
        self.expect_served()
        run("umount", self.point)
        copy = self.scratch / "damaged.dgfs"
        content = bytearray(self.image.read_bytes())
        index = pathlib.Path(f"{self.image}.idx").read_bytes()
        content[content.index(index[:4096]) + 4096 + 100] ^= 1
        copy.write_bytes(content)
        result = dgfs("mount", "--check=all", copy, self.point, check=False)
        self.expect_refused(result, "check of the index", "damaged place", "verify", code=1)
        self.assertIsNone(self.table_entry())
        dgfs("mount", "--check=data", copy, self.point)


class OrdinaryUser(MountCase):
    def setUp(self):
        super().setUp()
        support.need_program("fusermount3")
        if not os.stat(shutil.which("fusermount3")).st_mode & stat.S_ISUID:
            self.skipTest("fusermount3 has no set-user-id bit")
        os.chown(self.point, NOBODY, NOBODY)

    def test_mounts_and_unmounts(self):
        as_nobody(support.DGFS, "mount", self.image, self.point)
        self.assertLessEqual({"nosuid", "nodev", "ro", f"user_id={NOBODY}"}, self.table_entry()[2])
        shown = as_nobody("cat", self.point / "dir" / "7").stdout
        self.assertEqual(shown, (self.tree / "dir" / "7").read_bytes())
        self.expect_refused(as_nobody("cat", self.point / "secret", check=False),
                            "Permission denied")
        as_nobody("fusermount3", "-u", self.point)
        self.assertIsNone(self.table_entry())

    def test_cannot_give_privileges(self):
        for option in ("suid", "dev"):
            command = [support.DGFS, "mount", self.image, self.point, "-o", option]
            result = as_nobody(*command, check=False)
            self.expect_refused(result, option, "only for root", code=1)
        self.assertIsNone(self.table_entry())

    def test_allow_other_is_the_administrators_to_grant(self):
        granted = pathlib.Path("/etc/fuse.conf")
        if granted.exists() and "\nuser_allow_other" in "\n" + granted.read_text():
            self.skipTest("/etc/fuse.conf grants it to all users")
        result = as_nobody(support.DGFS, "mount", self.image, self.point, "-o", "allow_other",
                           check=False)
        self.expect_refused(result, "user_allow_other", "cannot mount: fusermount3 refused",
                            "nothing was mounted", code=1)

    def test_without_dev_null_no_daemon_keeps_its_callers_output(self):
        stand_in = self.scratch / "null"
        # A regular file, as left by root's tools that replace their output file.
        stand_in.touch(0o644)
        run("mount", "--bind", stand_in, "/dev/null")
        self.addCleanup(run, "umount", "--lazy", "/dev/null")  # /dev/null is umount's own input
        result = as_nobody(support.DGFS, "mount", self.image, self.point, check=False)
        self.expect_refused(result, "/dev/null", code=1)

    def test_a_closed_dev_fuse_is_the_reason(self):
        device = self.scratch / "fuse"
        os.mknod(device, stat.S_IFCHR | 0o600, os.stat("/dev/fuse").st_rdev)
        run("mount", "--bind", device, "/dev/fuse")
        self.addCleanup(run, "umount", "/dev/fuse")
        for options in ((), ("-o", "auto_unmount")):
            result = as_nobody(support.DGFS, "mount", *options, self.image, self.point,
                               check=False)
            self.expect_refused(result, "/dev/fuse", "Permission denied", str(self.point), code=1)
            self.assertNotIn(b"Success", result.stderr)

    def test_cannot_mount_over_what_is_not_theirs(self):
        result = as_nobody(support.DGFS, "mount", self.image, self.scratch, check=False)
        self.expect_refused(result, str(self.scratch), code=1)

    def test_fstab_with_user(self):
        fstab = self.scratch / "fstab"
        fstab.write_text(f"{self.image} {self.point} dgfs noauto,user 0 0\n")
        run("mount", "--bind", fstab, "/etc/fstab")
        try:
            as_nobody("mount", self.point)
            self.assertLessEqual({"nosuid", "nodev", "noexec"}, self.table_entry()[2])
            self.assertIn(f"user_id={NOBODY}", self.table_entry()[2])
            as_nobody("umount", self.point)
            self.assertIsNone(self.table_entry())
        finally:
            run("umount", "/etc/fstab")


class Many(MountCase):
    MOUNTS = 24

    def read_all(self, point):
        for i in range(100):
            path = pathlib.Path("dir") / str(i)
            if (point / path).read_bytes() != (self.tree / path).read_bytes():
                return False
        return True

    def test_mounts_and_threads_at_once(self):
        points = [self.scratch / f"mnt{i}" for i in range(self.MOUNTS)]
        for point in points:
            point.mkdir()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda point: dgfs("mount", self.image, point), points))
            self.assertTrue(all(pool.map(self.read_all, points * 3)))
            list(pool.map(lambda point: run("umount", point), points))
        self.assertFalse([p for p in mount_table() if p.startswith(str(self.scratch))])

    def test_daemons_end_with_their_mounts(self):
        process = subprocess.Popen([support.DGFS, "mount", "--foreground", self.image, self.point])
        deadline = time.monotonic() + 20
        while self.table_entry() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            self.assertTrue(all(pool.map(self.read_all, [self.point] * 64)))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 0)
        self.assertIsNone(self.table_entry())


class RefusingServer:
    """A server that answers the first request of the kernel, in which both agree on the protocol,
    with an error: the mount answers ECONNREFUSED from then on."""

    def __init__(self, point):
        self._device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self._device},rootmode=40000,user_id=0,group_id=0"
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"refusing", os.fsencode(point), b"fuse.dgfs", 0, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), "mount")
        request = os.read(self._device, 1 << 20)
        unique, = struct.unpack_from("=Q", request, 8)
        os.write(self._device, struct.pack("=IiQ", 16, -errno.EIO, unique))

    def close(self):
        os.close(self._device)


class RefusedMount(MountCase):
    def test_whose_server_never_began_is_replaced(self):
        server = RefusingServer(self.point)
        self.addCleanup(server.close)
        with self.assertRaisesRegex(OSError, os.strerror(errno.ECONNREFUSED)):
            os.statvfs(self.point)
        said = dgfs("mount", self.image, self.point).stdout
        self.assertIn(b"unmounted a mount whose process was killed", said)
        self.assertEqual(len([p for p in mount_table() if p == str(self.point)]), 1)
        self.expect_served()


class FailingDevice(MountCase):
    def test_a_loop_device_that_loses_its_end_and_gets_it_back(self):
        support.need_program("losetup")
        copy = self.scratch / "copy.dgfs"
        content = self.image.read_bytes()
        copy.write_bytes(content)
        attached = run("losetup", "--show", "--read-only", "--find", copy, check=False)
        if attached.returncode != 0:
            self.skipTest("no loop device is available: " + attached.stderr.decode())
        device = attached.stdout.decode().strip()
        self.addCleanup(run, "losetup", "--detach", device)
        dgfs("mount", device, self.point)
        os.truncate(copy, 8192)
        self.assertGreater(self.failures(), 90)
        with open(copy, "r+b") as file:
            file.write(content)
        run("blockdev", "--flushbufs", device)
        self.assertEqual(self.failures(), 0)

    def failures(self):
        """Returns how many files cannot be read; the others must be right."""
        failed = 0
        for i in range(100):
            path = pathlib.Path("dir") / str(i)
            try:
                self.assertEqual((self.point / path).read_bytes(), (self.tree / path).read_bytes())
            except OSError as failure:
                self.assertEqual(failure.errno, errno.EIO)
                failed += 1
        return failed


if __name__ == "__main__":
    mount_case.main()
