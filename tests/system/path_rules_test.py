#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Include and exclude rules choose the same as rsync: random rules over a generated tree."""
import os
import random

import support
from support import build, dgfs, run

NAMES = ["a", "b", "c", "ab", "ba", "abc", "a.o", "b.c", ".a", "x*y", "[a]", "a b", "A", "\\a"]
PIECES = ["a", "b", "c", "ab", ".o", ".c", "*", "*", "**", "***", "?", "[ab]", "[!a]", "[^b]",
          "[a-c]", "[[:alpha:]]", "[[:punct:]]", "[]a]", "[a-]", "[", "\\*", "\\a", "x", "/", "/"]
ROUNDS = 120
SEED = 1


def make_tree(root, generator, depth=0):
    root.mkdir()
    for name in generator.sample(NAMES, generator.randint(3, len(NAMES))):
        if depth < 3 and generator.random() < 0.4:
            make_tree(root / name, generator, depth + 1)
        else:
            (root / name).write_text("")


def pattern(generator):
    text = "".join(generator.choice(PIECES) for _ in range(generator.randint(1, 5)))
    return generator.choice(["", "", "/", "**/", "*/"]) + text + generator.choice(["", "", "/"])


class PathRules(support.ScratchCase):
    def setUp(self):
        super().setUp()
        support.need_program("rsync")
        self.generator = random.Random(support.test_seed(SEED))
        self.tree = self.scratch / "tree"
        make_tree(self.tree, self.generator)
        self.image = self.scratch / "tree.dgfs"
        build(self.tree, self.image)
        self.empty = self.scratch / "empty"
        self.empty.mkdir()

    def rules(self):
        """Returns the arguments for a few rules; some rules are in files."""
        arguments = []
        for number in range(self.generator.randint(1, 5)):
            action = self.generator.choice(["include", "exclude"])
            if self.generator.random() < 0.8:
                arguments.append(f"--{action}={pattern(self.generator)}")
                continue
            path = self.scratch / f"rules{number}"
            lines = [self.generator.choice(["", "+ ", "- ", "# ", "; "]) + pattern(self.generator)
                     for _ in range(4)] + self.generator.choice([[], [""], ["!", "a*"]])
            path.write_text("\n".join(lines) + "\n")
            arguments.append(f"--{action}-from={path}")
        return arguments

    def by_rsync(self, arguments):
        result = run("rsync", "-an", "--out-format=%n", *arguments, f"{self.tree}/",
                     f"{self.empty}/", env=dict(os.environ, LC_ALL="C"))
        return sorted(set(result.stdout.decode().splitlines()) - {"./"})

    def test_random_rules_choose_the_same(self):
        chosen = 0
        for _ in range(ROUNDS):
            arguments = self.rules()
            expected = self.by_rsync(arguments)
            chosen += len(expected)
            listed = dgfs("extract", "-n", self.image, self.scratch / "out", *arguments)
            found = sorted(listed.stdout.decode().splitlines())
            self.assertEqual(found, expected, arguments)
        self.assertGreater(chosen, ROUNDS)
        self.assertFalse((self.scratch / "out").exists())

    def test_build_and_extract_agree_with_the_list(self):
        for _ in range(10):
            arguments = self.rules()
            listed = dgfs("extract", "-n", self.image, self.scratch / "out", *arguments)
            expected = sorted(line.rstrip("/") for line in listed.stdout.decode().splitlines())
            dgfs("extract", "-q", self.image, self.scratch / "out", *arguments)
            made = run("find", ".", "-mindepth", "1", "-printf", "%P\n", cwd=self.scratch / "out")
            self.assertEqual(sorted(made.stdout.decode().splitlines()), expected, arguments)
            run("rm", "-r", self.scratch / "out")
            build(self.tree, self.scratch / "again.dgfs", *arguments)
            packed = dgfs("find", self.scratch / "again.dgfs").stdout.decode().splitlines()
            self.assertEqual(sorted(line for line in packed if line != "."), expected, arguments)


if __name__ == "__main__":
    support.main()
