# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A view and kernel file systems, each on a fresh file system on its own loop device."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import measuring

VIEW = "view"
RIVALS = {"ext4": ("mkfs.ext4", "-q", "-F"), "xfs": ("mkfs.xfs", "-q", "-f"),
          "btrfs": ("mkfs.btrfs", "-q", "-f")}
SYSTEMS = (VIEW, *RIVALS)
IS_ROOT = os.geteuid() == 0


class Disk:
    """A file system in a sparse file. Without root: a plain directory."""

    def __init__(self, scratch, system, options):
        self.file = scratch / f"{system}.disk"
        self.point = scratch / f"{system}.mnt"
        self.make = RIVALS["ext4" if system == VIEW else system]
        self.size_bytes = options.disk_gib << 30
        self.device = None

    @contextlib.contextmanager
    def fresh(self):
        self.point.mkdir()
        try:
            if not IS_ROOT:
                yield self
                return
            with open(self.file, "wb") as out:
                out.truncate(self.size_bytes)
            measuring.run(*self.make, self.file)
            with measuring.loop_device(self.file) as self.device:
                self.mount()
                try:
                    yield self
                finally:
                    unmount(self.point)
        finally:
            self.file.unlink(missing_ok=True)
            if IS_ROOT:
                self.point.rmdir()
            else:
                shutil.rmtree(self.point)

    def mount(self):
        measuring.run("mount", "-o", "noatime", self.device, self.point)

    def forget(self):
        """Drops everything of it from memory."""
        if not IS_ROOT:
            return
        unmount(self.point)
        measuring.drop_caches()
        self.mount()

    def arguments(self):
        if not IS_ROOT:
            return []
        return ["--may-freeze", "--statistics", measuring.device_statistics(self.device)]


def unmount(point):
    # A killed program may have left it frozen; then it could not be unmounted.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["fsfreeze", "--unfreeze", point], check=False, **quiet)
    measuring.run("umount", point)


@contextlib.contextmanager
def swept(scratch):
    """At the end, removes mounts and loop devices of the directory that still exist."""
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        mounts = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
        for point in (line.split()[1] for line in mounts):
            if point.startswith(f"{scratch}/"):
                print(f"unmounting {point}", file=sys.stderr)
                subprocess.run(["fsfreeze", "--unfreeze", point], check=False,
                               stderr=subprocess.DEVNULL)
                if subprocess.run(["umount", point], check=False).returncode != 0:
                    subprocess.run(["umount", "--lazy", point], check=False)
        for file in scratch.glob("*.disk"):
            found = subprocess.run(["losetup", "--noheadings", "--output", "NAME",
                                    "--associated", file], check=False, text=True,
                                   stdout=subprocess.PIPE).stdout
            for device in found.split():
                print(f"detaching {device}", file=sys.stderr)
                subprocess.run(["losetup", "--detach", device], check=False)


def end(number, _):
    # Only once: the following cleanup must not be interrupted.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def systems_of(wanted):
    """The systems that are available here."""
    found = [name for name in wanted
             if name == VIEW or IS_ROOT and shutil.which(RIVALS[name][0])]
    for name in wanted:
        if name not in found:
            print(f"{name}: left out, needs root and {RIVALS[name][0]}", file=sys.stderr)
    return found


def end_cleanly():
    """Lets a signal end the program like an exception."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
