#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""telldir(3) and seekdir(3) in a large directory of a mount with a delta."""
import bisect
import ctypes
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
import support  # noqa: E402
from delta_case import DeltaCase  # noqa: E402

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.opendir.restype = ctypes.c_void_p
LIBC.readdir.restype = ctypes.c_void_p
LIBC.telldir.restype = ctypes.c_long
NAMES = 30_000


class Directory:
    def __init__(self, path):
        self.stream = ctypes.c_void_p(LIBC.opendir(os.fsencode(path)))

    def close(self):
        LIBC.closedir(self.stream)

    def next_name(self):
        """Returns the next name; None at the end."""
        entry = LIBC.readdir(self.stream)
        return ctypes.string_at(entry + 19).decode() if entry else None

    def places(self):
        """Returns name -> the place behind it, for all names in their order."""
        found = {}
        while (name := self.next_name()) is not None:
            found[name] = LIBC.telldir(self.stream)
        return found

    def first_behind(self, place, names):
        """Returns the first of the names behind a place."""
        LIBC.seekdir(self.stream, ctypes.c_long(place))
        while (name := self.next_name()) is not None:
            if name in names:
                return name
        return None


class SeekdirTest(DeltaCase):
    def expect_right(self, directory, places, names):
        ordered = sorted(names)
        wrong = []
        for name in self.random.sample(sorted(places), 2000):
            at = bisect.bisect_right(ordered, name)
            expected = ordered[at] if at < len(ordered) else None
            if directory.first_behind(places[name], names) != expected:
                wrong.append(name)
        self.assertEqual(wrong, [])

    def test_each_place_leads_to_the_name_behind_it(self):
        self.random = random.Random(support.test_seed(3))
        self.mount_delta()
        large = self.point / "large"
        large.mkdir()
        names = {f"a name with a beginning that all have {i:06}.txt" for i in range(NAMES)}
        for name in names:
            os.close(os.open(large / name, os.O_CREAT | os.O_WRONLY))
        directory = Directory(large)
        places = directory.places()
        del places["."], places[".."]
        self.assertEqual(list(places), sorted(names))
        self.expect_right(directory, places, names)
        for i, name in enumerate(sorted(names)):
            if i % 3 == 0:
                os.unlink(large / name)
                names.remove(name)
            elif i % 3 == 1:
                other = large / name.replace("name", "nice name")
                os.close(os.open(other, os.O_CREAT | os.O_WRONLY))
        self.expect_right(directory, places, names)
        directory.close()
        # As NFS servers do, for which a place outlives the handle.
        directory = Directory(large)
        self.expect_right(directory, places, names)
        directory.close()


if __name__ == "__main__":
    mount_case.main()
