#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A process that writes to a store on a real disk is killed, again and again.

Afterwards the store has the first n batches, where n is at least the last number reported durable.
One store serves for several rounds: it grows, and each process recovers it from the one before.
Argument: number of rounds.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "system"))
import support

KILL_STORE = os.environ["KILL_STORE"]
ROUNDS_OF_A_STORE = 10
SYNCS_MAX = 60
ROUNDS = 20


class Kill(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.store = self.scratch / "store"
        self.rng = random.Random(support.test_seed(1))

    def write_and_kill(self, seed, syncs):
        """Kills the writer after so many reports; returns the last number reported durable, or
        0.
        """
        with subprocess.Popen([KILL_STORE, "write", self.store, str(seed)],
                              stdout=subprocess.PIPE) as process:
            lines = [process.stdout.readline() for _ in range(1 + syncs)]
            process.kill()
            lines += process.stdout.readlines()
        self.assertEqual(process.returncode, -9, "the writer has ended by itself")
        whole = [int(line) for line in lines if line.endswith(b"\n")]
        return max(whole, default=0)

    def check(self, seed, least):
        checked = support.run(KILL_STORE, "check", self.store, seed, str(least))
        return int(checked.stdout)

    def test_keeps_what_was_durable(self):
        ahead = 0
        for number in range(ROUNDS):
            if number % ROUNDS_OF_A_STORE == 0:
                seed = str(support.test_seed(number // ROUNDS_OF_A_STORE))
                shutil.rmtree(self.store, ignore_errors=True)
                durable = 0
            # Some writers die while they make the store, or recover it.
            syncs = self.rng.choice((0, 1, self.rng.randrange(SYNCS_MAX)))
            durable = max(durable, self.write_and_kill(seed, syncs))
            with self.subTest(round=number, durable=durable):
                found = self.check(seed, durable)
                ahead += found > durable
                durable = found
        print(f"{ROUNDS} rounds, in {ahead} of them more was there than was said to be")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROUNDS = int(sys.argv.pop(1))
    support.main()
