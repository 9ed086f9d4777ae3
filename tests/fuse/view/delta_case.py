# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Helpers for tests of mounts with a delta."""
import hashlib
import os
import pathlib
import signal
import socket
import time

from mount_case import MountCase
from support import dgfs, run


def snapshot(directory):
    return {path: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(pathlib.Path(directory).rglob("*")) if path.is_file()}


def state_of(process):
    """Returns the state of a process as in proc(5); none: the process is gone."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return None


class DeltaCase(MountCase):
    def setUp(self):
        super().setUp()
        self.delta = self.scratch / "delta"

    def mount_delta(self, *options, **keywords):
        return self.mount(",".join((f"delta={self.delta}", *options)), **keywords)

    def unmount(self):
        """Unmounts; returns when the delta is closed, so that a check can open it."""
        run("umount", self.point)
        dgfs("delta", "check", "-q", self.delta)

    def remount(self, *options):
        run("umount", self.point)
        return self.mount_delta(*options)

    def daemon(self):
        pids = run("pgrep", "-f", f"mount .*{self.point}").stdout.split()
        self.assertEqual(len(pids), 1)
        return int(pids[0])

    def ask_state(self):
        """Returns the answer of the process that has the delta open; empty: there is none."""
        with socket.socket(socket.AF_UNIX) as asking:
            try:
                asking.connect(str(self.delta / "control"))
                asking.sendall(b"state\n")
                return asking.recv(4096)
            except OSError:
                return b""

    def kill_daemon(self):
        """Kills the daemon; returns when it holds no file any more. No process here reaps it."""
        daemon = self.daemon()
        os.kill(daemon, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while (status := state_of(daemon)) not in ("Z", "X", None):
            self.assertLess(time.monotonic(), deadline, f"a killed process is in state {status}")
            time.sleep(0.005)

    def expect_sound(self):
        dgfs("delta", "check", "--image", self.image, self.delta)
