# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Helpers for tests that mount as a system does: an image, and separate name spaces.

Everything happens in separate mount and process name spaces. Bind mounts that no other process sees
put helpers, fstab and /dev/fuse in place, and no daemon outlives the test.
"""
import os
import pathlib
import shutil
import stat
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import support  # noqa: E402
from support import build, dgfs, run  # noqa: E402

NOBODY = 65534
INSIDE = "DGFS_TEST_NAME_SPACE"


def as_nobody(*arguments, **keywords):
    return run("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *arguments,
               **keywords)


def mount_table():
    """Returns mount point -> (source, type, set of options)."""
    lines = pathlib.Path("/proc/self/mounts").read_text().splitlines()
    return {point: (source, kind, set(options.split(",")))
            for source, point, kind, options in (line.split()[:4] for line in lines)}


class MountCase(support.ScratchCase):
    """A small image, and a directory to mount it on."""

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-mount-"))
        cls.shared.chmod(0o755)
        tree = cls.shared / "tree"
        (tree / "dir").mkdir(parents=True)
        for i in range(100):
            (tree / "dir" / str(i)).write_bytes(f"content {i}\n".encode() * (i * 50 + 1))
        (tree / "secret").write_text("secret\n")
        (tree / "secret").chmod(0o600)
        shutil.copy("/usr/bin/id", tree / "id")
        (tree / "id").chmod(0o4755)
        os.symlink("secret", tree / "link")
        cls.tree = tree
        cls.image = cls.shared / "image.dgfs"
        build(tree, cls.image)
        cls.image.chmod(0o644)
        pathlib.Path(f"{cls.image}.idx").chmod(0o644)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.point = self.scratch / "mnt"
        self.point.mkdir()
        self.scratch.chmod(0o755)

    def tearDown(self):
        # The last mount goes first: it may lie on an earlier one.
        for point in reversed([p for p in mount_table() if p.startswith(str(self.scratch))]):
            run("umount", point, check=False)
        super().tearDown()

    def table_entry(self, point=None):
        return mount_table().get(str(point or self.point))

    def expect_served(self, point=None):
        shown = (point or self.point) / "dir" / "7"
        self.assertEqual(shown.read_bytes(), (self.tree / "dir" / "7").read_bytes())

    def expect_refused(self, result, *texts, code=None):
        said = (result.stdout + result.stderr).decode()
        self.assertIn(result.returncode, [code] if code else range(1, 256), said)
        for text in texts:
            self.assertIn(text, said)

    def mount(self, options, image=None, **keywords):
        return dgfs("mount", image or self.image, self.point, "-o", options, **keywords)


def enter_name_spaces():
    """Starts this program again in its own mount and process name spaces."""
    reason = None
    if os.geteuid() != 0:
        reason = "needs root"
    elif not os.path.exists("/dev/fuse"):
        reason = "/dev/fuse is missing on this machine"
    elif run("unshare", "--mount", "--pid", "--fork", "true", check=False).returncode != 0:
        reason = "no name spaces can be made here"
    if reason:
        support.skip(reason)
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "--mount", "--propagation=private", "--pid", "--fork",
                          "--kill-child", "--mount-proc", sys.executable, *sys.argv])


def install_helpers(place):
    """Installs the files that an installation and udev put in place."""
    # A copy, since a user may not be able to enter the build directory.
    support.DGFS = shutil.copy(shutil.which(support.DGFS), place / "dgfs")
    helpers = place / "sbin"
    helpers.mkdir()
    for name in ("mount.dgfs", "mount.fuse.dgfs", "umount.dgfs", "umount.fuse.dgfs"):
        os.symlink(support.DGFS, helpers / name)
    for name in ("mount.fuse3", "losetup", "blockdev", "mkfs.ext4"):
        if os.path.exists(f"/sbin/{name}"):
            shutil.copy(f"/sbin/{name}", helpers)
    run("mount", "--bind", helpers, os.path.realpath("/sbin"))
    # Here libmount keeps its notes, which belong to mounts that no other process sees.
    os.makedirs("/run/mount", exist_ok=True)
    run("mount", "-t", "tmpfs", "tmpfs", "/run/mount")
    device = place / "fuse"
    os.mknod(device, stat.S_IFCHR | 0o666, os.stat("/dev/fuse").st_rdev)
    device.chmod(0o666)
    run("mount", "--bind", device, "/dev/fuse")


def main():
    """Runs the tests of the calling program in separate name spaces."""
    if INSIDE not in os.environ:
        enter_name_spaces()
    with tempfile.TemporaryDirectory(prefix="dgfs-helpers-") as directory:
        pathlib.Path(directory).chmod(0o755)
        install_helpers(pathlib.Path(directory))
        try:
            support.main()
        finally:
            for place in ("/run/mount", "/dev/fuse", os.path.realpath("/sbin")):
                run("umount", place, check=False)
