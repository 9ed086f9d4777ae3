# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""No two stems of a layer include each other, directly or through others, and no two wings do.

A stem is a header and its .cpp together: run.h and run.cpp are the stem run. A wing is a folder in
the folder of a layer. The files beside the wings are shared by all wings, or put them together, so
the rule for wings does not apply to them.
"""

import re

from source_tree import LAYERS, Finding, layer_of, line_of

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def check(tree, layers=LAYERS):
    includes = list(_includes(tree, layers))
    yield from _loops(_edges(includes, _stem), "includes")
    yield from _loops(_edges(includes, _wing), "wings")


def _includes(tree, layers):
    """Returns (file, line, file that it includes) for files of the same layer."""
    for path in tree.layer_sources(layers):
        layer, code = layer_of(path), tree.code(path)
        if layer not in layers:
            continue
        for match in _INCLUDE.finditer(code):
            if layer_of(match.group(1)) == layer:
                yield path, line_of(code, match.start(1)), match.group(1)


def _edges(includes, node_of):
    """Returns {node: {node that it includes: (file, line)}}; leaves out files without a node."""
    edges = {}
    for path, line, included in includes:
        node, other = node_of(path), node_of(included)
        if node and other and node != other:
            edges.setdefault(node, {}).setdefault(other, (path, line))
    return edges


def _loops(edges, kind):
    seen = set()
    for node in sorted(edges):
        if node in seen:
            continue
        loop = _shortest_loop(edges, node)
        if loop:
            path, line = edges[node][loop[1]]
            seen.update(loop)
            yield Finding(path, line, f"a loop of {kind}: " + " -> ".join(loop))


def _stem(path):
    return path.rpartition(".")[0]


def _wing(path):
    folder = path.rpartition("/")[0]
    return None if folder == layer_of(path) else folder


def _shortest_loop(edges, start):
    """Returns the nodes of the shortest loop from `start`, each of which includes the next; None if
    there is none.
    """
    ways = [[start]]
    reached = set()
    for way in ways:  # the list grows, so the shortest ways come first
        for other in edges.get(way[-1], ()):
            if other == start:
                return [*way, start]
            if other not in reached:
                reached.add(other)
                ways.append([*way, other])
    return None
