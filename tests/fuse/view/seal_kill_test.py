#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A mount that is sealed all the time, and whose layers are joined, is killed under three programs:
SQLite, git, and one that writes blocks at random. Each keeps what it was told to be durable, and
states stay as they were, also in mounts that outlive the kill.
"""
import json
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
from durable_programs import DurablePrograms, digest_of  # noqa: E402
from support import DGFS, dgfs, run, test_seed  # noqa: E402

KILLS = int(os.environ.get("DGFS_SEAL_KILLS", "4"))
SEAL_PAUSE_S = 0.1
# Of a delta that is sealed again; states that are looked at are never joined.
LAYERS_MAX = 12
STATES_MAX = 5


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


class SealKills(DurablePrograms, DeltaCase):
    def setUp(self):
        super().setUp()
        support.need_program("git")
        self.chance = random.Random(test_seed(1))
        self.states = {}  # mount point -> digest
        self.forget_programs()

    def layers(self):
        return len(dgfs("delta", "log", "--json", self.delta).stdout.splitlines()) - 1

    def begin_delta(self):
        for place in self.states:
            run("umount", place)
        self.states = {}
        self.forget_programs()
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

    def begin_join(self):
        """Has the mount join layers. The kill may come before, during or after that."""
        return subprocess.Popen([DGFS, "delta", "compact", "--json", self.delta],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    @staticmethod
    def joins_made(command):
        said = command.communicate()[0]
        return len(json.loads(said)["joins"]) if command.returncode == 0 else 0

    def test_programs_and_states_keep_what_was_durable(self):
        seals = joins = 0
        for kill in range(KILLS):
            if self.delta.exists() and (self.layers() > LAYERS_MAX or
                                        len(self.states) > STATES_MAX):
                self.begin_delta()
            self.mount_delta()
            self.start_programs(kill)
            sealing = Sealing(self.delta)
            sealing.start()
            time.sleep(self.chance.uniform(0.1, 0.5))
            self.look_back()
            joining = self.begin_join()
            time.sleep(self.chance.uniform(0, 0.3))
            self.assertEqual(sealing.refused, b"")
            self.kill_daemon()
            joins += self.joins_made(joining)
            self.take_lines()
            sealing.end()
            seals += sealing.seals
            run("umount", "-l", self.point)
            for place, digest in self.states.items():
                self.assertEqual(digest_of(place), digest, place)
            self.mount_delta()
            self.expect_durable()
            self.unmount()
            self.expect_sound()
            for line in dgfs("delta", "log", self.delta).stdout.splitlines()[:1]:
                dgfs("delta", "check", "-q", "--as-of", line.split()[0].decode(), "--image",
                     self.image, self.delta)
        print(f"{KILLS} kills, {seals} seals, {joins} joins")
        self.assertGreaterEqual(seals, KILLS)
        self.begin_delta()


if __name__ == "__main__":
    mount_case.main()
