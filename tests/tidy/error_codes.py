# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Every place that raises an Error has its own code, in the range of its layer (base/error.h)."""

import re

from source_tree import Finding, folder_of, line_of

ERROR_HEADER = "base/error.h"
_RANGE = re.compile(r"\b([a-z]+) ([1-9])000s")
# Error itself, and helpers that take the code from their caller: os_error(1017, ...).
_RAISE = re.compile(
    r"\b\w*(?:[Ee]rror|corrupt|damage|fail|invalid|limit|refuse|unsupported|violation)\w*\s*[({]\s*"
    r"(?:(?:\w+::)*ErrorKind::k\w+\s*,\s*)?(\d[\d']{3,})\s*[,)}]"
)
# Any other call that takes a number of its layer's range may be such a helper: bad_page(3012, ...).
_CALL = re.compile(r"\b\w+\s*[({]\s*(?:[\w.:()]+\s*,\s*)?(\d[\d']{3,})\s*,")


def check(tree):
    if not tree.exists(ERROR_HEADER):
        return
    ranges = {name: int(digit) for name, digit in _RANGE.findall(tree.text(ERROR_HEADER))}
    if not ranges:
        yield Finding(ERROR_HEADER, 0, 'states no ranges ("storage 1000s, ...")')
    first_site = {}
    for path in tree.layer_sources():
        code = tree.code(path)
        own_range = ranges.get(folder_of(path))
        raised = {match.start(1) for match in _RAISE.finditer(code)}
        given = {match.start(1) for match in _CALL.finditer(code)}
        for place in sorted(raised | given):
            number = int(re.match(r"[\d']+", code[place:]).group().replace("'", ""))
            line = line_of(code, place)
            if own_range != number // 1000:
                if place in raised:
                    text = f"code {number} is not in the range of {folder_of(path)}"
                    yield Finding(path, line, text)
                continue
            if number in first_site:
                text = f"code {number} is already raised at {first_site[number]}"
                yield Finding(path, line, text)
            first_site.setdefault(number, f"{path}:{line}")
