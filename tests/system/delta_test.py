#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""dgfs delta on stores on disk: sound, in use, without permission to write, damaged, or missing."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import support
from support import DGFS, ScratchCase, dgfs

WRITE_STORE = os.environ.get("WRITE_STORE", "write_store")
FILES = ("store", "blocks", "extents", "log.0", "log.1")
FLIPS = 40  # for each file
CUTS = 12
PLACE = re.compile(r"(^|: )\S*/(store|blocks|extents|log\.[01]): ")
NOBODY = 65534


def write_store(directory, seed):
    support.run(WRITE_STORE, directory, str(seed))


def contents(directory):
    return {name: (directory / name).read_bytes() for name in FILES}


def as_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


class SoundStores(ScratchCase):
    def setUp(self):
        super().setUp()
        self.store = self.scratch / "s"

    def test_check_and_info_agree_and_change_nothing(self):
        for seed in range(8):
            store = self.scratch / str(seed)
            write_store(store, seed)
            before = contents(store)
            text = dgfs("delta", "check", store).stdout.decode()
            self.assertRegex(text, r"^no damage in \d+ nodes?, \d+ basements?, \d+ waiting runs?, "
                                   r"\d+ large values?, \d+ groups? of the log, [0-9.]+ \w+\n$")
            checked = json.loads(dgfs("delta", "check", "--json", store).stdout)
            known = json.loads(dgfs("delta", "info", "--json", "--scan", store).stdout)
            self.assertTrue(checked["sound"])
            self.assertGreater(known["log"]["groups"], 0)
            self.assertEqual((known["log"]["sequence"], known["damaged"]), (400, []))
            for name in ("nodes", "basements", "waiting_runs", "whole_superblocks"):
                self.assertEqual(checked[name], known[name])
            self.assertEqual(checked["points"], known["basement_points"] + known["waiting_points"])
            self.assertEqual({pathlib.Path(file["path"]).name: file["bytes"]
                              for file in known["files"]},
                             {name: len(data) for name, data in before.items()})
            shown = dgfs("delta", "info", store).stdout.decode()
            self.assertIn(known["uuid"], shown)
            self.assertEqual(contents(store), before)

    def test_a_store_in_use_is_not_called_damaged(self):
        with subprocess.Popen([WRITE_STORE, self.store, "1", "--hold"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as writer:
            self.assertEqual(writer.stdout.readline(), b"open\n")
            for command in ("check", "info"):
                result = dgfs("delta", command, self.store, check=False)
                self.assertEqual((result.returncode, result.stdout), (1, b""))
                self.assertIn(f"is in use by process {writer.pid} (write_store)\n".encode(),
                              result.stderr)
            writer.stdin.close()
            self.assertEqual(writer.wait(timeout=60), 0)
        dgfs("delta", "check", self.store)

    def test_a_process_that_has_inherited_the_store_is_named(self):
        """A mount forks after opening, so the process that took the lock is gone."""
        inherited = ("import os, subprocess, sys, fcntl\n"
                     "lock = os.open(sys.argv[1], os.O_RDONLY)\n"
                     "fcntl.flock(lock, fcntl.LOCK_EX)\n"
                     "child = os.fork()\n"
                     "if child: print(child, flush=True); os._exit(0)\n"
                     "sys.stdin.read()\n")
        write_store(self.store, 1)
        with subprocess.Popen([sys.executable, "-c", inherited, self.store / "store"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            child = int(process.stdout.readline())
            self.assertEqual(process.wait(timeout=60), 0)
            result = dgfs("delta", "check", self.store, check=False)
            self.assertIn(f"is in use by process {child} (".encode(), result.stderr)
            process.stdin.close()

    def test_nobody_is_named_after_a_crash(self):
        with subprocess.Popen([WRITE_STORE, self.store, "1", "--hold"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as writer:
            self.assertEqual(writer.stdout.readline(), b"open\n")
            writer.kill()
            writer.wait(timeout=60)
        self.assertIn(b"no damage", dgfs("delta", "check", self.store).stdout)

    def test_leave_to_read_is_enough(self):
        support.need_root()
        write_store(self.store, 1)
        os.chmod(self.scratch, 0o755)
        for name in FILES:
            os.chmod(self.store / name, 0o444)
        os.chmod(self.store, 0o555)
        try:
            dgfs("--version", preexec_fn=as_nobody)
        except (AssertionError, PermissionError):
            self.skipTest("other users cannot reach the program")
        for command in ("check", "info"):
            dgfs("delta", command, self.store, preexec_fn=as_nobody)
        for name in FILES:
            os.chmod(self.store / name, 0)
            result = dgfs("delta", "check", self.store, preexec_fn=as_nobody, check=False)
            self.assertEqual((result.returncode, result.stdout), (1, b""))
            self.assertIn(f"{name}: cannot open: Permission denied".encode(), result.stderr)
            os.chmod(self.store / name, 0o444)


class Strangers(ScratchCase):
    """Directories that are no stores, or not of this program."""

    def setUp(self):
        super().setUp()
        self.store = self.scratch / "s"
        write_store(self.store, 1)

    def expect(self, directory, message):
        for command in ("check", "info"):
            result = dgfs("delta", command, directory, check=False)
            self.assertEqual((result.returncode, result.stdout), (1, b""))
            self.assertEqual(result.stderr.decode(), f"dgfs: delta: {message}\n")

    def test_no_store_at_all(self):
        none = self.scratch / "none"
        self.expect(none, f"{none}: cannot stat: No such file or directory")
        self.expect(self.scratch, f'{self.scratch}: no store is here: the file "store" is missing')
        file = self.store / "blocks"
        self.expect(file, f"{file}: is not a directory")

    def test_files_of_something_else(self):
        file = self.store / "store"
        no_store = "no superblock is whole: this is not a store, or it is damaged"
        for data in (b"", b"text", bytes(8192), os.urandom(8192)):
            file.write_bytes(data)
            self.expect(self.store, f"{file}: {no_store}")
        file.unlink()
        os.mkfifo(file)
        self.expect(self.store, f"{file}: is neither a regular file nor a block device")


class DamagedStores(ScratchCase):
    def setUp(self):
        super().setUp()
        self.store = self.scratch / "s"
        write_store(self.store, 7)
        self.sound = contents(self.store)

    def probe(self, what):
        """Returns the exit code of check; it must not crash, and each message must name a place."""
        codes = {}
        for command in (["check"], ["check", "--json"], ["info"], ["info", "--scan"]):
            result = dgfs("delta", *command, self.store, check=False)
            text = (result.stdout + result.stderr).decode()
            self.assertIn(result.returncode, (0, 1), f"{what}: {text}")
            self.assertNotIn("Sanitizer", text, what)
            if result.returncode == 1:
                self.assertRegex(text, r'"damaged":' if "--json" in command and result.stdout
                                 else PLACE, what)
            if "--json" in command:
                for line in result.stdout.decode().splitlines():
                    json.loads(line)
            codes[" ".join(command)] = result.returncode
        self.assertEqual(codes["check"], codes["check --json"], what)
        self.assertEqual(codes["check"], codes["info --scan"], what)
        self.assertLessEqual(codes["info"], codes["check"], what)
        return codes["check"]

    def damage(self, name, data):
        (self.store / name).write_bytes(data)
        code = self.probe(f"{name} of {len(data)} bytes")
        (self.store / name).write_bytes(self.sound[name])
        return code

    def test_flipped_bits(self):
        found = dict.fromkeys(FILES, 0)
        for name in FILES:
            for at in range(0, len(self.sound[name]), len(self.sound[name]) // FLIPS + 1):
                data = bytearray(self.sound[name])
                # At the place where a block may begin: bits behind a block's end may have any
                # value.
                place = at - at % 512 + at % 64
                data[place] ^= 1 << at % 8
                found[name] += self.damage(name, data)
        self.assertGreater(found["blocks"], 0)

    def test_lost_sectors(self):
        sound = self.sound["blocks"]
        found = sum(self.damage("blocks", sound[:at] + bytes(len(sound[at:at + 512])) +
                                sound[at + 512:])
                    for at in range(0, len(sound), 512))
        known = json.loads(dgfs("delta", "info", "--json", self.store).stdout)
        self.assertGreaterEqual(found, known["nodes"] + known["basements"] + known["waiting_runs"])

    def test_cut_files(self):
        known = json.loads(dgfs("delta", "info", "--json", self.store).stdout)
        needed = dict.fromkeys(FILES, 1 << 30)
        needed["store"] = 4096  # one superblock is enough
        needed["extents"] = known["large_value_bytes"]
        # Without padding behind the last block.
        needed["blocks"] = known["used_bytes"] + known["free_bytes"] - 511
        for name in FILES:
            for length in range(0, len(self.sound[name]), len(self.sound[name]) // CUTS + 1):
                code = self.damage(name, self.sound[name][:length])
                if length < needed[name]:
                    self.assertEqual(code, 1, f"{name} cut to {length}")

    def test_missing_files_and_files_of_others(self):
        other = self.scratch / "other"
        write_store(other, 8)
        for name in FILES[1:]:
            # The file itself comes back: with a copy of it, the store would be a copy.
            (self.store / name).rename(self.scratch / "aside")
            self.assertEqual(self.probe(f"no {name}"), 1)
            (self.store / name).mkdir()
            self.assertEqual(self.probe(f"directory {name}"), 1)
            (self.store / name).rmdir()
            shutil.copy(other / name, self.store / name)
            code = self.probe(f"{name} of another store")
            if name == "blocks":
                self.assertEqual(code, 1)
            (self.scratch / "aside").replace(self.store / name)
        self.assertEqual(self.probe("all as it was"), 0)


if __name__ == "__main__":
    support.main()
