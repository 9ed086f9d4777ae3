#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""However files of a mount with a delta are changed, they have the contents of a copy in memory.

Writes through descriptors and through shared mappings, truncations, punched holes and copies change
the same files; some of these lie in the image at first.
"""
import mmap
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from delta_case import DeltaCase  # noqa: E402
from support import build, dgfs  # noqa: E402
from tree_calls import (FALLOC_KEEP_SIZE, FALLOC_PUNCH_HOLE, FALLOC_ZERO_RANGE,  # noqa: E402
                        fallocate)

STEPS = int(os.environ.get("DGFS_CONTENTS_STEPS", "4000"))
FILE_BYTES_MAX = 700_000
# The lengths of pages, chunks and read-aheads of a delta.
EDGES = (4096, 65_536, 131_072, 262_144)


class ShadowedFile:
    """A file of the mount, a mapping of it, and the copy in memory."""

    def __init__(self, path, content=None):
        self.path = path
        self.copy = bytearray(path.read_bytes() if content is None else content)
        self.mapping = None
        self.open()

    def open(self):
        self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT)
        self.map()

    def map(self):
        """Maps the file again: bytes behind the end of a file cannot be reached through a
        mapping.
        """
        if self.mapping is not None:
            self.mapping.close()
        self.mapping = mmap.mmap(self.fd, len(self.copy)) if self.copy else None

    def close(self):
        if self.mapping is not None:
            self.mapping.close()
            self.mapping = None
        os.close(self.fd)

    def grow(self, end):
        if end > len(self.copy):
            self.copy.extend(bytes(end - len(self.copy)))

    # Each method changes the file and the copy as its name says.

    def write(self, offset, content):
        done = os.pwrite(self.fd, content, offset)
        self.grow(offset + done)
        self.copy[offset:offset + done] = content[:done]
        self.map()
        return done == len(content)

    def write_mapped(self, offset, content):
        end = min(len(self.copy), offset + len(content))
        if offset < end:
            self.mapping[offset:end] = content[:end - offset]
            self.copy[offset:end] = content[:end - offset]

    def append(self, content):
        fd = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        self.copy += content[:os.write(fd, content)]
        os.close(fd)
        self.map()

    def truncate(self, length):
        os.ftruncate(self.fd, length)
        del self.copy[length:]
        self.grow(length)
        self.map()

    def zero(self, mode, offset, length):
        fallocate(self.fd, mode | FALLOC_KEEP_SIZE, offset, length)
        end = min(len(self.copy), offset + length)
        if offset < end:
            self.copy[offset:end] = bytes(end - offset)

    def copy_from(self, other, from_offset, offset, length):
        done = os.copy_file_range(other.fd, self.fd, length, from_offset, offset)
        content = bytes(other.copy[from_offset:from_offset + done])
        self.grow(offset + done)
        self.copy[offset:offset + done] = content
        self.map()

    def is_same(self, offset, length, through_mapping):
        expected = bytes(self.copy[offset:offset + length])
        if through_mapping:
            return not expected or self.mapping[offset:offset + length] == expected
        return os.pread(self.fd, length, offset) == expected

    def is_whole(self):
        return os.fstat(self.fd).st_size == len(self.copy) and \
            self.path.read_bytes() == bytes(self.copy)


class RandomContents(DeltaCase):
    build_options = ()
    mount_options = ()

    def setUp(self):
        super().setUp()
        self.chance = random.Random(support.test_seed(5))
        base = self.scratch / "base"
        base.mkdir()
        (base / "noise").write_bytes(self.chance.randbytes(FILE_BYTES_MAX))
        (base / "text").write_bytes(b"the same line\n" * 25_000)
        (base / "small").write_bytes(b"small")
        with open(base / "sparse", "wb") as file:
            file.truncate(FILE_BYTES_MAX)
            file.seek(200_000)
            file.write(b"island")
        self.image = self.scratch / "base.dgfs"
        build(base, self.image, *self.build_options)
        self.mount_delta(*self.mount_options)
        names = sorted(path.name for path in base.iterdir())
        self.files = [ShadowedFile(self.point / name) for name in names]
        self.files.append(ShadowedFile(self.point / "new", b""))

    def place(self):
        """Returns a random range of bytes, often around an edge."""
        if self.chance.random() < 0.5:
            return self.chance.randrange(FILE_BYTES_MAX)
        edge = self.chance.choice(EDGES)
        at = edge * self.chance.randrange(FILE_BYTES_MAX // edge + 1) + self.chance.randint(-9, 9)
        return min(max(at, 0), FILE_BYTES_MAX)

    def length(self):
        return int(2 ** (self.chance.random() * 17.5))

    def step(self):
        chance, file, offset = self.chance, self.chance.choice(self.files), self.place()
        length = min(self.length(), FILE_BYTES_MAX - offset)
        chosen = chance.randrange(100)
        if chosen < 25:
            self.assertTrue(file.write(offset, chance.randbytes(length)))
        elif chosen < 45:
            file.write_mapped(offset, chance.randbytes(length))
        elif chosen < 48 and len(file.copy) + length <= FILE_BYTES_MAX:
            file.append(chance.randbytes(length))
        elif chosen < 54:
            file.truncate(offset)
        elif chosen < 62:
            file.zero(chance.choice((FALLOC_PUNCH_HOLE, FALLOC_ZERO_RANGE)), offset,
                      max(1, length))
        elif chosen < 66:
            self.step_copy(file, offset, length)
        elif chosen < 69:
            os.fsync(file.fd)
        elif chosen < 72:
            os.posix_fadvise(file.fd, 0, 0, os.POSIX_FADV_DONTNEED)
        elif chosen < 73 and file.mapping is not None:
            file.mapping.flush()
        else:
            self.assertTrue(file.is_same(offset, length, chance.random() < 0.5),
                            f"{file.path.name} at {offset}, {length} bytes")

    def step_copy(self, file, offset, length):
        source = self.chance.choice(self.files)
        if source is not file and length != 0:
            from_offset = self.place()
            if from_offset < len(source.copy):
                file.copy_from(source, from_offset, offset, length)

    def expect_same(self):
        for file in self.files:
            self.assertTrue(file.is_whole(), file.path.name)

    def reopen(self):
        for file in self.files:
            file.open()

    def close(self):
        for file in self.files:
            file.close()

    def test_stay_alike_over_kills_and_remounts(self):
        rounds = 4
        for number in range(rounds):
            for _ in range(STEPS // rounds):
                self.step()
            self.expect_same()
            if number % 2 == 0:
                for file in self.files:
                    os.fsync(file.fd)
                self.kill_daemon()
                self.close()
                self.mount_delta(*self.mount_options)
            else:
                self.close()
                self.remount(*self.mount_options)
            self.reopen()
            self.expect_same()
        self.close()
        self.unmount()
        dgfs("delta", "check", "--image", self.image, self.delta)


class OfACompressedImage(RandomContents):
    build_options = ("--compress", "zstd")


class WithWriteBack(RandomContents):
    mount_options = ("writeback",)


class WithLittleMemory(RandomContents):
    mount_options = ("memory=32M",)


if __name__ == "__main__":
    mount_case.main()
