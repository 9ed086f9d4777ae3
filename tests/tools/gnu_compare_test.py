#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The query commands give the same output as ls, find, du, stat and cat of GNU, byte for byte.

The test packs and mounts a random tree. GNU's programs read the mount, ours the image: inode
numbers, link counts and space taken are the same there, so that whole outputs can be compared. The
test prints the seed; DGFS_TEST_SEED sets another one.
"""
import fcntl
import os
import pathlib
import pty
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import support  # noqa: E402
from gnu_command_lines import (CAT, DU, DU_ENVIRONMENTS, FIND, LINKS, LS,  # noqa: E402
                               LS_ENVIRONMENTS, PLACES, STAT)
from random_tree import FOREIGN, RandomTree  # noqa: E402

SEED = int(os.environ.get("DGFS_TEST_SEED", "1"))
COLORS = subprocess.run(["sh", "-c", "eval $(dircolors -b); printf %s \"$LS_COLORS\""],
                        stdout=subprocess.PIPE, check=False).stdout.decode()
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "CET-1CEST,M3.5.0,M10.5.0/3",
               "LS_COLORS": COLORS + "or=40;31:mi=01;05:", "TERM": "xterm"}


def need_gnu():
    for program in ("ls", "find", "du", "stat", "cat"):
        version = support.run(program, "--version", check=False).stdout
        if b"GNU" not in version:
            raise unittest.SkipTest(f"{program} is not GNU's")


# Printed after a program's output: bytes still in a terminal may be lost when it is closed.
END_OF_OUTPUT = b"\x04end of output\x04"


def read_terminal(master, chunks):
    while not b"".join(chunks).endswith(END_OF_OUTPUT):
        chunks.append(os.read(master, 65536))


def on_terminal(arguments, columns, **keywords):
    """Returns the output of a program whose standard output is a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    chunks = []
    reader = threading.Thread(target=read_terminal, args=(master, chunks))
    reader.start()
    subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE,
                   check=False, **keywords)
    os.write(slave, END_OF_OUTPUT)
    reader.join()
    os.close(slave)
    os.close(master)
    return b"".join(chunks).removesuffix(END_OF_OUTPUT)


class GnuCompare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_gnu()
        print(f"DGFS_TEST_SEED={SEED}", flush=True)
        cls.folder = tempfile.TemporaryDirectory(prefix="dgfs-compare-")
        cls.addClassCleanup(cls.folder.cleanup)
        place = pathlib.Path(cls.folder.name)
        (place / "tree").mkdir()
        cls.tree = RandomTree(place / "tree" / "t", SEED)
        cls.image = place / "tree.dgfs"
        support.build(place / "tree", cls.image)
        cls.mount = cls.enterClassContext(support.mounted(cls.image))

    def both(self, command, words, variables=None, given=b""):
        """Runs both programs; returns (our result, GNU's)."""
        environment = {**ENVIRONMENT, **(variables or {})}
        ours = subprocess.run([support.DGFS, command, self.image, *words], env=environment,
                              input=given, capture_output=True, check=False)
        gnu = subprocess.run([command, *words], env=environment, cwd=self.mount,
                             input=given, capture_output=True, check=False)
        return ours, gnu

    def check(self, command, line, change=lambda output: output, variables=None, given=b""):
        """Compares outputs and exit codes of one command line."""
        words = shlex.split(line) if isinstance(line, str) else line
        with self.subTest(command=command, words=words, variables=variables):
            ours, gnu = self.both(command, words, variables, given)
            self.same(change(ours.stdout), change(gnu.stdout))
            self.assertEqual(ours.returncode, gnu.returncode, (ours.stderr, gnu.stderr))

    def same(self, ours, gnu):
        if ours == gnu:
            return
        ours_lines, gnu_lines = ours.split(b"\n"), gnu.split(b"\n")
        for number, (a, b) in enumerate(zip(ours_lines, gnu_lines), 1):
            if a != b:
                self.fail(f"line {number}\n ours: {a!r}\n  gnu: {b!r}")
        self.fail(f"{len(ours_lines)} lines instead of {len(gnu_lines)}")


def quoted_path(path):
    quoted = urllib.parse.quote(os.fsencode(path), safe="/-._~").encode()
    return re.sub(rb"%\w\w", lambda escape: escape.group().lower(), quoted)


def sorted_lines(output):
    return b"\n".join(sorted(output.split(b"\n")))


def sorted_packed_lines(output):
    """Sorts lines without column widths: find -ls widens columns as it goes."""
    return sorted_lines(re.sub(rb" +", b" ", output))


def sorted_records(output):
    return b"\0".join(sorted(output.split(b"\0")))


class DuStatCat(GnuCompare):
    def operands(self):
        top = os.path.dirname(self.tree.top)
        paths = [os.path.join(d, name) for d, names, files in os.walk(self.tree.top)
                 for name in files + names]
        return [os.fsdecode(os.path.relpath(path, top)) for path in paths]

    def test_du(self):
        for options in DU:
            # The order of the walk decides which of several names of a file is counted.
            self.check("du", f"{options} -l t", sorted_lines)
        self.check("du", "-0 -a -l t", sorted_records)
        self.check("du", "-s t")
        self.check("du", "-sc t t")
        self.check("du", "-s t/missing t")
        for variables, lines in DU_ENVIRONMENTS:
            for options in lines:
                self.check("du", f"{options} -l t", sorted_lines, variables)
        for options in ("-s -d 1", "-s -a", "-B 0", "-B c", "--time=soon",
                        "--time --time-style=locale", "--time --time-style=posix-iso",
                        "--files0-from=-"):
            ours, gnu = self.both("du", shlex.split(options) + ["t"])
            self.assertEqual((ours.returncode, ours.stdout, gnu.returncode), (2, b"", 1), options)

    def test_du_lists(self):
        patterns = pathlib.Path(self.folder.name) / "patterns"
        patterns.write_text("*.c  \n\n[a-m]*\n*.gz\nt/*/?\nx*")  # the last line has no newline
        self.check("du", ["-al", "-X", patterns, "t"], sorted_lines)
        self.check("du", ["-al", f"--exclude-from={patterns}", "--exclude=*1*", "t"], sorted_lines)
        self.check("du", ["-al", "-X", "-", "t"], sorted_lines, given=b"?\n*[0-9]\n")
        self.check("du", ["-X", patterns.with_name("missing"), "t"], lambda output: b"")
        operands = self.operands()
        names = b"".join(os.fsencode(name) + b"\0" for name in operands)
        self.check("du", ["-s", "--files0-from=-"], given=names)
        self.check("du", ["-sl", "--files0-from=-"], given=b"t\0\0t/missing\0t")
        listed = pathlib.Path(self.folder.name) / "names"
        listed.write_bytes(names)
        self.check("du", ["-csl", f"--files0-from={listed}"])

    def test_stat(self):
        operands = self.operands()
        for format_text in STAT:
            self.check("stat", ["-c", format_text, *operands])
            self.check("stat", ["--printf", format_text + "\\t\\060\\x41\\n", *operands])
        self.check("stat", ["-L", "-c", "%n %F %s", *self.operands()])
        self.check("stat", ["--printf", '\\e[1m\\q\\"%n\\n', "t"])
        # All fields except the device number.
        self.check("stat", ["-t", *operands],
                   lambda output: re.sub(rb" \w+((?: [-\w]+){9}\n)", rb"\1", output))

    def test_cat(self):
        files = [os.fsdecode(os.path.relpath(path, os.path.dirname(self.tree.top)))
                 for path in self.tree.files]
        self.check("cat", files)
        self.check("cat", [files[0], "t/missing", files[1], "t"])
        for options in CAT:
            self.check("cat", shlex.split(options) + files)


class Find(GnuCompare):
    def test_expressions(self):
        for expression in FIND:
            change = sorted_records if "\\0'" in expression else sorted_lines
            if expression.endswith("-ls"):
                change = sorted_packed_lines
            self.check("find", f"t {expression}", change)

    def test_starts_from_a_list(self):
        starts = [os.fsencode(os.path.relpath(path, os.path.dirname(self.tree.top)))
                  for path in self.tree.directories[1:4]]
        given = b"\0".join([*starts, b"t/missing", b"", b"t"])
        self.check("find", ["-files0-from", "-", "-maxdepth", "1"], sorted_lines, given=given)
        self.check("find", ["-files0-from", "-", "-maxdepth", "0"], given=given + b"\0")
        self.check("find", ["-files0-from", "-"])
        ours, gnu = self.both("find", ["t", "-files0-from", "-"])
        self.assertEqual((ours.returncode, ours.stdout, gnu.returncode), (2, b"", 1))

    def test_columns_of_ls_grow(self):
        # Within one directory both go in the order of the names.
        for directory in self.tree.directories:
            path = os.fsdecode(os.path.relpath(directory, os.path.dirname(self.tree.top)))
            self.check("find", [path, "-maxdepth", "1", "-ls"])
            self.check("find", [path, "-maxdepth", "1", "-ls", "-o", "-ls", "-ls"])

    def test_access_of_a_user(self):
        support.need_root()
        rng = random.Random(SEED)
        place = pathlib.Path(self.folder.name) / "owned"
        place.mkdir()
        for number in range(120):
            path = place / f"{number:03}"
            if number % 10 == 1:
                os.mkfifo(path)
            elif number % 10 == 2:
                path.mkdir()
            elif number % 10 == 3:
                path.symlink_to(f"{rng.randrange(120):03}")
                continue
            else:
                path.write_text("")
            os.chown(path, rng.choice([0, 1, 2]), rng.choice([0, 4, 5, 6]))
            path.chmod(rng.randrange(0o1000))
            if rng.random() < 0.6:
                entries = [f"{who}:{rng.choice(['---', 'r--', '-w-', '--x', 'rwx', 'r-x'])}"
                           for who in ("u:1", "u:3", "g:4", "g:5", "g:7", "m:", "o:")
                           if rng.random() < 0.6]
                subprocess.run(["setfacl", "-m", ",".join(["u:9:r", *entries]), "--", path],
                               check=False, stderr=subprocess.DEVNULL)
        image = place.with_suffix(".dgfs")
        support.build(place, image)
        pathlib.Path(self.folder.name).chmod(0o755)
        with support.mounted(image, "-o", "allow_other") as mount:
            for test in ("-readable", "-writable", "-executable"):
                for user, groups in ((1, [5]), (1, [4, 7]), (3, []), (8, [6]), (0, [])):
                    with self.subTest(test=test, user=user, groups=groups):
                        as_user = {"user": user, "group": 4 if user == 8 else user + 100,
                                   "extra_groups": groups, "env": ENVIRONMENT}
                        ours = support.run(support.DGFS, "find", image, ".", test, check=False,
                                           **as_user)
                        gnu = support.run("find", ".", test, cwd=mount, check=False, **as_user)
                        if user == 0:
                            self.assertNotEqual(gnu.stdout, b"")
                        self.same(sorted_lines(ours.stdout), sorted_lines(gnu.stdout))

    def test_references(self):
        for path in self.tree.files[:5] + self.tree.directories[:3]:
            name = os.fsdecode(os.path.relpath(path, os.path.dirname(self.tree.top)))
            for test in ("-newer", "-samefile", "-anewer", "-cnewer", "-newermm", "-neweram"):
                self.check("find", ["t", test, name], sorted_lines)

    def test_nul_ends_names(self):
        self.check("find", "t -print0", sorted_records)
        self.check("find", "t -type f -print0", sorted_records)

    def test_depth_comes_after_contents(self):
        lines = self.both("find", ["t", "-depth", "-print0"])[0].stdout.split(b"\0")[:-1]
        places = {line: number for number, line in enumerate(lines)}
        for line, number in places.items():
            parent = os.path.dirname(line)
            self.assertTrue(parent not in places or number < places[parent], line)

    def test_many_starts(self):
        starts = [os.fsdecode(os.path.relpath(p, os.path.dirname(self.tree.top)))
                  for p in self.tree.directories[1:6] + self.tree.files[:3]]
        self.check("find", starts + ["-name", "*a*"], sorted_lines)
        self.check("find", ["t/", "-maxdepth", "1"], sorted_lines)
        self.check("find", ["./t", "-maxdepth", "1"], sorted_lines)
        self.check("find", ["t/missing", "t", "-maxdepth", "1"], sorted_lines)

    def test_wrong_expressions_fail(self):
        for words in (["-nmae", "x"], ["-type", "x"], ["-regex", "\\("], ["-regextype", "x"],
                      ["-newermt", "soon"], ["-newermB", "t"], ["-size", "5q"], ["("], ["-mtime"],
                      ["-newermt", "2025-02-30"], ["-newermt", "20250631"],
                      ["-newermt", "2016-12-31 23:59:60"], ["-newermt", "2025-03-30 02:30"],
                      ["-maxdepth", "-1"], ["-maxdepth", "+1"], ["-mindepth", "-1"], ["-o"],
                      ["(", ")"], ["-a", "-true"], [")"]):
            ours, gnu = self.both("find", ["t", *words])
            self.assertEqual((ours.returncode, ours.stdout), (2, b""))
            self.assertNotEqual(gnu.returncode, 0)


class Ls(GnuCompare):
    def test_of_a_directory(self):
        for options in LS:
            self.check("ls", f"{options} t")

    def test_in_environments(self):
        for variables, lines in LS_ENVIRONMENTS:
            for options in lines:
                self.check("ls", f"{options} t", variables=variables)

    def test_links_for_terminals(self):
        # GNU's links name the mount, ours the image and the path in it.
        host = os.fsencode(os.uname().nodename)
        ours_base = b"file://" + host + quoted_path(self.image) + b"#/"
        gnu_base = b"file://" + host + quoted_path(self.mount) + b"/"
        for options in LINKS:
            with self.subTest(options=options):
                words = shlex.split(options) + ["--hyperlink=always", "t"]
                ours, gnu = self.both("ls", words)
                self.assertIn(gnu_base, gnu.stdout)
                # The root of the image is the mount point, which has no slash at its end.
                bare = gnu.stdout.replace(gnu_base[:-1] + b"\a", gnu_base + b"\a")
                self.same(ours.stdout.replace(ours_base, gnu_base), bare)

    def test_of_every_directory(self):
        for directory in self.tree.directories:
            path = os.fsdecode(os.path.relpath(directory, os.path.dirname(self.tree.top)))
            for options in ("-la", "-C", "-CF --quoting-style=shell-escape", "-b1s"):
                self.check("ls", shlex.split(options) + [path])

    def test_of_files_and_directories(self):
        operands = [os.fsdecode(os.path.relpath(p, os.path.dirname(self.tree.top)))
                    for p in self.tree.files[:7] + self.tree.directories[1:4]]
        links = [os.path.join(d, f) for d, _, files in os.walk(self.tree.top) for f in files
                 if os.path.islink(os.path.join(d, f))][:6]
        operands += [os.fsdecode(os.path.relpath(p, os.path.dirname(self.tree.top)))
                     for p in links]
        for options in ("", "-l", "-d", "-ld", "-C", "-F", "-li", "-Q", "-t", "--color", "-s"):
            self.check("ls", shlex.split(options) + operands)

    def compare_terminals(self, image, mount, environment):
        for columns in (40, 80, 133):
            for options in ("", "-l", "-F", "-R", "-s", "-N", "-b", "-x", "-m", "-1", "-lR"):
                with self.subTest(columns=columns, options=options):
                    words = shlex.split(options) + ["--color", "t"]
                    ours = on_terminal([support.DGFS, "ls", image, *words], columns,
                                       env=environment)
                    gnu = on_terminal(["ls", *words], columns, env=environment, cwd=mount)
                    self.same(ours, gnu)

    def test_on_terminals(self):
        self.compare_terminals(self.image, self.mount,
                               {**ENVIRONMENT, "QUOTING_STYLE": "shell-escape", "COLUMNS": "20"})

    def test_on_terminals_without_a_style(self):
        # Without a chosen style, ours also escapes characters that reorder text.
        place = pathlib.Path(self.folder.name) / "harmless"
        place.mkdir()
        RandomTree(place / "t", SEED, foreign=FOREIGN)
        image = place.with_suffix(".dgfs")
        support.build(place, image)
        with support.mounted(image) as mount:
            self.compare_terminals(image, mount, ENVIRONMENT)

    def test_follows_links(self):
        # Links of the tree lead anywhere, also to places that only the mount has.
        place = pathlib.Path(self.folder.name) / "links"
        if not place.exists():
            (place / "d/e").mkdir(parents=True)
            (place / "d/f").write_text("content")
            for name, target in (("dangling", "nowhere"), ("to_dir", "d"), ("d/up", ".."),
                                 ("loop", "loop"), ("to_file", "d/f"), ("d/e/two", "../../d/f"),
                                 ("slashed", "d/f/")):
                (place / name).symlink_to(target)
        image = place.with_suffix(".dgfs")
        support.build(place, image)
        with support.mounted(image) as mount:
            for command, options, operands in [
                    *(("ls", options, operands) for operands in ("d", "to_dir", "to_file loop d")
                      for options in ("-L", "-lL", "-RL", "-CL", "-H", "-lH", "-iL", "-sL", "-FL",
                                      "-mLZ", "-tL", "-SL", "-L --group-directories-first",
                                      "-l --dereference-command-line-symlink-to-dir",
                                      "-dF --dereference-command-line-symlink-to-dir")),
                    *((command, options, operands) for command, options in
                      [("ls", ""), ("ls", "-l"), ("ls", "-d"), ("ls", "-L"), ("du", "-a"),
                       ("cat", ""), ("stat", "-c '%n %F %i'")]
                      for operands in PLACES),
                    *(("find", option, place)
                      for option in ("-P", "-L") for place in PLACES
                      if (option, place) != ("-L", "slashed")),  # to avoid broken links
                    *(("find", options + " " + operands, expression)
                      for options in ("-P", "-H", "-L") for operands in ("d", "to_dir", "dangling")
                      for expression in ("", "-type l", "-xtype l", "-xtype f", "-newer to_file",
                                         "-follow", "-follow -type f",
                                         "-samefile to_file", "-depth",
                                         "-printf '%p %y %Y %s\\n'")),
                    *(("du", options, operands)
                      for options in ("-a", "-aD", "-alL", "-ablL", "-alPL")
                      for operands in ("to_dir", "d", "to_file", "to_dir d", "dangling"))]:
                words = shlex.split(f"{options} {operands}")
                change = sorted_lines if command != "ls" else lambda output: output
                with self.subTest(command=command, words=words):
                    first = [word for word in words if word in ("-P", "-H", "-L")]
                    before = first if command == "find" else []
                    rest = words[1:] if before else words
                    ours = support.run(support.DGFS, command, *before, image, *rest, check=False,
                                       env=ENVIRONMENT)
                    gnu = support.run(command, *words, check=False, env=ENVIRONMENT, cwd=mount)
                    self.same(change(ours.stdout), change(gnu.stdout))
                    self.assertEqual(ours.returncode, gnu.returncode, (ours.stderr, gnu.stderr))

    def test_of_what_is_missing(self):
        for words in (["missing"], ["missing", "t"], ["-d", "no\nsuch"], ["-l", "t/missing/x"]):
            ours, gnu = self.both("ls", words)
            self.assertEqual(ours.stderr, gnu.stderr.replace(b"ls: ", b"dgfs: ls: "))
            self.assertEqual(ours.returncode, gnu.returncode)


if __name__ == "__main__":
    support.main()
