# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Rules for text of any kind: licence head, shape, leftovers, host names."""

import re

from source_tree import CPP_ENDINGS, Finding

COLUMNS_MAX = 100
LINES_MAX = 500  # above it, one file usually holds two nouns
_SPDX_HEAD = ("SPDX-License-Identifier: MIT", "SPDX-FileCopyrightText: The DGFS authors")
_TODO = re.compile(r"\b(?:TODO\b(?!\((?:perf|cleanup|test|format)\): \S)|FIXME\b|XXX\b)")
# CI turns skips into failures, which only tests/support/skip.h does. Split in two, as below.
_SKIP = "GTEST_" + "SKIP"
# Only the package manager downloads anything, and it knows its own hosts. Split in two, so that
# this file does not contain the names.
BANNED_HOSTS = (
    "deb.debian" + ".org",
    "pypi" + ".org",
    "crates" + ".io",
    "registry.npmjs" + ".org",
)


def check(tree):
    for path in tree.paths:
        yield from _check_lines(tree, path)
        if path.endswith((*CPP_ENDINGS, ".py")) or tree.is_script(path):
            yield from _check_head(tree, path)
        if tree.is_source(path):
            count = tree.text(path).count("\n")
            if count > LINES_MAX:
                yield Finding(path, 0, f"{count} lines; more than {LINES_MAX} want to be two files")


def _check_head(tree, path):
    head = "\n".join(tree.text(path).split("\n")[:4])
    for wanted in _SPDX_HEAD:
        if wanted not in head:
            yield Finding(path, 1, f'the head lacks "{wanted}"')


def _check_lines(tree, path):
    text = tree.text(path)
    if text and not text.endswith("\n"):
        yield Finding(path, 0, "the last line has no end")
    for number, line in tree.lines(path):
        if line != line.rstrip():
            yield Finding(path, number, "trailing white space")
        if tree.is_source(path) and len(line) > COLUMNS_MAX:
            yield Finding(path, number, f"{len(line)} columns, more than {COLUMNS_MAX}")
        if not path.startswith("tests/tidy/") and tree.is_source(path) and _TODO.search(line):
            yield Finding(path, number, "a TODO names its kind: TODO(perf): what, until when")
        if _SKIP in line and path.endswith(CPP_ENDINGS) and path != "tests/support/skip.h":
            yield Finding(path, number, f"{_SKIP} is banned; use DGFS_SKIP (tests/support/skip.h)")
        for host in BANNED_HOSTS:
            if host in line:
                yield Finding(path, number, f"{host}: packages come from the package manager only")
