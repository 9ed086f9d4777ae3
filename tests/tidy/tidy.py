#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""tidy.py [ROOT]: checks the repository against its own rules; prints every breach, exit 1 if any.

Each rule is a module with check(tree), which yields findings. tidy_test.py shows for each rule that
it reports a tree that breaks it.
"""

import sys
from pathlib import Path

import banned
import documents
import error_codes
import format_rules
import layers
import links
import loops
import public_headers
import text_rules
from source_tree import SourceTree

RULES = (layers, loops, banned, documents, error_codes, format_rules, text_rules, links,
         public_headers)


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    tree = SourceTree(root)
    findings = sorted({finding for rule in RULES for finding in rule.check(tree)})
    for finding in findings:
        print(finding)
    print(f"tidy: {len(tree.paths)} files, {len(findings)} findings")
    # A tree without files means a wrong root, not a clean tree.
    return 1 if findings or not tree.paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
