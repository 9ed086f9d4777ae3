#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A mount under mixed load for a long time: soak_test.py [SECONDS [LOG]].

find, tar, random reads, stat and many opens run at once on one mount, while another mount of the
same image comes and goes. The test compares all bytes that it reads. It samples memory, descriptors
and threads of the server, and writes them to LOG as tab-separated values. They must not grow.
"""
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import unittest
import zlib

import support
from support import DGFS, ScratchCase, build, run

SECONDS = 60
LOG = None
SAMPLE_EVERY_S = 10
DIRECTORIES = 200
FILES_EACH = 100
GROWTH_MAX = 0.05  # after the first third
GROWTH_BYTES_MIN = 2 << 20  # smaller growth is noise
GROWTH_BYTES_MIN_SHORT = 32 << 20  # for short runs, in which caches still fill
SHORT_S = 600
DESCRIPTORS_MAX = 40  # image, index, /dev/fuse for each thread, timers; never one per inode
LARGE_BYTES = 8 << 20


def make_tree(root):
    """Returns path -> checksum of every file."""
    dice = random.Random(7)
    sums = {}
    for number in range(DIRECTORIES):
        directory = root / f"d{number % 10}" / f"directory-{number}"
        directory.mkdir(parents=True)
        for file in range(FILES_EACH):
            content = dice.randbytes(dice.choice([0, 100, 1000, 5000, 70_000 if file == 0 else 10]))
            path = directory / f"file-{file:03}.data"
            path.write_bytes(content)
            sums[str(path.relative_to(root))] = zlib.crc32(content)
    content = dice.randbytes(LARGE_BYTES)
    (root / "large").write_bytes(content)
    sums["large"] = zlib.crc32(content)
    return sums


class Sample:
    """The memory, descriptors and threads of the server now."""

    def __init__(self, pid, begin):
        self.seconds = int(time.monotonic() - begin)
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        fields = dict(line.split(":", 1) for line in status.splitlines())
        self.memory_bytes = int(fields["VmRSS"].split()[0]) * 1024
        self.threads = int(fields["Threads"])
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))

    def line(self):
        return f"{self.seconds}\t{self.memory_bytes}\t{self.threads}\t{self.descriptors}\n"


class Load:
    """Threads that use a mount until they are told to stop; keeps their errors."""

    def __init__(self, point, image, spare_point, sums):
        self.point, self.image, self.spare_point, self.sums = point, image, spare_point, sums
        self.paths = sorted(sums)
        self.stop = threading.Event()
        self.problems = []
        self.rounds = {}
        jobs = [self.find, self.tar, self.stat, self.handles, self.remount, self.read, self.read]
        self.threads = [threading.Thread(target=self.repeat, args=(job, number))
                        for number, job in enumerate(jobs)]

    def repeat(self, job, number):
        dice = random.Random(number)
        while not self.stop.is_set():
            try:
                job(dice)
            except Exception as problem:  # a thread that ended early would count as success
                self.problems.append(f"{job.__name__}: {problem}")
                return
            self.rounds[job.__name__] = self.rounds.get(job.__name__, 0) + 1

    def find(self, _):
        found = run("find", self.point, "-type", "f", "-size", "-1000000c", "-printf", "%P\n")
        assert set(found.stdout.decode().split()) == set(self.paths) - {"large"}

    def tar(self, _):
        # Through a pipe: tar reads no contents if its output is /dev/null.
        run("sh", "-c", 'tar -C "$1" -cf - . | cat > /dev/null', "sh", self.point)

    def stat(self, dice):
        for path in dice.sample(self.paths, 500):
            os.lstat(self.point / path)
        try:
            os.lstat(self.point / "nothing" / str(dice.random()))
        except FileNotFoundError:
            return
        raise AssertionError("a file that is not there")

    def handles(self, dice):
        """Opens many files at once, and reads them at random places."""
        files = [open(self.point / path, "rb") for path in dice.sample(self.paths, 200)]
        for file in files:
            file.seek(dice.randrange(5000))
            file.read(100)
            file.close()

    def read(self, dice):
        path = "large" if dice.random() < 0.05 else dice.choice(self.paths)
        with open(self.point / path, "rb") as file:
            assert zlib.crc32(file.read()) == self.sums[path], path
            # So that the next read asks the server, not the page cache.
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def remount(self, dice):
        run(DGFS, "mount", self.image, self.spare_point)
        try:
            for path in dice.sample(self.paths, 50):
                assert zlib.crc32((self.spare_point / path).read_bytes()) == self.sums[path], path
        finally:
            support.unmount(self.spare_point)


class Soak(ScratchCase):
    def start_server(self, image, point):
        server = subprocess.Popen([DGFS, "mount", "-f", image, point], stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not os.path.ismount(point):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(server.poll())
            time.sleep(0.05)
        return server

    def watch(self, server, begin, load):
        """Samples until the time is over, or there is an error."""
        samples = []
        while time.monotonic() - begin < SECONDS and not load.problems:
            self.assertIsNone(server.poll(), "the server has ended")
            samples.append(Sample(server.pid, begin))
            if LOG:
                with open(LOG, "a", encoding="ascii") as log:
                    log.write(samples[-1].line())
            load.stop.wait(min(SAMPLE_EVERY_S, SECONDS / 6))
        return samples

    def check(self, samples):
        settled = samples[len(samples) // 3:]
        first, last = settled[0], settled[-1]
        growth = max(sample.memory_bytes for sample in settled) - first.memory_bytes
        print(f"{last.seconds} s, {len(samples)} samples: memory {first.memory_bytes >> 10} KiB "
              f"after the first third, {last.memory_bytes >> 10} KiB at the end, "
              f"growth at most {growth >> 10} KiB; descriptors "
              f"{min(s.descriptors for s in settled)} to {max(s.descriptors for s in settled)}, "
              f"threads {min(s.threads for s in settled)} to {max(s.threads for s in settled)}",
              file=sys.stderr)
        noise = GROWTH_BYTES_MIN_SHORT if SECONDS < SHORT_S else GROWTH_BYTES_MIN
        self.assertLessEqual(growth, max(GROWTH_MAX * first.memory_bytes, noise))
        self.assertLessEqual(max(sample.descriptors for sample in samples), DESCRIPTORS_MAX)

    def test_load(self):
        support.need_fuse()
        tree, point, spare_point = (self.scratch / name for name in ("tree", "mount", "spare"))
        for folder in (tree, point, spare_point):
            folder.mkdir()
        sums = make_tree(tree)
        image = self.scratch / "tree.dgfs"
        build(tree, image)
        server = self.start_server(image, point)
        load = Load(point, image, spare_point, sums)
        begin = time.monotonic()
        try:
            for thread in load.threads:
                thread.start()
            samples = self.watch(server, begin, load)
        finally:
            load.stop.set()
            for thread in load.threads:
                thread.join()
            support.unmount(point)
        self.assertEqual(server.wait(60), 0)
        self.assertEqual(load.problems, [])
        print(" ".join(f"{job} {count}" for job, count in sorted(load.rounds.items())),
              file=sys.stderr)
        self.check(samples)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        SECONDS = int(sys.argv.pop(1))
        if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
            LOG = sys.argv.pop(1)
    support.main()
