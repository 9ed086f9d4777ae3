# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Slow block devices: a control group that limits the operations per second of its processes."""
import contextlib
import os
import pathlib
import sys

V1 = pathlib.Path("/sys/fs/cgroup/blkio")
V2 = pathlib.Path("/sys/fs/cgroup")


class Group:
    """Limits the reads per second of the processes of inside() and those that they start."""

    def __init__(self, folder, is_v2):
        self.folder = folder
        self.is_v2 = is_v2

    def limit(self, device, reads_per_second):
        """@param device: /dev/loopN"""
        number = pathlib.Path(f"/sys/block/{os.path.basename(device)}/dev").read_text().strip()
        if self.is_v2:
            (self.folder / "io.max").write_text(f"{number} riops={reads_per_second}\n")
        else:
            (self.folder / "blkio.throttle.read_iops_device").write_text(
                f"{number} {reads_per_second}\n")

    def inside(self, *command):
        """The command line that runs a command in the group."""
        shell = f'echo $$ > {self.folder}/cgroup.procs && exec "$@"'
        return ["sh", "-c", shell, "sh", *map(os.fspath, command)]


@contextlib.contextmanager
def group(name):
    """Makes a group. Ends the program if the kernel does not support it. Needs root."""
    is_v2 = (V2 / "cgroup.controllers").exists()
    folder = (V2 if is_v2 else V1) / name
    try:
        if is_v2:
            (V2 / "cgroup.subtree_control").write_text("+io\n")
        folder.mkdir()
    except OSError as error:
        sys.exit(f"no control group for block devices: {error}")
    try:
        yield Group(folder, is_v2)
    finally:
        folder.rmdir()
