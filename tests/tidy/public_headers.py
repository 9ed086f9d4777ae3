# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Headers that are installed include, of this project, only headers that are installed too."""

import re

from source_tree import Finding, line_of

LIST = "cmake/public-headers.txt"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


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


def _check_includes(tree, path, public):
    code = tree.code(path)
    for match in _INCLUDE.finditer(code):
        if match.group(1) not in public:
            text = f"a public header includes {match.group(1)}, which is not in {LIST}"
            yield Finding(path, line_of(code, match.start(1)), text)
