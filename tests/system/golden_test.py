#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Golden images: later versions can read them, and the same tree still gives the same bytes.

golden/NAME.img and NAME.idx are an image and its index, NAME.1 and so on its further volumes, made
from the tree `make_NAME` below. --renew NAME writes them again; without NAME it writes all. For a
deliberate change of the format, in the commit that makes it.
"""
import ctypes
import hashlib
import json
import os
import pathlib
import shutil
import sys
import unittest

import support
from support import HERE, compare, dgfs

GOLDEN = HERE / "golden"
# Compressed bytes depend on the compressor; the pinned ones were made by this version.
ZSTD_VERSION = "1.5.4"
TIME = 1_600_000_000 * 10**9 + 123_456_789


def put(path, data, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def settle(root, step_ns=1001):
    """Sets times that depend only on the place in the tree."""
    for number, (base, directories, files) in enumerate(os.walk(root, topdown=False)):
        directories.sort()
        for offset, name in enumerate(sorted(files) + ["."]):
            when = TIME + number * 10**9 + offset * step_ns
            os.utime(os.path.join(base, name), ns=(when, when), follow_symlinks=False)


def make_plain(root):
    """Makes plain files of several sizes in a few directories."""
    for directory in ("", "docs/", "docs/deep/er/", "src/"):
        for number in range(40):
            size = (number * 37) % 900
            put(root / f"{directory}file-{number:02}.txt", b"%d " % number * size)
    (root / "empty").mkdir()
    put(root / "big", bytes(range(256)) * 800)
    put(root / "tool", b"#!/bin/sh\n", 0o755)
    settle(root)


def put_special(root):
    """Adds objects that are neither plain files nor directories."""
    os.symlink("src/file-01.txt", root / "link")
    os.symlink("x" * 1000, root / "long-link")
    os.mkfifo(root / "fifo", 0o600)
    with open(root / "holes", "wb") as out:
        out.truncate(1 << 20)
        out.seek(500_000)
        out.write(b"data in the middle")
    put(root / "odd\nname", b"newline")


def make_features(root):
    """Makes links, holes and a FIFO, but no socket: all that an ordinary user can make anywhere."""
    make_plain(root)
    put_special(root)
    os.link(root / "big", root / "docs/big-too")
    os.link(root / "tool", root / "src/tool-too")
    os.makedirs(root / "order/a")
    put(root / "order/a/x", b"1")
    put(root / "order/a-b/x", b"2")
    settle(root)


def make_tokens(root):
    """Makes enough names for pages of the token codec: numbers, words, hashes."""
    words = ("index", "reader", "main", "page", "string", "format", "util", "test", "config", "net")
    for number in range(200):
        directory = root / words[number % 10] / f"{words[number // 10 % 10]}{number // 100}"
        names = [f"img_{name:04}.jpg" for name in range(number, number + 50)]
        names += [f"{words[name % 10]}_{words[name * number % 7]}-{name}.h" for name in range(20)]
        names += [f"{(number * 20 + name) * 2654435761 % 2**32:08x}" for name in range(12)]
        for place, name in enumerate(names):
            put(directory / name, b"x" * (place % 41 if place % 9 == 0 else 0))
    put_special(root)
    os.link(root / "odd\nname", root / "net/too")
    put(root / "tool", b"#!/bin/sh\n", 0o755)
    settle(root, step_ns=0)
    os.utime(root / "tool", ns=(TIME, TIME + 7))


def make_packed(root):
    """Makes all kinds of compressed contents: a class of similar files, seek tables, noise; and
    copies.
    """
    make_features(root)
    for number in range(1400):
        record = json.dumps({"number": number * 7919, "state": "of no account",
                             "owner": f"nobody {number % 31}", "tags": ["a", "b", number % 17]})
        put(root / f"records/{number}.json", f"{record}\n".encode() * (1 + number % 3))
    lines = b"".join(b"line %d of many\n" % (number * 7919) for number in range(15_000))
    put(root / "lines.txt", lines)
    put(root / "records/noise", hashlib.shake_256(b"noise").digest(70_000))
    shutil.copytree(root / "src", root / "src-again")
    put(root / "records/lines-again", lines)
    os.link(root / "records/lines-again", root / "records/lines-too")
    settle(root)


def make_digests(root):
    """Makes files for two pages of digests, and for link records."""
    for number in range(130):
        put(root / f"{number % 4}" / f"file-{number:03}", b"%d" % number * (number % 30))
    put_special(root)
    os.link(root / "0/file-008", root / "too")
    os.link(root / "holes", root / "holes-too")
    settle(root)


def make_volumes(root):
    """Makes large files, which belong to no group and go to the volume with the least bytes."""
    for number in range(20):
        put(root / f"{number % 3}" / f"small-{number:02}", b"%d " % number * number)
    for number in range(5):
        line = hashlib.shake_256(b"%d" % (number // 2)).digest(200) * 20
        put(root / f"{number % 2}/large-{number}", line * 1100 + b"%d" % (number // 2))
    put_special(root)
    os.link(root / "0/large-2", root / "too")
    settle(root)


def make_fragments(root):
    """Makes small files that share frames with their neighbours, and other files between them."""
    for number in range(300):
        words = b" ".join(b"%d" % (number * 7919 % (word + 100)) for word in range(number % 90))
        put(root / f"{number % 3}" / f"note-{number:03}", b"a note of " + words)
    put(root / "1/note-100-large", bytes(range(256)) * 80)
    put(root / "1/note-150-noise", hashlib.shake_256(b"noise").digest(3000))
    put_special(root)
    os.link(root / "0/note-003", root / "too")
    settle(root)


TREES = {"plain": make_plain, "features": make_features, "tokens": make_tokens,
         "packed": make_packed, "digests": make_digests, "volumes": make_volumes,
         "fragments": make_fragments, "fragments-tokens": make_tokens}
# No build makes these any more: what older ones made stays, and is read.
OLD_TREES = {"unlisted": make_features,  # without lists of the names of linked objects
             # Codes that do not depend on what was before, and no endings.
             "one-dictionary": make_packed,  # by another trainer
             "contextless-tokens": make_tokens, "contextless-fragments-tokens": make_tokens}
# The first ones are older than either.
OPTIONS = {"packed": ["--compress", "zstd:6"], "digests": ["--digest", "sha256"],
           "volumes": ["--compress", "zstd:6", "--digest", "sha256"],
           "fragments": ["--compress", "zstd:6", "--fragment-frames", "16K"],
           "fragments-tokens": ["--compress", "zstd:6", "--fragment-frames", "64K"]}
VOLUMES = {"volumes": 3}  # the others are one file each


def files_of(name, image):
    """Returns (golden file, file of an image at that path) for each file."""
    pairs = [(GOLDEN / f"{name}.img", image), (GOLDEN / f"{name}.idx", f"{image}.idx")]
    further = range(1, VOLUMES.get(name, 1))
    return pairs + [(GOLDEN / f"{name}.{number}", f"{image}.{number}") for number in further]


def copy_golden(name, image):
    for golden, path in files_of(name, image):
        shutil.copyfile(golden, path)


def build_golden(name, scratch):
    tree = scratch / name
    tree.mkdir(mode=0o755)
    tree.chmod(0o755)
    os.umask(0o022)
    TREES[name](tree)
    image = scratch / f"{name}.dgfs"
    dgfs("build", tree, image, "--quiet", "--owner", "0", "--group", "0", "--no-xattrs",
         *OPTIONS.get(name, ["--no-dedup"]),
         *(word for _, path in files_of(name, image)[2:] for word in ("--volume", path)))
    return tree, image


def need_pinned_zstd():
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_versionString.restype = ctypes.c_char_p
    version = library.ZSTD_versionString().decode()
    if version != ZSTD_VERSION:
        raise unittest.SkipTest(f"zstd is {version}, the bytes were pinned with {ZSTD_VERSION}")


class Golden(support.ScratchCase):
    def each(self, trees=TREES):
        for name in trees:
            with self.subTest(image=name):
                yield name

    def test_images_of_old_are_read(self):
        trees = TREES | OLD_TREES
        for name in self.each(trees):
            tree = self.scratch / name
            tree.mkdir()
            tree.chmod(0o755)
            trees[name](tree)
            image = self.scratch / f"{name}.dgfs"
            copy_golden(name, image)
            dgfs("verify", image)
            dgfs("extract", image, self.scratch / f"{name}.out", "--quiet")
            compare(tree, self.scratch / f"{name}.out", "--no-owner", "--no-xattrs")

    def test_same_tree_gives_the_pinned_bytes(self):
        need_pinned_zstd()
        for name in self.each():
            _, image = build_golden(name, self.scratch)
            for golden, path in files_of(name, image):
                self.assertEqual(golden.read_bytes(), pathlib.Path(path).read_bytes(), golden)

    def test_digests_are_those_of_the_contents(self):
        image = self.scratch / "digests.dgfs"
        shutil.copyfile(GOLDEN / "digests.img", image)
        verified = json.loads(dgfs("verify", "--digest", "--json", image).stdout)
        self.assertEqual((verified["sound"], verified["right_digests"]), (True, 132))
        listed = dgfs("digest", image, "1/file-001").stdout.decode()
        self.assertEqual(listed, hashlib.sha256(b"1").hexdigest() + "  1/file-001\n")

    def test_one_image_is_compressed_and_shares(self):
        image = self.scratch / "packed.dgfs"
        shutil.copyfile(GOLDEN / "packed.img", image)
        facts = json.loads(dgfs("info", "--scan", "--json", image).stdout)
        self.assertIn("zstd-extents", facts["features"])
        self.assertIn("dictionaries", facts["section_bytes"])
        self.assertGreater(facts["shared_files"], 30)
        self.assertLess(facts["stored_bytes"], facts["content_bytes"] // 4)

    def test_two_indexes_are_of_tokens(self):
        for name, has_contexts in (("tokens", True), ("contextless-tokens", False)):
            image = self.scratch / f"{name}.dgfs"
            shutil.copyfile(GOLDEN / f"{name}.img", image)
            facts = json.loads(dgfs("info", "--scan", "--json", image).stdout)
            pages = {codec["id"]: codec["pages"] for codec in facts["page_codecs"]}
            self.assertGreater(pages[2], 1, "token codec")
            self.assertEqual(pages[1], 1, "link records")
            self.assertEqual("context-models" in facts["features"], has_contexts, name)

    def test_small_files_share_frames_in_two(self):
        for name, codec, least in (("fragments", 1, 250), ("fragments-tokens", 2, 1000),
                                   ("contextless-fragments-tokens", 2, 1000)):
            image = self.scratch / f"{name}.dgfs"
            copy_golden(name, image)
            facts = json.loads(dgfs("info", "--scan", "--json", image).stdout)
            self.assertIn("fragment-frames", facts["features"])
            self.assertGreater(facts["fragment_files"], least)
            pages = {row["id"]: row["pages"] for row in facts["page_codecs"]}
            self.assertGreater(pages[codec], 0)

    def test_linked_objects_have_their_names_listed(self):
        for name, is_listed in (("features", True), ("plain", False), ("unlisted", False)):
            image = self.scratch / f"{name}.dgfs"
            copy_golden(name, image)
            facts = json.loads(dgfs("info", "--json", image).stdout)
            self.assertEqual("link-names" in facts["features"], is_listed, name)
            self.assertEqual("link names" in facts["section_bytes"], is_listed, name)

    def test_one_is_of_several_volumes(self):
        image = self.scratch / "volumes.dgfs"
        copy_golden("volumes", image)
        listed = dgfs("volume", "list", "--json", image).stdout.splitlines()
        rows = [json.loads(line) for line in listed]
        self.assertEqual([row["volume"] for row in rows], [0, 1, 2])
        for row in rows:
            self.assertFalse(row["is_missing"])
            self.assertGreater(row["content_bytes"], 1000)


def renew(names):
    import tempfile
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            _, image = build_golden(name, pathlib.Path(scratch))
            for golden, path in files_of(name, image):
                shutil.copyfile(path, golden)


if __name__ == "__main__":
    if "--renew" in sys.argv:
        renew(sys.argv[sys.argv.index("--renew") + 1:] or TREES)
    else:
        support.main()
