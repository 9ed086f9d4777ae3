# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Every rule of docs/FORMAT.md is cited by code or a test, and every citation leads to a rule."""

import re

from source_tree import Finding, folder_of, line_of

FORMAT = "docs/FORMAT.md"
CITING_FOLDERS = ("format", "reader", "builder", "delta", "tests")
_DEFINITION = re.compile(r"\*\*(F-\d{3,})\*\*")
_CITATION = re.compile(r"\bF-\d{3,}\b")


def check(tree):
    cited = {}
    for path in tree.paths:
        if folder_of(path) in CITING_FOLDERS and not path.startswith("tests/tidy/"):
            text = tree.text(path)
            for match in _CITATION.finditer(text):
                cited.setdefault(match.group(0), (path, line_of(text, match.start())))
    defined = {}
    if tree.exists(FORMAT):
        text = tree.text(FORMAT)
        for match in _DEFINITION.finditer(text):
            line = line_of(text, match.start())
            if match.group(1) in defined:
                yield Finding(FORMAT, line, f"{match.group(1)} is defined twice")
            defined.setdefault(match.group(1), line)
    for rule in sorted(set(cited) - set(defined)):
        yield Finding(*cited[rule], f"{rule} is not a rule of {FORMAT}")
    for rule in sorted(set(defined) - set(cited)):
        yield Finding(FORMAT, defined[rule], f"{rule} is cited by no code and no test")
