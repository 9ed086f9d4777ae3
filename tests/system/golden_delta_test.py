#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Golden deltas: every later version can read the changes that were written to a mount.

golden/NAME.delta.tar.xz is a delta over the golden image "features"; NAME.delta.json has the tree
that the mount of both shows. "closed" was unmounted; "killed" has changes only in its log. --renew
writes them again: for a deliberate change of the format, in the commit that makes it.
"""
import hashlib
import json
import os
import pathlib
import signal
import stat
import sys
import tempfile
import time

import support
from support import HERE, dgfs, run

GOLDEN = HERE / "golden"
IMAGE = GOLDEN / "features.img"
INDEX = GOLDEN / "features.idx"
NAMES = ("closed", "killed")


def mount(point, delta, *options):
    return dgfs("mount", IMAGE, point, "--index", INDEX, "--delta", delta, *options)


def unmount(point, delta):
    support.unmount(point)
    dgfs("delta", "check", "-q", delta)  # waits until the delta is closed


def change(root):
    """Makes a change of each kind."""
    (root / "new").mkdir()
    (root / "new" / "small").write_bytes(b"small")
    (root / "new" / "large").write_bytes(hashlib.shake_256(b"large").digest(80_000))
    os.symlink("small", root / "new" / "link")
    os.link(root / "big", root / "new" / "big-too")
    os.mkfifo(root / "new" / "fifo", 0o640)
    os.rename(root / "docs", root / "papers")
    os.rename(root / "tool", root / "empty" / "tool")
    os.unlink(root / "src" / "file-01.txt")
    os.chmod(root / "src" / "file-02.txt", 0o600)
    os.setxattr(root / "src" / "file-03.txt", "user.note", b"a note")
    os.truncate(root / "src" / "file-04.txt", 10)
    with open(root / "big", "r+b") as file:
        file.seek(70_000)
        file.write(b"a patch")
        file.seek(0, os.SEEK_END)
        file.write(b"an end")
    with open(root / "holes", "r+b") as file:
        file.seek(900_000)
        file.write(b"more data")
    os.utime(root / "src", ns=(10**18, 10**18 + 7))


def facts(root):
    """Returns {path: facts}, without owners and times, which depend on who makes the sample."""
    found = {}
    for place, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(place, name)
            status = os.lstat(path)
            kind = stat.S_IFMT(status.st_mode)
            fact = {"mode": oct(status.st_mode), "links": status.st_nlink}
            if kind == stat.S_IFREG:
                content = pathlib.Path(path).read_bytes()
                fact |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            elif kind == stat.S_IFLNK:
                fact["target"] = os.readlink(path)
            xattrs = os.listxattr(path, follow_symlinks=False)
            if xattrs:
                fact["xattrs"] = {key: os.getxattr(path, key, follow_symlinks=False).hex()
                                  for key in sorted(xattrs)}
            found[os.path.relpath(path, root)] = fact
    return found


def kill_daemon(point):
    pids = run("pgrep", "-f", f"mount .*{point}").stdout.split()
    for pid in pids:
        os.kill(int(pid), signal.SIGKILL)
    run("fusermount3", "-u", "-z", point)


def renew():
    for name in NAMES:
        with tempfile.TemporaryDirectory(prefix="dgfs-golden-") as scratch:
            point, delta = pathlib.Path(scratch) / "mnt", pathlib.Path(scratch) / name
            point.mkdir()
            mount(point, delta, "-o", "size=32M")
            change(point)
            shown = facts(point)
            if name == "killed":
                time.sleep(2)  # long enough for a commit, too short for a checkpoint
                kill_daemon(point)
                (delta / "control").unlink()
            else:
                unmount(point, delta)
            run("tar", "--sparse", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "-cJf",
                GOLDEN / f"{name}.delta.tar.xz", "-C", scratch, name)
            text = json.dumps(shown, indent=0, sort_keys=True)
            (GOLDEN / f"{name}.delta.json").write_text(text + "\n", encoding="utf-8")


class GoldenDelta(support.ScratchCase):
    def setUp(self):
        super().setUp()
        support.need_fuse()
        support.need_root()  # root owns the tree
        self.point = self.scratch / "mnt"
        self.point.mkdir()

    def unpack(self, name):
        run("tar", "-xf", GOLDEN / f"{name}.delta.tar.xz", "-C", self.scratch)
        expected = json.loads((GOLDEN / f"{name}.delta.json").read_text(encoding="utf-8"))
        return self.scratch / name, expected

    def test_is_read(self):
        for name in NAMES:
            with self.subTest(name):
                delta, expected = self.unpack(name)
                mount(self.point, delta, "-o", "ro")
                self.assertEqual(facts(self.point), expected)
                support.unmount(self.point)

    def test_is_changed(self):
        for name in NAMES:
            with self.subTest(name):
                delta, expected = self.unpack(name)
                said = mount(self.point, delta).stdout
                self.assertEqual(b"recovered" in said, name == "killed", said)
                self.assertEqual(facts(self.point), expected)
                (self.point / "later").write_bytes(b"later")
                unmount(self.point, delta)
                dgfs("delta", "check", "--image", IMAGE, "--index", INDEX, delta)
                mount(self.point, delta)
                self.assertEqual((self.point / "later").read_bytes(), b"later")
                unmount(self.point, delta)


if __name__ == "__main__":
    if sys.argv[1:] == ["--renew"]:
        renew()
    else:
        support.main()
