#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A mount that is merged and sealed all the time is killed under SQLite, git and a program that
writes blocks at random. Each keeps what it was told to be durable, over the old base or the new
one; the next mount leaves no file that nothing needs; the image never changes.

DGFS_MERGE_KILLS is the number of kills.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from durable_programs import DurablePrograms, digest_of  # noqa: E402
from live_merge_case import LiveMergeCase  # noqa: E402
from support import DGFS, dgfs, run, test_seed  # noqa: E402

KILLS = int(os.environ.get("DGFS_MERGE_KILLS", "10"))
KILLS_BEFORE_A_NEW_DELTA = 50
PAUSE_S = 0.02
# What a command may say of a mount that goes on.
HARMLESS = (b"nothing to merge", b"it was cancelled", b"a merge is under way",
            b"no merge is under way", b"the merge had been made already",
            b"layers are being joined")


class Merging(threading.Thread):
    """Merges and seals a delta again and again, until it is told to end."""

    def __init__(self, delta, seed):
        super().__init__()
        self.delta = delta
        self.chance = random.Random(seed)
        self.is_over = threading.Event()
        self.merges = 0
        self.seals = 0
        self.complaints = []  # of a mount that had not been killed yet

    def run(self):
        while not self.is_over.wait(PAUSE_S):
            chosen = self.chance.randrange(10)
            if chosen < 3:
                self.seals += self.do("seal")
            elif chosen < 4:
                self.cancel_soon()
            else:
                options = {4: ["--repack"], 5: ["--repack=10"], 6: ["--dry-run"]}.get(chosen, [])
                made = self.do("merge", *options)
                self.merges += made and chosen != 6

    def do(self, *words):
        return self.has_done(dgfs("delta", *words, self.delta, check=False))

    def has_done(self, result):
        is_refused = result.returncode != 0
        if is_refused and not self.is_over.is_set() and \
                not any(text in result.stderr for text in HARMLESS):
            self.complaints.append(result.stderr)
        return not is_refused

    def cancel_soon(self):
        with subprocess.Popen([DGFS, "delta", "merge", "-q", self.delta],
                              stderr=subprocess.PIPE) as merge:
            time.sleep(self.chance.uniform(0, 0.2))
            self.do("merge", "--cancel")
            error = merge.communicate()[1]
        self.merges += self.has_done(subprocess.CompletedProcess([], merge.returncode, b"", error))


class MergeKills(DurablePrograms, LiveMergeCase):
    def setUp(self):
        super().setUp()
        support.need_program("git")
        self.chance = random.Random(test_seed(1))
        self.past = self.scratch / "past"
        self.past.mkdir()
        self.forget_programs()

    def begin_delta(self):
        run("rm", "-rf", self.delta)
        self.forget_programs()

    def look_back(self):
        """Mounts the newest state beside the writer. Returns a digest of it, or None."""
        said = dgfs("mount", self.image, self.past, "--delta", self.delta, "--as-of",
                    dgfs("delta", "log", self.delta).stdout.split()[0].decode(), check=False)
        # A merge may just have taken it into the base.
        return digest_of(self.past) if said.returncode == 0 else None

    def needed_files(self):
        """Names of files of bases that the mounted delta needs."""
        base = json.loads(dgfs("delta", "info", "--json", self.delta).stdout)["delta"]["base"]
        if not base:
            return set()
        kept = {name for name in base["made_of"] if name.startswith("base.")}
        return kept | {base["name"], base["name"] + ".idx"}

    def expect_no_leftovers(self):
        self.assertEqual(set(self.files_of_merges()), self.needed_files())
        stores = json.loads(dgfs("delta", "info", "--json", self.delta).stdout)["delta"]["stores"]
        numbers = [name for name in os.listdir(self.delta) if name.isdecimal()]
        self.assertEqual(len(numbers), stores, numbers)

    def run_and_kill(self, kill):
        """Returns the thread that has merged, and the digest of a mounted state or None."""
        self.start_programs(kill)
        merging = Merging(self.delta, self.chance.randrange(1 << 30))
        merging.start()
        time.sleep(self.chance.uniform(0.3, 1.5))
        self.wait_until(lambda: merging.merges or merging.seals or merging.complaints,
                        "a merge or a seal")
        digest = self.look_back() if kill % 4 == 3 else None
        time.sleep(self.chance.uniform(0, 0.5))
        merging.is_over.set()  # from now on a complaint says nothing
        self.kill_daemon()
        self.take_lines()
        merging.join()
        run("umount", "-l", self.point)
        return merging, digest

    def test_programs_keep_what_was_durable(self):
        digests = self.image_digests()
        merges = seals = 0
        for kill in range(KILLS):
            if kill % KILLS_BEFORE_A_NEW_DELTA == 0:
                self.begin_delta()
            self.mount_delta()
            merging, past = self.run_and_kill(kill)
            merges += merging.merges
            seals += merging.seals
            self.assertEqual(b"".join(merging.complaints).decode(), "", f"kill {kill}")
            if past is not None:
                self.assertEqual(digest_of(self.past), past, f"kill {kill}")
                run("umount", self.past)
            self.mount_delta()
            self.expect_no_leftovers()
            self.expect_durable()
            self.unmount()
            self.expect_sound()
        print(f"{KILLS} kills, {merges} merges, {seals} seals")
        self.assertGreaterEqual(merges + seals, KILLS)
        self.assertGreater(merges, 0)
        self.assertGreater(seals, 0)
        self.assertEqual(self.image_digests(), digests)


if __name__ == "__main__":
    mount_case.main()
