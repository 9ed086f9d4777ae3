#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Runs the tests of the store's crashes and failing allocations under the address and undefined
behaviour sanitizers. Builds the two programs with the preset asan-ubsan, as CI builds others.
"""
import os
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[4]
PRESET = "asan-ubsan"
PROGRAMS = ("delta_crash_test", "delta_memory_test")


class Sanitized(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(["cmake", "--preset", PRESET, "--log-level=WARNING"], cwd=SOURCE, check=True)
        subprocess.run(["cmake", "--build", "--preset", PRESET, "--parallel", str(os.cpu_count()),
                        "--target", *PROGRAMS], cwd=SOURCE, check=True)

    def check(self, program):
        run = subprocess.run([SOURCE / "build" / PRESET / "bin" / program, "--gtest_brief=1"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        print(run.stdout, flush=True)
        self.assertEqual(run.returncode, 0, program)

    def test_crashes(self):
        self.check("delta_crash_test")

    def test_failing_memory(self):
        self.check("delta_memory_test")


if __name__ == "__main__":
    unittest.main(verbosity=2)
