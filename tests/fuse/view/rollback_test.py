#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""dgfs delta rollback: a delta that was mounted returns to one of its states."""
import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from delta_case import snapshot  # noqa: E402
from live_merge_case import LiveMergeCase, open_handle, take_handle, tree_of  # noqa: E402
from support import DGFS, dgfs, run  # noqa: E402


def make_controlling_terminal():
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Rollbacks(LiveMergeCase):
    def setUp(self):
        super().setUp()
        self.mount_delta()
        self.trees = {}
        self.numbers = set()
        self.make("one")
        self.make("two")
        self.write("lost")

    def write(self, name):
        (self.point / name).mkdir()
        for i in range(20):
            (self.point / name / str(i)).write_bytes(name.encode() * (100 * i + 1))
        os.rename(self.point / "dir" / str(len(self.trees) + 1), self.point / name / "moved")
        os.unlink(self.point / "dir" / str(len(self.trees) + 11))

    def make(self, name):
        """Makes changes and a state with them."""
        self.write(name)
        self.seal(name)
        self.trees[name] = tree_of(self.point)

    def note_numbers(self):
        for status in map(os.lstat, self.point.rglob("*")):
            self.numbers.add(status.st_ino)

    def roll_back(self, state):
        """Rolls back, and returns the answer as JSON."""
        return json.loads(dgfs("delta", "rollback", "--yes", "--json", self.delta, state).stdout)

    def refuse(self, state, *texts):
        refused = dgfs("delta", "rollback", "--yes", self.delta, state, check=False)
        self.expect_refused(refused, *texts, "nothing was changed", code=1)

    def log(self):
        return [json.loads(line)
                for line in dgfs("delta", "log", "--json", self.delta).stdout.splitlines()]

    def expect_sound_stack(self):
        dgfs("delta", "check", "--image", self.image, self.delta)
        dgfs("delta", "info", self.delta)

    def expect_state(self, name):
        self.expect_sound_stack()
        self.mount_delta()
        self.expect_same_tree(self.trees[name])

    def test_it_shows_the_state_and_goes_on_from_there(self):
        self.unmount()
        answer = self.roll_back("one")
        self.assertTrue(answer["rolled_back"])
        self.assertEqual([lost.get("name") for lost in answer["lost"]], [None, "two"])
        self.assertEqual([line.get("name") for line in self.log()], ["one", None])
        self.expect_state("one")
        self.make("three")
        self.remount()
        self.expect_same_tree(self.trees["three"])
        self.unmount()
        self.roll_back("one")
        self.expect_state("one")
        self.assertEqual(len([name for name in os.listdir(self.delta) if name.isdigit()]), 2)

    def test_no_inode_number_and_no_handle_comes_again(self):
        handles = [take_handle(path) for path in (self.point / "lost").iterdir()
                   if path.name != "moved"]
        self.note_numbers()
        self.unmount()
        self.roll_back("one")
        self.mount_delta()
        (self.point / "later").mkdir()
        for i in range(200):
            (self.point / "later" / str(i)).touch()
        for path in (self.point / "later", *(self.point / "later").iterdir()):
            self.assertNotIn(os.lstat(path).st_ino, self.numbers)
        root = os.open(self.point, os.O_RDONLY)
        self.addCleanup(os.close, root)
        for handle in handles:
            with self.assertRaises(OSError):
                os.close(open_handle(root, handle, os.O_RDONLY))

    def test_a_delta_in_use_is_refused_with_the_process(self):
        for options in ((), ("ro",)):
            if options:
                self.remount(*options)
            before = ((self.delta / "MANIFEST").read_bytes(), sorted(os.listdir(self.delta)))
            self.refuse("one", f"in use by process {self.daemon()} (dgfs)")
            self.assertEqual(
                ((self.delta / "MANIFEST").read_bytes(), sorted(os.listdir(self.delta))), before)

    def test_a_look_at_a_state_that_goes_is_not_disturbed(self):
        then = self.scratch / "then"
        then.mkdir()
        dgfs("mount", self.image, then, "--delta", self.delta, "--as-of", "two")
        self.unmount()
        result = dgfs("delta", "rollback", "--yes", self.delta, "one")
        self.assertIn(b"will be free again", result.stdout)
        self.assertIn(b"the rollback is made, but files that nothing needs are", result.stderr)
        self.expect_state("one")
        self.assertEqual((then / "two" / "19").read_bytes(), b"two" * 1901)
        self.assertTrue((then / "dir" / "3").exists())
        self.unmount()
        self.assertTrue((self.delta / "0002").exists())
        run("umount", then)
        said = self.mount_delta().stdout
        self.assertIn(b"had left", said)
        self.assertFalse((self.delta / "0002").exists())
        self.expect_same_tree(self.trees["one"])

    def test_a_damaged_newest_store_is_no_obstacle(self):
        self.note_numbers()
        self.unmount()
        for name in ("store", "blocks"):
            path = self.delta / "0003" / name
            path.write_bytes(os.urandom(path.stat().st_size))
        self.expect_refused(self.mount_delta(check=False), "0003")
        listed = dgfs("delta", "rollback", "--dry-run", self.delta, "newest").stdout.decode()
        self.assertRegex(listed, r"\n  since two \([0-9a-f]{8}\), unreadable \(.*0003.*\), ")
        self.roll_back("newest")
        self.expect_state("two")
        (self.point / "later").touch()
        self.assertGreater(os.lstat(self.point / "later").st_ino, 1 << 40)

    def test_a_killed_mount_is_rolled_back(self):
        self.kill_daemon()
        run("umount", "-l", self.point)
        self.roll_back("two")
        self.expect_state("two")

    def test_after_a_kill_of_the_command_it_is_made_or_not_and_can_be_made(self):
        self.unmount()
        whole = self.scratch / "whole"
        run("cp", "-a", self.delta, whole)
        before = self.log()
        for delay_ms in range(0, 60, 5):
            run("rm", "-rf", self.delta)
            run("cp", "-a", whole, self.delta)
            command = subprocess.Popen([DGFS, "delta", "rollback", "--yes", self.delta, "one"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay_ms / 1000)
            command.kill()
            command.wait()
            self.assertIn(self.log(), (before, before[1:]))
            self.roll_back("one")
            dgfs("delta", "wait", self.delta)
            self.expect_sound_stack()
            self.assertEqual(self.log(), before[1:])
            stores = [name for name in os.listdir(self.delta) if name.isdigit()]
            self.assertEqual(len(stores), 2, stores)
        self.expect_state("one")

    def test_a_damaged_layer_above_the_state_is_no_obstacle(self):
        self.unmount()
        path = self.delta / "0002" / "store"
        path.write_bytes(os.urandom(path.stat().st_size))
        self.expect_refused(self.mount_delta(check=False), "0002")
        self.refuse("two", "0002")
        self.roll_back("one")
        self.expect_state("one")

    def test_states_in_the_base_are_gone(self):
        ids = [line["id"] for line in self.log()]
        dgfs("delta", "drop", self.delta, "one")
        self.merge()
        self.unmount()
        self.refuse(ids[1], "a merge has taken it into the base, which is the later state two (")
        self.roll_back("base")
        self.expect_state("two")

    def test_it_asks_on_a_terminal(self):
        self.unmount()
        before = snapshot(self.delta)
        for answer, code in ((b"n\n", 1), (b"\n", 1), (b"\x04", 1), (b"\x03", -signal.SIGINT),
                             (b"y\n", 0)):
            self.assertEqual(snapshot(self.delta), before)
            master, slave = pty.openpty()
            asking = subprocess.Popen([DGFS, "delta", "rollback", self.delta, "one"], stdin=slave,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      start_new_session=True,
                                      preexec_fn=make_controlling_terminal)
            os.close(slave)
            seen = b""
            while b"[y/N] " not in seen:
                seen += os.read(asking.stderr.fileno(), 4096)
            self.assertRegex(seen.decode(), re.escape(str(self.delta)) + r": go back to one \(")
            os.write(master, answer)
            self.assertEqual(asking.wait(timeout=20), code, answer)
            asking.communicate()
            os.close(master)
        self.expect_state("one")

    def test_wrong_arguments_change_nothing(self):
        self.unmount()
        before = snapshot(self.delta)
        for arguments, code in (((self.delta, "one"), 1), (("--yes", self.delta, "three"), 1),
                                (("--yes", self.delta), 2),
                                (("--yes", self.delta, "one", "two"), 2),
                                (("--yes", self.scratch / "none", "one"), 1),
                                (("--yes", self.image, "one"), 1)):
            self.assertEqual(dgfs("delta", "rollback", *arguments, check=False).returncode, code)
            self.assertEqual(snapshot(self.delta), before)


class Drops(LiveMergeCase):
    def setUp(self):
        super().setUp()
        self.mount_delta()
        for name in ("one", "two", "three"):
            (self.point / name).write_text(name)
            self.seal(name)
        (self.point / "later").write_text("later")

    def drop(self, *arguments, **keywords):
        return dgfs("delta", "drop", self.delta, *arguments, **keywords)

    def names(self):
        lines = [json.loads(line)
                 for line in dgfs("delta", "log", "--json", self.delta).stdout.splitlines()]
        return [line.get("name") for line in lines]

    def test_of_a_mounted_delta(self):
        before = tree_of(self.point)
        said = self.drop("one", "newest").stdout.decode()
        self.assertRegex(said, r"^dropped one \([0-9a-f]{8}\), three \([0-9a-f]{8}\); 1 state ")
        self.assertEqual(self.names(), [None, "two", None, None])
        self.expect_same_tree(before)
        self.expect_whole_after_remount(before)
        self.assertEqual(self.names(), [None, "two", None, None])

    def test_of_a_delta_that_is_not_mounted(self):
        before = tree_of(self.point)
        self.unmount()
        self.drop("--keep-last", "1")
        self.assertEqual(self.names(), ["three", None, None, None])
        self.mount_delta()
        self.expect_whole_after_remount(before)

    def test_all_or_nothing(self):
        for _ in ("mounted", "not mounted"):
            self.expect_refused(self.drop("one", "four", check=False), 'no state "four"',
                                "nothing was dropped", code=1)
            self.assertEqual(self.names(), ["three", "two", "one", None])
            run("umount", self.point, check=False)
            dgfs("delta", "wait", self.delta)

    def test_a_read_only_mount_refuses(self):
        self.remount("ro")
        refused = self.drop("one", check=False)
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.assertEqual(self.names(), ["three", "two", "one", None])

    def test_a_named_base_is_merged_again_once_its_name_is_dropped(self):
        before = tree_of(self.point)
        self.merge()
        self.expect_refused(self.merge(check=False), "the oldest named state is the base (one)",
                            code=1)
        self.drop("one", "two", "three")
        self.merge()
        self.assertEqual(len(self.names()), 1)
        self.expect_same_tree(before)
        self.expect_whole_after_remount(before)

    def test_wrong_arguments_change_nothing(self):
        for arguments in ((), ("--keep-last", "0"), ("--keep-daily",), ("one", "--keep-last", "1"),
                          ("one", "--yes")):
            self.assertEqual(self.drop(*arguments, check=False).returncode, 2)
        self.assertEqual(self.names(), ["three", "two", "one", None])


if __name__ == "__main__":
    mount_case.main()
