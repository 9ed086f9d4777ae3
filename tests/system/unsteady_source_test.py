#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Difficult sources: that change while they are packed, that may not be read, that contain other
file systems or themselves.

The build fails with the reason, or packs what it has found.
"""
import os
import pathlib
import random
import shutil
import sys
import threading

import support

NOBODY = 65534
ROUNDS = 8
SEED = 20260601


class UnsteadyCase(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.source = self.scratch / "source"
        self.source.mkdir()
        self.image = self.scratch / "image.dgfs"

    def build(self, *options, prefix=()):
        return support.run(*prefix, support.DGFS, "build", self.source, self.image, "--quiet",
                           *options, check=False)


class Changing(UnsteadyCase):
    """A thread renames, removes, appends, cuts, and exchanges directories for links."""

    def make_tree(self):
        for directory in range(20):
            place = self.source / f"d{directory}"
            place.mkdir(exist_ok=True)
            for number in range(30):
                (place / f"f{number}").write_bytes(b"steady " * (1 + number * 200))

    def disturb(self, chance):
        directory = self.source / f"d{chance.randrange(20)}"
        path = directory / f"f{chance.randrange(30)}"
        what = chance.randrange(6)
        if what == 0:
            path.rename(directory / f"g{chance.randrange(30)}")
        elif what == 1:
            path.unlink()
        elif what == 2:
            with open(path, "ab") as file:
                file.write(b"more " * 3000)
        elif what == 3:
            os.truncate(path, chance.randrange(100))
        elif what == 4:
            path.write_bytes(b"rewritten " * chance.randrange(2000))
        else:
            aside = self.scratch / f"aside{chance.random()}"
            directory.rename(aside)
            directory.symlink_to("/etc")
            directory.unlink()
            aside.rename(directory)

    def run_rounds(self, *options):
        chance = random.Random(support.test_seed(SEED))
        results = []
        for _ in range(ROUNDS):
            self.make_tree()
            stop = threading.Event()

            def disturb_until_stopped(seed=chance.random(), stop=stop):
                own_chance = random.Random(seed)
                while not stop.is_set():
                    try:
                        self.disturb(own_chance)
                    except OSError:
                        pass  # the object that it wanted to change is gone

            thread = threading.Thread(target=disturb_until_stopped)
            thread.start()
            try:
                results.append(self.build(*options))
            finally:
                stop.set()
                thread.join()
            self.check_outcome(results[-1])
        return results

    def check_outcome(self, result):
        told = result.stderr.decode(errors="replace")
        self.assertIn(result.returncode, (0, 1), told)
        names = [name for name in os.listdir(self.scratch) if not name.startswith("aside")]
        if not self.image.exists():
            self.assertEqual(names, ["source"], told)
            self.assertEqual(result.returncode, 1, told)
            self.assertIn(str(self.source), told)
            return
        support.dgfs("verify", self.image)
        out = self.scratch / "aside-out"
        support.dgfs("extract", self.image, out)
        for path in out.rglob("*"):
            if path.is_file() and not path.is_symlink():
                content = path.read_bytes()
                # Rewriting replaces the whole content, and only this test writes contents.
                self.assertFalse(b"steady" in content and b"rewritten" in content, path)
                # An empty file that is truncated to a greater length begins with zeros.
                written = content.lstrip(b"\0")
                self.assertTrue(written.startswith((b"s", b"r", b"m")) or not written, path)
        shutil.rmtree(out)
        self.image.unlink()
        pathlib.Path(f"{self.image}.idx").unlink()

    def test_fails_or_packs_what_was_there(self):
        results = self.run_rounds()
        self.assertIn(1, [result.returncode for result in results])

    def test_keep_going_leaves_out_what_changed(self):
        for result in self.run_rounds("--keep-going"):
            if result.returncode == 1:
                self.assertIn(b"left out", result.stderr)


class OtherUser(UnsteadyCase):
    def setUp(self):
        super().setUp()
        support.need_root()
        support.need_program("setpriv")
        self.as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        os.chmod(self.scratch, 0o777)
        # The program may lie where only root can reach it.
        program = self.scratch / "bin"
        program.mkdir()
        shutil.copy(support.DGFS, program / "dgfs")
        self.as_nobody += ["env", f"PATH={program}:{os.environ['PATH']}"]
        (self.source / "open").write_bytes(b"for all")
        (self.source / "secret").write_bytes(b"for root")
        (self.source / "secret").chmod(0o600)
        (self.source / "closed").mkdir(mode=0o700)
        (self.source / "closed" / "inside").write_bytes(b"unseen")

    def run_as_nobody(self, *options):
        return support.run(*self.as_nobody, "dgfs", "build", self.source, self.image, "--quiet",
                           *options, check=False)

    def test_names_what_may_not_be_read(self):
        result = self.run_as_nobody()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, rb"(secret|closed): .*Permission denied")
        self.assertFalse(self.image.exists())

    def test_keep_going_packs_the_rest(self):
        result = self.run_as_nobody("--keep-going")
        self.assertEqual(result.returncode, 1)
        for name in (b"secret", b"closed"):
            self.assertRegex(result.stderr, name + rb": .*Permission denied")
        names = support.dgfs("ls", "-1", self.image).stdout.split()
        self.assertEqual(names, [b"open"])


class Mounts(UnsteadyCase):
    """The source contains other file systems, or itself."""

    def setUp(self):
        super().setUp()
        support.need_root()
        self.place = self.source / "place"
        self.place.mkdir()
        (self.source / "file").write_bytes(b"of the source")

    def mount(self, *arguments):
        support.run("mount", *arguments, self.place)
        self.addCleanup(support.run, "umount", "-l", self.place, check=False)

    def paths(self, *options):
        result = self.build(*options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return set(support.dgfs("find", self.image).stdout.decode().split())

    def test_other_file_systems_are_packed_unless_told_not_to(self):
        self.mount("-t", "tmpfs", "none")
        (self.place / "theirs").write_bytes(b"of another one")
        inside = {path for path in self.paths() if path.endswith("theirs")}
        self.assertEqual(len(inside), 1)
        kept = self.paths("--one-file-system")
        self.assertTrue(any(path.endswith("place") for path in kept))
        self.assertFalse(any(path.endswith("theirs") for path in kept))

    def test_a_source_bound_into_itself_ends(self):
        self.mount("--bind", self.source)
        paths = self.paths()
        self.assertTrue(any(path.endswith("place/file") for path in paths))
        self.assertTrue(any(path.endswith("place/place") for path in paths))
        self.assertFalse(any("place/place/" in path for path in paths))

    def test_links_to_parents_are_not_followed(self):
        (self.place / "up").symlink_to("..")
        (self.place / "self").symlink_to("self")
        self.assertEqual(len(self.paths()), 5)


if __name__ == "__main__":
    sys.exit(support.main())
