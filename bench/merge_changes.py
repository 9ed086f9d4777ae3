# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Changes a part of the files of a tree, for bench/merge.

  merge_changes.py ROOT KIND SPREAD PERCENT --seed N [--by-rule] [--keep-times]

The same arguments change the same files of equal trees in the same way. Scattered: files are drawn
one by one; clustered: those of one stretch of a walk. Prints {"files": N, "bytes": N}, the bytes of
the contents that were written.

This is a process of its own, because the names may be many: the peak memory that the kernel tells
of a process is at least that of the one that started it.
"""
import argparse
import json
import os
import random

KINDS = ("overwritten", "deleted", "created", "renamed")
SPREADS = ("scattered", "clustered")
LEVELS = 4  # of a tree of dgfs_hundred_million


class Walked:
    """The regular files of any tree, in the order of an image."""

    def __init__(self, root):
        self.paths = list(regular_files(root))

    def __len__(self):
        return len(self.paths)

    def path(self, number):
        return self.paths[number]


class ByRule:
    """The files of a tree of dgfs_hundred_million, without a walk: a name is that of the first
    entry of its directory, with its own position for the zeros at the end."""

    def __init__(self, root):
        self.root = os.fspath(root)
        self.levels = []
        at = self.root
        for _ in range(LEVELS):
            names = os.listdir(at)
            first = min(names)
            stem = first.rstrip("0")
            self.levels.append((stem, len(first) - len(stem), len(names)))
            at = os.path.join(at, first)

    def __len__(self):
        count = 1
        for _, _, names in self.levels:
            count *= names
        return count

    def path(self, number):
        parts = []
        for stem, digits, names in reversed(self.levels):
            number, position = divmod(number, names)
            parts.append(f"{stem}{position:0{digits}}")
        return os.path.join(self.root, *reversed(parts))


def regular_files(folder):
    folders = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: os.fsencode(entry.name)):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.path
    for below in folders:
        yield from regular_files(below)


def drawn(total, percent, spread, chance):
    """The numbers of the files to change, in order."""
    count = min(max(round(total * percent / 100), 1), total)
    if spread == "scattered":
        return sorted(chance.sample(range(total), count))
    begin = chance.randrange(total - count + 1)
    return range(begin, begin + count)


class Changer:
    """Changes files one by one."""

    def __init__(self, chance, keeps_times):
        self.noise = chance.randbytes(1 << 20)
        self.keeps_times = keeps_times
        self.files = 0
        self.bytes = 0

    def contents(self, size_bytes):
        """Bytes that cannot be compressed, and that no other file has."""
        begin = self.files * 4099 % len(self.noise)
        rest = self.noise[begin:] + self.noise * (size_bytes // len(self.noise) + 1)
        return (self.files.to_bytes(8, "little") + rest)[:size_bytes]

    def write(self, path, size_bytes):
        with open(path, "wb", buffering=0) as file:
            file.write(self.contents(size_bytes))
        self.bytes += size_bytes

    def overwritten(self, path, _):
        before = os.stat(path)
        self.write(path, before.st_size)
        if self.keeps_times:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def deleted(self, path, _):
        os.unlink(path)

    def created(self, path, _):
        self.write(f"{path}.new", os.stat(path).st_size)

    def renamed(self, path, other):
        folder, name = os.path.dirname(other), os.path.basename(path)
        os.rename(path, os.path.join(folder, f"moved-{self.files}-{name}"))

    def change(self, kind, path, other):
        """other: a file in whose directory a renamed one gets its new place."""
        getattr(self, kind)(path, other)
        self.files += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("spread", choices=SPREADS)
    parser.add_argument("percent", type=float, help="of the files")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--by-rule", action="store_true",
                        help="the tree is one of dgfs_hundred_million, and not changed yet")
    parser.add_argument("--keep-times", action="store_true", help="of overwritten files")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    files = ByRule(options.root) if options.by_rule else Walked(options.root)
    numbers = drawn(len(files), options.percent, options.spread, chance)
    changer = Changer(chance, options.keep_times)
    for i, number in enumerate(numbers):
        other = numbers[(i + len(numbers) // 2) % len(numbers)]
        changer.change(options.kind, files.path(number), files.path(other))
    print(json.dumps({"files": changer.files, "bytes": changer.bytes}))


if __name__ == "__main__":
    main()
