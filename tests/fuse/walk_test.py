#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Walks through a mount, in every order: right answers, and no more requests than were promised.

Counts requests instead of taking times: a walk by names gets bare names, which make no inodes, and
no other walk pays for them.
"""
import contextlib
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import mount_case
import support
from support import build, run

FOLDERS, FILES = 30, 40
# The first directories with files: a new walker leaves probes alone in one of them, and the kernel
# shows the other one whole.
WHOLE_NAMES = FILES + 2
# Lookups that show that listings must be dropped (BareListings), and the rest of the directories
# that the walker has read already.
LOOKUPS_MAX = 64 + 2 * FILES
PROBES = 2

WALKS = {
    "find": "find . | sort",
    "find -ls": "find . -ls | awk '{ print $3, $4, $7, $11 }' | sort",
    "ls -lR": "ls -lR --time-style=full-iso . | grep -v ^total",
    "tar": "tar --sort=name -cf - . | md5sum",
    "du": "du -a --apparent-size . | grep -v '/d[0-9]*$' | sed '$d' | sort",
    "rsync": "rsync -an --list-only . | grep -v ^d",
    "cat": "find . -type f | sort | xargs cat | md5sum",
    "names of some": "find . -name '*7' -size +0 | sort",
}
BY_NAMES = ("find",)


class WalkCase(mount_case.MountCase):
    """A tree of directories of small files, and what each walk says about it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.walked = cls.shared / "walked"
        for folder in range(FOLDERS):
            inner = cls.walked / f"d{folder:02}"
            inner.mkdir(parents=True)
            for i in range(FILES):
                (inner / f"file-{i:02}").write_text(f"{folder} {i}\n")
        (cls.walked / ".hidden").write_text("hidden\n")
        (cls.walked / "readme").write_text("read me\n")
        os.symlink("readme", cls.walked / "symlink")
        os.link(cls.walked / "readme", cls.walked / "d07" / "link")
        cls.walked_image = cls.shared / "walked.dgfs"
        build(cls.walked, cls.walked_image)
        cls.walks = {name: text for name, text in WALKS.items() if shutil.which(text.split()[0])}
        cls.expected = {name: cls.output(text, cls.walked) for name, text in cls.walks.items()}

    @staticmethod
    def output(text, place):
        return run("bash", "-o", "pipefail", "-c", text, cwd=place).stdout

    def start(self):
        self.mount("ro", image=self.walked_image)

    @contextlib.contextmanager
    def mounted(self):
        self.start()
        yield
        run("umount", self.point)

    def statistics(self):
        return json.loads(os.getxattr(self.point, "user.dgfs.stats"))

    def count(self, kind):
        return self.statistics()["requests"][kind]["count"]

    def bare_names(self):
        return self.statistics()["listings"]["bare_names"]

    def dropped(self):
        return self.statistics()["listings"]["dropped"]

    def wait_until_dropped(self, at_least):
        """Returns when the kernel was told of all listings to drop."""
        deadline = time.monotonic() + 30
        while True:
            listings = self.statistics()["listings"]
            if listings["dropped"] >= at_least and listings["to_drop"] == 0:
                return
            self.assertLess(time.monotonic(), deadline, listings)
            time.sleep(0.01)

    def listings(self):
        return self.count("read_directory_with_attributes")

    def walk(self, name):
        """Walks, and returns the requests that it took: (lookups, attributes, listings)."""
        def counts():
            requests = self.statistics()["requests"]
            return [requests[kind]["count"] for kind in
                    ("lookup", "get_attributes", "read_directory_with_attributes")]

        before = counts()
        self.assertEqual(self.output(self.walks[name], self.point), self.expected[name], name)
        return tuple(new - old for new, old in zip(counts(), before))


class Single(WalkCase):
    def test_names_alone_come_bare(self):
        self.start()
        lookups, attributes, listings = self.walk("find")
        self.assertEqual((lookups, listings), (0, 2 * (FOLDERS + 1)))
        self.assertLessEqual(attributes, 1)
        self.assertEqual(self.bare_names(), (FOLDERS - 1) * FILES + 1)
        self.assertEqual(self.walk("find"), (0, 0, 0))

    def test_a_walk_with_attributes_pays_two_requests(self):
        for name in self.walks:
            if name in BY_NAMES:
                continue
            with self.subTest(name), self.mounted():
                lookups, attributes, listings = self.walk(name)
                self.assertEqual(listings, 2 * (FOLDERS + 1))
                if name == "names of some":
                    self.assertLessEqual(lookups, 64 + FILES)
                elif name == "cat":  # `find` is done before `cat` begins
                    self.assertLessEqual(lookups, FOLDERS * FILES + 1)
                else:
                    self.assertEqual((lookups, self.bare_names()), (0, 0))
                    self.assertLessEqual(attributes, 1 + 2 * PROBES)

    def test_hidden_names_say_nothing_about_a_walk(self):
        tree = self.scratch / "hidden"
        for folder in range(10):
            (tree / f"d{folder}").mkdir(parents=True)
            for name in (".a", ".b", ".c", "x", "y", "z"):
                (tree / f"d{folder}" / name).touch()
        image = self.scratch / "hidden.dgfs"
        build(tree, image)
        for options in ((), ("--delta", self.scratch / "delta")):
            with self.subTest(options):
                support.dgfs("mount", image, self.point, *options)
                run("ls", "-lR", self.point)
                self.assertEqual((self.bare_names(), self.count("lookup")), (0, 0))
                run("umount", self.point)

    def test_one_large_directory_is_listed_whole(self):
        large = self.shared / "large"
        large.mkdir()
        self.addCleanup(shutil.rmtree, large)
        for i in range(5000):
            (large / f"{i:04}").touch()
        image = self.scratch / "large.dgfs"
        build(large, image)
        self.mount("ro", image=image)
        run("ls", "-l", self.point)
        self.assertEqual((self.bare_names(), self.count("lookup")), (0, 0))


class InTurn(WalkCase):
    def test_after_a_walk_by_names_listings_are_dropped(self):
        for name in self.walks:
            # These list no directory, so nothing new can be told about its files.
            if name in (*BY_NAMES, "cat", "names of some"):
                continue
            with self.subTest(name), self.mounted():
                self.walk("find")
                self.walk(name)
                # The walk may have been faster than the thread that drops.
                self.wait_until_dropped(at_least=FOLDERS - 4)
                self.walk(name)
                self.assertEqual(self.walk(name), (0, 0, 0))

    def test_dropped_listings_come_whole_to_every_walk(self):
        for name in self.walks:
            if name in (*BY_NAMES, "cat", "names of some"):
                continue
            with self.subTest(name), self.mounted():
                self.walk("find")
                run("ls", "-l", "d01", "d02", cwd=self.point)
                self.wait_until_dropped(at_least=FOLDERS - 4)
                lookups, attributes, listings = self.walk(name)
                self.assertLessEqual(lookups, 2 * FILES)
                self.assertLessEqual(attributes, 2 + 2 * PROBES + FOLDERS)
                self.assertLessEqual(listings, 2 * (FOLDERS + 1))
                self.walk(name)
                self.assertEqual(self.walk(name), (0, 0, 0))

    def test_names_come_bare_again_to_the_next_walk(self):
        self.start()
        self.walk("find")
        for folder in range(3):
            run("ls", "-l", self.point / f"d{folder + 10}")
        names = self.bare_names()
        self.wait_for_drops()
        self.walk("find")
        self.assertGreater(self.bare_names(), names)

    def wait_for_drops(self):
        """Returns when the kernel asks for a dropped listing again."""
        self.wait_until_dropped(at_least=1)
        deadline = time.monotonic() + 20
        before = self.listings()
        while self.listings() == before:
            self.assertLess(time.monotonic(), deadline)
            os.listdir(self.point / f"d{FOLDERS - 1}")
            time.sleep(0.01)

    def test_a_few_lookups_drop_nothing(self):
        self.start()
        self.walk("find")
        for folder in range(5, FOLDERS):
            (self.point / f"d{folder:02}" / "file-20").read_text()
        self.assertEqual(self.dropped(), 0)
        self.assertEqual(self.walk("find"), (0, 0, 0))

    def test_every_order_of_three(self):
        order = random.Random(support.test_seed(7))
        triples = list(itertools.product(self.walks, repeat=3))
        for names in order.sample(triples, 10):
            with self.subTest(names), self.mounted():
                for name in names:
                    self.walk(name)


class AtOnce(WalkCase):
    def test_walks_at_once_are_right(self):
        pairs = list(itertools.combinations_with_replacement(self.walks, 2))
        for one, other in random.Random(support.test_seed(8)).sample(pairs, 12):
            with self.subTest(f"{one}, {other}"), self.mounted():
                running = [subprocess.Popen(
                    ["bash", "-o", "pipefail", "-c", self.walks[name]], cwd=self.point,
                    stdout=subprocess.PIPE) for name in (one, other, one)]
                for name, process in zip((one, other, one), running):
                    out, _ = process.communicate(timeout=60)
                    self.assertEqual((process.returncode, out), (0, self.expected[name]), name)

    def test_a_killed_walker_leaves_nothing_wrong(self):
        for after in (0.002, 0.01):
            for name in ("find", "ls -lR"):
                with self.subTest(f"{name} after {after} s"), self.mounted():
                    killed = subprocess.Popen(["find", ".", "-name", "*"], cwd=self.point,
                                              stdout=subprocess.DEVNULL)
                    time.sleep(after)
                    killed.send_signal(signal.SIGKILL)
                    killed.wait()
                    self.walk(name)


class Numbers(WalkCase):
    TRIES = 1000

    def run_as(self, number, *arguments):
        """Runs a program under a process number of our own choice.

        Another process may get the number first. So a shell that has not got it ends, and one that
        has becomes the program.
        """
        for _ in range(self.TRIES):
            pathlib.Path("/proc/sys/kernel/ns_last_pid").write_text(str(number - 1))
            with subprocess.Popen(["sh", "-c", 'read go && exec "$@"', "sh", *arguments],
                                  cwd=self.point, stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL) as process:
                has_it = process.pid == number
                process.communicate(b"go\n" if has_it else b"")
            if has_it:
                return process.returncode
        self.fail("the number was never free")

    def test_a_number_that_a_walker_had_costs_little(self):
        self.start()
        number = 3_000 + os.getpid()
        self.assertEqual(self.run_as(number, "find", *(f"d{i:02}" for i in range(15))), 0)
        self.assertGreater(self.bare_names(), 0)
        before = self.count("lookup")
        rest = [f"d{i}" for i in range(15, FOLDERS)]
        self.assertEqual(self.run_as(number, "ls", "-lR", *rest), 0)
        self.assertLessEqual(self.count("lookup") - before, LOOKUPS_MAX)

    def test_walkers_without_a_number_get_whole_listings(self):
        # The server lives in a process name space below that of its users, as in a container.
        server = subprocess.Popen(
            ["unshare", "--pid", "--fork", "--kill-child", support.DGFS, "mount",
             self.walked_image, self.point, "--foreground", "-o", "ro"])
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        deadline = time.monotonic() + 20
        while not self.table_entry():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.assertEqual(self.walk("find")[0], 0)
        self.assertEqual(self.bare_names(), 0)
        self.assertEqual(self.walk("ls -lR"), (0, 0, 0))


class Writable(WalkCase):
    """The kernel keeps no listings, so each walk gets its own."""

    def start(self):
        support.dgfs("mount", self.walked_image, self.point, "--delta", self.scratch / "delta")

    def test_names_alone_come_bare_and_are_not_counted(self):
        self.start()
        for _ in range(2):
            names = self.bare_names()
            lookups, _, listings = self.walk("find")
            self.assertEqual((lookups, listings), (0, 2 * (FOLDERS + 1)))
            self.assertEqual(self.bare_names() - names, (FOLDERS - 1) * FILES + 1)
        self.assertLessEqual(self.statistics()["known_objects"], FOLDERS + 2 * WHOLE_NAMES + 4)

    def test_other_walks_get_attributes(self):
        self.start()
        for name in ("find", "ls -lR", "find", "find -ls", "du", "find", "tar"):
            lookups, attributes, _ = self.walk(name)
            self.assertEqual(lookups, 0, name)
            # After it has read a file, tar asks for its access time, which the read may change.
            entries_read = (FILES + 1) * FOLDERS + 2 if name == "tar" else 0
            self.assertLessEqual(attributes, 10 + entries_read, name)

    def test_every_walk_is_right_at_every_turn(self):
        self.start()
        for name in itertools.chain.from_iterable(itertools.permutations(self.walks, 2)):
            self.walk(name)

    def test_bare_files_can_be_used_and_removed(self):
        self.start()
        self.walk("find")
        folder = self.point / "d20"
        with open(folder / "file-01", encoding="utf-8") as held:
            for i in range(FILES):
                (folder / f"file-{i:02}").unlink()
            self.assertEqual(held.read(), "20 1\n")
        self.assertEqual(os.listdir(folder), [])
        (folder / "file-02").write_text("new\n")
        names = self.output("find .", self.point).split()
        self.assertEqual(len(names), len(self.expected["find"].split()) - FILES + 1)
        self.assertEqual((folder / "file-02").read_text(), "new\n")
        (self.point / "d21" / "file-01").rename(folder / "moved")
        self.assertEqual(self.output("cat d20/moved; find d21 -ls | wc -l", self.point),
                         f"21 1\n{FILES}\n".encode())


if __name__ == "__main__":
    mount_case.main()
