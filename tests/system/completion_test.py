#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The offers of the bash and zsh scripts for a line that is being typed."""
import os
import pty
import re
import select
import subprocess
import time
import unittest

import support
from support import DGFS, ScratchCase, build, dgfs

# Replaces readline: breaks the line as bash does, calls the function, prints the offers.
BASH = r"""
source "$1" || exit 1
COMP_LINE=$2
COMP_WORDS=() rest=$2
while [[ $rest =~ ^[[:space:]]*([=:]+|([^[:space:]=:\\]|\\.)+) ]]; do
  COMP_WORDS+=("${BASH_REMATCH[1]}")
  rest=${rest:${#BASH_REMATCH[0]}}
done
[[ $2 == *[[:space:]] ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE}
_dgfs
printf '%s\n' "${COMPREPLY[@]}"
"""


class Completion(ScratchCase):
    def setUp(self):
        super().setUp()
        tree = self.scratch / "tree"
        for directory in ("docs", "docs/deep", "src files"):
            (tree / directory).mkdir(parents=True)
        for name in ("docs/readme", "docs/rules", "docs/new\nline", "src files/main.c", "top"):
            (tree / name).write_text(name)
        self.image = self.scratch / "tree.dgfs"
        build(tree, self.image)
        self.scripts = {}
        for shell in ("bash", "zsh"):
            self.scripts[shell] = self.scratch / ("_dgfs" if shell == "zsh" else "dgfs.bash")
            self.scripts[shell].write_bytes(dgfs("help", "--completion", shell).stdout)


class BashCompletion(Completion):
    def offers(self, line):
        line = line.replace("IMAGE", str(self.image))
        result = support.run("bash", "-c", BASH, "bash", self.scripts["bash"], f"{DGFS} {line}",
                             cwd=self.scratch)
        self.assertEqual(result.stderr, b"")
        return sorted(result.stdout.decode().split("\n")[:-1])

    def test_offers_commands(self):
        self.assertEqual(self.offers("ver"), ["verify"])
        self.assertLessEqual({"build", "mount", "ls"}, set(self.offers("")))

    def test_offers_the_options_of_the_command(self):
        self.assertEqual(self.offers("build --one"), ["--one-file-system"])
        self.assertEqual(self.offers("ls --one"), [""])
        for command in dgfs("help", "--list").stdout.decode().split():
            help_text = dgfs(command, "--help").stdout.decode()
            named = ",".join(re.findall(r"^  (-\S+)", help_text, re.MULTILINE)).split(",")
            offered = {name.rstrip("=") for name in self.offers(f"{command} -")}
            self.assertLessEqual(set(named), offered)

    def test_offers_the_values_of_an_option(self):
        self.assertEqual(self.offers("ls --color="), ["always", "auto", "never"])
        self.assertEqual(self.offers("ls --color=al"), ["always"])
        self.assertEqual(self.offers("mount -o allow_o"), ["allow_other"])
        self.assertEqual(self.offers("mount -o suid,ui"), ["suid,uid="])
        # Bash has removed "uid=" already.
        self.assertEqual(self.offers("mount -o uid=3,noe"), ["3,noexec"])
        self.assertEqual(self.offers("ls --time-style l"), ["locale", "long-iso"])
        self.assertEqual(self.offers("help --completion "), ["bash", "zsh"])
        self.assertIn("root", self.offers("build --owner ro"))

    def test_offers_files_for_an_image_and_directories_for_a_source(self):
        self.assertEqual(self.offers("ls tree"), ["tree", "tree.dgfs", "tree.dgfs.idx"])
        self.assertEqual(self.offers("ls --index tree.dgfs."), ["tree.dgfs.idx"])
        self.assertEqual(self.offers("build tr"), ["tree"])
        self.assertEqual(self.offers("mount IMAGE tr"), ["tree"])
        self.assertEqual(self.offers("delta "),
                         ["check", "compact", "drop", "info", "log", "merge", "repair",
                          "rollback", "seal", "wait"])
        self.assertEqual(self.offers("delta check tr"), ["tree"])

    def test_offers_paths_inside_the_image(self):
        self.assertEqual(self.offers("cat IMAGE "), ["docs/", "src files/", "top"])
        self.assertEqual(self.offers("cat IMAGE docs/r"), ["docs/readme", "docs/rules"])
        self.assertEqual(self.offers("cat --index=x -- IMAGE /docs/de"), [""])
        self.assertEqual(self.offers("ls -l IMAGE top /docs/de"), ["/docs/deep/"])
        self.assertEqual(self.offers("cat IMAGE src\\ files/"), ["src files/main.c"])
        self.assertEqual(self.offers("cat IMAGE docs/n"), [""])  # newlines separate offers
        self.assertEqual(self.offers("cat IMAGE missing/"), [""])
        self.assertEqual(self.offers("cat missing.dgfs "), [""])

    def test_uses_the_given_index(self):
        moved = self.scratch / "elsewhere.idx"
        os.rename(f"{self.image}.idx", moved)
        self.assertEqual(self.offers(f"cat --index {moved} IMAGE to"), ["top"])
        self.assertEqual(self.offers(f"cat --index={moved} IMAGE to"), ["top"])
        self.assertEqual(self.offers(f"cat --index {self.image}.none IMAGE to"), [""])

    def test_offers_words_of_an_expression(self):
        self.assertEqual(self.offers("find IMAGE docs -samef"), ["-samefile"])

    def test_offers_what_the_program_takes(self):
        """The program accepts each offered value."""
        values = self.scripts["bash"].read_text()
        cases = re.findall(r"^    (\w+):(-\S+)\) value='=([^']*)' ;;$", values, re.MULTILINE)
        self.assertGreater(len(cases), 2)
        for command, option, choices in cases:
            for choice in choices.split():
                arguments = [option + "=" + choice] if option.startswith("--") else [option, choice]
                operands = [] if command == "help" else ["/missing/a", "/missing/b"]
                result = dgfs(command, *arguments, *operands, check=False)
                if result.returncode == 2:
                    self.assertNotIn(option, result.stderr.decode())


class ZshCompletion(Completion):
    """Types into a real zsh, since its completion cannot be called from outside."""

    # ^G writes the completed line to a file, and empties it.
    SETUP = """stty -echo
        fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D
        show() { print -rn -- "$BUFFER" > line.part; mv line.part line; BUFFER= }
        zle -N show; bindkey '^G' show
        """

    def setUp(self):
        super().setUp()
        support.need_program("zsh")
        environment = {"PATH": os.path.dirname(DGFS) + ":/usr/bin:/bin", "HOME": str(self.scratch),
                       "TERM": "dumb", "COLUMNS": "200"}
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(self.scratch)
            os.execvpe("zsh", ["zsh", "-f", "-i"], environment)
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.close, self.terminal)
        os.write(self.terminal, self.SETUP.strip().encode() + b"\n")

    def completed(self, line):
        os.write(self.terminal, line.encode() + b"\t\x07")
        file = self.scratch / "line"
        deadline = time.monotonic() + 60
        while not file.exists():
            # Reading keeps zsh from waiting for room to print.
            if select.select([self.terminal], [], [], 0.05)[0]:
                os.read(self.terminal, 65536)
            self.assertLess(time.monotonic(), deadline, "zsh does not answer")
        text = file.read_text()
        file.unlink()
        return text

    def test_completes(self):
        for line, completed in (
            ("dgfs veri", "dgfs verify "),
            ("dgfs build --one", "dgfs build --one-file-system "),
            ("dgfs ls --color=al", "dgfs ls --color=always "),
            ("dgfs ls tree.dgfs.i", "dgfs ls tree.dgfs.idx "),
            ("dgfs mount tree.dgfs tr", "dgfs mount tree.dgfs tree/"),
            ("dgfs cat tree.dgfs docs/rea", "dgfs cat tree.dgfs docs/readme "),
            ("dgfs ls -l tree.dgfs do", "dgfs ls -l tree.dgfs docs/"),
            ("dgfs cat tree.dgfs top src", "dgfs cat tree.dgfs top src\\ files/"),
            ("dgfs find tree.dgfs -samef", "dgfs find tree.dgfs -samefile "),
        ):
            with self.subTest(line=line):
                self.assertEqual(self.completed(line), completed)


class Syntax(Completion):
    def test_shells_accept_the_scripts(self):
        support.run("bash", "-n", self.scripts["bash"])
        support.need_program("zsh")
        result = subprocess.run(["zsh", "-n", self.scripts["zsh"]], capture_output=True)
        self.assertEqual((result.returncode, result.stderr), (0, b""))


if __name__ == "__main__":
    support.main()
