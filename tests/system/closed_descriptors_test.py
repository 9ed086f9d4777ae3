#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Commands that are started with some of the descriptors 0, 1 and 2 closed.

Files that such a command opens must not get these numbers: its output would go into them, and a
mount that goes to the background would put /dev/null over them.
"""
import itertools
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import support  # noqa: E402
from support import DGFS, build, dgfs, run  # noqa: E402

CLOSED = [set(some) for count in (1, 2, 3) for some in itertools.combinations(range(3), count)]


def start(closed, *arguments, **keywords):
    """Runs dgfs without the closed descriptors; the others work."""
    def close():
        for descriptor in closed:
            os.close(descriptor)
    return subprocess.run([DGFS, *map(os.fspath, arguments)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=close,
                          timeout=60, check=False, **keywords)


class ClosedDescriptors(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.tree = self.scratch / "tree"
        (self.tree / "dir").mkdir(parents=True)
        for i in range(20):
            (self.tree / "dir" / str(i)).write_bytes(f"content {i}\n".encode() * (40 * i + 1))
        self.image = self.scratch / "image.dgfs"
        build(self.tree, self.image, "--digest", "sha256")

    def each(self):
        for closed in CLOSED:
            with self.subTest(closed=sorted(closed)):
                yield closed

    def test_a_build_makes_the_same_bytes(self):
        for closed in self.each():
            made = self.scratch / "made.dgfs"
            # A build that prints nothing works; one that cannot print says so and is whole, too.
            for options, code in ((["--quiet"], 0), ([], 1 if 1 in closed else 0)):
                result = start(closed, "build", self.tree, made, "--digest", "sha256", *options)
                self.assertIn(result.returncode, (0, code), result.stderr)
                for end in ("", ".idx"):
                    self.assertEqual(pathlib.Path(f"{made}{end}").read_bytes(),
                                     pathlib.Path(f"{self.image}{end}").read_bytes())
                made.unlink()
                pathlib.Path(f"{made}.idx").unlink()

    def test_what_is_written_out_is_whole(self):
        for closed in self.each():
            for command in ("extract", "salvage"):
                out = self.scratch / "out"
                result = start(closed, command, self.image, out)
                self.assertIn(result.returncode, (0, 1) if 1 in closed else (0,), result.stderr)
                support.compare(self.tree, out)
                shutil.rmtree(out)

    def test_an_index_is_mended(self):
        index = pathlib.Path(f"{self.image}.idx")
        sound = index.read_bytes()
        image = self.image.read_bytes()
        for closed in self.each():
            index.write_bytes(sound[:4200] + b"damaged" + sound[4207:])
            start(closed, "verify", "--fix-index", self.image)
            self.assertEqual(index.read_bytes(), sound)
            self.assertEqual(self.image.read_bytes(), image)

    def test_readers_change_nothing_and_print_what_they_can(self):
        image = self.image.read_bytes()
        commands = (["ls", "-lR", self.image], ["find", self.image], ["du", self.image],
                    ["stat", self.image, "dir"], ["cat", self.image, "dir/7"],
                    ["info", self.image], ["verify", self.image], ["digest", self.image],
                    ["diff", self.image, self.tree], ["volume", "list", self.image],
                    ["help"], ["--version"])
        for command in commands:
            expected = start((), *command)
            for closed in CLOSED:
                with self.subTest(command=command[0], closed=sorted(closed)):
                    result = start(closed, *command)
                    if 1 in closed:
                        # As in other packages, output that cannot be printed is an error.
                        self.assertEqual(result.returncode,
                                         1 if expected.stdout else expected.returncode)
                        if 2 not in closed and expected.stdout:
                            self.assertIn(b"Bad file descriptor", result.stderr)
                    else:
                        self.assertEqual((result.returncode, result.stdout),
                                         (expected.returncode, expected.stdout))
        self.assertEqual(self.image.read_bytes(), image)

    def test_a_closed_standard_input_is_an_error_and_not_a_file(self):
        result = start({0}, "build", "--files-from=-", self.tree, self.scratch / "made.dgfs")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"Bad file descriptor", result.stderr)


class Mounts(support.ScratchCase):
    def setUp(self):
        super().setUp()
        support.need_fuse()
        support.need_root()
        tree = self.scratch / "tree"
        tree.mkdir()
        (tree / "file").write_bytes(b"content\n" * 5000)
        self.image = self.scratch / "image.dgfs"
        build(tree, self.image)
        self.point = self.scratch / "mnt"
        self.point.mkdir()
        self.addCleanup(run, "umount", "-l", self.point, check=False)

    def test_a_mount_serves(self):
        for closed in CLOSED:
            with self.subTest(closed=sorted(closed)):
                result = start(closed, "mount", self.image, self.point)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual((self.point / "file").read_bytes(), b"content\n" * 5000)
                support.unmount(self.point)

    def test_a_delta_keeps_what_is_written(self):
        for i, closed in enumerate(CLOSED):
            with self.subTest(closed=sorted(closed)):
                delta = self.scratch / f"delta{i}"
                result = start(closed, "mount", self.image, self.point, "--delta", delta)
                self.assertEqual(result.returncode, 0, result.stderr)
                (self.point / "new").write_bytes(b"new\n" * 30000)
                self.assertEqual((self.point / "file").read_bytes(), b"content\n" * 5000)
                support.unmount(self.point)
                for command in ("info", "check"):
                    self.assertIn(start(closed, "delta", command, delta).returncode,
                                  (0, 1) if 1 in closed else (0,))
                dgfs("mount", self.image, self.point, "--delta", delta)
                self.assertEqual((self.point / "new").read_bytes(), b"new\n" * 30000)
                support.unmount(self.point)

    def test_a_mount_in_the_foreground_ends_well(self):
        for closed in CLOSED:
            with self.subTest(closed=sorted(closed)):
                process = subprocess.Popen(
                    [DGFS, "mount", "-f", self.image, self.point, "--delta",
                     self.scratch / f"delta{len(closed)}{min(closed)}"],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    preexec_fn=lambda closed=closed: [os.close(i) for i in closed])
                self.wait_until_mounted(process)
                (self.point / "new").write_bytes(b"new\n" * 30000)
                self.assertEqual((self.point / "file").read_bytes(), b"content\n" * 5000)
                support.unmount(self.point)
                self.assertEqual(process.wait(timeout=20), 0)

    def test_a_mount_needs_nobody_who_reads_its_messages(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run(
            [DGFS, "mount", self.image, self.point, "--delta", self.scratch / "delta"],
            stdin=subprocess.DEVNULL, stdout=writer, stderr=writer, timeout=60, check=False)
        os.close(writer)
        self.assertEqual(result.returncode, 0)
        self.assertEqual((self.point / "file").read_bytes(), b"content\n" * 5000)
        support.unmount(self.point)

    def wait_until_mounted(self, process):
        # Ends with the process or with the time of ctest.
        while not os.path.ismount(self.point):
            self.assertIsNone(process.poll(), "the mount ended")


if __name__ == "__main__":
    support.main()
