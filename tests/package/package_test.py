#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The Debian packages: made, checked, installed on a clean system, used there, removed again."""
import hashlib
import os
import pathlib
import platform
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import support  # noqa: E402
from support import run  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
# Places where a purged package may leave traces of other packages.
NOT_COMPARED = ("dev", "proc", "tmp", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log")

# The actions of a user on the clean system, in a name space that ends with the script.
SESSION = r"""
set -eu
mount -t proc proc /proc
mkdir /tmp/tree /tmp/mnt
cp -a /usr/share/common-licenses /etc /tmp/tree
dgfs build -q /tmp/tree /tmp/tree.dgfs
dgfs mount /tmp/tree.dgfs /tmp/mnt
cmp /tmp/mnt/common-licenses/GPL-2 /usr/share/common-licenses/GPL-2
diff -r --no-dereference /tmp/tree /tmp/mnt
fusermount3 -u /tmp/mnt
mount -t dgfs -o noexec /tmp/tree.dgfs /tmp/mnt
grep -q '^/tmp/tree.dgfs /tmp/mnt fuse.dgfs ro,.*noexec' /proc/mounts
cat /tmp/mnt/etc/debian_version
umount /tmp/mnt
dgfs verify -q /tmp/tree.dgfs
dgfs --version
gzip -dc /usr/share/man/man1/dgfs-find.1.gz | grep -q EXPRESSION
gzip -dc /usr/share/man/man8/mount.dgfs.8.gz | grep -q allow_other
bash -c '. /usr/share/bash-completion/completions/dgfs && complete -p dgfs' >/dev/null
rm -r /tmp/tree /tmp/tree.dgfs /tmp/tree.dgfs.idx /tmp/mnt
"""


def version():
    text = (SOURCE / "CMakeLists.txt").read_text()
    return re.search(r"project\(dgfs VERSION ([0-9.]+)", text).group(1)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Packages(unittest.TestCase):
    """Makes the packages once for all tests."""

    @classmethod
    def setUpClass(cls):
        for program in ("dpkg-shlibdeps", "cpack", "file"):
            support.need_program(program)
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch, ignore_errors=True)
        run(SOURCE / "scripts/build-package", cls.scratch)
        architecture = run("dpkg", "--print-architecture").stdout.decode().strip()
        cls.dgfs = cls.scratch / f"dgfs_{version()}_{architecture}.deb"
        cls.dev = cls.scratch / f"libdgfs-dev_{version()}_{architecture}.deb"

    def field(self, package, name):
        return run("dpkg-deb", "-f", package, name).stdout.decode().strip()

    def unpacked(self, package):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        run("dpkg-deb", "-x", package, folder)
        return folder


class Contents(Packages):
    def test_lintian_finds_no_fault(self):
        support.need_program("lintian")
        # The publisher of the packages chooses the maintainer's address.
        unsigned = "bogus-mail-host,bogus-mail-host-in-debian-changelog"
        result = run("lintian", "--suppress-tags", unsigned, self.dgfs, self.dev, check=False)
        self.assertEqual((result.returncode, result.stdout.decode()), (0, ""))

    def test_depends_on_what_it_needs(self):
        needs = self.field(self.dgfs, "Depends")
        for package in ("fuse3", "libfuse3-3", "libc6", "libzstd1", "libxxhash0"):
            self.assertRegex(needs, rf"(^|, ){re.escape(package)}( \(|,|$)")
        self.assertNotIn("fuse", self.field(self.dev, "Depends"))

    def test_the_same_sources_give_the_same_bytes(self):
        again = self.scratch / "again"
        run(SOURCE / "scripts/build-package", again)
        for package in (self.dgfs, self.dev):
            self.assertEqual(digest(package), digest(again / package.name))

    def test_the_program_is_hardened(self):
        program = self.unpacked(self.dgfs) / "usr/bin/dgfs"
        headers = run("readelf", "-hlWd", program).stdout.decode()
        self.assertRegex(headers, r"Type: +DYN \(Position-Independent Executable file\)")
        self.assertIn("GNU_RELRO", headers)
        self.assertRegex(headers, r"FLAGS.*BIND_NOW")
        self.assertRegex(headers, r"GNU_STACK .* RW ")
        symbols = run("readelf", "-W", "--dyn-syms", program).stdout.decode()
        self.assertIn("__stack_chk_fail@", symbols)
        self.assertIn("__memcpy_chk@", symbols)

    def test_programs_link_with_the_library_package(self):
        folder = self.unpacked(self.dev)
        pc = next(folder.glob("usr/lib/**/pkgconfig"))
        environment = dict(os.environ, PKG_CONFIG_PATH=str(pc))
        flags = run("pkg-config", "--cflags", "--libs", "dgfs", env=environment)
        example = folder / "usr/share/doc/libdgfs-dev/examples/read_image.cpp"
        program = folder / "read_image"
        run("c++", "-o", program, example, *flags.stdout.decode().split())
        tree = self.scratch / "tree"
        tree.mkdir()
        (tree / "name").write_text("text")
        run(self.unpacked(self.dgfs) / "usr/bin/dgfs", "build", "-q", tree, tree / "../t.dgfs")
        shown = run(program, self.scratch / "t.dgfs", "name").stdout
        self.assertEqual(shown, b"text")

    def test_documents_show_the_unit_that_is_shipped(self):
        unit = (SOURCE / "examples/mnt-photos.mount").read_text()
        self.assertIn(f"```\n{unit}```\n", (SOURCE / "docs/MOUNTING.md").read_text())


class CleanSystem(Packages):
    """A separate root file system, with its own mount and process name spaces."""

    def in_root(self, *command):
        return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "chroot", self.root,
                   *command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
                                  "DEBIAN_FRONTEND": "noninteractive",
                                  **{name: value for name, value in os.environ.items()
                                     if name.lower().endswith("_proxy")}})

    def make_root(self):
        support.need_root()
        support.need_fuse()
        support.need_program("debootstrap")
        self.root = self.scratch / "root"
        suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
        made = run("debootstrap", "--variant=minbase", suite, self.root, check=False)
        if made.returncode != 0:
            reason = made.stdout.decode().strip().split("\n")[-1]
            raise unittest.SkipTest(f"debootstrap makes no system here: {reason}")
        # Every booted system has this link; without it fusermount3 makes its own files.
        (self.root / "etc/mtab").symlink_to("../proc/self/mounts")
        fuse = self.root / "dev/fuse"
        if not fuse.exists():
            os.mknod(fuse, 0o666 | 0o020000, os.makedev(10, 229))

    def files(self):
        """Returns every name on the system, with type, permissions and contents."""
        out = {}
        for base, directories, names in os.walk(self.root):
            inside = os.path.relpath(base, self.root)
            directories[:] = [d for d in directories
                              if os.path.normpath(os.path.join(inside, d)) not in NOT_COMPARED]
            for name in directories + names:
                path = pathlib.Path(base, name)
                content = digest(path) if path.is_file() and not path.is_symlink() else ""
                out[os.path.join(inside, name)] = (path.lstat().st_mode, content)
        return out

    def test_installs_works_and_leaves_nothing(self):
        self.make_root()
        self.in_root("apt-get", "-qq", "update")
        self.in_root("apt-get", "-qq", "--no-install-recommends", "satisfy", "-y",
                     self.field(self.dgfs, "Depends"))
        before = self.files()
        shutil.copy(self.dgfs, self.root / "tmp")
        self.in_root("apt-get", "-qq", "install", "-y", f"/tmp/{self.dgfs.name}")
        self.assertGreater(len(self.files()), len(before))
        printed = self.in_root("sh", "-c", SESSION).stdout.decode()
        self.assertIn(f"dgfs {version()}\n", printed)
        self.in_root("apt-get", "-qq", "purge", "-y", "dgfs")
        after = self.files()
        changed = [name for name in sorted(before.keys() | after.keys())
                   if before.get(name) != after.get(name)]
        self.assertEqual(changed, [])


if __name__ == "__main__":
    support.main()
