#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Switches each mechanism of the store off by a change of a line or two, and runs the tests that
must fail then. A test that still passes does not guard the mechanism.

Works on a copy of the checkout's sources, which it builds with the preset dev.

  switched_off.py                   runs all; takes as long as some dozens of builds
  switched_off.py --only NAME ...   runs mechanisms with NAME in their names
  switched_off.py --list            lists names, files and tests
  switched_off.py --check           checks only that each text to change occurs once
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from mechanisms import MECHANISMS

SOURCE = pathlib.Path(__file__).resolve().parents[3]
PRESET = "dev"
TEST_SECONDS_MAX = 1200


def occurrences(mechanism, root):
    return (root / mechanism.file).read_text().count(mechanism.old)


def check(mechanisms, root):
    """Prints the errors in the table. Returns whether there are none."""
    wrong = [each for each in mechanisms if occurrences(each, root) != 1]
    for each in wrong:
        print(f"{each.name}: {each.file} has this {occurrences(each, root)} times, not once:\n"
              f"{each.old}")
    return not wrong


def sources():
    """Returns the paths of the checkout's files: those that git tracks or, without git, all except
    builds.
    """
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=SOURCE, capture_output=True, check=False)
    if listed.returncode == 0:
        paths = [pathlib.Path(os.fsdecode(name)) for name in listed.stdout.split(b"\0") if name]
    else:
        paths = [path.relative_to(SOURCE) for path in SOURCE.rglob("*")]
        paths = [path for path in paths if path.parts[0] not in ("build", ".git")]
    return [path for path in paths
            if (SOURCE / path).is_file() or (SOURCE / path).is_symlink()]


def copy_sources(root):
    """Copies files, and keeps the times of unchanged ones, so that they are not built again."""
    for path in sources():
        source, target = SOURCE / path, root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            if not target.is_symlink():
                target.symlink_to(os.readlink(source))
        elif not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copy(source, target)


class Copy:
    """A copy of the sources, and its build."""

    def __init__(self, root, jobs):
        self.root = root
        self.jobs = jobs
        copy_sources(root)
        self.run(["cmake", "--preset", PRESET, "--log-level=WARNING"], check=True)

    def run(self, command, **options):
        return subprocess.run(command, cwd=self.root, **options)

    def build(self, *programs):
        """Builds; returns the compiler's output if that fails, else an empty string."""
        built = self.run(["cmake", "--build", "--preset", PRESET, "--parallel", str(self.jobs),
                          "--target", *programs],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return "" if built.returncode == 0 else built.stdout

    def passes(self, program, test):
        """Returns whether all tests of a filter pass. A test that does not end in time fails."""
        command = [self.root / "build" / PRESET / "bin" / program, f"--gtest_filter={test}"]
        try:
            return self.run([*command, "--gtest_brief=1"], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, timeout=TEST_SECONDS_MAX,
                            check=False).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def is_known(self, program, test):
        command = [self.root / "build" / PRESET / "bin" / program, f"--gtest_filter={test}",
                   "--gtest_list_tests"]
        listed = self.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        return any(line.startswith("  ") for line in listed.splitlines())

    def complaints_unchanged(self, mechanisms):
        """Returns complaints about the unchanged sources: tests that are missing or fail."""
        programs = sorted({each.program for each in mechanisms})
        output = self.build(*programs)
        if output:
            return [f"it does not build:\n{output}"]
        complaints = []
        for program, test in sorted({(each.program, test) for each in mechanisms
                                     for test in each.fails}):
            if not self.is_known(program, test):
                complaints.append(f"{program} has no test {test}")
            elif not self.passes(program, test):
                complaints.append(f"{test} fails where nothing is switched off")
        return complaints

    def complaints(self, mechanism):
        """Switches a mechanism off; returns complaints about tests that pass anyway."""
        path = self.root / mechanism.file
        text = path.read_text()
        path.write_text(text.replace(mechanism.old, mechanism.new))
        try:
            output = self.build(mechanism.program)
            if output:
                return [f"it does not build:\n{output}"]
            return [f"{test} passes" for test in mechanism.fails
                    if self.passes(mechanism.program, test)]
        finally:
            path.write_text(text)


def switch_off(mechanisms, copy):
    """Prints a table. Returns whether all tests failed that must fail."""
    complaints = copy.complaints_unchanged(mechanisms)
    for complaint in complaints:
        print(complaint, flush=True)
    if complaints:
        return False
    for number, mechanism in enumerate(mechanisms, 1):
        found = copy.complaints(mechanism)
        result = "; ".join(found) if found else f"{len(mechanism.fails)} failed, as they must"
        print(f"{number:3} of {len(mechanisms)}  {mechanism.name}: {result}", flush=True)
        complaints += found
    return not complaints


def show(mechanisms):
    for each in mechanisms:
        print(f"{each.name} ({each.file})")
        for test in each.fails:
            print(f"    {each.program} {test}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", action="append")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--scratch", type=pathlib.Path, metavar="DIR",
                        help="where the copy is built, and stays for the next time")
    options = parser.parse_args()
    mechanisms = [each for each in MECHANISMS
                  if options.only is None or any(name in each.name for name in options.only)]
    if not mechanisms:
        parser.error("no mechanism has this name")
    if options.list:
        show(mechanisms)
        return 0
    if not check(mechanisms, SOURCE):
        return 1
    if options.check:
        print(f"{len(mechanisms)} mechanisms can be switched off")
        return 0
    with tempfile.TemporaryDirectory(prefix="dgfs-switched-off-") as made:
        root = options.scratch.resolve() if options.scratch else pathlib.Path(made)
        return 0 if switch_off(mechanisms, Copy(root, options.jobs)) else 1


if __name__ == "__main__":
    sys.exit(main())
