#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The query commands beside ls, find, du, stat and cat of GNU, byte for byte.

A random tree is packed and mounted. GNU's programs look at the mount, ours at the image: inode
numbers, link counts and space taken are the same there, so that whole outputs can be compared. The
seed is printed; DGFS_TEST_SEED gives another one.
"""
import fcntl
import os
import pathlib
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import support  # noqa: E402
from random_tree import RandomTree  # noqa: E402

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


def read_terminal(descriptor, chunks):
    try:
        while chunk := os.read(descriptor, 65536):
            chunks.append(chunk)
    except OSError:
        pass  # what Linux says when the last writer is gone


def on_terminal(arguments, columns, **keywords):
    """Output of a program whose standard output is a terminal."""
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
    os.close(slave)
    reader.join()
    os.close(master)
    return b"".join(chunks)


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

    def both(self, command, words):
        """Runs both; (our result, GNU's)."""
        ours = subprocess.run([support.DGFS, command, self.image, *words], env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        gnu = subprocess.run([command, *words], env=ENVIRONMENT, cwd=self.mount,
                             stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return ours, gnu

    def check(self, command, line, change=lambda output: output):
        """Compares outputs and exit codes of one command line."""
        words = shlex.split(line) if isinstance(line, str) else line
        with self.subTest(command=command, words=words):
            ours, gnu = self.both(command, words)
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


def without_first_reset(output):
    """ls resets colours before the first one; in columns that is not always the first name."""
    return re.sub(rb"\x1b\[0m(?=\x1b\[\d)", b"", output)


def sorted_lines(output):
    return b"\n".join(sorted(output.split(b"\n")))


def sorted_packed_lines(output):
    """find -ls widens columns as it goes."""
    return sorted_lines(re.sub(rb" +", b" ", output))


def sorted_records(output):
    return b"\0".join(sorted(output.split(b"\0")))


LS = [
    "", "-a", "-A", "-1", "-R", "-aR", "-l", "-la", "-lR", "-laR", "-lh", "-li", "-ls", "-lsh",
    "-s", "-i", "-is", "-iR", "-sR", "-lt", "-lS", "-lr", "-ltr", "-lSr", "-n", "-g", "-o", "-go",
    "-lG", "-d", "-ld", "-lid", "-F", "-lF", "-p", "-lp", "--file-type", "-C", "-x", "-m", "-Ci",
    "-Cs", "-xF", "-mi", "-w 40 -C", "-w 0 -C", "-w 200 -x", "-w 30 -m", "-T 0 -C", "-T 4 -C",
    "-Q", "-b", "-N", "-q", "-lQ", "-lb", "-lq", "-CQ", "-Cb", "-Rb", "-RQ", "-Fb", "-FQ",
    "--quoting-style=shell", "--quoting-style=shell-always", "--quoting-style=shell-escape",
    "--quoting-style=shell-escape-always", "--quoting-style=c", "--quoting-style=escape",
    "-l --quoting-style=shell-escape", "-C --quoting-style=shell-escape",
    "-R --quoting-style=shell-escape", "-F --quoting-style=shell-escape",
    "-l --quoting-style=shell", "-q --quoting-style=shell", "-x --quoting-style=shell-escape -i",
    "-l --time-style=full-iso", "-l --time-style=long-iso", "-l --time-style=iso",
    "-l --time-style=locale", "-l --time-style=+%s.%N", "--full-time", "-lc", "-lu", "-ltu", "-u",
    "-c", "-t", "-tr", "-S", "-Sr", "-X", "-Xr", "-v", "-vr", "-r", "-lv",
    "-av", "-1Av", "--sort=extension",
    "--sort=none -a1 -r", "--sort=time -l", "--time=atime -l", "--group-directories-first",
    "-r --group-directories-first", "-l --group-directories-first -t", "-B", "-I '*.c'",
    "-I '*.c' -a", "--hide='*.c'", "--hide='*.c' -A", "--si -l", "--si -s", "-k -s", "-lk",
    "--format=across", "--format=commas", "--format=long", "--zero", "--zero -l", "-lRah1it",
    "--color", "-l --color", "-R --color", "-C --color", "-lRah1it --color", "-lF --color",
    "-x --color -w 60", "-b --color", "-l --color -w 20", "--color=never -l",
    "-Z", "-lZ", "-CZ", "-mZ", "-H", "-lH", "--indicator-style=slash",
    "-lsih --full-time", "-FRi", "-lnR", "-1l", "-l1", "-lC", "-Cl",
    "-l --author", "-go --author", "-lhZ --author", "--sort=width", "-r --sort=width",
    "-Q --sort=width", "-l --time=birth", "-lt --time=birth", "-1 --time=creation",
    "-ls --block-size=K", "-ls --block-size=1", "-lh --block-size=kB", "-l --block-size=M -h",
    "-ls --block-size=1M", "-s --block-size=MiB", "-lsk --block-size=2K",
]


FIND = [
    "", "-name '*.c'", "-name '?'", "-name '*[0-9]*'", "-iname '*X*'", "-path 't/*/*'",
    "-ipath 'T/*.C'", "-wholename '*.gz'", "-iwholename '*.GZ'", "-regex '.*\\.c'",
    "-regex 't/[a-z].*'", "-iregex '.*[A-C]'", "-regextype posix-extended -regex '.*(gz|txt|jpg)'",
    "-regextype egrep -iregex '.*/.{1,3}'", "-regextype sed -regex '.*/\\(.\\)\\1.*'",
    "-regextype grep -regex '.*9'", "-regextype awk -regex 't/.+/.+'",
    "-regextype emacs -regex '.*'", "-regextype posix-minimal-basic -regex '.*a.*'",
    "-type f", "-type d", "-type l", "-type p", "-type b", "-type c", "-type f,l,p",
    # A loop is an error to some releases of find, and a link to others and to us.
    "! -name 'loop*' -xtype f", "! -name 'loop*' -xtype d", "! -name 'loop*' -xtype l",
    "! -name 'loop*' -type l -xtype l,d", "! -name 'loop*' -type l -xtype f",
    "-size 0", "-size 1", "-size +1", "-size -3", "-size +10k", "-size -100k", "-size 1c",
    "-size +511c", "-size 513c", "-size +1M", "-size 1M", "-size -1M", "-size 2w", "-size +0b",
    "-type f -size 3M", "-mtime 0", "-mtime +10000", "-mtime -5", "-mtime 20000", "-mtime -1000000",
    "-mmin -600", "-mmin +600", "-mmin 1.5", "-mtime +0.5", "-ctime 0", "-atime +1", "-cmin -6000",
    "-amin +60", "-daystart -mtime 0", "-daystart -mtime +0", "-newermt 2001-01-01",
    "-newermt '2001-09-09 03:46:40'", "-newermt '2001-09-09T01:46:40Z'", "-newermt @1000000000",
    "-newermt '1970-01-01 00:00:00 UTC'", "-newermt yesterday", "-newermt '2 days ago'",
    "! -newermt '3 weeks ago'", "-newerat 2001-01-01", "-newerct '1 hour ago'",
    "-newermt @2147483648.5", "-perm 644", "-perm -111", "-perm /6000", "-perm -u=r", "-perm /a+x",
    "-perm u=rw,go=r", "-perm 0", "-perm -0", "-perm /0", "-perm 4755", "-user root", "-user 0",
    "-user 54321", "-group root", "-uid 0", "-uid +0", "-gid -5", "-uid 54321", "-nouser",
    "-nogroup", "-links 1", "-links +1", "-links -3", "-links 2 -type f", "-inum 5", "-inum +100",
    "-inum -10", "-maxdepth 0", "-maxdepth 1", "-maxdepth 2 -type d", "-mindepth 1", "-mindepth 2",
    "-mindepth 2 -maxdepth 2", "-mindepth 9", "-empty", "-empty -type f", "-type d ! -empty",
    "-lname '*a*'", "-ilname '*A*'", "-not -type f", "! -name '*.c' ! -type d",
    "-type f -o -type d", "-type f -a -name '*a*'", "( -type f -o -type p ) -name '*.*'",
    "-true", "-false", "-false -o -type p", "-type f , -type d", "-type f -print , -type d -print",
    "-name '*.*' -prune", "-type d -name '*[ab]*' -prune -o -print",
    "-type d -name '*[ab]*' -prune -o -type f -print", "-depth -type d",
    "-depth -name '*a*' -prune",
    "-depth -mindepth 1 -maxdepth 2", "-ls", "-type f -ls", "-type l -ls", "-xdev -name '*.h'",
    "-printf '%p|%P|%f|%h|%H|%s|%m|%M|%d|%n|%y|%Y|%l|%i|%k|%b|%%\\n'",
    "-printf '%u %U %g %G %T@ %T+ %t\\n'", "-printf '%A@ %C@ %a %c %Td/%Tb/%TY %TH:%TM:%TS\\n'",
    "-printf '%-20f|%20s|%.3f|%5m|%05m\\t\\060\\x\\n'", "-type f -printf '%S %s\\n'",
    "-type d -printf '%p %s %n %b\\n'", "-printf '%h\\0'", "-maxdepth 0 -printf '%f %h %P|'",
    "-newermt 20010909", "-newermt 12:00", "-newermt now", "-warn -type f", "-nowarn",
    "-newermt tomorrow", "-newermt '2001-09-09 01:46:40 +0000'",
    "-ignore_readdir_race -noignore_readdir_race -type d", "-maxdepth 0 -printf '%f\\c no'",
    "-printf '%#m|%+d|%05s|%.2s|%5d|%.3m|%#5m|%-+5d|% d|%.3d|%05f\\n'",
]


DU = [
    "", "-a", "-s", "-h", "-sh", "-ah", "-b", "-ab", "-sb", "-k", "-m", "-am", "-c", "-ac", "-d 0",
    "-d 1", "-d 2 -a", "--max-depth=1", "--apparent-size", "-a --apparent-size",
    "-ah --apparent-size", "--si", "-l", "-al", "-S", "-aS", "--inodes", "--inodes -a", "-a -t 10k",
    "-t -5000 -a", "-a --time --time-style=full-iso", "--time --time-style=+%s", "--time -s", "-x",
    "-shc", "-B 4096 -a", "-a --exclude='*.c'", "-hd 1",
    "-B M -a", "-BK -a", "-B kB -a", "-BMiB", "-a -hB1", "-BM -k", "-bBK -a", "-s -d 0",
    "-a --time=atime --time-style=full-iso", "--time=status --time-style=iso", "--inodes -BK",
]

STAT = ["%n %s %a %A %f %F %h %u %U %g %G", "%N", "%b %B %o %i", "%x|%X|%.3X|%y|%Y|%.Y|%z|%Z|%.1Z",
        "[%10s|%-10s|%010s|%.2n|%5a|%05a]", "%t %T %r %R %Hr %Lr", "%04a %5u %8U %%", "%W|%w",
        "%#a|%+s|%#f|% s|%.3s|%.12s|%+i|%010n|%#010f|%-#10f|%+010s|% h|%#o|%#.6a|%.2n|%010F",
        "%.3W|%+X|%#t|%#R|%+.3X|%.0s", "plain \\n text"]


# In the tree of test_follows_links.
PLACES = ("to_dir/", "to_dir/.", "to_file/", "d/f/", "d/f/.", "d/f/..", "d/f/../f", "d/./f",
          "dangling/", "loop/", "missing/", "''", "to_dir/../d/f", "d/e/..", "'' d", "slashed",
          "slashed/")


class DuStatCat(GnuCompare):
    def operands(self):
        top = os.path.dirname(self.tree.top)
        paths = [os.path.join(d, name) for d, names, files in os.walk(self.tree.top)
                 for name in files + names]
        return [os.fsdecode(os.path.relpath(path, top)) for path in paths]

    def test_du(self):
        for options in DU:
            # Which of several names of a file is counted depends on the order of the walk.
            self.check("du", f"{options} -l t", sorted_lines)
        self.check("du", "-0 -a -l t", sorted_records)
        self.check("du", "-s t")
        self.check("du", "-sc t t")
        self.check("du", "-s t/missing t")
        for options in ("-s -d 1", "-s -a", "-B 0", "-B c", "--time=soon",
                        "--time --time-style=locale"):
            ours, gnu = self.both("du", shlex.split(options) + ["t"])
            self.assertEqual((ours.returncode, ours.stdout, gnu.returncode), (2, b"", 1), options)

    def test_stat(self):
        operands = self.operands()
        for format_text in STAT:
            self.check("stat", ["-c", format_text, *operands])
            self.check("stat", ["--printf", format_text + "\\t\\060\\x41\\n", *operands])
        self.check("stat", ["-L", "-c", "%n %F %s", *self.operands()])
        self.check("stat", ["--printf", '\\e[1m\\q\\"%n\\n', "t"])
        # All but the number of the device.
        self.check("stat", ["-t", *operands],
                   lambda output: re.sub(rb" \w+((?: [-\w]+){9}\n)", rb"\1", output))

    def test_cat(self):
        files = [os.fsdecode(os.path.relpath(path, os.path.dirname(self.tree.top)))
                 for path in self.tree.files]
        self.check("cat", files)
        self.check("cat", [files[0], "t/missing", files[1], "t"])


class Find(GnuCompare):
    def test_expressions(self):
        for expression in FIND:
            change = sorted_records if "\\0'" in expression else sorted_lines
            if expression.endswith("-ls"):
                change = sorted_packed_lines
            self.check("find", f"t {expression}", change)

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
            self.check("ls", f"{options} t", without_first_reset)

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

    def test_on_terminals(self):
        for columns in (40, 80, 133):
            for options in ("", "-l", "-F", "-R", "-s", "-N", "-b", "-x", "-m", "-1", "-lR"):
                with self.subTest(columns=columns, options=options):
                    words = shlex.split(options) + ["--color", "t"]
                    ours = on_terminal([support.DGFS, "ls", self.image, *words], columns,
                                       env=ENVIRONMENT)
                    gnu = on_terminal(["ls", *words], columns, env=ENVIRONMENT, cwd=self.mount)
                    self.same(without_first_reset(ours), without_first_reset(gnu))

    def test_follows_links(self):
        # Links of the tree lead anywhere, also to where only the mount has something.
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
                                      "-mLZ", "-tL", "-SL", "-L --group-directories-first")),
                    *((command, options, operands) for command, options in
                      [("ls", ""), ("ls", "-l"), ("ls", "-d"), ("ls", "-L"), ("du", "-a"),
                       ("cat", ""), ("stat", "-c '%n %F %i'")]
                      for operands in PLACES),
                    *(("find", option, place)
                      for option in ("-P", "-L") for place in PLACES
                      if (option, place) != ("-L", "slashed")),  # to find no link that is broken
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
                change = {"ls": without_first_reset}.get(command, sorted_lines)
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
