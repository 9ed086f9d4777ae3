#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Manual pages: troff and mandoc find no fault in them, and they agree with --help."""
import re
import unittest

import support
from support import dgfs

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]


def commands():
    return dgfs("help", "--list").stdout.decode().split()


def page(*command):
    return dgfs("help", "--man", *command).stdout


def section_of(rendered, heading):
    """Returns the lines between a heading and the next one."""
    return re.search(rf"(?ms)^{heading}$(.*?)^\S", rendered)[1]


class Manual(unittest.TestCase):
    def pages(self):
        """Returns each page in troff, with the name of its command."""
        for command in commands():
            with self.subTest(command=command):
                yield command, page(command)
        with self.subTest(command="mount.dgfs"):
            yield "mount.dgfs", page("mount.dgfs")
        with self.subTest(command="(all)"):
            yield "", page()

    def render(self, text):
        arguments = ["groff", "-man", "-ww", "-Tascii", "-rLL=200n", "-P-cbou"]
        result = support.subprocess.run(arguments, input=text, capture_output=True, check=True)
        self.assertEqual(result.stderr, b"")
        return result.stdout.decode()

    def test_tools_find_no_fault(self):
        for _, text in self.pages():
            self.render(text)
            result = support.subprocess.run(["mandoc", "-Tlint"], input=text, capture_output=True)
            self.assertEqual(result.stdout.decode(), "")

    def test_has_all_sections_in_order(self):
        for command, text in self.pages():
            headings = re.findall(r'^\.SH "?([A-Z ]+)"?$', text.decode(), re.MULTILINE)
            kept = [heading for heading in headings if heading in SECTIONS]
            self.assertEqual(kept, [s for s in SECTIONS if command or s != "OPTIONS"])

    def test_names_every_option_of_the_help(self):
        for command, text in self.pages():
            if command in ("", "mount.dgfs"):  # these have no --help of that kind
                continue
            shown = self.render(text)
            help_text = dgfs(command, "--help").stdout.decode()
            options = re.findall(r"^  (-\S+)", help_text, re.MULTILINE)
            self.assertTrue(options, help_text)
            for name in ",".join(options).split(","):
                self.assertRegex(shown, rf"(?m)^ +(-\S+, )?{re.escape(name)}\b")

    def test_the_help_fits_on_a_terminal(self):
        for command in commands():
            for line in dgfs(command, "--help").stdout.decode().splitlines():
                self.assertLessEqual(len(line), 80, f"{command}: {line}")

    def test_the_help_tells_the_exit_statuses_of_the_page(self):
        for command in commands():
            _, told = dgfs(command, "--help").stdout.decode().split("\nExit status:\n")
            codes = re.findall(r"(?m)^  (\d+) +\S", told)
            self.assertGreaterEqual(len(codes), 3, command)
            shown = section_of(self.render(page(command)), "EXIT STATUS")
            self.assertEqual(codes, re.findall(r"(?m)^ +(\d+) +\S", shown), command)

    def test_overview_names_every_command(self):
        shown = self.render(page())
        for command in commands():
            self.assertIn(f"dgfs-{command}(1)", shown)
            self.assertIn(f"dgfs {command} ", shown)


if __name__ == "__main__":
    support.main()
