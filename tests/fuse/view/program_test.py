#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Programs that trust their file system, on a mount with a delta, also when the server is
killed.
"""
import os
import pathlib
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from support import run  # noqa: E402

# Commits numbered rows, and prints each number when its commit has returned. SQLite syncs the
# directory once it has removed the journal, but takes a directory that it cannot open for synced.
# If the server still lives after the commit, SQLite could open it.
WRITER = """
import os, sqlite3, sys
path, mode = sys.argv[1:]
base = sqlite3.connect(path, timeout=60)
base.execute(f"pragma journal_mode={mode}")
base.execute("pragma synchronous=extra")  # else the end of a journal is not durable
base.execute("create table if not exists rows (number integer primary key, text)")
number = base.execute("select coalesce(max(number), 0) from rows").fetchone()[0]
while True:
    number += 1
    with base:
        base.execute("insert into rows values (?, ?)", (number, "x" * (number * 37 % 3000)))
        base.execute("update rows set text = text || 'y' where number = ?", (number // 2,))
    os.close(os.open(os.path.dirname(path), os.O_RDONLY))
    print(number, flush=True)
"""


def git(root, *arguments):
    names = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    return run("git", "-C", root, *names, *arguments)


class Git(DeltaCase):
    def test_a_repository_is_sound_before_and_after(self):
        support.need_program("git")
        self.mount_delta()
        root = self.point / "repository"
        run("git", "init", "-q", root)
        for number in range(300):
            place = root / f"d{number % 7}"
            place.mkdir(exist_ok=True)
            (place / f"f{number}.txt").write_text(f"line {number}\n" * (number % 50 + 1))
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", "first")
        for number in range(0, 300, 3):
            (root / f"d{number % 7}" / f"f{number}.txt").write_text("changed\n")
        git(root, "mv", "d1", "moved")
        git(root, "commit", "-qam", "second")
        git(root, "gc", "-q", "--aggressive")
        self.remount()
        git(root, "fsck", "--strict")
        self.assertEqual(git(root, "status", "--porcelain").stdout, b"")
        copy = self.point / "copy"
        run("git", "clone", "-q", root, copy)
        git(copy, "checkout", "-q", "HEAD~1")
        self.assertTrue((copy / "d1" / "f1.txt").exists())
        git(copy, "fsck", "--strict")
        self.unmount()
        self.expect_sound()


class Make(DeltaCase):
    FILES = 24

    def test_a_parallel_build_works_and_is_not_done_twice(self):
        support.need_program("make")
        support.need_program("cc")
        self.mount_delta("suid")
        root = self.point / "project"
        root.mkdir()
        parts = [f"part{number}" for number in range(self.FILES)]
        for number, part in enumerate(parts):
            (root / f"{part}.c").write_text(f"int {part}(void) {{ return {number}; }}\n")
        calls = " + ".join(f"{part}()" for part in parts)
        declared = "".join(f"int {part}(void);\n" for part in parts)
        (root / "main.c").write_text(
            f"#include <stdio.h>\n{declared}int main(void) {{ printf(\"%d\\n\", {calls}); }}\n")
        objects = " ".join(f"{part}.o" for part in (*parts, "main"))
        (root / "Makefile").write_text(f"sum: {objects}\n\t$(CC) -o $@ $^\n")
        run("make", "-C", root, "-j4")
        expected = f"{sum(range(self.FILES))}\n".encode()
        self.assertEqual(run(root / "sum").stdout, expected)
        self.remount("suid")
        self.assertIn(b"up to date", run("make", "-C", root).stdout)
        (root / "part3.c").write_text("int part3(void) { return 1003; }\n")
        run("make", "-C", root, "-j4")
        self.assertEqual(run(root / "sum").stdout,
                         f"{sum(range(self.FILES)) + 1000}\n".encode())


class Rsync(DeltaCase):
    def test_a_tree_goes_in_and_out_unchanged(self):
        support.need_program("rsync")
        self.mount_delta("suid,dev")
        source = self.scratch / "source"
        run("cp", "-a", self.tree, source)
        os.link(source / "id", source / "dir" / "id-too")
        os.mknod(source / "null", 0o20666, os.makedev(1, 3))
        os.mkfifo(source / "fifo")
        os.setxattr(source / "secret", "user.note", b"a note")
        run("setfacl", "-m", "u:1000:rw", source / "secret")
        with open(source / "sparse", "wb") as file:
            file.truncate(3_000_000)
            file.seek(2_000_000)
            file.write(b"island")
        run("rsync", "-aHAXS", f"{source}/", self.point / "in")
        self.remount("suid,dev")
        back = self.scratch / "back"
        run("rsync", "-aHAXS", f"{self.point}/in/", back)
        said = run("rsync", "-aHAXSn", "--checksum", "--itemize-changes", "--delete",
                   f"{source}/", back).stdout
        self.assertEqual(said, b"")
        # A file that is rewritten in place.
        with open(source / "dir" / "50", "r+b") as file:
            file.seek(100)
            file.write(b"changed")
        # rsync compares times in seconds.
        os.utime(source / "dir" / "50", (time.time() + 10, time.time() + 10))
        run("rsync", "-a", "--inplace", "--no-whole-file", f"{source}/dir/", self.point / "in/dir")
        self.assertEqual((self.point / "in/dir/50").read_bytes(),
                         (source / "dir" / "50").read_bytes())


class Sqlite(DeltaCase):
    KILLS = 3

    def check(self, mode):
        path = self.point / f"base-{mode}"
        committed = 0
        for _ in range(self.KILLS):
            with subprocess.Popen([sys.executable, "-c", WRITER, path, mode],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as writer:
                try:
                    # Waits for a first commit, so that there is one to lose.
                    said = [writer.stdout.readline()]
                    time.sleep(1.2)
                    self.kill_daemon()
                finally:
                    writer.kill()
                said += writer.stdout.read().split()
            if said:
                committed = int(said[-1])
            self.mount_delta()
            base = sqlite3.connect(path)
            self.assertEqual(base.execute("pragma integrity_check").fetchone()[0], "ok")
            count, last = base.execute("select count(*), max(number) from rows").fetchone()
            base.close()
            self.assertGreaterEqual(last, committed, "a commit is lost although it had returned")
            self.assertEqual(count, last, "the rows must have no gap")
        self.assertGreater(committed, self.KILLS)

    def test_commits_survive_kills(self):
        self.mount_delta()
        for mode in ("wal", "delete"):
            with self.subTest(mode):
                self.check(mode)
        self.unmount()
        self.expect_sound()


if __name__ == "__main__":
    mount_case.main()
