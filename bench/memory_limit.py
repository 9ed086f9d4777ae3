# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A control group that limits the memory of its processes, their page cache included: only so can
data be larger than the cache on a machine with much memory."""
import contextlib
import os
import pathlib
import re
import sys
import time

V1 = pathlib.Path("/sys/fs/cgroup/memory")
V2 = pathlib.Path("/sys/fs/cgroup")


class Group:
    """Limits the processes of inside() and those that they start."""

    def __init__(self, folder):
        self.folder = folder

    def inside(self, *command):
        """The command line that runs a command in the group."""
        shell = f'echo $$ > {self.folder}/cgroup.procs && exec "$@"'
        return ["sh", "-c", shell, "sh", *map(os.fspath, command)]


class NoGroup:
    """A group without limits."""

    @staticmethod
    def inside(*command):
        return [os.fspath(part) for part in command]


def own_v1_folder():
    """A group below the group of this process, so that limits on that one still apply."""
    names = re.findall(r"^\d+:memory:(.*)$", pathlib.Path("/proc/self/cgroup").read_text(), re.M)
    return V1 / names[0].lstrip("/") if names else V1


def make_folder(name, limit_bytes):
    if (V2 / "cgroup.controllers").exists():
        (V2 / "cgroup.subtree_control").write_text("+memory\n")
        folder, settings = V2 / name, ("memory.max",)
    else:
        folder, settings = own_v1_folder() / name, ("memory.limit_in_bytes",)
    folder.mkdir()
    for setting in settings:
        (folder / setting).write_text(f"{limit_bytes}\n")
    return folder


def remove_folder(folder):
    for _ in range(50):  # a process that has ended may still be counted for a moment
        try:
            folder.rmdir()
            return
        except OSError:
            time.sleep(0.1)


@contextlib.contextmanager
def group(name, limit_bytes):
    """A new group; if none can be made, prints a message and returns one without limits."""
    try:
        folder = make_folder(name, limit_bytes)
    except OSError as error:
        print(f"memory is not limited, the page cache holds what it can: {error}", file=sys.stderr)
        yield NoGroup()
        return
    try:
        yield Group(folder)
    finally:
        remove_folder(folder)
