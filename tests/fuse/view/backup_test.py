#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Copies of a delta, on a busy machine: right after the mount has ended, and at other moments.

A copy is complete, or it is refused. Files that were written before the mount ended are in it.
"""
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from mount_case import MountCase, NOBODY, as_nobody  # noqa: E402
import support  # noqa: E402
from support import dgfs, run  # noqa: E402

FILES = 250
BYTES = b"x" * 3000  # a large value of the store
HOGS = 2
TORN = "is a copy that was taken while a process had the delta open for writing"


class Busy(MountCase):
    def setUp(self):
        super().setUp()
        self.delta = self.scratch / "d"
        self.copy = self.scratch / "c"
        self.hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                     for _ in range(HOGS)]

    def tearDown(self):
        for hog in self.hogs:
            hog.kill()
            hog.wait()
        super().tearDown()
        self.wait_for_servers()

    def wait_for_delta(self):
        dgfs("delta", "wait", self.delta)

    def wait_for_servers(self):
        for delta in (self.delta, self.copy):
            if (delta / "MANIFEST").exists():
                dgfs("delta", "wait", delta, check=False)

    def fill(self, folder):
        (self.point / folder).mkdir()
        for i in range(FILES):
            (self.point / folder / str(i)).write_bytes(BYTES)

    def sync(self, folder):
        # The file that was written last: it is durable with all that came before.
        with open(self.point / folder / str(FILES - 1), "rb") as file:
            os.fsync(file.fileno())

    def mount_delta(self, delta=None):
        return self.mount(f"delta={delta or self.delta}")

    def expect_whole(self, *folders):
        dgfs("delta", "check", self.copy, "--image", self.image)
        self.mount_delta(self.copy)
        for folder in folders:
            names = os.listdir(self.point / folder)
            self.assertEqual(len(names), FILES)
            for name in names:
                self.assertEqual((self.point / folder / name).read_bytes(), BYTES)
        run("umount", self.point)
        self.wait_for_servers()
        run("rm", "-rf", self.copy)

    def expect_torn(self):
        for arguments in (("check", self.copy), ("info", self.copy)):
            self.expect_refused(dgfs("delta", *arguments, check=False), TORN, "dgfs delta wait",
                                "dgfs delta repair", code=1)
        self.expect_refused(self.mount(f"delta={self.copy}", check=False), TORN)
        self.expect_refused(self.mount(f"delta={self.copy},ro", check=False), TORN)


class AfterTheMount(Busy):
    """Every file is in a copy that is made at once, if the mount was ended through the helper."""

    def ended(self, *end):
        run("rm", "-rf", self.copy, self.delta)
        self.mount_delta()
        self.fill("x")
        run(*end, cwd=self.point.parent)

    def copy_by_tar(self):
        self.copy.mkdir()
        run("sh", "-ec", f"cd {self.delta}; tar c . | tar x -C {self.copy}")

    def expect_closed(self):
        self.assertEqual(dgfs("delta", "wait", self.delta).stderr, b"", "it was to be waited for")

    def test_the_helper_waits_for_the_server(self):
        for end in (("umount", self.point), ("umount", self.point.name),
                    ("umount", "-c", self.point), ("umount", f"{self.point}/")):
            with self.subTest(end=end):
                self.ended(*end)
                self.expect_closed()
                self.copy_by_tar()
                self.expect_whole("x")

    def test_it_waits_for_the_server_of_a_user_too(self):
        place = self.scratch / "user"
        place.mkdir()
        os.chown(place, NOBODY, NOBODY)
        self.point, self.delta = place / "mnt", place / "d"
        as_nobody("mkdir", self.point)
        as_nobody(support.DGFS, "mount", self.image, self.point, "-o",
                  f"delta={self.delta},uid={NOBODY},gid={NOBODY}")
        as_nobody("sh", "-ec", f'for i in $(seq {FILES}); do echo $i >"$0/$i"; done', self.point)
        as_nobody("umount", self.point)
        self.expect_closed()

    def test_other_tools_copy_all_of_it(self):
        for tool in (("cp", "-a", self.delta, self.copy),
                     ("rsync", "-a", f"{self.delta}/", self.copy),
                     (sys.executable, "-c", "import shutil, sys; shutil.copytree(*sys.argv[1:], "
                      "ignore=shutil.ignore_patterns('control'))", self.delta, self.copy)):
            with self.subTest(tool=tool):
                self.ended("umount", self.point)
                run(*tool)
                self.expect_whole("x")

    def test_wait_makes_every_way_do(self):
        for end in (("fusermount3", "-u", self.point), ("umount", "-i", self.point)):
            with self.subTest(end=end):
                self.ended(*end)
                dgfs("delta", "wait", self.delta)
                self.copy_by_tar()
                self.expect_whole("x")

    def test_a_copy_that_comes_too_early_is_whole_or_refused(self):
        self.ended("fusermount3", "-u", self.point)
        run("cp", "-a", self.delta, self.copy)
        self.wait_for_delta()
        if dgfs("delta", "check", self.copy, check=False).returncode == 0:
            return self.expect_whole("x")
        for options in ("", ",ro"):
            self.expect_refused(self.mount(f"delta={self.copy}{options}", check=False), TORN)

    def test_a_copy_without_times_is_read_completely_once(self):
        self.ended("umount", self.point)
        run("cp", "-r", self.delta, self.copy)
        self.expect_whole("x")


class Notes(MountCase):
    """The line in libmount's table by which umount(8) of root finds the helper."""

    TABLE = pathlib.Path("/run/mount/utab")

    def notes(self):
        return self.TABLE.read_text() if self.TABLE.exists() else ""

    def mount_delta(self):
        self.mount(f"delta={self.scratch}/d")

    def expect_no_note(self):
        self.assertNotIn(str(self.point), self.notes())

    def test_a_writable_mount_has_one_until_it_ends(self):
        for end in (("umount", self.point), ("umount", "-c", self.point),
                    ("umount", "-l", self.point), ("fusermount3", "-u", self.point)):
            with self.subTest(end=end):
                self.mount_delta()
                self.assertIn(f"TARGET={self.point} ROOT=/ OPTS=uhelper=dgfs", self.notes())
                run(*end)
                dgfs("delta", "wait", self.scratch / "d")
                self.expect_no_note()

    def test_mount_8_makes_one_too(self):
        run("mount", "-t", "dgfs", "-o", f"delta={self.scratch}/d", self.image, self.point)
        self.assertEqual(self.notes().count(str(self.point)), 1)
        run("umount", self.point)
        self.expect_no_note()

    def test_it_survives_a_remount(self):
        self.mount_delta()
        run("mount", "-o", "remount,ro", self.point)
        run("mount", "-o", "remount,rw", self.point)
        self.assertEqual(self.notes().count(str(self.point)), 1)
        (self.point / "new").write_bytes(b"x")
        run("umount", self.point)
        self.expect_no_note()

    def test_a_read_only_mount_needs_none(self):
        self.mount("ro")
        self.expect_no_note()
        run("umount", self.point)

    def test_umount_works_when_the_helper_has_gone(self):
        for name in ("umount.dgfs", "umount.fuse.dgfs"):
            self.addCleanup(os.rename, f"/sbin/aside.{name}", f"/sbin/{name}")
        self.mount_delta()
        self.assertIn(str(self.point), self.notes())
        for name in ("umount.dgfs", "umount.fuse.dgfs"):
            os.rename(f"/sbin/{name}", f"/sbin/aside.{name}")
        run("umount", self.point)
        self.assertIsNone(self.table_entry())
        dgfs("delta", "wait", self.scratch / "d")
        self.expect_no_note()
        self.mount_delta()
        self.expect_no_note()
        run("umount", self.point)
        self.assertIsNone(self.table_entry())
        dgfs("delta", "wait", self.scratch / "d")

    def test_a_table_that_cannot_be_written_does_no_harm(self):
        run("mount", "-o", "remount,ro", "/run/mount")
        self.addCleanup(run, "mount", "-o", "remount,rw", "/run/mount")
        self.mount_delta()
        (self.point / "new").write_bytes(b"x")
        run("umount", self.point)
        self.assertIsNone(self.table_entry())
        dgfs("delta", "wait", self.scratch / "d")


class WhileInUse(Busy):
    def test_a_copy_of_a_mounted_delta_is_refused(self):
        self.mount_delta()
        self.fill("x")
        run("cp", "-a", self.delta, self.copy)
        self.expect_torn()
        self.fill("y")
        run("umount", self.point)
        self.expect_torn()

    def test_repair_keeps_what_a_copy_of_a_resting_mount_has(self):
        self.mount_delta()
        self.fill("x")
        self.sync("x")
        run("cp", "-a", self.delta, self.copy)
        self.expect_torn()
        said = dgfs("delta", "repair", self.copy).stdout.decode()
        self.assertIn("may be missing", said)
        run("umount", self.point)
        self.expect_whole("x")

    def test_after_a_lazy_unmount_wait_waits_for_the_last_writer(self):
        self.mount_delta()
        writer = subprocess.Popen(
            [sys.executable, "-c",
             "import itertools\nwith open('w', 'wb') as f:\n"
             "  for i in itertools.count(): f.write(b'w' * 5000); f.flush()"], cwd=self.point)
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        time.sleep(1)
        run("umount", "-l", self.point)
        run("cp", "-a", self.delta, self.copy)
        self.expect_torn()
        waited = dgfs("delta", "wait", "--timeout", "1", self.delta, check=False)
        self.expect_refused(waited, "waiting", "in use by process", "waited 1 s", code=1)
        writer.kill()
        writer.wait()
        dgfs("delta", "wait", self.delta)
        run("rm", "-rf", self.copy)
        run("cp", "-a", self.delta, self.copy)
        self.expect_whole()

    def test_a_killed_mount_is_recovered_and_its_copy_is_refused(self):
        self.mount_delta()
        self.fill("x")
        self.sync("x")
        in_use = dgfs("delta", "check", self.delta, check=False).stderr.decode()
        os.kill(int(re.search(r"process (\d+)", in_use).group(1)), signal.SIGKILL)
        waited = dgfs("delta", "wait", self.delta, check=False)
        self.expect_refused(waited, "Mount it once, which recovers it", code=1)
        run("cp", "-a", self.delta, self.copy)
        self.expect_torn()
        dgfs("delta", "check", self.delta)
        self.mount_delta()
        self.assertEqual(len(os.listdir(self.point / "x")), FILES)
        run("umount", self.point)

    def test_at_any_moment_a_copy_is_whole_or_refused(self):
        chance = random.Random(support.test_seed(71))
        rounds = int(os.environ.get("DGFS_COPY_ROUNDS", "4"))
        refused = 0
        for number in range(rounds):
            run("rm", "-rf", self.copy)
            self.mount_delta()
            folder = str(number)
            writer = subprocess.Popen([sys.executable, "-c", (
                "import os, sys\nos.mkdir(sys.argv[1])\n"
                f"for i in range({FILES}):\n"
                "  with open(sys.argv[1] + '/%d' % i, 'wb') as f: f.write(b'x' * 3000)\n"),
                self.point / folder])
            tool = chance.choice((("cp", "-a", self.delta, self.copy),
                                  ("cp", "-r", self.delta, self.copy),
                                  ("rsync", "-a", f"{self.delta}/", self.copy)))
            delay = chance.uniform(0, 1.5)
            copier = subprocess.Popen(["sh", "-c", f"sleep {delay}; exec \"$@\"", "sh", *tool])
            writer.wait()
            run(*chance.choice((("umount", "-i"), ("fusermount3", "-u"), ("umount",))), self.point)
            self.assertEqual(copier.wait(), 0)
            checked = dgfs("delta", "check", self.copy, "--image", self.image, check=False)
            mounted = self.mount(f"delta={self.copy}", check=False)
            self.assertEqual(mounted.returncode == 0, checked.returncode == 0,
                             checked.stdout + checked.stderr + mounted.stderr)
            if mounted.returncode != 0:
                refused += 1
                continue
            # Either all of this round, or all up to the one before.
            for made in range(number):
                self.assertEqual(len(os.listdir(self.point / str(made))), FILES)
            if (self.point / folder).exists():
                self.assertEqual(len(os.listdir(self.point / folder)), FILES)
            run("umount", self.point)
            self.wait_for_servers()
        print(f"{refused} of {rounds} copies were refused", file=sys.stderr)


class OfASnapshot(Busy):
    """The script of MOUNTING.md: seal, copy, roll the copy back. The delta stays mounted, and
    programs go on writing."""

    SCRIPT = """set -e
"$DGFS" delta seal --wait "$D"
cp -a "$D" "$COPY"
"$DGFS" delta rollback --yes "$COPY" newest
"""

    def back_up(self, script=SCRIPT):
        environment = {**os.environ, "DGFS": support.DGFS, "D": str(self.delta),
                       "COPY": str(self.copy)}
        return run("sh", "-c", script, env=environment)

    def newest_state(self, delta):
        return json.loads(dgfs("delta", "log", "--json", delta).stdout.splitlines()[0])

    @contextlib.contextmanager
    def writing(self):
        """A program makes files of a number each, and syncs now and then."""
        writer = subprocess.Popen(
            [sys.executable, "-c",
             "import itertools, os\n"
             "for i in itertools.count():\n"
             "  with open(f'{i % 500}', 'w') as f:\n"
             "    f.write(f'{i} ' * 700)\n"
             "    if i % 50 == 0: f.flush(); os.fsync(f.fileno())\n"], cwd=self.point)
        try:
            yield
            self.assertIsNone(writer.poll(), "it was to go on")
        finally:
            writer.kill()
            writer.wait()

    def test_the_manual_has_this_script(self):
        manual = pathlib.Path(__file__).resolve().parents[3] / "docs" / "MOUNTING.md"
        lines = self.SCRIPT.replace('"$DGFS"', "dgfs").replace('"$D"', "photos.delta")
        lines = lines.replace('"$COPY"', "backup").splitlines()[1:]
        self.assertIn("\n```\n" + "\n".join(lines) + "\n```\n", manual.read_text())

    def test_a_busy_mount_is_backed_up(self):
        self.mount_delta()
        self.fill("x")
        then = self.scratch / "then"
        then.mkdir()
        with self.writing():
            for number in range(3):
                run("rm", "-rf", self.copy)
                self.back_up()
                newest = self.newest_state(self.copy)
                dgfs("delta", "check", self.copy, "--image", self.image)
                point = self.scratch / f"copy-{number}"
                point.mkdir()
                dgfs("mount", self.image, point, "-o", f"delta={self.copy}")
                dgfs("mount", self.image, then, "--delta", self.delta, "--as-of", newest["id"])
                support.compare(then, point)
                self.assertEqual(len(os.listdir(point / "x")), FILES)
                (point / "new").write_text("a delta of its own")
                run("umount", then)
                run("umount", point)
                dgfs("delta", "wait", self.copy)

    def test_a_backup_is_restored(self):
        self.mount_delta()
        self.fill("x")
        self.back_up()
        self.fill("y")
        run("umount", self.point)
        self.wait_for_delta()
        run("rm", "-rf", self.delta)
        run("cp", "-a", self.copy, self.delta)
        self.mount_delta()
        self.assertEqual(len(os.listdir(self.point / "x")), FILES)
        self.assertFalse((self.point / "y").exists())
        self.fill("z")
        run("umount", self.point)

    def test_a_copy_of_an_unmounted_delta_is_backed_up_too(self):
        self.mount_delta()
        self.fill("x")
        run("umount", self.point)
        self.wait_for_delta()
        self.back_up()
        self.expect_whole("x")

    def test_the_seal_waits_for_its_layer(self):
        self.mount_delta()
        for number in range(5):
            (self.point / "one").write_bytes(BYTES * (number + 1))
            dgfs("delta", "seal", "--wait", self.delta)
            self.assertNotIn("closed", self.newest_state(self.delta))


if __name__ == "__main__":
    mount_case.main()
