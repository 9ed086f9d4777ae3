#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A mount that is sealed all the time is killed under three programs: SQLite, git, and one that
writes blocks at random. Each keeps what it was told to be durable, and states stay as they were,
also in mounts that outlive the kill.
"""
import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from support import dgfs, run, test_seed  # noqa: E402

KILLS = int(os.environ.get("DGFS_SEAL_KILLS", "4"))
SEAL_PAUSE_S = 0.1
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


class Sealing(threading.Thread):
    """Seals a delta again and again, until it is told to end or the delta is full."""

    def __init__(self, delta):
        super().__init__()
        self.delta = delta
        self.is_over = threading.Event()
        self.seals = 0
        self.refused = b""

    def run(self):
        while not self.is_over.wait(SEAL_PAUSE_S):
            result = dgfs("delta", "seal", self.delta, check=False)
            if result.returncode != 0:
                self.refused = result.stderr
                return
            self.seals += 1

    def end(self):
        self.is_over.set()
        self.join()


class SealKills(DeltaCase):
    def setUp(self):
        super().setUp()
        support.need_program("git")
        self.chance = random.Random(test_seed(1))
        self.states = {}  # mount point -> digest
        self.versions = {}  # block -> its last durable version

    def layers(self):
        return len(dgfs("delta", "log", "--json", self.delta).stdout.splitlines()) - 1

    def begin_delta(self):
        for place in self.states:
            run("umount", place)
        self.states = {}
        self.versions = {}
        shutil.rmtree(self.delta, ignore_errors=True)

    def look_back(self):
        """Mounts the newest state beside the writer, and keeps the mount."""
        layers = self.layers()
        place = self.scratch / f"state-{layers}"
        if layers == 0 or place in self.states:
            return
        place.mkdir(exist_ok=True)
        name = dgfs("delta", "log", self.delta).stdout.split()[0].decode()
        dgfs("mount", self.image, place, "--delta", self.delta, "--as-of", name)
        self.states[place] = digest_of(place)

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

    def test_programs_and_states_keep_what_was_durable(self):
        seals = 0
        for kill in range(KILLS):
            if self.delta.exists() and self.layers() > 10:
                self.begin_delta()
            self.mount_delta()
            programs = [self.start(SQLITE, ("WAL", "DELETE")[kill % 2]), self.start(GIT),
                        self.start(RANDOM, 1000 * (kill + 1), BLOCKS, BLOCK_BYTES)]
            first = [program.stdout.readline() for program in programs]
            sealing = Sealing(self.delta)
            sealing.start()
            time.sleep(self.chance.uniform(0.1, 0.5))
            self.look_back()
            time.sleep(self.chance.uniform(0, 0.3))
            self.assertEqual(sealing.refused, b"")
            self.kill_daemon()
            said = [[line, *program.stdout.read().splitlines()]
                    for line, program in zip(first, programs)]
            for program in programs:
                program.wait()
                program.stdout.close()
            sealing.end()
            seals += sealing.seals
            run("umount", "-l", self.point)
            for place, digest in self.states.items():
                self.assertEqual(digest_of(place), digest, place)
            self.mount_delta()
            self.expect_base(said[0])
            self.expect_repository(said[1])
            self.expect_blocks(said[2])
            self.unmount()
            self.expect_sound()
            for line in dgfs("delta", "log", self.delta).stdout.splitlines()[:1]:
                dgfs("delta", "check", "-q", "--as-of", line.split()[0].decode(), "--image",
                     self.image, self.delta)
        print(f"{KILLS} kills, {seals} seals")
        self.assertGreaterEqual(seals, KILLS)
        self.begin_delta()


if __name__ == "__main__":
    mount_case.main()
