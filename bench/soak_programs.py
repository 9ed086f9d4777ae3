# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Programs that use a directory of a mount for as long as they are let, and check what they read.
None of them lets its directory grow without bound.
"""
import glob
import mmap
import os
import pathlib
import pwd
import random
import shutil
import sqlite3
import subprocess

MIB = 1 << 20


def call(*arguments, **keywords):
    """Runs a program; its output is in the exception if it fails."""
    result = subprocess.run([os.fspath(a) for a in arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **keywords)
    if result.returncode != 0:
        raise AssertionError(f"{arguments[0]} ended with {result.returncode}: "
                             f"{result.stdout[-2000:].decode(errors='replace')}")
    return result.stdout


class RandomFile:
    """As fsx: reads, writes, truncates and maps one file at random, and knows its content."""

    BYTES_MAX = 4 * MIB

    def __init__(self, place, seed):
        self.path = place / "file"
        self.chance = random.Random(seed)
        self.content = bytearray()
        self.file = os.open(self.path, os.O_RDWR | os.O_CREAT)

    def step(self):
        chance = self.chance
        at = chance.randrange(self.BYTES_MAX)
        length = 1 + int(2 ** (chance.random() * 17))
        chosen = chance.randrange(20)
        if chosen < 8:
            self.write(at, chance.randbytes(length))
        elif chosen < 10 and at + length < len(self.content):
            self.write_mapped(at, chance.randbytes(length))
        elif chosen < 12:
            self.truncate(at)
        elif chosen == 12:
            os.fsync(self.file)
            os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_DONTNEED)
        elif chosen == 13:
            os.close(self.file)
            self.file = os.open(self.path, os.O_RDWR)
        else:
            self.expect(at, length)

    def write(self, at, data):
        os.pwrite(self.file, data, at)
        self.content.extend(bytes(max(0, at + len(data) - len(self.content))))
        self.content[at:at + len(data)] = data

    def write_mapped(self, at, data):
        with mmap.mmap(self.file, len(self.content)) as mapping:
            mapping[at:at + len(data)] = data
        self.content[at:at + len(data)] = data

    def truncate(self, length):
        os.ftruncate(self.file, length)
        del self.content[length:]
        self.content.extend(bytes(length - len(self.content)))

    def expect(self, at, length):
        if os.pread(self.file, length, at) != bytes(self.content[at:at + length]):
            raise AssertionError(f"{self.path} has other bytes from {at} on")

    def end(self):
        self.expect(0, len(self.content) + 1)
        os.close(self.file)


class RandomTree:
    """Makes, replaces, renames, links and removes small files, and knows what is there."""

    FILES_MAX = 2000

    def __init__(self, place, seed):
        self.place = place
        self.chance = random.Random(seed)
        self.files = {}
        self.made = 0

    def step(self):
        chance = self.chance
        chosen = chance.randrange(10)
        if len(self.files) < 20 or (chosen < 3 and len(self.files) < self.FILES_MAX):
            self.made += 1
            folder = self.place / f"d{self.made % 37}"
            folder.mkdir(exist_ok=True)
            path = folder / f"f{self.made}"
            self.files[path] = chance.randbytes(int(2 ** (chance.random() * 16)))
            path.write_bytes(self.files[path])
            return
        path = chance.choice(list(self.files)) if chosen == 9 else next(iter(self.files))
        content = self.files.pop(path)
        if path.read_bytes() != content:
            raise AssertionError(f"{path} has another content")
        if chosen < 6:
            self.made += 1
            renamed = path.with_name(f"r{self.made}")
            path.rename(renamed)
            self.files[renamed] = content
        elif chosen < 8:
            path.unlink()
        else:
            path.chmod(0o600 | chance.randrange(0o100))
            os.setxattr(path, "user.soak", b"%d" % self.made)
            self.files[path] = content

    def end(self):
        for path, content in self.files.items():
            if path.read_bytes() != content:
                raise AssertionError(f"{path} has another content")


class Sqlite:
    """Replaces rows, each with a check sum of its own."""

    ROWS = 2000

    def __init__(self, place, seed):
        self.chance = random.Random(seed)
        self.base = sqlite3.connect(place / "base", isolation_level=None)
        self.base.execute("PRAGMA journal_mode=WAL")
        self.base.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, x BLOB, total INTEGER)")

    def step(self):
        data = self.chance.randbytes(self.chance.randrange(1, 3000))
        self.base.execute("INSERT OR REPLACE INTO t VALUES (?, ?, ?)",
                          (self.chance.randrange(self.ROWS), data, sum(data)))
        if self.chance.randrange(500) == 0:
            self.end()

    def end(self):
        for number, data, total in self.base.execute("SELECT n, x, total FROM t"):
            if sum(data) != total:
                raise AssertionError(f"row {number} has other bytes")
        said = self.base.execute("PRAGMA integrity_check").fetchone()[0]
        if said != "ok":
            raise AssertionError(said)


class Git:
    """Commits to a repository, which begins anew after some hundred commits."""

    COMMITS_MAX = 300

    def __init__(self, place, seed):
        self.root = place / "repository"
        self.chance = random.Random(seed)
        self.commits = self.COMMITS_MAX

    def git(self, *words):
        call("git", "-C", self.root, "-c", "user.name=A", "-c", "user.email=a@b.org", *words)

    def step(self):
        if self.commits == self.COMMITS_MAX:
            shutil.rmtree(self.root, ignore_errors=True)
            self.root.mkdir()
            self.git("init", "-q")
            self.commits = 0
        for _ in range(3):
            name = f"file-{self.chance.randrange(50)}"
            (self.root / name).write_text(f"{self.chance.random()}\n" * self.chance.randrange(200))
        self.git("add", ".")
        self.git("commit", "-q", "--allow-empty", "-m", "one")
        self.commits += 1
        if self.commits % 100 == 0:
            self.git("gc", "-q")
            self.end()

    def end(self):
        self.git("fsck", "--strict", "--no-dangling", "--no-progress")


class Rsync:
    """Copies a tree outside the mount again and again, and compares both."""

    def __init__(self, place, seed):
        self.place = place
        self.chance = random.Random(seed)
        self.source = pathlib.Path(os.environ["SOAK_SCRATCH"]) / "rsync-source"
        self.source.mkdir()
        for number in range(200):
            self.change(number)

    def change(self, number):
        content = self.chance.randbytes(self.chance.randrange(30_000))
        (self.source / f"f{number}").write_bytes(content)

    def step(self):
        for _ in range(10):
            self.change(self.chance.randrange(300))
        (self.source / f"f{self.chance.randrange(300)}").unlink(missing_ok=True)
        call("rsync", "-a", "--delete", f"{self.source}/", f"{self.place}/copy/")
        self.end()

    def end(self):
        if said := call("rsync", "-anci", "--delete", f"{self.source}/", f"{self.place}/copy/"):
            raise AssertionError(f"rsync finds differences: {said[:500]}")


class Fio:
    """fio writes at random, and checks every block."""

    def __init__(self, place, seed):
        self.place = place
        self.seed = seed

    def step(self):
        self.seed += 1
        call("fio", "--name=verify", f"--directory={self.place}", "--size=24M", "--rw=randwrite",
             "--bsrange=4k-64k", "--verify=crc32c", "--verify_fatal=1", "--do_verify=1",
             "--ioengine=psync", "--fsync=64", f"--randseed={self.seed}", "--output-format=terse",
             cwd=os.environ["SOAK_SCRATCH"])

    def end(self):
        pass


class Fsstress:
    """Random calls of many kinds; it checks nothing itself."""

    def __init__(self, place, seed):
        self.place = place / "stress"
        self.seed = seed

    def step(self):
        self.seed += 1
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        call("fsstress", "-d", self.place, "-n", "1000", "-p", "2", "-s", str(self.seed))

    def end(self):
        pass


class Postgres:
    """pgbench on a cluster in the mount, whose data have check sums."""

    def __init__(self, place, seed):
        del seed
        self.user = pwd.getpwnam("postgres")
        self.bin = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.place = place
        os.chown(place, self.user.pw_uid, self.user.pw_gid)
        self.data = place / "cluster"
        self.sockets = pathlib.Path(os.environ["SOAK_SCRATCH"]) / "postgres"
        self.sockets.mkdir()
        os.chown(self.sockets, self.user.pw_uid, self.user.pw_gid)
        self.call("initdb", "-D", self.data, "--data-checksums", "-A", "trust", "-E", "UTF8",
                  "--locale=C")
        self.server("start")
        self.bench("-i", "-q", "-s", "1")

    def call(self, program, *arguments):
        return call("setpriv", f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}",
                    "--clear-groups", self.bin / program, *arguments, cwd="/")

    def server(self, what, *more):
        self.call("pg_ctl", "-D", self.data, "-w", "-l", self.sockets / "log", "-o",
                  f"-k {self.sockets} -c listen_addresses= -c max_wal_size=64MB "
                  "-c min_wal_size=32MB", what, *more)

    def bench(self, *options):
        return self.call("pgbench", "-h", self.sockets, *options, "postgres")

    def step(self):
        self.bench("-n", "-T", "5", "-c", "2")
        self.call("psql", "-q", "-h", self.sockets, "-c", "VACUUM", "postgres")

    def end(self):
        self.server("stop", "-m", "fast")
        self.call("pg_checksums", "--check", "-D", self.data)


# Each with the programs that it needs.
PROGRAMS = {
    "random file": (RandomFile, ()), "random tree": (RandomTree, ()), "SQLite": (Sqlite, ()),
    "git": (Git, ("git",)), "rsync": (Rsync, ("rsync",)), "fio verify": (Fio, ("fio",)),
    "fsstress": (Fsstress, ("fsstress",)), "PostgreSQL": (Postgres, ("pgbench", "setpriv")),
}


def is_there(name):
    if name == "PostgreSQL" and not glob.glob("/usr/lib/postgresql/*/bin"):
        return False
    return all(shutil.which(program) for program in PROGRAMS[name][1])


def work(name, place, seed, stop, steps, failure):
    """The main function of a process: steps until `stop` is set, and tells a failure.

    @param steps    a shared number, of the steps that were made
    @param failure  a queue for its text
    """
    try:
        program = PROGRAMS[name][0](place, seed)
        while not stop.is_set():
            program.step()
            steps.value += 1
        program.end()
    except Exception as error:  # noqa: BLE001
        failure.put(f"{name}: {type(error).__name__}: {error}")
