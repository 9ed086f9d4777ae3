# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""No two stems of a layer include each other, directly or through others, and no two wings do. A
stem is a header and its .cpp as one: run.h and run.cpp are the stem run. A wing is a folder in the
folder of a layer. The files beside the wings are what all of them share, and what puts them
together, so that the rule of wings does not hold for them.
"""

import re

from source_tree import LAYERS, Finding, layer_of, line_of

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def check(tree, layers=LAYERS):
    includes = list(_includes(tree, layers))
    yield from _loops(_edges(includes, _stem), "includes")
    yield from _loops(_edges(includes, _wing), "wings")


def _includes(tree, layers):
    """(file, line, file that it includes) of files of the same layer."""
    for path in tree.layer_sources(layers):
        layer, code = layer_of(path), tree.code(path)
        if layer not in layers:
            continue
        for match in _INCLUDE.finditer(code):
            if layer_of(match.group(1)) == layer:
                yield path, line_of(code, match.start(1)), match.group(1)


def _edges(includes, node_of):
    """{node: {node that it includes: (file, line)}}; a file without a node is left out."""
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
    """Nodes from `start` on back to it, each of which includes the next; None if there is none."""
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
