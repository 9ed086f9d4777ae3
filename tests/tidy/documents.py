# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Documents are wrapped, and those that lead in are short."""

import re

from source_tree import Finding

COLUMNS_MAX = 100
README_LINES_MAX = 120
WORDS_MAX = {"docs/ARCHITECTURE.md": 2500}
_LINK_TARGET = re.compile(r"\]\([^)]*\)")


def check(tree):
    for path in tree.paths:
        if not path.endswith(".md"):
            continue
        yield from _check_columns(tree, path)
        words = len(tree.text(path).split())
        if words > WORDS_MAX.get(path, words):
            yield Finding(path, 0, f"{words} words, more than {WORDS_MAX[path]}")
        lines = tree.text(path).count("\n")
        if path == "README.md" and lines > README_LINES_MAX:
            yield Finding(path, 0, f"{lines} lines, more than {README_LINES_MAX}")


def _check_columns(tree, path):
    """Lines as a reader sees them: without targets of links. Code and tables keep their lines."""
    is_code = False
    for number, line in tree.lines(path):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        shown = _LINK_TARGET.sub("]", line)
        if is_code or line.startswith(("|", "    ")) or len(shown) <= COLUMNS_MAX:
            continue
        if " " in shown.strip():  # a single word cannot be wrapped
            yield Finding(path, number, f"{len(shown)} columns, more than {COLUMNS_MAX}")
