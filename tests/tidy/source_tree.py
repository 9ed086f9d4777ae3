# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""The files that tidy reads, and the form in which every rule reports."""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

# A layer is a folder, or a folder of delta/.
LAYERS = (
    *("base", "rules", "storage", "format", "reader", "builder"),
    *("delta/control", "delta/store", "delta/view", "delta/layer", "delta/merge", "delta/update"),
    *("fuse", "tools"),
)
CPP_ENDINGS = (".h", ".cpp", ".c")
SOURCE_ENDINGS = (*CPP_ENDINGS, ".py", ".cmake")
TEXT_ENDINGS = (*SOURCE_ENDINGS, ".md", ".txt", ".json", ".in")
# Folders without sources of ours. Folders with a leading dot are left out, too, except .ci.
SKIPPED_FOLDERS = re.compile(r"^(build(-.*)?|__pycache__|\.(?!ci$).*)$")


@dataclass(frozen=True, order=True)
class Finding:
    """One broken rule. Lines count from 1; 0 stands for the file as a whole."""

    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


class SourceTree:
    """The text files below a root, by their relative paths with forward slashes."""

    def __init__(self, root):
        self.root = Path(root)
        self.paths = tuple(sorted(self._find()))

    def _find(self):
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if not SKIPPED_FOLDERS.match(name)]
            for name in files:
                path = Path(folder, name)
                if name.endswith(TEXT_ENDINGS) or is_script(path):
                    yield path.relative_to(self.root).as_posix()

    @lru_cache(maxsize=None)
    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def lines(self, path):
        """(number, line) pairs."""
        return enumerate(self.text(path).split("\n"), start=1)

    @lru_cache(maxsize=None)
    def code(self, path):
        """C++ text with comments and the insides of string literals blanked, lines kept."""
        return blank_comments_and_strings(self.text(path))

    def exists(self, path):
        return (self.root / path).exists()

    def layer_sources(self, layers=LAYERS):
        """Returns files in the folders of layers, even if they belong to no layer there."""
        folders = {folder_of(layer) for layer in layers}
        return [p for p in self.paths if p.endswith(CPP_ENDINGS) and folder_of(p) in folders]

    def is_source(self, path):
        return path.endswith((*SOURCE_ENDINGS, "CMakeLists.txt")) or self.is_script(path)

    def is_script(self, path):
        return is_script(self.root / path)


def folder_of(path):
    """The first folder of a path."""
    return path.split("/", 1)[0]


def layer_of(path):
    """Returns the layer of a path; without one, the first folder."""
    two = "/".join(path.split("/")[:2])
    return two if two in LAYERS else folder_of(path)


def is_script(path):
    if path.suffix or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def line_of(text, position):
    return text.count("\n", 0, position) + 1


_TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![\w'])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def blank_comments_and_strings(text):
    def blank(match):
        token = match.group(0)
        # Names of included files are in quotes, too, but rules need them.
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if token.startswith('"') and before.lstrip().startswith("#include"):
            return token
        return re.sub(r"[^\n]", " ", token)

    return _TOKENS.sub(blank, text)
