#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The seed that ./run-tests gives to random tests; stand-ins replace builds and tests."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

RUN_TESTS = Path(__file__).resolve().parents[2] / "run-tests"
VARIABLE = "DGFS_TEST_SEED"
NOTHING = "#!/bin/sh\n"
TEST = '#!/bin/sh\necho "the tests have ${' + VARIABLE + '-none}"\nexit ${FAILS-0}\n'


class Seed(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        shutil.copy(RUN_TESTS, self.root)
        for path, text in {"scripts/install-packages": NOTHING, "bin/cmake": NOTHING,
                           "bin/ctest": TEST}.items():
            program = self.root / path
            program.parent.mkdir(exist_ok=True)
            program.write_text(text)
            program.chmod(0o755)

    def run_tests(self, *arguments, expected=0, **variables):
        environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
        environment |= {"PATH": f"{self.root / 'bin'}:{environment['PATH']}", **variables}
        done = subprocess.run([self.root / "run-tests", *arguments], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, expected, done.stdout)
        lines = done.stdout.decode().splitlines()
        seeds = re.findall("the tests have (.*)", done.stdout.decode())
        self.assertEqual(len(seeds), 1, lines)
        return seeds[0], lines

    def expect_told(self, seed, lines):
        """Expects the seed to be printed before and after everything else."""
        for line in (lines[0], lines[-1]):
            self.assertIn(f"{VARIABLE}={seed} ", line)

    def test_is_a_new_one_of_each_run_of_all(self):
        seeds = set()
        for _ in range(5):
            seed, lines = self.run_tests("--all")
            self.assertGreaterEqual(int(seed), 0)
            self.expect_told(seed, lines)
            seeds.add(seed)
        self.assertGreater(len(seeds), 1)

    def test_is_told_of_a_run_that_fails(self):
        seed, lines = self.run_tests("--all", expected=3, FAILS="3")
        self.expect_told(seed, lines)

    def test_is_the_one_that_is_asked_for(self):
        for arguments in ((), ("--all",)):
            seed, lines = self.run_tests(*arguments, **{VARIABLE: "7"})
            self.assertEqual(seed, "7")
            self.expect_told("7", lines)

    def test_is_none_where_not_all_is_run(self):
        self.assertEqual(self.run_tests(), ("none", ["the tests have none"]))


if __name__ == "__main__":
    unittest.main()
