# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Installed headers include only installed headers of this project, and each class in them states
thread safety and lifetime, in the words of docs/API.md.
"""

import re

from source_tree import Finding, line_of

LIST = "cmake/public-headers.txt"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)

_CLASS = re.compile(r"^[ \t]*(?:class|struct) (\w+)(?: final)?[^;{()]*\{", re.MULTILINE)
_VALUE = re.compile(r"\b[Aa] value\b")
_THREADS = re.compile(r"\bthread", re.IGNORECASE)
_LIFETIME = re.compile(r"\b(?:outlives?|lives|owns)\b")


def check(tree):
    if not tree.exists(LIST):
        return
    public = tree.text(LIST).split()
    for number, path in enumerate(public, 1):
        if not tree.exists(path):
            yield Finding(LIST, number, f"{path} does not exist")
        elif number > 1 and path <= public[number - 2]:
            yield Finding(LIST, number, f"{path} is out of order")
        else:
            yield from _check_includes(tree, path, set(public))
            yield from _check_statements(tree, path)


def _check_includes(tree, path, public):
    code = tree.code(path)
    for match in _INCLUDE.finditer(code):
        if match.group(1) not in public:
            text = f"a public header includes {match.group(1)}, which is not in {LIST}"
            yield Finding(path, line_of(code, match.start(1)), text)


def _check_statements(tree, path):
    code = tree.code(path)
    lines = tree.text(path).split("\n")
    for match in _CLASS.finditer(code):
        line = line_of(code, match.start(1))
        if _is_private(code, match.start()):
            continue
        comment = _comment_above(lines, line)
        if _VALUE.search(comment) or (_THREADS.search(comment) and _LIFETIME.search(comment)):
            continue
        text = f'{match.group(1)} does not say "A value", nor what holds for threads and lifetime'
        yield Finding(path, line, text)


def _is_private(code, position):
    """Returns whether the class is indented, that is, nested in another one, and below its
    private:.
    """
    indented = code[position:].lstrip("\n").startswith(" ")
    return indented and code.rfind(" private:", 0, position) > code.rfind("\n}", 0, position)


def _comment_above(lines, line):
    """Returns the /// block that ends right above the 1-based line."""
    begin = line - 1
    while begin > 0 and lines[begin - 1].lstrip().startswith("///"):
        begin -= 1
    return " ".join(lines[begin : line - 1])
