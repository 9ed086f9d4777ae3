# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Relative links of the documents lead to files and headings that exist."""

import posixpath
import re

from source_tree import Finding, line_of

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_ABSOLUTE = re.compile(r"^(?:[a-z]+:|/)")
_HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def check(tree):
    for path in tree.paths:
        if path.endswith(".md"):
            yield from _check_document(tree, path)


def _check_document(tree, path):
    text = _blank_code(tree.text(path))
    for match in _LINK.finditer(text):
        link, line = match.group(1), line_of(text, match.start())
        if _ABSOLUTE.match(link):
            continue
        file, _, heading = link.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
        if target.startswith("..") or not tree.exists(target):
            yield Finding(path, line, f"{link}: no such file")
        elif heading and target.endswith(".md") and heading not in _anchors(tree.text(target)):
            yield Finding(path, line, f"{link}: no such heading")


def _anchors(text):
    """Returns headings in the form that links use: lower case, no punctuation, hyphens for
    spaces.
    """
    fences_gone = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in _HEADING.findall(fences_gone)
    }


def _blank_code(text):
    return _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)
