#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""dgfs update: a state equals what rsync(1) makes of the same directory."""
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "system"))

import support  # noqa: E402
from support import DGFS, HERE, build, compare, dgfs, mounted, need_program  # noqa: E402
from support import need_root, run, test_seed  # noqa: E402

NAMES = [b"a", b"a.", b"a0", b"b", b"dir", b"\xff\xfe", b"with space", b"new\nline"]
STEPS = 4
# Without the window rsync(1) takes times of the same second for equal.
RSYNC = ("rsync", "-aHAXS", "--delete", "--modify-window=-1")


class RandomTree:
    """A directory that changes at random in all that an update keeps."""

    def __init__(self, root, seed):
        self.root = os.fsencode(root)
        self.chance = random.Random(seed)
        self.clock = 10**18

    def paths(self, kind=None):
        found = []
        for directory, directories, files in os.walk(self.root):
            for name in sorted(directories + files):
                path = os.path.join(directory, name)
                if kind is None or kind(path):
                    found.append(path)
        return sorted(found)

    def directory(self):
        def is_directory(path):
            return os.path.isdir(path) and not os.path.islink(path)
        return self.chance.choice([self.root] + self.paths(is_directory))

    def change(self):
        path = os.path.join(self.directory(), self.chance.choice(NAMES))
        kinds = (self.remove, self.rename, self.edit, self.attribute, self.attribute)
        if not os.path.lexists(path):
            self.make(path)
        else:
            self.chance.choice(kinds)(path)
        if os.path.lexists(path):
            self.stamp(path)

    def stamp(self, path):
        """Sets a time that no other file has, since a quick change may keep size and time."""
        self.clock += self.chance.randrange(1, 10**9)
        os.utime(path, ns=(self.clock, self.clock), follow_symlinks=False)

    def remove(self, path):
        run("rm", "-rf", path)
        if self.chance.random() < 0.5:
            self.make(path)

    def rename(self, path):
        to = os.path.join(self.directory(), self.chance.choice(NAMES))
        if not os.path.lexists(to) and not to.startswith(path + b"/"):
            os.rename(path, to)

    def make(self, path):
        kind = self.chance.randrange(8)
        others = self.paths(lambda p: os.path.lexists(p) and not os.path.isdir(p))
        if kind == 0:
            os.mkdir(path, self.chance.choice((0o755, 0o2770, 0o1777)))
        elif kind == 1:
            os.symlink(self.chance.choice(NAMES), path)
        elif kind == 2:
            os.mkfifo(path, 0o640)
        elif kind == 3:
            os.mknod(path, 0o020600, os.makedev(1, self.chance.randrange(3, 6)))
        elif kind == 4 and others:
            os.link(self.chance.choice(others), path, follow_symlinks=False)
        else:
            with open(path, "wb") as file:
                file.write(self.chance.randbytes(self.chance.choice((0, 10, 5000, 300000))))
                if self.chance.random() < 0.3:
                    file.seek(1 << 20, os.SEEK_CUR)
                    file.write(b"behind a hole")

    def edit(self, path):
        if os.path.islink(path) or not os.path.isfile(path):
            return self.attribute(path)
        with open(path, "r+b") as file:
            file.seek(self.chance.randrange(300000))
            file.write(self.chance.randbytes(self.chance.randrange(1, 100000)))
            if self.chance.random() < 0.3:
                file.truncate(self.chance.randrange(200000))

    def attribute(self, path):
        kind = self.chance.randrange(5)
        if kind == 0 or os.path.islink(path):
            os.chown(path, self.chance.randrange(3), self.chance.randrange(3),
                     follow_symlinks=False)
        elif kind == 1:
            os.chmod(path, self.chance.choice((0o600, 0o755, 0o4711, 0o2755, 0)))
        elif kind == 2:
            os.setxattr(path, b"trusted.x", self.chance.randbytes(20))
        elif kind == 3:
            run("setfacl", "-m", f"u:{self.chance.randrange(1, 5)}:rwx", path)
            if os.path.isdir(path) and self.chance.random() < 0.5:
                run("setfacl", "-d", "-m", "g:7:r-x", path)
        else:
            for name in os.listxattr(path):
                os.removexattr(path, name)


class UpdateCase(support.ScratchCase):
    def setUp(self):
        need_root()
        need_program("rsync")
        need_program("setfacl")
        super().setUp()
        self.source = self.scratch / "source"
        self.source.mkdir()
        self.image = self.scratch / "image" / "tree.dgfs"
        self.image.parent.mkdir()
        self.delta = self.scratch / "delta"

    def begin(self):
        """Packs the source, and makes an empty delta."""
        build(self.source, self.image)
        with mounted(self.image, "--delta", self.delta):
            pass

    def update(self, *options, **keywords):
        return dgfs("update", self.image, "--delta", self.delta, *options, self.source, **keywords)

    def expect_shows(self, tree, state="newest"):
        with mounted(self.image, "--delta", self.delta, "--as-of", state) as point:
            # A mount tells holes by chunks.
            compare(tree, point, "--no-holes")

    def states(self):
        return dgfs("delta", "log", self.delta).stdout.decode()

    def bytes_of_stores(self):
        stores = {}
        for path in sorted(self.delta.glob("0*/*")):
            with path.open("rb") as file:
                stores[str(path)] = hashlib.file_digest(file, "sha256").hexdigest()
        return stores


class LikeRsync(UpdateCase):
    def check(self, written_seed):
        tree = RandomTree(self.source, test_seed(written_seed))
        for _ in range(60):
            tree.change()
        self.begin()
        copy = self.scratch / "copy"
        run(*RSYNC, f"{self.source}/", copy)
        for step in range(STEPS):
            for _ in range(tree.chance.choice((3, 20, 60))):
                tree.change()
            run(*RSYNC, f"{self.source}/", copy)
            said = self.update("--delete", "--name", f"step-{step}", check=False)
            self.assertEqual(said.returncode, 0, said)
            self.expect_shows(self.source)
            before = self.bytes_of_stores()
            again = json.loads(self.update("--delete", "--json").stdout)
            self.assertFalse(again["updated"], again)
            self.assertEqual(self.bytes_of_stores(), before)
            compare(copy, self.source, "--no-holes")
        dgfs("delta", "check", "--image", self.image, self.delta)

    def test_one_tree(self):
        self.check(4711)

    def test_another_tree(self):
        self.check(4712)

    def test_a_third_tree(self):
        self.check(4713)

    def test_the_tree_of_all_features(self):
        self.source.rmdir()
        self.source.mkdir()
        self.begin()
        run("rm", "-rf", self.source)
        run(sys.executable, HERE / "feature_tree.py", self.source)
        self.update("--delete")
        self.expect_shows(self.source)
        run("sh", "-c", f"rm -rf {self.source}/*")
        self.update("--delete")
        self.expect_shows(self.source)


class Nights(UpdateCase):
    """States of several nights, and what else may go on."""

    def setUp(self):
        super().setUp()
        for number in range(50):
            (self.source / f"f{number}").write_bytes(os.urandom(number * 997))
        self.begin()

    def change(self, text):
        (self.source / "f7").write_text(text)
        (self.source / f"new-{text}").write_text(text)
        (self.source / "f9").unlink(missing_ok=True)

    def test_every_night_stays(self):
        for night in ("mon", "tue", "wed"):
            self.change(night)
            said = self.update("--delete", "--name", night).stdout.decode()
            self.assertRegex(said, r"^updated .*: \d+ entries, \d+ changed, 1 new, \d+ removed; "
                                   r"[0-9.]+ .?B in [0-9.]+ s\n$")
            run("cp", "-a", self.source, self.scratch / night)
        for night in ("mon", "tue", "wed"):
            self.expect_shows(self.scratch / night, night)

    def test_a_mounted_state_goes_on(self):
        self.change("mon")
        self.update("--delete", "--name", "mon")
        run("cp", "-a", self.source, self.scratch / "mon")
        with mounted(self.image, "--delta", self.delta, "--as-of", "mon") as point:
            self.change("tue")
            self.update("--delete", "--name", "tue")
            compare(self.scratch / "mon", point, "--no-holes")
        self.expect_shows(self.source)

    def test_a_delta_in_use_is_refused(self):
        self.change("mon")
        with mounted(self.image, "--delta", self.delta):
            refused = self.update("--delete", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stderr.decode(), r"in use by process \d+ \(dgfs\)")

    def test_another_mount_that_hangs_does_not_matter(self):
        writes = "import sys; file = open(sys.argv[1], 'w'); print(file.write('new')); " \
                 "file.flush(); sys.stdout.flush(); sys.stdin.read()"
        with mounted(self.image, "--delta", self.delta), \
                mounted(self.image, "--delta", self.scratch / "other") as other:
            pid = int(run("pgrep", "-f", f"mount .*{other}").stdout)
            writer = subprocess.Popen([sys.executable, "-c", writes, other / "f3"],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.assertEqual(writer.stdout.readline(), b"3\n")
            os.kill(pid, signal.SIGSTOP)
            asking = subprocess.Popen([DGFS, "update", self.image, "--delta", self.delta,
                                       self.source], stderr=subprocess.PIPE)
            try:
                said = asking.communicate(timeout=60)[1]
            finally:
                os.kill(pid, signal.SIGCONT)
                asking.wait()
                writer.communicate()
        self.assertRegex(said.decode(), r"in use by process \d+")

    def test_a_source_that_holds_the_delta_is_refused(self):
        refused = dgfs("update", self.image, "--delta", self.delta, self.scratch, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("which an update would read while it writes", refused.stderr.decode())

    def test_changes_of_a_mount_go_below(self):
        with mounted(self.image, "--delta", self.delta) as point:
            (point / "f3").write_text("changed in the mount")
            (point / "made").write_text("made in the mount")
        self.update("--delete", "--name", "night")
        self.expect_shows(self.source)
        with mounted(self.image, "--delta", self.delta) as point:
            (point / "after").write_text("after the update")
        self.update("--delete")
        self.expect_shows(self.source)

    def test_an_unreadable_file_is_left(self):
        self.change("mon")
        os.chmod(self.source, 0o755)
        os.chmod(self.source / "f7", 0)
        os.chown(self.scratch, 65534, 65534)
        run("chown", "-R", "65534:65534", self.delta, self.image.parent)
        command = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", DGFS, "update",
                   self.image, "--delta", self.delta, "--delete", self.source)
        failed = run(*command, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("f7", failed.stderr.decode())
        left = run(*command, "--keep-going", check=False)
        self.assertEqual(left.returncode, 1)
        self.assertIn("1 entry left as they are", left.stderr.decode())
        with mounted(self.image, "--delta", self.delta, "--as-of", "newest") as point:
            self.assertEqual((point / "new-mon").read_text(), "mon")
            self.assertNotEqual((point / "f7").read_bytes(), b"mon")
            self.assertFalse((point / "f9").exists())

    def test_a_signal_leaves_the_delta(self):
        self.update()  # moves what the mount has left in its log
        (self.source / "large").write_bytes(os.urandom(1 << 20) * 64)
        before = self.bytes_of_stores()
        endings = set()
        for delay in (0.0, 0.02, 0.05, 0.1, 0.2):
            process = subprocess.Popen([DGFS, "update", self.image, "--delta", self.delta,
                                        self.source], stderr=subprocess.PIPE,
                                       stdout=subprocess.PIPE)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            process.communicate()
            endings.add(process.returncode)
            if process.returncode == 0:
                break
            self.assertEqual(self.bytes_of_stores(), before)
        self.assertIn(0, {self.update("--delete").returncode})
        self.expect_shows(self.source)


if __name__ == "__main__":
    support.main()
