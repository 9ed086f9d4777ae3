#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A file of 10 GiB, most of it holes, of which 4 bytes change: a merge packs the data of the file
once, and neither reads nor writes its holes.
"""
import os
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from live_merge_case import MIB, LiveMergeCase  # noqa: E402
from support import build, dgfs  # noqa: E402

FILE_BYTES = 10 << 30
DATA_AT = [0, 1 << 30, (5 << 30) + 12_345, FILE_BYTES - 4 * MIB]
DATA_BYTES = 4 * MIB
CHANGED_AT = (7 << 30) + 77
SLACK_BYTES = 8 * MIB  # index, layer, manifest; read-ahead


class LargeFile(LiveMergeCase):
    def setUp(self):
        super().setUp()
        tree = self.scratch / "large-tree"
        tree.mkdir()
        chance = random.Random(1)
        self.data = {at: chance.randbytes(DATA_BYTES) for at in DATA_AT}
        with open(tree / "large", "wb") as file:
            file.truncate(FILE_BYTES)
            for at, data in self.data.items():
                os.pwrite(file.fileno(), data, at)
        self.image = self.scratch / "large.dgfs"
        build(tree, self.image)

    def daemon_io(self):
        """Bytes that the mount has read and written by system calls."""
        lines = pathlib.Path(f"/proc/{self.daemon()}/io").read_text().splitlines()
        counts = dict(line.split(": ") for line in lines)
        return int(counts["rchar"]), int(counts["wchar"])

    def expect_file(self):
        with open(self.point / "large", "rb") as file:
            self.assertEqual(os.fstat(file.fileno()).st_size, FILE_BYTES)
            self.assertEqual(os.pread(file.fileno(), 8, CHANGED_AT - 2), b"\0\0four\0\0")
            for at, data in self.data.items():
                self.assertEqual(os.pread(file.fileno(), DATA_BYTES, at), data)
            self.assertEqual(os.pread(file.fileno(), 100, 3 << 30), bytes(100))

    def expect_merge_of_data_alone(self, *options):
        """Data is read and written once; four bytes bring a block of data with them. The seal is
        not counted, since it makes the log files of the next store."""
        dgfs("delta", "seal", "--wait", self.delta)
        read, written = self.daemon_io()
        begin = time.monotonic()
        answer = self.merged(*options)
        took = time.monotonic() - begin
        now_read, now_written = self.daemon_io()
        data = len(DATA_AT) * DATA_BYTES
        print(f"of {data / MIB:.0f} MiB of data read {(now_read - read) / MIB:.1f} MiB, "
              f"written {(now_written - written) / MIB:.1f} MiB, in {took:.1f} s")
        self.assertEqual(answer["packed_files"], 1)
        self.assertGreaterEqual(now_read - read, data)
        self.assertLess(now_read - read, data + SLACK_BYTES)
        self.assertGreaterEqual(now_written - written, data)
        self.assertLess(now_written - written, data + SLACK_BYTES)
        disk = sum(os.stat(self.delta / name).st_blocks * 512 for name in self.bases())
        self.assertLess(disk, data + SLACK_BYTES)

    def test_a_merge_neither_reads_nor_writes_holes(self):
        self.mount_delta()
        with open(self.point / "large", "r+b") as file:
            os.pwrite(file.fileno(), b"four", CHANGED_AT)
        self.expect_merge_of_data_alone()
        self.expect_file()
        blocks = os.stat(self.point / "large").st_blocks * 512
        self.assertLess(blocks, len(DATA_AT) * DATA_BYTES + SLACK_BYTES)
        self.remount()
        self.expect_file()
        with open(self.point / "large", "rb") as file:
            self.assertEqual(os.lseek(file.fileno(), 2 << 30, os.SEEK_DATA) >> 20, (5 << 30) >> 20)
        self.unmount()
        self.expect_sound()

    # The rest of the file stays where it is if only its attributes or its name change.
    def test_other_changes_pack_nothing(self):
        self.mount_delta()
        os.chmod(self.point / "large", 0o600)
        os.rename(self.point / "large", self.point / "other")
        answer = self.merged()
        self.assertEqual((answer["packed_files"], answer["packed_bytes"]), (0, 0))
        os.rename(self.point / "other", self.point / "large")
        with open(self.point / "large", "rb") as file:
            self.assertEqual(os.pread(file.fileno(), DATA_BYTES, DATA_AT[2]), self.data[DATA_AT[2]])
        plan = dgfs("delta", "merge", "--dry-run", self.delta).stdout
        self.assertIn(b"not looked at: about ", plan)


if __name__ == "__main__":
    mount_case.main()
