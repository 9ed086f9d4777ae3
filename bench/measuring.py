# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Shared by the benchmark drivers: runs, cold caches, loop devices, block statistics, tables."""
import atexit
import contextlib
import dataclasses
import mmap
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time


@dataclasses.dataclass
class Run:
    """One timed process."""
    seconds: float
    peak_bytes: int
    output: str = ""
    cpu_seconds: float = 0.0


class Failed(SystemExit):
    """A program failed: ends the benchmark, unless the benchmark can do without that program."""


def run(*arguments, cwd=None, quiet=True):
    """Runs a command and returns its output; a failure ends the benchmark."""
    result = subprocess.run([os.fspath(a) for a in arguments], cwd=cwd, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT if quiet else None, errors="replace")
    if result.returncode != 0:
        raise Failed(f"{arguments} ended with {result.returncode}\n{result.stdout[-3000:]}")
    return result.stdout


def timed(*arguments, cwd=None, output=subprocess.DEVNULL):
    """Runs a command; returns wall time, processor time and peak memory of its process."""
    begin = time.monotonic()
    process = subprocess.Popen([os.fspath(a) for a in arguments], cwd=cwd,
                               stdin=subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"{arguments} ended with {process.returncode}")
    return Run(time.monotonic() - begin, usage.ru_maxrss * 1024,
               cpu_seconds=usage.ru_utime + usage.ru_stime)


def sync_file(path):
    """Makes a rival's output durable, as ours is when the builder ends; returns the seconds."""
    begin = time.monotonic()
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)
    return time.monotonic() - begin


def write_device(path, total_bytes):
    """One sequential write of about so many bytes to a new file, past the page cache, and fsync."""
    piece_bytes = 4 << 20
    memory = mmap.mmap(-1, piece_bytes)
    memory.write(os.urandom(piece_bytes))
    begin = time.monotonic()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_DIRECT, 0o644)
    os.posix_fallocate(fd, 0, total_bytes)
    for at in range(0, total_bytes, piece_bytes):
        if os.pwrite(fd, memory, at) != piece_bytes:
            raise Failed("a write took less than it was given")
    os.fsync(fd)
    os.close(fd)
    return Run(time.monotonic() - begin, 0)


def drop_caches():
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")


def median_and_spread(values):
    return statistics.median(values), min(values), max(values)


def spread(values, form="{:.2f}"):
    """Median, and in brackets the least and the most."""
    texts = [form.format(value) for value in median_and_spread(values)]
    return f"{texts[0]} ({texts[1]}-{texts[2]})"


@contextlib.contextmanager
def loop_device(file, read_only=False):
    """A loop device that bypasses the page cache of its backing file."""
    arguments = ["losetup", "--find", "--show", "--direct-io=on"]
    device = run(*arguments, *(["--read-only"] if read_only else []), file).strip()
    try:
        yield device
    finally:
        run("losetup", "--detach", device)


@contextlib.contextmanager
def mounted(*mount_command, point, unmount=("umount",)):
    run(*mount_command)
    try:
        yield point
    finally:
        for _ in range(50):
            if subprocess.run([*unmount, point], stderr=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.1)


def set_read_ahead(point, kib):
    """Sets how far the kernel reads ahead in the files of a mount."""
    number = os.stat(point).st_dev
    setting = f"/sys/class/bdi/{os.major(number)}:{os.minor(number)}/read_ahead_kb"
    pathlib.Path(setting).write_text(f"{kib}\n")


def device_reads(device):
    """(read operations, bytes read) since the device was made."""
    fields = device_statistics(device).read_text().split()
    return int(fields[0]), int(fields[2]) * 512


def device_statistics(device):
    """The file with the read and write counters of a block device."""
    return pathlib.Path(f"/sys/block/{os.path.basename(device)}/stat")


def processor_speed():
    """Million additions per second of one interpreted loop: a virtual processor may be three times
    as fast in one minute as in another, and only results at the same speed can be compared."""
    count = 3_000_000
    begin = time.perf_counter()
    total = 0
    for number in range(count):
        total += number
    return count / 1e6 / (time.perf_counter() - begin)


def heading(title):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    print(f"{title}\ncommand: {' '.join(sys.argv)}\nmachine: {os.cpu_count()} cores, "
          f"{memory / 2**30:.0f} GiB, Linux {platform.release()}\n"
          f"processor: {processor_speed():.0f} million additions a second now\n")
    atexit.register(lambda: print(f"processor at the end: {processor_speed():.0f}"))


def table(header, rows):
    """Prints a markdown table."""
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()
