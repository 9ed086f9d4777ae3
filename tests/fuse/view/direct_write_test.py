#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Reads through the page cache after a change that went past it, while others read the file."""
import ctypes
import mmap
import multiprocessing
import os
import pathlib
import platform
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from delta_case import DeltaCase  # noqa: E402

LIBC = ctypes.CDLL(None, use_errno=True)
# The numbers of io_setup, io_submit and io_getevents.
CALLS = {"x86_64": (206, 209, 208), "aarch64": (0, 2, 4)}.get(platform.machine())
SIZE = 655_360
SECONDS = 3


class Control(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64), ("key", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("opcode", ctypes.c_uint16), ("priority", ctypes.c_int16),
                ("file", ctypes.c_uint32), ("buffer", ctypes.c_uint64),
                ("length", ctypes.c_uint64), ("offset", ctypes.c_int64),
                ("reserved", ctypes.c_uint64), ("more_flags", ctypes.c_uint32),
                ("event_file", ctypes.c_uint32)]


class Event(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64), ("control", ctypes.c_uint64),
                ("result", ctypes.c_int64), ("result2", ctypes.c_int64)]


class AsynchronousWriter:
    """Writes through io_submit(2), and waits for the completion."""

    def __init__(self):
        self.context = ctypes.c_ulong()
        if LIBC.syscall(CALLS[0], 4, ctypes.byref(self.context)) != 0:
            raise OSError(ctypes.get_errno(), "io_setup")

    def write(self, file, buffer):
        address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
        control = Control(opcode=1, file=file, buffer=address, length=SIZE)
        pointer = ctypes.pointer(control)
        if LIBC.syscall(CALLS[1], self.context, 1, ctypes.byref(pointer)) != 1:
            raise OSError(ctypes.get_errno(), "io_submit")
        event = Event()
        if LIBC.syscall(CALLS[2], self.context, 1, 1, ctypes.byref(event), None) != 1:
            raise OSError(ctypes.get_errno(), "io_getevents")
        return event.result


def read_for_ever(path):
    while True:
        file = os.open(path, os.O_RDONLY)
        os.pread(file, SIZE, 0)
        os.close(file)


class DirectWriteTest(DeltaCase):
    def setUp(self):
        super().setUp()
        self.mount_delta("allow_other")
        self.file = self.point / "disk"
        self.file.write_bytes(b"a" * SIZE)
        self.buffer = mmap.mmap(-1, SIZE)
        self.readers = [multiprocessing.Process(target=read_for_ever, args=(self.file,))
                        for _ in range(2)]
        for reader in self.readers:
            reader.start()

    def tearDown(self):
        for reader in self.readers:
            reader.kill()
            reader.join()
        super().tearDown()

    def expect_fresh(self, change, of_range=slice(0, SIZE)):
        """Calls `change(byte)` again and again; afterwards the range must consist of the byte that
        the call returns."""
        end = time.monotonic() + SECONDS
        rounds = 0
        while time.monotonic() < end:
            rounds += 1
            byte = change(b"ab"[rounds % 2:][:1])
            shown = self.file.read_bytes()[of_range]
            self.assertEqual(shown.count(byte), len(shown), f"old bytes in round {rounds}")
        self.assertGreater(rounds, 3)

    def direct(self, write):
        def change(byte):
            self.buffer[:] = byte * SIZE
            file = os.open(self.file, os.O_RDWR | os.O_DIRECT)
            try:
                self.assertEqual(write(file, self.buffer), SIZE)
            finally:
                os.close(file)
            return byte
        return change

    def test_an_asynchronous_direct_write(self):
        if CALLS is None:
            self.skipTest("the numbers of system calls are unknown on this machine")
        self.expect_fresh(self.direct(AsynchronousWriter().write))

    def test_a_direct_write(self):
        self.expect_fresh(self.direct(lambda file, buffer: os.pwrite(file, buffer, 0)))

    def test_a_direct_write_beside_a_map(self):
        with open(self.file, "r+b") as file, mmap.mmap(file.fileno(), SIZE) as shown:
            def change(byte):
                self.direct(lambda file, buffer: os.pwrite(file, buffer, 0))(byte)
                self.assertEqual(shown[:].count(byte), SIZE, "the map shows old bytes")
                return byte
            self.expect_fresh(change)

    def test_a_punched_hole(self):
        def change(byte):
            with open(self.file, "r+b") as file:
                file.write(byte * SIZE)
                file.flush()
                self.assertEqual(LIBC.fallocate(file.fileno(), 3, ctypes.c_long(0),
                                                ctypes.c_long(SIZE // 2)), 0)
            return b"\0"
        self.expect_fresh(change, slice(0, SIZE // 2))

    def test_a_truncation(self):
        def change(byte):
            self.file.write_bytes(byte * SIZE)
            os.truncate(self.file, 1000)
            os.truncate(self.file, SIZE)
            return b"\0"
        self.expect_fresh(change, slice(1000, SIZE))

    def test_a_copied_range(self):
        for byte in b"ab":
            (self.point / chr(byte)).write_bytes(bytes([byte]) * SIZE)

        def change(byte):
            with open(self.point / byte.decode(), "rb") as source, open(self.file, "r+b") as file:
                copied = 0
                while copied < SIZE:
                    copied += os.copy_file_range(source.fileno(), file.fileno(), SIZE - copied,
                                                 copied, copied)
            return byte
        self.expect_fresh(change)


if __name__ == "__main__":
    mount_case.main()
