#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Commands write nothing of a name to a real terminal that could fool it."""
import os
import pty
import re
import subprocess
import threading

import support
from support import DGFS, ScratchCase, build, dgfs

PROGRESS = re.compile(rb"\r[^\r\n]*\x1b\[K|\r\x1b\[K")
# Control characters of ASCII and of Unicode, text that runs backwards, an escape sequence of a
# terminal. The bytes around a newline show whether it comes from a name.
NAMES = (b"esc\x1b[2Jend", b"csi\xc2\x9b2Jend", b"del\x7fend", b"bell\x07end", b"back\x08\x08end",
         b"turn\xe2\x80\xaeend", b"raw\xffend", b"cr\rend", b"line\nLINE", b"tab\tend")
HARMFUL = (b"\x1b", b"\xc2\x9b", b"\x7f", b"\x07", b"\x08", b"\xe2\x80\xae", b"\xff", b"cr\rend",
           b"line\r\nLINE", b"tab\tend")


def on_terminal(*arguments):
    """Returns all that a command writes to a terminal, on both outputs."""
    master, slave = pty.openpty()
    chunks = []

    def read():
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # the other end is closed
                return
            chunks.append(chunk)

    reader = threading.Thread(target=read)
    reader.start()
    result = subprocess.run([os.fspath(a) for a in arguments], stdin=subprocess.DEVNULL,
                            stdout=slave, stderr=slave, check=False)
    os.close(slave)
    reader.join()
    os.close(master)
    return result.returncode, b"".join(chunks)


class Names(ScratchCase):
    def setUp(self):
        super().setUp()
        self.tree = os.fsencode(self.scratch / "tree")
        os.mkdir(self.tree)
        for name in NAMES:
            path = os.path.join(self.tree, name)
            os.mkdir(path)
            with open(os.path.join(path, name), "wb") as file:
                file.write(b"content of " + name[:3] * 2000)
            os.symlink(name, os.path.join(path, b"to"))
        self.image = self.scratch / "tree.dgfs"
        build(self.scratch / "tree", self.image, "--digest", "sha256")

    def check(self, *arguments):
        code, output = on_terminal(DGFS, *arguments)
        left = PROGRESS.sub(b"", output)
        for harm in HARMFUL:
            self.assertNotIn(harm, left, arguments)
        return code, left

    def test_of_sound_images(self):
        image, missing = self.image, [os.path.join(name, b"missing") for name in NAMES]
        files = [os.path.join(name, name) for name in NAMES]
        dgfs("extract", "-q", image, self.scratch / "out")
        os.makedirs(os.path.join(os.fsencode(self.scratch / "half"), NAMES[0], NAMES[0]))
        build(self.scratch / "half", self.scratch / "half.dgfs")
        for command in (
                ["ls", "-lR", "--color=never", image], ["ls", image, *files],
                ["ls", image, *missing],
                ["find", image], ["find", image, "-ls"], ["find", image, *missing],
                ["find", image, "-printf", "%p %f %h %P %l\\n"], ["find", "--json", image],
                ["du", "-a", image], ["du", image, *missing], ["stat", image, *files, *missing],
                ["stat", "-c", "%n %N", image, *files], ["stat", "--printf", "%n ", image, *files],
                ["stat", "--json", image, *files], ["cat", image, *missing, *NAMES],
                ["digest", image], ["digest", "--json", image], ["digest", image, *missing],
                ["extract", "-n", image, self.scratch / "none"],
                ["extract", "-n", "--json", image, self.scratch / "none"],
                ["extract", image, self.scratch / "none", *missing],
                ["extract", "-k", image, self.scratch / "out"],
                ["diff", image, self.scratch / "half.dgfs"],
                ["diff", image, self.scratch / "half", *missing],
                ["diff", "--json", image, self.scratch / "half.dgfs"],
                ["salvage", "--list", image], ["salvage", image, self.scratch / "out"],
                ["info", "--scan", image], ["verify", image], *([name, image] for name in NAMES),
                *(["delta", "check", os.path.join(self.tree, name)] for name in NAMES),
                *(["delta", "info", os.path.join(self.tree, name, name)] for name in NAMES),
                *(["ls", name] for name in NAMES), *(["ls", f"--{i}", name]
                                                    for i, name in enumerate(NAMES))):
            with self.subTest(command=command):
                self.check(*command)

    def test_of_damaged_images(self):
        data = bytearray(self.image.read_bytes())
        for name in NAMES:
            data[data.index(name[:3] * 2000) + 5] ^= 0x10
        self.image.write_bytes(data)
        for command in (["verify", self.image], ["salvage", self.image, self.scratch / "saved"],
                        ["salvage", "--list", self.image],
                        ["extract", "-k", self.image, self.scratch / "out"],
                        ["diff", self.image, self.scratch / "tree"],
                        ["verify", "--digest", "--json", self.image],
                        ["cat", self.image, os.path.join(NAMES[0], NAMES[0])]):
            with self.subTest(command=command):
                code, output = self.check(*command)
                self.assertIn(code, (1, 2))
                self.assertIn(rb"esc", output)

    def test_of_the_files_of_an_image(self):
        for name in NAMES:
            folder = os.path.join(os.fsencode(self.scratch), b"in-" + name)
            os.mkdir(folder)
            image, volume = (os.path.join(folder, name + end) for end in (b".dgfs", b".1"))
            for command in (["build", self.scratch / "tree", image, "--volume", volume],
                            ["volume", "list", image], ["volume", "list", "--json", image],
                            ["volume", "move", image, "1", volume + b"-too"],
                            ["info", image], ["info", "--json", image], ["ls", volume],
                            ["verify", "--fix-index", image],
                            ["volume", "move", image, "1", os.path.join(folder, b"no", name)]):
                with self.subTest(command=command):
                    self.check(*command)
            os.remove(volume + b"-too")
            for command in (["volume", "list", image], ["verify", image],
                            ["volume", "move", image, "1", folder]):
                with self.subTest(command=command):
                    self.assertEqual(self.check(*command)[0], 1)


if __name__ == "__main__":
    support.main()
