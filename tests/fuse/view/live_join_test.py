#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""dgfs delta compact of a mounted delta, and the joins that a mount makes by itself."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from live_merge_case import LiveMergeCase, tree_of  # noqa: E402
from support import DGFS, dgfs, run  # noqa: E402

UNNAMED_MAX = 8  # layers, beyond which a mount joins by itself


class Joins(LiveMergeCase):
    def setUp(self):
        super().setUp()
        self.mount_delta("merge_rate=4M")
        self.written = 0

    def write(self, size_mib=0):
        self.written += 1
        directory = self.point / f"new-{self.written}"
        directory.mkdir()
        (directory / "file").write_bytes(os.urandom(10000))
        (self.point / "dir" / "0").write_text(f"version {self.written}")
        os.rename(self.point / "dir" / str(self.written), directory / "moved")
        if size_mib:
            self.write_large(f"large-{self.written}", size_mib)

    def seal_states(self, *names, size_mib=0):
        for name in names:
            self.write(size_mib)
            dgfs("delta", "seal", *(["--name", name] if name else []), self.delta)
        self.before = tree_of(self.point)

    def compact(self, *options, **keywords):
        return dgfs("delta", "compact", *options, self.delta, **keywords)

    def log(self):
        lines = dgfs("delta", "log", "--json", self.delta).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def names(self):
        """Names of states, the newest first; None for one without a name."""
        return [line.get("name") for line in self.log()[:-1]]

    @contextlib.contextmanager
    def mounted_state(self, state):
        point = self.scratch / "then"
        point.mkdir()
        dgfs("mount", self.image, point, "--delta", self.delta, "--as-of", state)
        try:
            yield point
        finally:
            run("umount", point)

    def join_state(self):
        return self.ask("join-state")

    def stores(self):
        return sorted(path.name for path in self.delta.iterdir() if path.is_dir())

    def test_a_mounted_delta_is_compacted(self):
        self.seal_states("", "", "kept", "", "")
        self.seal_states("", size_mib=1)
        with open(self.point / "dir" / "0", "rb") as file:
            said = self.compact().stdout.decode()
            self.assertRegex(said, r"^\S+: joining 6 layers of [\d.]+ MB into 2, which needs up "
                                   r"to [\d.]+ MB of the disk\n"
                                   r"\S+: joined 6 layers into 2 in 0:0\d; [\d.]+ MB instead of "
                                   r"[\d.]+ MB\n$")
            self.assertEqual(file.read(), f"version {self.written}".encode())
        self.assertEqual(self.names(), [None, "kept"])
        self.assertEqual(len(self.stores()), 3)
        self.assertTrue(self.compact("--json").stdout.startswith(b'{"layers_before":2,'))
        self.expect_whole_after_remount(self.before)

    def test_a_state_that_is_looked_at_stays(self):
        self.seal_states("", "", "")
        seen = self.log()[0]["id"]
        self.seal_states("", "", "")
        with self.mounted_state(seen) as point:
            shown = tree_of(point)
            self.compact()
            ids = [line["id"] for line in self.log()[:-1]]
            self.assertEqual(len(ids), 2)
            self.assertEqual(ids[1], seen)
            self.assertEqual(tree_of(point), shown)
        self.expect_whole_after_remount(self.before)

    def test_a_mount_joins_by_itself(self):
        self.seal_states(*[""] * UNNAMED_MAX)
        self.assertEqual(self.join_state()["number"], 0)
        self.seal_states("")
        self.wait_until(lambda: self.join_state()["number"] > 0, "a join")
        self.wait_until(lambda: not self.join_state()["running"], "its end")
        self.assertLessEqual(len(self.names()), UNNAMED_MAX)
        self.assertGreater(self.join_state()["moved_bytes"], 0)
        self.expect_whole_after_remount(self.before)

    def test_a_slow_one_can_be_cancelled(self):
        self.seal_states("", "", size_mib=40)
        with subprocess.Popen([DGFS, "delta", "compact", self.delta], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as command:
            self.addCleanup(self.end_command, command)
            self.wait_until(lambda: self.join_state()["running"], "a join")
            self.expect_refused(self.compact(check=False), "a join is under way", code=1)
            self.expect_refused(self.merge(check=False), "layers are being joined; 'dgfs delta "
                                "compact --cancel' ends that", code=1)
            self.expect_same_tree(self.before)
            begin = time.monotonic()
            said = self.compact("--cancel").stdout.decode()
            self.assertIn("the join was cancelled; nothing was joined", said)
            self.assertLess(time.monotonic() - begin, 5)
            self.assertEqual(command.wait(timeout=10), 1)
        self.assertEqual(len(self.names()), 2)
        self.assertEqual(len(self.stores()), 3)
        self.expect_refused(self.compact("--cancel", check=False), "no join is under way", code=1)
        self.expect_whole_after_remount(self.before)

    def test_another_mount_that_is_stopped_does_not_hold_it_up(self):
        self.seal_states("", "")
        point, delta = self.scratch / "other", self.scratch / "other-delta"
        point.mkdir()
        dgfs("mount", self.image, point, "--delta", delta)
        (point / "file").write_bytes(b"before")
        daemon = int(run("pgrep", "-f", f"mount .*{point}").stdout)
        with open(point / "file", "r+b", buffering=0) as file:
            file.write(b"now")  # so the kernel would ask for the attributes
            os.kill(daemon, signal.SIGSTOP)
            try:
                said = self.compact("--quiet", timeout=20)
            finally:
                os.kill(daemon, signal.SIGCONT)
        self.assertEqual(said.stdout, b"")
        self.assertEqual(self.names(), [None])
        run("umount", point)


if __name__ == "__main__":
    mount_case.main()
