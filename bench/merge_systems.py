# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""What bench/merge measures: the cost of commands on a file system of their own, and the rivals of
`dgfs merge`, which bring what they made of a tree up to date after the tree has changed."""
import contextlib
import dataclasses
import shutil
import sys
import threading

import measuring
from daemons import processors_used
from systems import RAW_CONTENTS, used_bytes

WATCH_SECONDS = 0.005  # between two looks at the room that is used


@dataclasses.dataclass
class Cost:
    """Of one run, its sync included. Memory: the largest process, and the server of the mount that
    it reads. Disk: the most room that was used, above what was used before."""
    seconds: float
    processor_seconds: float
    written_bytes: int
    memory_bytes: int
    disk_bytes: int


class Meter:
    """Measures commands whose files lie on a disk (disks.Disk), on which nothing else writes."""

    def __init__(self, disk, scratch):
        self.disk = disk
        self.errors = scratch / "errors"

    def written_bytes(self):
        fields = measuring.device_statistics(self.disk.device).read_text().split()
        return int(fields[6]) * 512

    def device_reads(self):
        return measuring.device_reads(self.disk.device)[0]

    @contextlib.contextmanager
    def peak_of_disk(self):
        """Yields a list, whose only item is the peak at the end."""
        before = used_bytes(self.disk.point)
        peak, done = [0], threading.Event()

        def look():
            peak[0] = max(peak[0], used_bytes(self.disk.point) - before)

        def watch():
            while not done.wait(WATCH_SECONDS):
                look()

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            yield peak
            look()
        finally:
            done.set()
            watcher.join()

    def timed(self, command, cwd=None):
        """measuring.timed(); a failure tells what the command said."""
        try:
            return measuring.timed("sh", "-c", 'exec "$@" 2> "$0"', self.errors, *command, cwd=cwd)
        except measuring.Failed as failure:
            said = self.errors.read_text(errors="replace")[-2000:]
            code = str(failure).rpartition(" ")[2]
            raise measuring.Failed(
                f"{' '.join(map(str, command))} ended with {code}: {said}") from None

    def measure(self, *commands, cwd=None, served=None):
        """Runs the commands one after another, cold.
        @param served: the mount point that they read, if its server is to be counted as well"""
        measuring.drop_caches()
        written_before = self.written_bytes()
        server = {}
        with self.peak_of_disk() as peak, \
                processors_used(served or self.disk.point / "no server", server):
            runs = [self.timed(command, cwd) for command in commands]
            runs.append(measuring.timed("sync", "-f", self.disk.point))
        return Cost(seconds=sum(run.seconds for run in runs),
                    processor_seconds=(sum(run.cpu_seconds for run in runs)
                                       + server.get("daemon_s", 0)),
                    written_bytes=self.written_bytes() - written_before,
                    memory_bytes=(max(run.peak_bytes for run in runs)
                                  + server.get("daemon_mib", 0) * 2**20),
                    disk_bytes=peak[0])


class Rival:
    """Packs a copy of the tree; once the copy has changed, packs it again, which is measured."""
    programs = ()  # the first that this machine has is used

    def __init__(self, tree, place, options):
        self.tree = tree
        self.place = place
        self.live = place / "live"
        self.options = options
        self.program = next(filter(None, map(shutil.which, self.programs)), None)

    def pack(self):
        """Makes the output of the tree before it changes."""

    def update(self):
        """The commands that are measured."""
        raise NotImplementedError

    def measure(self, meter, change):
        """@param change: changes the tree at a path"""
        self.place.mkdir()
        try:
            measuring.run("cp", "-a", self.tree, self.live)
            self.pack()
            change(self.live)
            return meter.measure(*self.update(), cwd=self.live)
        finally:
            measuring.run("rm", "-rf", self.place)


class BuildFromTree(Rival):
    """Packs all contents anew: what there was before dgfs merge, without the mount."""

    def __init__(self, tree, place, options):
        super().__init__(tree, place, options)
        self.program = options.dgfs

    def update(self):
        return [(self.program, "build", "-q", self.live, self.place / "new.dgfs")]


class Squashfs(Rival):
    """Appends the changed tree to the image of the old one, which becomes a directory of it.
    Contents that are there already are not stored again."""
    programs = ("mksquashfs",)

    def command(self, *more):
        return (self.program, self.live, self.place / "image.squashfs", "-comp", "zstd", "-quiet",
                "-no-progress", *RAW_CONTENTS, *more)

    def pack(self):
        measuring.run(*self.command())

    def update(self):
        return [self.command("-root-becomes", "before", "-no-recovery")]


class Casync(Rival):
    """A new index; only chunks that the old store lacks are written."""
    programs = ("casync",)

    def command(self, name):
        return (self.program, "make", f"--store={self.place}/store.castr",
                self.place / f"{name}.caidx", self.live)

    def pack(self):
        measuring.run(*self.command("old"))

    def update(self):
        return [self.command("new")]


class Desync(Casync):
    programs = ("desync",)

    def command(self, name):
        store = self.place / "store"
        store.mkdir(exist_ok=True)
        return (self.program, "tar", "-i", "-s", store, self.place / f"{name}.caidx", self.live)


class Restic(Rival):
    """A second backup; then the first is removed, and what only it had."""
    programs = ("restic",)

    def command(self, *action):
        return (self.program, "--repo", self.place / "repository", "--password-file",
                self.place / "password", "--cache-dir", self.place / "cache", "--compression",
                "off", "-q", *action)

    def pack(self):
        (self.place / "password").write_text("password\n")
        measuring.run(*self.command("init"))
        measuring.run(*self.command("backup", "."), cwd=self.live)

    def update(self):
        return [self.command("backup", "."), self.command("forget", "--keep-last", "1", "--prune")]


class Rsync(Rival):
    """A second tree beside the first: no image."""
    programs = ("rsync",)

    def command(self):
        return (self.program, "-a", "--delete", f"{self.live}/", f"{self.place}/copy/")

    def pack(self):
        measuring.run(*self.command())

    def update(self):
        return [self.command()]


# Keys in order, or a share of them drawn at random, in the form of `ldb load`.
KEYS = """
import random, sys
keys, percent = int(sys.argv[1]), float(sys.argv[2])
chance = random.Random(keys)
for key in range(keys):
    if percent >= 100 or chance.random() * 100 < percent:
        print(f"{key:016} ==> {chance.getrandbits(192):048x}")
"""


class RocksDb(Rival):
    """Compacts a table of as many keys as the tree has entries, and a younger one of as many keys
    as files were changed: the same work on records of 64 bytes, without contents."""
    programs = ("ldb",)

    def __init__(self, keys, percent, place, options):
        super().__init__(None, place, options)
        self.keys = keys
        self.percent = percent

    def load(self, percent, *how):
        measuring.run("sh", "-c", '"$1" -c "$2" "$3" "$4" | { shift 4; exec "$@"; }', "sh",
                      sys.executable, KEYS, str(self.keys), str(percent),
                      self.program, f"--db={self.place}/db", *how)

    def measure(self, meter, change):
        self.place.mkdir()
        try:
            self.load(100, "--create_if_missing", "load", "--bulk_load", "--compact")
            self.load(self.percent, "--auto_compaction=false", "load", "--disable_wal")
            return meter.measure((self.program, f"--db={self.place}/db", "compact"))
        finally:
            measuring.run("rm", "-rf", self.place)


RIVALS = {"dgfs build from ext4": BuildFromTree, "mksquashfs, appending": Squashfs,
          "casync, old store": Casync, "desync, old store": Desync,
          "restic backup and prune": Restic, "rsync into a copy": Rsync}
COMPACTION = "RocksDB compaction"


def found(name, rival):
    """The rival; nothing, and a message, if its program is missing."""
    if rival.program:
        return {name: rival}
    print(f"{name}: left out, there is no {' or '.join(rival.programs)}", file=sys.stderr)
    return {}


def rivals_of(tree, place, options):
    """The rivals that pack this tree, by name."""
    every = {}
    for name, kind in RIVALS.items():
        every |= found(name, kind(tree, place, options))
    return every


def compaction_of(keys, percent, place, options):
    return found(COMPACTION, RocksDb(keys, percent, place, options))
