# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Helpers for the system tests: the program under test, scratch space, mounts, comparison."""
import contextlib
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
DGFS = os.environ.get("DGFS", "dgfs")
SKIPPED = 77
# Set by CI: a machine that cannot mount must fail, because it says nothing about mounts.
NO_SKIPS = "DGFS_NO_SKIPS" in os.environ


def test_seed(written):
    """Returns the seed written in a test or, with DGFS_TEST_SEED, another one that depends on both.

    Prints on standard error how to repeat the run.
    """
    run_seed = os.environ.get("DGFS_TEST_SEED")
    if not run_seed:
        print(f"seed {written}; repeat without DGFS_TEST_SEED", file=sys.stderr, flush=True)
        return written
    digest = hashlib.sha256(f"{int(run_seed)} {written}".encode()).digest()
    seed = int.from_bytes(digest[:4], "little")
    print(f"seed {written} as {seed}; repeat with DGFS_TEST_SEED={run_seed}", file=sys.stderr,
          flush=True)
    return seed


def run(*arguments, check=True, **keywords):
    """Runs a program. If it fails and `check` is set, the exception has its output."""
    result = subprocess.run([os.fspath(a) for a in arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords)
    if check and result.returncode != 0:
        raise AssertionError(f"{arguments} ended with {result.returncode}\n"
                             f"{result.stdout[-4000:].decode(errors='replace')}\n"
                             f"{result.stderr[-4000:].decode(errors='replace')}")
    return result


def dgfs(*arguments, **keywords):
    return run(DGFS, *arguments, **keywords)


def build(source, image, *options):
    return dgfs("build", source, image, "--quiet", *options)


def compare(first, second, *options):
    """Fails if the independent walk finds a difference between two trees."""
    result = run(sys.executable, HERE / "compare_trees.py", first, second, *options, check=False)
    if result.returncode != 0:
        raise AssertionError(result.stdout.decode(errors="replace") +
                             result.stderr.decode(errors="replace"))


def need_fuse():
    if not os.path.exists("/dev/fuse"):
        raise unittest.SkipTest("/dev/fuse is missing on this machine")


def need_root():
    if os.geteuid() != 0:
        raise unittest.SkipTest("needs root")


def need_program(name):
    if shutil.which(name) is None:
        raise unittest.SkipTest(f"{name} is not installed")


@contextlib.contextmanager
def mounted(image, *options):
    """Mounts an image on a scratch directory and unmounts it at the end."""
    need_fuse()
    point = tempfile.mkdtemp(prefix="dgfs-mount-")
    try:
        dgfs("mount", image, point, *options)
        try:
            yield pathlib.Path(point)
        finally:
            unmount(point)
    finally:
        os.rmdir(point)


def unmount(point):
    deadline = time.monotonic() + 20
    while run("fusermount3", "-u", point, check=False).returncode != 0:
        if time.monotonic() > deadline:
            run("umount", "-l", point, check=False)
            raise AssertionError(f"{point} cannot be unmounted")
        time.sleep(0.1)


class ScratchCase(unittest.TestCase):
    """A test case with its own scratch directory."""

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-test-"))
        self.addCleanup(shutil.rmtree, self.scratch, ignore_errors=True)


def skip(reason):
    """Ends a test program as skipped, or as failed if DGFS_NO_SKIPS is set."""
    print("must not be skipped:" if NO_SKIPS else "skipped:", reason)
    sys.exit(1 if NO_SKIPS else SKIPPED)


def main():
    """Runs unittest.main(). Exit code 77 if every test was skipped; 1 if a test was skipped that
    must not be.
    """
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    if NO_SKIPS and result.skipped:
        skip(", ".join(f"{case}: {reason}" for case, reason in result.skipped))
    sys.exit(SKIPPED if result.testsRun and len(result.skipped) == result.testsRun else 0)
