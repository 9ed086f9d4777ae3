# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""SQLite, git, and a program that writes blocks at random, in a mount that is killed: each prints
what it was told to be durable, and this is compared with what is there afterwards.
"""
import hashlib
import os
import pathlib
import subprocess
import sys

from support import run

BLOCKS = 64
BLOCK_BYTES = 6000

# Each prints a number once it is durable. SQLite ignores a directory that it cannot open for a
# sync; if the server still lives after the commit, SQLite could open it.
SQLITE = """
import os, sqlite3, sys
base = sqlite3.connect(sys.argv[1] + "/base", isolation_level=None)
base.execute("PRAGMA journal_mode=" + sys.argv[2])
base.execute("PRAGMA synchronous=EXTRA")
base.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, x BLOB)")
while True:
    base.execute("INSERT INTO t (x) VALUES (randomblob(3000))")
    last = base.execute("SELECT max(n) FROM t").fetchone()[0]
    os.close(os.open(sys.argv[1], os.O_RDONLY))
    print(last, flush=True)
"""
GIT = """
import os, pathlib, subprocess, sys
root = pathlib.Path(sys.argv[1]) / "repository"
def git(*words):
    return subprocess.run(["git", "-C", root, "-c", "user.name=A", "-c", "user.email=a@b.org",
                           "-c", "core.fsync=all", "-c", "gc.auto=0", *words], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
root.mkdir(exist_ok=True)
if not (root / ".git" / "HEAD").exists():
    git("init", "-q")
(root / ".git" / "index.lock").unlink(missing_ok=True)
for lock in (root / ".git").rglob("*.lock"):
    lock.unlink()
number = 0
while True:
    number += 1
    (root / f"file-{number % 17}").write_text(f"{number}\\n" * (number % 300))
    git("add", ".")
    git("commit", "-q", "--allow-empty", "-m", str(number))
    count = int(git("rev-list", "--count", "HEAD"))
    directory = os.open(root / ".git" / "refs" / "heads", os.O_RDONLY)
    os.fsync(directory)
    print(count, flush=True)
"""
# A block of version N holds its own number and N, repeated. Prints "<block> <version>".
RANDOM = """
import os, random, sys
blocks, block_bytes = int(sys.argv[3]), int(sys.argv[4])
file = os.open(sys.argv[1] + "/blocks", os.O_RDWR | os.O_CREAT)
version, chance = int(sys.argv[2]), random.Random(sys.argv[2])
while True:
    version += 1
    written = chance.sample(range(blocks), chance.randrange(1, 6))
    for block in written:
        text = b"%08d%012d" % (block, version)
        os.pwrite(file, text * (block_bytes // len(text)), block * block_bytes)
    os.fsync(file)
    print(*(f"{block}:{version}" for block in written), flush=True)
"""


def digest_of(tree):
    """Returns a digest of all names, kinds and contents below a directory."""
    total = hashlib.sha256()
    for place, directories, files in os.walk(tree):
        directories.sort()
        for name in sorted(files):
            path = pathlib.Path(place) / name
            total.update(str(path.relative_to(tree)).encode())
            if path.is_symlink():
                total.update(os.readlink(path).encode())
            else:
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


class DurablePrograms:
    """A part of a test case that has `point`, the mount point."""

    def forget_programs(self):
        """For a new delta."""
        self.versions = {}  # block -> its last durable version

    def start_programs(self, number):
        """Starts them, and waits until each has made something durable.

        @param number  of the start, different each time
        """
        self.programs = [self.start(SQLITE, ("WAL", "DELETE")[number % 2]), self.start(GIT),
                         self.start(RANDOM, 1000 * (number + 1), BLOCKS, BLOCK_BYTES)]
        self.first_lines = [program.stdout.readline() for program in self.programs]

    def take_lines(self):
        """Waits for the end of the programs, which they meet when the mount is gone."""
        self.said = [[line, *program.stdout.read().splitlines()]
                     for line, program in zip(self.first_lines, self.programs)]
        for program in self.programs:
            program.wait()
            program.stdout.close()

    def expect_durable(self):
        self.expect_base(self.said[0])
        self.expect_repository(self.said[1])
        self.expect_blocks(self.said[2])

    def start(self, work, *words):
        return subprocess.Popen([sys.executable, "-c", work, self.point, *map(str, words)],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def expect_base(self, lines):
        said = run(sys.executable, "-c",
                   "import sqlite3, sys; b = sqlite3.connect(sys.argv[1]);"
                   "print(b.execute('PRAGMA integrity_check').fetchone()[0],"
                   " b.execute('SELECT coalesce(max(n), 0) FROM t').fetchone()[0])",
                   self.point / "base").stdout.split()
        self.assertEqual(said[0], b"ok")
        self.assertGreaterEqual(int(said[1]), int(lines[-1]))

    def expect_repository(self, lines):
        root = self.point / "repository"
        run("git", "-C", root, "fsck", "--strict", "--no-dangling")
        count = int(run("git", "-C", root, "rev-list", "--count", "HEAD").stdout)
        self.assertGreaterEqual(count, int(lines[-1]))

    def expect_blocks(self, lines):
        for line in lines:
            for written in line.split():
                block, version = map(int, written.split(b":"))
                self.versions[block] = version
        contents = (self.point / "blocks").read_bytes()
        for block, durable in self.versions.items():
            found = contents[block * BLOCK_BYTES:(block + 1) * BLOCK_BYTES]
            self.assertEqual(int(found[:8]), block)
            self.assertGreaterEqual(int(found[8:20]), durable, f"block {block}")
            self.versions[block] = int(found[8:20])
