# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A control group whose processes get so much memory and no more, their page cache included: on a
machine of much memory, data can be larger than what is cached of it only so."""
import contextlib
import os
import pathlib
import re
import sys
import time

V1 = pathlib.Path("/sys/fs/cgroup/memory")
V2 = pathlib.Path("/sys/fs/cgroup")


class Group:
    """Processes of inside(), and what they start."""

    def __init__(self, folder):
        self.folder = folder

    def inside(self, *command):
        """The command line that runs the command in the group."""
        shell = f'echo $$ > {self.folder}/cgroup.procs && exec "$@"'
        return ["sh", "-c", shell, "sh", *map(os.fspath, command)]


class NoGroup:
    """Where nothing is limited."""

    @staticmethod
    def inside(*command):
        return [os.fspath(part) for part in command]


def own_v1_folder():
    """A group below the one that this process is in: limits that hold for it go on to hold."""
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
    for _ in range(50):  # a process that has ended may be counted for a moment
        try:
            folder.rmdir()
            return
        except OSError:
            time.sleep(0.1)


@contextlib.contextmanager
def group(name, limit_bytes):
    """A new group, or one that limits nothing, with a message, where there is none to be had."""
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
