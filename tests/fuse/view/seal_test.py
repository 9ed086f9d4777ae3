#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""States of a delta: sealed while it is mounted and while it is not, listed, mounted and
compared."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from mount_case import mount_table  # noqa: E402
from support import DGFS, build, dgfs, run, test_seed  # noqa: E402


class Seals(DeltaCase):
    def seal(self, *options, **keywords):
        return dgfs("delta", "seal", *options, self.delta, **keywords)

    def log(self):
        lines = dgfs("delta", "log", "--json", self.delta).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def mount_state(self, state, *options, **keywords):
        place = self.scratch / f"then-{state.replace('/', '_').replace(' ', '_')}"
        place.mkdir(exist_ok=True)
        result = dgfs("mount", self.image, place, "--delta", self.delta, "--as-of", state, *options,
                      **keywords)
        return place if keywords.get("check", True) else result

    def test_a_state_is_shown_beside_the_writer(self):
        self.mount_delta()
        (self.point / "dir" / "7").write_text("changed")
        (self.point / "new").write_text("one")
        said = self.seal("--name", "one").stdout.decode()
        self.assertRegex(said, r"^sealed one \([0-9a-f]{8}\): [\d,]+ changes, [\d.]+ \w?B\n$")
        (self.point / "new").write_text("two, longer")
        (self.point / "dir" / "8").unlink()
        self.seal("--name", "two")
        (self.point / "new").unlink()
        one = self.mount_state("one")
        two = self.mount_state("two")
        again = dgfs("mount", self.image, self.point / "dir", "--delta", self.delta, "--as-of",
                     "one", check=False)
        self.assertEqual(again.returncode, 0, again.stderr)
        run("umount", self.point / "dir")
        base = self.mount_state("base")
        self.assertEqual((one / "new").read_text(), "one")
        self.assertEqual((one / "dir" / "7").read_text(), "changed")
        self.assertTrue((one / "dir" / "8").exists())
        self.assertEqual((two / "new").read_text(), "two, longer")
        self.assertFalse((two / "dir" / "8").exists())
        self.assertFalse((base / "new").exists())
        self.assertEqual((base / "dir" / "7").read_bytes(), (self.tree / "dir" / "7").read_bytes())
        self.assertFalse((self.point / "new").exists())
        with self.assertRaises(OSError):
            (one / "new").write_text("no")
        self.assertIn("ro", mount_table()[str(one)][2])
        for place in (one, two, base):
            run("umount", place)
        self.unmount()
        self.expect_sound()
        dgfs("delta", "check", "--as-of", "one", "--image", self.image, self.delta)

    def test_a_name_is_given_without_changes(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.seal()
        for name, other in (("one", b""), ("two", b'no state "two"')):
            result = self.seal("--name", name)
            self.assertRegex(result.stdout, rb"^nothing has changed since one \([0-9a-f]{8}\)\n$")
            self.assertIn(other, result.stderr)
        self.unmount()
        self.assertIn(b'no state "three"', self.seal("--name", "three").stderr)
        self.assertEqual(self.log()[0]["name"], "one")

    # A delta that was sealed without a mount learns from the next mount where its image is.
    def test_a_mount_notes_the_image(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.unmount()
        self.seal("--name", "one")
        self.assertNotIn("image", self.log()[-1])
        self.mount_delta()
        self.assertEqual(self.log()[-1]["image"], str(self.image))
        self.assertIn(b"new", dgfs("diff", f"{self.delta}@base", f"{self.delta}@one",
                                   check=False).stdout)

    def test_layers_that_are_missing_or_not_closed_are_listed(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.seal()
        self.unmount()
        self.assertIn("bytes", self.log()[0])
        (self.delta / "0001" / "log.0").touch()
        self.assertIn(b" not closed", dgfs("delta", "log", self.delta).stdout)
        self.assertIs(self.log()[0]["closed"], False)
        shutil.rmtree(self.delta / "0001")
        self.assertIn(b" missing", dgfs("delta", "log", self.delta).stdout)

    def test_a_stopped_mount_does_not_hold_up_a_signal(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        daemon = self.daemon()
        os.kill(daemon, signal.SIGSTOP)
        try:
            asking = subprocess.Popen([DGFS, "delta", "seal", self.delta], stderr=subprocess.PIPE)
            time.sleep(11)  # the command first asks for the state, with a patience of ten seconds
            asking.terminate()
            said = asking.communicate(timeout=20)[1]
        finally:
            os.kill(daemon, signal.SIGCONT)
        self.assertNotEqual(asking.returncode, 0)
        self.assertIn(b"interrupted", said)

    def test_a_mount_that_cannot_seal_says_so(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.unmount()
        self.mount_delta("ro")
        result = self.seal(check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"only a writable mount seals", result.stderr)

    def test_an_unmounted_delta_is_sealed(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.unmount()
        answer = json.loads(self.seal("--name", "one", "--json").stdout)
        self.assertTrue(answer["sealed"])
        self.assertEqual(answer["name"], "one")
        self.assertEqual(len(answer["id"]), 32)
        said = self.seal("--name", "two").stdout.decode()
        self.assertRegex(said, r"^nothing has changed since one \([0-9a-f]{8}\)\n$")
        self.assertFalse(json.loads(self.seal("--json").stdout)["sealed"])
        self.assertEqual([line["id"] for line in self.log()], [answer["id"], "base"])
        lines = dgfs("delta", "log", self.delta).stdout.decode().splitlines()
        self.assertRegex(lines[0], r"^[0-9a-f]{8}  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  +\d+ changes?  +"
                                   r"[\d.]+ \w?B  one$")
        self.assertRegex(lines[1], r"^base      .*  uuid [0-9a-f-]{36}$")
        self.mount_delta()
        self.assertEqual((self.point / "new").read_text(), "one")

    def test_the_log_names_the_image_once_a_mount_has_sealed(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.seal()
        self.assertEqual(self.log()[-1]["image"], str(self.image))

    def test_bad_states_and_names_are_explained(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.seal("--name", "one")
        (self.point / "new").write_text("two")
        refused = self.seal("--name", "one", check=False)
        self.expect_refused(refused, 'there is a state "one" already', code=1)
        for name in ("a/b", "base", "beef", "-x", "x" * 65):
            refused = dgfs("delta", "seal", f"--name={name}", self.delta, check=False)
            self.expect_refused(refused, name[:3], code=1)
        missing = self.mount_state("nightly-09", check=False)
        self.expect_refused(missing, "no state \"nightly-09\"; 'dgfs delta log "
                                     f"{self.delta}' lists them", code=1)
        self.expect_refused(dgfs("delta", "check", "--as-of", "nope", self.delta, check=False),
                            'no state "nope"', code=1)
        self.expect_refused(dgfs("delta", "log", "--name", "x", self.delta, check=False),
                            "--name is only for", code=2)
        self.expect_refused(self.mount_state("one", "-o", "rw", check=False), "rw", code=2)
        self.assertEqual(len(self.log()), 2)

    def test_a_time_finds_the_state_of_then(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.seal("--name", "one")
        time.sleep(1.1)
        (self.point / "new").write_text("two")
        self.seal()
        line = dgfs("delta", "log", self.delta).stdout.decode().splitlines()[1]
        stamp = re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", line).group()
        place = self.mount_state(stamp)
        self.assertEqual((place / "new").read_text(), "one")
        run("umount", place)
        place = self.mount_state("now")
        self.assertEqual((place / "new").read_text(), "two")
        run("umount", place)
        self.expect_refused(self.mount_state("2 days ago", check=False), "lists them", code=1)

    def test_a_mount_seals_unasked(self):
        self.mount_delta("seal=2s")
        (self.point / "new").write_text("one")
        deadline = time.monotonic() + 20
        while len(self.log()) < 2 and time.monotonic() < deadline:
            time.sleep(0.2)
        time.sleep(3)
        self.assertEqual(len(self.log()), 2, "without changes no further state is made")

    # Open files and listings under way go on.
    def test_open_files_and_listings_go_on(self):
        self.mount_delta()
        with open(self.point / "log", "w+", encoding="ascii") as file, \
                os.scandir(self.point / "dir") as listing:
            file.write("before\n")
            file.flush()
            listed = {next(listing).name for _ in range(5)}
            os.unlink(self.point / "log")
            self.seal()
            file.write("after\n")
            file.flush()
            file.seek(0)
            self.assertEqual(file.read(), "before\nafter\n")
            listed |= {entry.name for entry in listing}
        self.assertEqual(len(listed), 100)
        self.unmount()
        self.expect_sound()

    # One with links in the image, one without: the index lists the names of links only then.
    def test_a_diff_of_states_is_that_of_their_trees(self):
        self.compare_states(1)

    def test_a_diff_of_states_knows_links_of_the_image(self):
        tree = self.scratch / "linked"
        shutil.copytree(self.tree, tree, symlinks=True)
        for number in range(0, 40, 3):
            os.link(tree / "dir" / str(number), tree / f"link-{number}")
        (tree / "deep" / "er").mkdir(parents=True)
        os.link(tree / "dir" / "0", tree / "deep" / "er" / "third")
        self.image = self.scratch / "linked.dgfs"
        build(tree, self.image)
        self.compare_states(2)

    # The lines of two states are those of the images that are built from mounts of them.
    def compare_states(self, seed):
        chance = random.Random(test_seed(seed))
        self.mount_delta()
        root = self.point
        for round_ in range(4):
            for number in range(12):
                self.change_something(root, chance, f"{round_}-{number}")
            self.seal("--name", f"state-{round_}")
        for number in range(5):
            self.change_something(root, chance, f"last-{number}")
        self.unmount()
        states = ["base", *(f"state-{round_}" for round_ in range(4)), "newest"]
        images = {}
        for state in states:
            place = self.mount_state(state, "-o", "ro")
            images[state] = self.scratch / f"{state}.dgfs"
            build(place, images[state])
            run("umount", place)
        compared = 0
        for first, second in [(a, b) for a in states for b in states]:
            expected = dgfs("diff", images[first], images[second], check=False)
            seen = dgfs("diff", "--image", self.image, f"{self.delta}@{first}",
                        f"{self.delta}@{second}", check=False)
            text = expected.stdout.decode().replace(f"only in {images[first]}:", "only in A:")
            text = text.replace(f"only in {images[second]}:", "only in B:")
            shown = seen.stdout.decode().replace(f"only in {self.delta}@{first}:", "only in A:")
            shown = shown.replace(f"only in {self.delta}@{second}:", "only in B:")
            self.assertEqual(shown, text, f"{first} and {second}: {seen.stderr.decode()}")
            self.assertEqual(seen.returncode, expected.returncode)
            compared += len(text.splitlines())
        self.assertGreater(compared, 100)

    def change_something(self, root, chance, name):
        """Makes, changes, moves, links or removes something below the root."""
        files = [path for path in sorted(root.rglob("*")) if path.is_file() and
                 not path.is_symlink()]
        folders = [root, *(path for path in sorted(root.rglob("*")) if path.is_dir())]
        file, folder = chance.choice(files), chance.choice(folders)
        kind = chance.randrange(9)
        if kind == 0:
            (folder / f"new-{name}").write_bytes(chance.randbytes(chance.randrange(200000)))
        elif kind == 1:
            with open(file, "r+b") as opened:
                opened.seek(chance.randrange(100000))
                opened.write(b"changed")
        elif kind == 2:
            file.unlink()
        elif kind == 3:
            file.rename(folder / f"moved-{name}")
        elif kind == 4:
            os.link(file, folder / f"link-{name}")
        elif kind == 5:
            (folder / f"dir-{name}").mkdir()
        elif kind == 6:
            file.chmod(chance.choice((0o600, 0o644, 0o755)))
        elif kind == 7:
            os.setxattr(file, "user.test", name.encode())
        elif folder != root:
            other = chance.choice(folders)
            try:
                folder.rename(other / f"renamed-{name}")
            except OSError:
                pass  # into itself


if __name__ == "__main__":
    mount_case.main()
