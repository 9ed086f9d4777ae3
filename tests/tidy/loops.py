# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""No two stems of a layer include each other, directly or through others. A stem is a header and
its .cpp as one: run.h and run.cpp are the stem run.
"""

import re

from source_tree import Finding, layer_of, line_of

# Layers that the rule holds for. It is to hold for all of them: reader, builder and tools are to
# come.
LAYERS_WITHOUT_LOOPS = (
    *("base", "rules", "storage", "format"),
    *("delta/store", "delta/view", "delta/layer", "delta/merge", "fuse"),
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def check(tree, layers=LAYERS_WITHOUT_LOOPS):
    edges = _read_edges(tree, layers)
    seen = set()
    for stem in sorted(edges):
        if stem in seen:
            continue
        loop = _shortest_loop(edges, stem)
        if loop:
            path, line = edges[stem][loop[1]]
            seen.update(loop)
            yield Finding(path, line, "a loop of includes: " + " -> ".join(loop))


def _read_edges(tree, layers):
    """{stem: {stem that it includes: (file, line)}}, of stems of the same layer."""
    edges = {}
    for path in tree.layer_sources(layers):
        stem, layer, code = _stem(path), layer_of(path), tree.code(path)
        if layer not in layers:
            continue
        found = edges.setdefault(stem, {})
        for match in _INCLUDE.finditer(code):
            other = _stem(match.group(1))
            if other != stem and layer_of(other) == layer:
                found.setdefault(other, (path, line_of(code, match.start(1))))
    return edges


def _stem(path):
    return path.rpartition(".")[0]


def _shortest_loop(edges, start):
    """Stems from `start` on back to it, each of which includes the next; None if there is none."""
    ways = [[start]]
    reached = set()
    for way in ways:  # which grows: the shortest ways come first
        for other in edges.get(way[-1], ()):
            if other == start:
                return [*way, start]
            if other not in reached:
                reached.add(other)
                ways.append([*way, other])
    return None
