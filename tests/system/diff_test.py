#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""dgfs diff finds exactly the changes that were made to a tree, in both orders."""
import json
import os
import random
import shutil
import stat

import support
from support import build, dgfs

NAMES = ["a", "b", "c d", "new\nline", "\x1b[31m", "\u00e4", "quote'", "-dash", "z"]
SEED = 1
TIME_NS = 1_000_000_000_123_456_789


def swapped(found):
    """The same differences with the sides exchanged."""
    other = {"first": "second", "second": "first"}
    return {path: ("only", other[what[1]]) if what[0] == "only" else
            ("differs", {key: pair[::-1] if isinstance(pair, list) else pair
                         for key, pair in what[1].items()})
            for path, what in found.items()}


class Changes:
    """Changes a tree at random places, and knows the differences that diff must report."""

    def __init__(self, root, generator):
        self.root, self.generator = root, generator
        self.expected = {}
        self.touched = set()

    def paths(self, wanted):
        """Returns untouched paths of a kind that do not lie below touched ones."""
        found = []
        for directory, names, files in os.walk(self.root):
            relative = os.path.relpath(directory, self.root)
            names[:] = [name for name in names
                        if os.path.normpath(os.path.join(relative, name)) not in self.touched]
            for name in names + files:
                path = os.path.normpath(os.path.join(relative, name))
                if path not in self.touched and wanted(os.lstat(self.root / path)):
                    found.append(path)
        return sorted(found)

    def note(self, path, **differences):
        self.touched.add(path)
        self.expected[path] = ("differs", differences)

    def keep_times(self, path, action):
        """Does something in a directory without a change of the directory's time."""
        parent = (self.root / path).parent
        before = os.stat(parent)
        action(self.root / path)
        os.utime(parent, ns=(before.st_atime_ns, before.st_mtime_ns))

    def set_time(self, path):
        os.utime(self.root / path, ns=(TIME_NS, TIME_NS), follow_symlinks=False)

    def chmod(self, path):
        os.chmod(self.root / path, 0o7)
        self.note(path, mode=["0640", "0007"])

    def touch(self, path):
        os.utime(self.root / path, ns=(0, 1))
        self.note(path, mtime=["2001-09-09T01:46:40.123456789Z", "1970-01-01T00:00:00.000000001Z"])

    def flip(self, path):
        data = bytearray((self.root / path).read_bytes())
        at = self.generator.randrange(len(data))
        data[at] ^= 1
        (self.root / path).write_bytes(data)
        self.set_time(path)
        self.note(path, contents={"from_byte": at})

    def grow(self, path):
        with open(self.root / path, "ab") as file:
            file.write(b"x")
        size = (self.root / path).stat().st_size
        self.set_time(path)
        self.note(path, size=[size - 1, size])

    def add_xattr(self, path):
        os.setxattr(self.root / path, "user.added", b"v")
        self.note(path, **{"xattr user.added": [None, "v"]})

    def remove(self, path):
        self.keep_times(path, lambda full: shutil.rmtree(full) if full.is_dir() else full.unlink())
        self.touched.add(path)
        self.expected[path] = ("only", "first")

    def make(self, path):
        self.keep_times(path + "+", lambda full: full.write_text("new"))
        self.touched.add(path + "+")
        self.expected[path + "+"] = ("only", "second")

    def replace(self, path):
        def action(full):
            full.unlink()
            full.mkdir()
        self.keep_times(path, action)
        self.touched.add(path)
        self.expected[path] = ("differs", {"type": ["file", "directory"]})

    def retarget(self, path):
        def action(full):
            full.unlink()
            full.symlink_to("elsewhere")
        self.keep_times(path, action)
        self.set_time(path)
        self.note(path, target=["nowhere", "elsewhere"])

    def unlink_name(self, path):
        """Turns a second name into a separate file."""
        def action(full):
            data = full.read_bytes()
            full.unlink()
            full.write_bytes(data)
            full.chmod(0o640)
        self.keep_times(path, action)
        self.set_time(path)
        self.note(path, link=["hard/1", None])


class Diff(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.generator = random.Random(support.test_seed(SEED))
        self.tree = self.scratch / "tree"
        self.make_tree(self.tree)
        (self.tree / "hard").mkdir()
        (self.tree / "hard" / "1").write_text("shared")
        (self.tree / "hard" / "1").chmod(0o640)
        os.link(self.tree / "hard" / "1", self.tree / "hard" / "2")
        os.link(self.tree / "hard" / "1", self.tree / "hard" / "3")
        for directory, names, files in os.walk(self.tree, topdown=False):
            for name in names + files:
                os.utime(os.path.join(directory, name), ns=(TIME_NS, TIME_NS),
                         follow_symlinks=False)
        self.before = self.scratch / "before.dgfs"
        build(self.tree, self.before)

    def make_tree(self, root, depth=0):
        root.mkdir()
        for name in self.generator.sample(NAMES, self.generator.randint(4, len(NAMES))):
            kind = self.generator.random()
            if depth < 3 and kind < 0.4:
                self.make_tree(root / name, depth + 1)
            elif kind < 0.55:
                (root / name).symlink_to("nowhere")
            else:
                size = self.generator.choice([1, 100, 200_000])
                (root / name).write_bytes(self.generator.randbytes(size))
                (root / name).chmod(0o640)

    def change(self):
        changes = Changes(self.tree, self.generator)
        files = (changes.chmod, changes.touch, changes.flip, changes.grow, changes.add_xattr,
                 changes.remove, changes.make, changes.replace)
        links = (changes.retarget, changes.remove)
        changes.unlink_name("hard/2")
        changes.touched.update(["hard", "hard/1", "hard/3"])
        for _ in range(self.generator.randint(0, 12)):
            on_link = self.generator.random() < 0.2
            wanted = stat.S_ISLNK if on_link else stat.S_ISREG
            paths = changes.paths(lambda status: wanted(status.st_mode))
            if paths:
                self.generator.choice(links if on_link else files)(self.generator.choice(paths))
        directories = changes.paths(lambda status: stat.S_ISDIR(status.st_mode))
        holds_touched = {os.path.dirname(path) for path in changes.touched}
        free = [path for path in directories
                if not any(held == path or held.startswith(path + "/") for held in holds_touched)]
        if free:
            changes.remove(self.generator.choice(free))
        return changes.expected

    def found(self, first, second, *options):
        result = dgfs("diff", "--json", first, second, *options, check=False)
        lines = [json.loads(line) for line in
                 result.stdout.decode("utf-8", "surrogateescape").splitlines()]
        self.assertEqual(result.returncode, 1 if lines else 0, result.stderr)
        return {line["path"]: ("only", line["only_in"]) if "only_in" in line else
                ("differs", line["differs"]) for line in lines}

    def test_finds_what_was_changed(self):
        expected = self.change()
        after = self.scratch / "after.dgfs"
        build(self.tree, after)
        self.assertEqual(self.found(self.before, self.tree), expected)
        self.assertEqual(self.found(self.tree, self.before), swapped(expected))
        self.assertEqual(self.found(self.before, after), expected)
        self.assertEqual(self.found(after, self.tree), {})

    def test_same_is_same(self):
        result = dgfs("diff", self.before, self.tree)
        self.assertEqual((result.stdout, result.stderr), (b"", b""))

    def test_options_leave_things_out(self):
        path = self.tree / "hard" / "2"
        path.chmod(0o600)
        path.write_text("SHARED")
        os.setxattr(path, "user.x", b"1")
        os.utime(path, ns=(1, 1))
        everything = self.found(self.before, self.tree)
        self.assertEqual(sorted(everything["hard/1"][1]), ["contents", "mode", "mtime",
                                                           "xattr user.x"])
        ignored = ("--no-times", "--no-mode", "--no-xattrs", "--no-contents")
        self.assertEqual(self.found(self.before, self.tree, *ignored), {})
        self.assertEqual(self.found(self.before, self.tree, "--exclude", "hard/"), {})
        # If only one of several names is chosen, diff does not know the others.
        self.assertEqual(list(self.found(self.before, self.tree, "hard/3")), ["hard/3"])

    def test_lines_for_people(self):
        (self.tree / "hard" / "1").chmod(0o600)
        (self.tree / "hard" / "x\x1b\n").write_text("")
        os.utime(self.tree / "hard", ns=(TIME_NS, TIME_NS))
        lines = dgfs("diff", self.before, self.tree, check=False).stdout.decode().splitlines()
        self.assertEqual(lines, ["hard/1: mode 0640 -> 0600",
                                 f"only in {self.tree}: 'hard/x'$'\\033\\n'"])
        brief = dgfs("diff", "-q", self.before, self.tree, "hard/1", check=False)
        self.assertEqual(brief.stdout, b"hard/1 differs\n")

    def test_trouble(self):
        cases = ((self.tree, self.tree, b"both are directories"),
                 (self.before, self.scratch / "missing", b"missing"),
                 (self.scratch / "missing", self.before, b"missing"))
        for first, second, text in cases:
            result = dgfs("diff", first, second, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, result.stderr)
        result = dgfs("diff", self.before, self.tree, "hard/nothing", check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"hard/nothing", result.stderr)

    def test_damage_is_trouble_and_the_rest_is_compared(self):
        place = (self.tree / "hard" / "1").read_bytes()
        data = self.before.read_bytes()
        self.before.write_bytes(data.replace(place, b"SHARED", 1))
        (self.tree / "zz").write_text("")
        result = dgfs("diff", self.before, self.tree, "--no-times", check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"hard/1: ", result.stderr)
        self.assertIn(b"only in", result.stdout)


if __name__ == "__main__":
    support.main()
