#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""systemd accepts the unit that docs/MOUNTING.md shows."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import support  # noqa: E402
from support import run  # noqa: E402


class SystemdUnit(support.ScratchCase):
    def judge(self, name, text):
        """Returns systemd's complaints about a unit; empty if there are none."""
        path = self.scratch / name
        path.write_text(text)
        result = run("systemd-analyze", "verify", "--man=no", path, check=False)
        said = result.stderr.decode()
        if result.returncode == 0 and path.name not in said:
            return ""
        return f"exit code {result.returncode}: {said}"

    def test_documented_one(self):
        support.need_program("systemd-analyze")
        text = (support.HERE.parent.parent / "docs" / "MOUNTING.md").read_text()
        unit = text[text.index("[Unit]"):]
        unit = unit[:unit.index("```")]
        where = next(line for line in unit.splitlines() if line.startswith("Where="))[6:]
        name = where.strip("/").replace("/", "-") + ".mount"
        plain = self.judge(name, f"[Mount]\nWhat=tmpfs\nWhere={where}\nType=tmpfs\n")
        if plain:
            self.skipTest("systemd-analyze does not work here: " + plain)
        for word in ("What=", "Options="):  # a broken unit is refused, so it does check
            self.assertNotEqual(self.judge(name, unit.replace(word, "X" + word)), "", word)
        self.assertEqual(self.judge(name, unit), "")


if __name__ == "__main__":
    support.main()
