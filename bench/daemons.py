# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Processor time, and the memory of daemons."""
import contextlib
import os
import pathlib
import time

TICK = os.sysconf("SC_CLK_TCK")


def daemons(point):
    """The processes that serve a mount point, or any path that begins with it (a layer below)."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:  # the process has ended
            continue
        if any(word.startswith(os.fsencode(point)) for word in arguments):
            found.append(process)
    return found


def wait_for_end(point):
    """Returns when no process serves a mount point any more, which may be after its unmount."""
    while daemons(point):
        time.sleep(0.01)


def busy_seconds():
    """Processor time of the whole system since it began, without idling and waiting."""
    fields = pathlib.Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _, _, irq, soft_irq = (int(field) for field in fields[:7])
    return (user + nice + system + irq + soft_irq) / TICK


def used_seconds(process):
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def peak_bytes(process):
    for line in (process / "status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


@contextlib.contextmanager
def processors_used(point, result):
    """Adds processor time of the whole system and of the daemons of a mount, and the daemons'
    memory, to the result; nothing about daemons if there are none."""
    serving = daemons(point)
    before = busy_seconds(), sum(used_seconds(process) for process in serving)
    yield
    result["busy_s"] = busy_seconds() - before[0]
    if serving:
        result["daemon_s"] = sum(used_seconds(process) for process in serving) - before[1]
        result["daemon_mib"] = sum(peak_bytes(process) for process in serving) / 2**20
