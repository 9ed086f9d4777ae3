#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The layers of a mounted delta become its base while programs hold files, listings and locks."""
import ctypes
import fcntl
import mmap
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from live_merge_case import (LiveMergeCase, open_handle, read_from_server,  # noqa: E402
                             take_handle, tree_of)
from seekdir_test import Directory  # noqa: E402
from support import build, dgfs, run  # noqa: E402

AT_FDCWD = -100
AT_SYMLINK_FOLLOW = 0x400
LIBC = ctypes.CDLL(None, use_errno=True)

# Tries to lock a file that another process has locked in part; prints what it cannot have.
LOCKER = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
refused = []
for begin, length in ((0, 100), (100, 50), (200, 0)):
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, begin)
    except OSError:
        refused.append(str(begin))
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    refused.append("flock")
print(" ".join(refused))
"""


def link_unnamed(descriptor, path):
    """Gives an O_TMPFILE file a name, as open(2) says how."""
    if LIBC.linkat(AT_FDCWD, b"/proc/self/fd/%d" % descriptor, AT_FDCWD, os.fsencode(path),
                   AT_SYMLINK_FOLLOW) != 0:
        raise OSError(ctypes.get_errno(), f"cannot link {path}")


class HeldByPrograms(LiveMergeCase):
    """What a program holds goes on over the switch to a new base, and over a second one."""

    def setUp(self):
        super().setUp()
        self.mount_delta()
        (self.point / "changed").write_text("one\n")

    def merge_twice(self):
        self.merge()
        (self.point / "changed").write_text("two\n")
        self.merge()

    def end(self):
        self.unmount()
        self.expect_sound()

    def test_unlinked_files_are_read_and_written(self):
        new = open(self.point / "new", "w+b", buffering=0)
        new.write(b"0123456789" * 50_000)
        old = open(self.point / "dir" / "50", "r+b", buffering=0)
        before = old.read()
        os.unlink(self.point / "new")
        os.unlink(self.point / "dir" / "50")
        self.merge()
        self.assertEqual(read_from_server(new.fileno()), b"0123456789" * 50_000)
        self.assertEqual(read_from_server(old.fileno()), before)
        os.pwrite(new.fileno(), b"after", 250_000)
        os.pwrite(old.fileno(), b"after", len(before) + 5000)
        os.ftruncate(new.fileno(), 300_000)
        (self.point / "changed").write_text("two\n")
        self.merge()
        shown = read_from_server(new.fileno())
        self.assertEqual(len(shown), 300_000)
        self.assertEqual(shown[249_995:250_010], b"56789after56789")
        self.assertEqual(read_from_server(old.fileno()), before + bytes(5000) + b"after")
        self.assertEqual(os.fstat(old.fileno()).st_nlink, 0)
        new.close()
        old.close()
        self.end()

    # Nothing but the memory of the mount says that such a file is still there.
    def test_unlinked_files_of_the_image_are_packed_anew(self):
        with open(self.point / "dir" / "50", "rb") as file:
            before = read_from_server(file.fileno())
            os.unlink(self.point / "dir" / "50")
            self.merge("--repack")
            self.assertEqual(read_from_server(file.fileno()), before)
            self.merge("--repack")
            self.assertEqual(read_from_server(file.fileno()), before)
        self.end()

    def test_a_file_without_a_name_gets_it_after_the_switch(self):
        places = [(self.point, "named"), (self.point / "dir", "named-too")]
        files = [os.open(place, os.O_TMPFILE | os.O_RDWR, 0o640) for place, _ in places]
        for file in files:
            os.write(file, b"content " * 20_000)
            os.setxattr(file, "user.kind", b"unnamed")
        never = os.open(self.point, os.O_TMPFILE | os.O_RDWR, 0o600)
        os.write(never, b"never named")
        numbers = [os.fstat(file).st_ino for file in files]
        self.merge()
        os.pwrite(files[1], b"CHANGED ", 8)
        (self.point / "changed").write_text("two\n")
        self.merge()
        for file, (place, name) in zip(files, places):
            self.assertEqual(os.fstat(file).st_nlink, 0)
            link_unnamed(file, place / name)
            os.close(file)
        self.assertEqual(read_from_server(never), b"never named")
        os.close(never)
        for _ in range(2):
            first, second = ((place / name) for place, name in places)
            self.assertEqual(first.read_bytes(), b"content " * 20_000)
            self.assertEqual(second.read_bytes(), b"content CHANGED " + b"content " * 19_998)
            self.assertEqual([os.stat(path).st_ino for path in (first, second)], numbers)
            self.assertEqual(os.stat(first).st_nlink, 1)
            self.assertEqual(os.getxattr(first, "user.kind"), b"unnamed")
            self.unmount()
            self.expect_sound()
            self.mount_delta()
        (self.point / "changed").write_text("three\n")
        self.merge()
        self.assertEqual((self.point / "named").read_bytes(), b"content " * 20_000)

    def test_a_removed_working_directory_stays(self):
        (self.point / "here").mkdir(0o750)
        number = os.stat(self.point / "here").st_ino
        script = ("import os, sys\n"
                  "for line in sys.stdin:\n"
                  "    made = os.path.exists('x')\n"
                  "    try: open('x', 'w')\n"
                  "    except OSError as error: made = error.errno\n"
                  "    at = os.stat('.')\n"
                  "    print(at.st_ino, oct(at.st_mode), at.st_nlink, os.listdir('.'), made,\n"
                  "          flush=True)\n")
        with subprocess.Popen([sys.executable, "-c", script], cwd=self.point / "here", text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            def ask():
                program.stdin.write("\n")
                program.stdin.flush()
                return program.stdout.readline()
            os.rmdir(self.point / "here")
            before = ask()
            self.assertEqual(before, f"{number} 0o40750 0 [] 2\n")
            self.merge()
            self.assertEqual(ask(), before)
            (self.point / "here").write_text("another object")
            self.merge()
            self.assertEqual(ask(), before)
            program.stdin.close()
        self.end()

    # Two listings: one that a switch meets in its middle, and one whose places are sought later.
    def test_a_listing_goes_on(self):
        large = self.point / "large"
        large.mkdir()
        names = [f"a name that fills the listing {number:05}" for number in range(4000)]
        for name in names:
            (large / name).touch()
        sought = Directory(large)
        places = sought.places()
        listing = Directory(large)
        listed = [listing.next_name() for _ in range(1000)]
        self.merge()
        listed += [listing.next_name() for _ in range(1000)]
        (large / "a name that fills the listing 01000b").touch()
        self.merge()
        while (name := listing.next_name()) is not None:
            listed.append(name)
        self.assertEqual(sorted(set(listed) - {"a name that fills the listing 01000b"}),
                         sorted([".", "..", *names]))
        self.assertEqual(len(listed), len(set(listed)))
        wanted = set(names)
        for number in range(0, 3999, 37):
            self.assertEqual(sought.first_behind(places[names[number]], wanted),
                             names[number + 1])
        sought.close()
        listing.close()
        self.end()

    def test_locks_are_kept(self):
        path = self.point / "dir" / "9"
        with open(path, "r+b") as file, open(path, "r+b") as whole:
            fcntl.lockf(file, fcntl.LOCK_EX, 50, 100)
            fcntl.flock(whole, fcntl.LOCK_EX)
            for _ in range(3):
                said = run(sys.executable, "-c", LOCKER, path).stdout.decode().split()
                self.assertEqual(said, ["100", "flock"])
                path.chmod(0o600 if os.stat(path).st_mode & 0o777 != 0o600 else 0o644)
                self.merge()
            fcntl.lockf(file, fcntl.LOCK_UN, 50, 100)
            said = run(sys.executable, "-c", LOCKER, path).stdout.decode().split()
            self.assertEqual(said, ["flock"])
        self.end()

    def test_mappings_go_on(self):
        path, old = self.point / "mapped", self.point / "dir" / "60"
        path.write_bytes(bytes(1 << 20))
        sent = old.read_bytes()
        with open(path, "r+b") as file, open(old, "r+b") as below:
            with mmap.mmap(file.fileno(), 1 << 20) as mapping, \
                    mmap.mmap(below.fileno(), 0) as second:
                mapping[5000:5005] = b"first"
                self.merge()
                mapping[70_000:70_006] = b"second"
                second[10:14] = b"once"
                self.merge()
                self.assertEqual(mapping[5000:5005], b"first")
                mapping[900_000:900_005] = b"third"
                mapping.flush()
                second.flush()
        expected = bytearray(1 << 20)
        for offset, text in ((5000, b"first"), (70_000, b"second"), (900_000, b"third")):
            expected[offset:offset + len(text)] = text
        self.remount()
        self.assertEqual(path.read_bytes(), bytes(expected))
        self.assertEqual(old.read_bytes(), sent[:10] + b"once" + sent[14:])
        self.end()

    def test_open_files_are_written_renamed_and_replaced_meanwhile(self):
        file = os.open(self.point / "dir" / "70", os.O_RDWR | os.O_APPEND)
        sent = read_from_server(file)
        self.merge()
        os.write(file, b"appended")
        os.rename(self.point / "dir" / "70", self.point / "moved")
        (self.point / "dir" / "70").write_text("another")
        self.merge()
        os.write(file, b" twice")
        os.rename(self.point / "dir" / "70", self.point / "moved")
        self.merge()
        os.write(file, b" and more")
        self.assertEqual(read_from_server(file), sent + b"appended twice and more")
        self.assertEqual((self.point / "moved").read_text(), "another")
        os.close(file)
        self.end()


class TheTree(LiveMergeCase):
    """A merge changes nothing that a program can see of the tree."""

    def change_all(self):
        """Makes a change of each kind."""
        root = self.point
        (root / "dir" / "3").write_text("replaced")
        with open(root / "dir" / "99", "r+b") as file:
            file.seek(30_000)
            file.write(b"in the middle")
        os.truncate(root / "dir" / "98", 1234)
        os.truncate(root / "dir" / "97", 200_000)
        os.rename(root / "dir" / "4", root / "moved")
        os.link(root / "dir" / "5", root / "linked")
        os.link(root / "dir" / "5", root / "dir" / "linked-too")
        os.unlink(root / "dir" / "6")
        (root / "made" / "deep").mkdir(parents=True)
        (root / "made" / "deep" / "file").write_bytes(os.urandom(300_000))
        os.link(root / "made" / "deep" / "file", root / "made" / "twin")
        (root / "made" / "symlink").symlink_to("../dir/7")
        (root / "made" / "long").symlink_to("x" * 2000)
        os.mkfifo(root / "made" / "fifo", 0o620)
        os.mknod(root / "made" / "device", 0o20600, os.makedev(1, 3))
        os.setxattr(root / "dir" / "7", "user.small", b"value")
        os.setxattr(root / "made", "user.large", b"v" * 5000)
        os.setxattr(root / "made" / "twin", "trusted.of_twin", b"both")
        os.chown(root / "dir" / "8", 1234, 4321)
        os.utime(root / "dir" / "8", ns=(10**18, 10**18 + 7))
        os.chmod(root / "id", 0o6711)
        with open(root / "sparse", "wb") as file:
            file.seek(5 << 20)
            file.write(b"behind a hole")

    def test_the_tree_stays_the_same(self):
        digests = self.image_digests()
        self.mount_delta()
        self.change_all()
        before = tree_of(self.point)
        handles = {path: take_handle(self.point / path)
                   for path in ("dir/3", "made/deep/file", "moved", "secret", "made/deep", "")}
        answer = self.merged()
        self.assertEqual(answer["base"], self.bases()[0])
        self.expect_same_tree(before)
        self.expect_whole_after_remount(before)
        self.remount()
        (self.point / "once-more").write_text("so that there is something to merge")
        before = tree_of(self.point)
        self.merge()
        self.expect_whole_after_remount(before)
        root = os.open(self.point, os.O_RDONLY)
        for path, handle in handles.items():
            is_directory = (self.point / path).is_dir()
            file = open_handle(root, handle, os.O_RDONLY)
            self.assertEqual(os.fstat(file).st_ino, os.stat(self.point / path).st_ino)
            if not is_directory:
                self.assertEqual(read_from_server(file), (self.point / path).read_bytes())
            os.close(file)
        os.close(root)
        self.assertEqual(self.image_digests(), digests)

    def test_attributes_that_went_and_came_stay_so(self):
        self.mount_delta()
        path, other = self.point / "dir" / "7", self.point / "dir" / "8"
        os.setxattr(path, "user.kind", b"first")
        os.setxattr(other, "user.kind", b"stays")
        self.merge()
        os.removexattr(path, "user.kind")
        self.merge()
        self.assertEqual(os.listxattr(path), [])
        os.setxattr(path, "user.other", b"second")
        os.removexattr(other, "user.kind")
        before = tree_of(self.point)
        self.merge()
        self.expect_whole_after_remount(before)
        self.assertEqual(os.getxattr(path, "user.other"), b"second")
        self.assertEqual(os.listxattr(other), [])

    def test_numbers_of_new_objects_are_never_those_of_others(self):
        self.mount_delta()
        seen = set()
        for number in range(4):
            path = self.point / f"new-{number}"
            path.write_text("new")
            inode = os.stat(path).st_ino
            self.assertNotIn(inode, seen)
            seen.add(inode)
            path.unlink()
            (self.point / "changed").write_text(str(number))
            seen.add(os.stat(self.point / "changed").st_ino)
            self.merge()
            if number == 1:
                self.remount()

    def test_repacked_it_needs_no_image(self):
        self.mount_delta()
        self.change_all()
        before = tree_of(self.point)
        answer = self.merged("--repack")
        self.assertEqual(answer["needs"], [])
        self.assertIn("which needs no other file", self.info())
        self.expect_whole_after_remount(before)
        self.unmount()
        base = self.delta / self.bases()[0]
        dgfs("verify", base)
        dgfs("mount", base, self.point, "-o", f"delta={self.delta}")
        self.expect_same_tree(before)

    def test_a_base_of_a_compressed_image_with_digests(self):
        tree = self.scratch / "tree"
        shutil.copytree(self.tree, tree, symlinks=True)
        self.image = self.scratch / "compressed.dgfs"
        build(tree, self.image, "--compress", "zstd", "--fragment-frames", "64K", "--digest",
              "sha256")
        self.mount_delta()
        self.change_all()
        for _ in range(2):
            before = tree_of(self.point)
            self.merge()
            self.expect_whole_after_remount(before)
            self.remount()
            dgfs("verify", "--digest", "--volume", self.image, self.delta / self.bases()[0])
            (self.point / "dir" / "11").write_text("changed between merges\n" * 1000)

    # Once it is mounted, no path leads to the image, and one through the mount would hang.
    def test_an_image_below_its_own_mount_point(self):
        for ending in ("", ".idx"):
            shutil.copy(f"{self.image}{ending}", self.point / f"own.dgfs{ending}")
        self.image = self.point / "own.dgfs"
        self.mount_delta()
        self.change_all()
        self.assertFalse(self.image.exists())
        before = tree_of(self.point)
        self.merge()
        self.expect_same_tree(before)
        (self.point / "second").write_text("changed")
        before = tree_of(self.point)
        self.merge("--repack=0")
        self.expect_same_tree(before)
        self.expect_whole_after_remount(before)


if __name__ == "__main__":
    mount_case.main()
