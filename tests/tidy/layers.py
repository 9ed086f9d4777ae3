# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Includes and link edges follow the table under "## Layers" in docs/ARCHITECTURE.md."""

import re

from source_tree import LAYERS, Finding, layer_of, line_of

ARCHITECTURE = "docs/ARCHITECTURE.md"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
_LINK = re.compile(r"target_link_libraries\s*\(([^)]*)\)")
_TARGET = re.compile(r"\bdgfs(?:::|_)([a-z_]+)\b")
# dgfs::delta_store and dgfs::storage_testing are targets in delta/store and storage. These
# environments are for tests; no installed program contains them.
_TESTING_FOLDERS = ("storage/memory/", "storage/testing/")
_TESTING_TARGET = "storage_testing"
_TARGET_NAMES = {layer.replace("/", "_"): layer for layer in LAYERS}


def check(tree):
    table = read_table(tree)
    if table is None:
        yield Finding(ARCHITECTURE, 0, 'has no table "layer | may include" under "## Layers"')
        return
    for path in tree.layer_sources():
        yield from _check_includes(tree, path, table)
    for layer in LAYERS:
        if tree.exists(f"{layer}/CMakeLists.txt"):
            yield from _check_links(tree, layer, table)


def read_table(tree):
    """Returns {layer: layers that it may use}, or None."""
    if not tree.exists(ARCHITECTURE):
        return None
    section = re.search(r"^## Layers\s*$(.*?)(?=^## |\Z)", tree.text(ARCHITECTURE), re.M | re.S)
    lines = section.group(1).split("\n") if section else []
    rows = [_cells(line) for line in lines if line.startswith("|")]
    if not rows or "layer" not in rows[0] or "may include" not in rows[0]:
        return None
    layer_column, uses_column = rows[0].index("layer"), rows[0].index("may include")
    return {row[layer_column]: set(_names(row[uses_column])) for row in rows[2:]}


def _cells(row):
    cells = row.strip().strip("|").split("|")
    return [re.sub(r"[`*]", "", cell).strip().rstrip("/") for cell in cells]


def _names(cell):
    names = [name.strip().rstrip("/") for name in cell.split(",")]
    return [name for name in names if name not in ("", "-", "–")]


def _check_includes(tree, path, table):
    layer = layer_of(path)
    if layer not in table:
        yield Finding(path, 0, f"layer {layer} is not in the table of {ARCHITECTURE}")
        return
    code = tree.code(path)
    for match in _INCLUDE.finditer(code):
        included, line = match.group(1), line_of(code, match.start(1))
        other = layer_of(included)
        if "/" not in included or other not in LAYERS:
            yield Finding(path, line, f'"{included}" is not a path from the repository root')
        elif not tree.exists(included):
            yield Finding(path, line, f'"{included}" does not exist')
        elif included.startswith(_TESTING_FOLDERS) and layer != "storage":
            yield Finding(path, line, f"{layer} may not include {included}, which is for tests")
        elif other != layer and other not in table[layer]:
            yield Finding(path, line, f"{layer} may not include {other} ({ARCHITECTURE})")


def _check_links(tree, layer, table):
    path = f"{layer}/CMakeLists.txt"
    text = re.sub(r"#[^\n]*", "", tree.text(path))
    for match in _LINK.finditer(text):
        # The target itself comes first; whatever its name, it belongs to its folder.
        links = " ".join(match.group(1).split()[1:])
        names = _TARGET.findall(links)
        if _TESTING_TARGET in names:
            line = line_of(text, match.start())
            yield Finding(path, line, f"{layer} may not link {_TESTING_TARGET}, which is for tests")
        for other in filter(None, map(_layer_of_target, names)):
            if other not in (layer, *table.get(layer, ())):
                line = line_of(text, match.start())
                yield Finding(path, line, f"{layer} may not link {other} ({ARCHITECTURE})")


def _layer_of_target(name):
    """Returns the layer of a target; None if it belongs to no layer."""
    parts = name.split("_")
    names = ("_".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((_TARGET_NAMES[name] for name in names if name in _TARGET_NAMES), None)
