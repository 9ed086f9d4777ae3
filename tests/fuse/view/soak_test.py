#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A mount that is changed for a long time must not need more and more memory, descriptors and
disk.
"""
import os
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from support import run  # noqa: E402

SECONDS = float(os.environ.get("DGFS_SOAK_SECONDS", "3600"))
SAMPLES = 60
NAMES_MAX = 3000
FILE_BYTES_MAX = 300_000


class Changer(threading.Thread):
    """Makes, changes, renames, reads and removes files of its own directory, until told to stop."""

    def __init__(self, root, seed):
        super().__init__()
        self.root = root
        self.chance = random.Random(seed)
        self.files = {}
        self.is_done = False
        self.failure = None
        self.count = 0
        root.mkdir()

    def run(self):
        try:
            while not self.is_done:
                self.step()
                self.count += 1
        except Exception as failure:  # noqa: BLE001
            self.failure = failure

    def step(self):
        chance = self.chance
        chosen = chance.randrange(100)
        if len(self.files) < 10 or (chosen < 25 and len(self.files) < NAMES_MAX):
            name, content = f"f{self.count}", chance.randbytes(int(2 ** (chance.random() * 17)))
            (self.root / name).write_bytes(content)
            self.files[name] = bytearray(content)
            return
        name = chance.choice(list(self.files)) if self.count % 50 == 0 else self.some_name()
        if chosen < 45:
            self.change(name)
        elif chosen < 60:
            new = f"r{self.count}"
            os.rename(self.root / name, self.root / new)
            self.files[new] = self.files.pop(name)
        elif chosen < 80:
            if (self.root / name).read_bytes() != self.files[name]:
                raise AssertionError(f"{name} has other contents")
        elif chosen < 97:
            os.unlink(self.root / name)
            del self.files[name]
        else:
            os.chmod(self.root / name, 0o600 | chance.randrange(0o100))

    def some_name(self):
        self.last = next(iter(self.files)) if self.chance.random() < 0.5 else self.newest()
        return self.last

    def newest(self):
        return next(reversed(self.files))

    def change(self, name):
        content, chance = self.files[name], self.chance
        offset = chance.randrange(len(content) + 1)
        if len(content) > FILE_BYTES_MAX or chance.random() < 0.2:
            os.truncate(self.root / name, offset)
            del content[offset:]
            return
        more = chance.randbytes(int(2 ** (chance.random() * 13)))
        fd = os.open(self.root / name, os.O_WRONLY)
        os.pwrite(fd, more, offset)
        if chance.random() < 0.05:
            os.fsync(fd)
        os.close(fd)
        content[offset:offset + len(more)] = more


class Soak(DeltaCase):
    def sample(self):
        daemon = pathlib.Path(f"/proc/{self.daemon()}")
        status = dict(line.split(":", 1) for line in (daemon / "status").read_text().splitlines())
        return {"memory": int(status["VmRSS"].split()[0]) << 10,
                "descriptors": len(os.listdir(daemon / "fd")),
                "threads": int(status["Threads"]),
                "disk": int(run("du", "-s", "-B1", self.delta).stdout.split()[0])}

    def test_stays_flat(self):
        self.mount_delta("memory=64M")
        seed = support.test_seed(6)
        changers = [Changer(self.point / f"part{i}", seed + i) for i in range(3)]
        for changer in changers:
            changer.start()
        samples = []
        try:
            for _ in range(SAMPLES):
                time.sleep(SECONDS / SAMPLES)
                samples.append(self.sample())
                for changer in changers:
                    self.assertIsNone(changer.failure)
        finally:
            for changer in changers:
                changer.is_done = True
            for changer in changers:
                changer.join()
        print(f"{sum(changer.count for changer in changers):,} changes; at the end {samples[-1]}")
        early, late = samples[SAMPLES // 4:SAMPLES // 2], samples[SAMPLES * 3 // 4:]
        for kind, slack in (("memory", 16 << 20), ("descriptors", 4), ("threads", 2),
                            ("disk", 64 << 20)):
            before, after = (max(sample[kind] for sample in part) for part in (early, late))
            self.assertLessEqual(after, before * 1.1 + slack, f"{kind} grows")
        for changer in changers:
            for name, content in changer.files.items():
                self.assertEqual((changer.root / name).read_bytes(), content)
        self.unmount()
        self.expect_sound()


if __name__ == "__main__":
    mount_case.main()
