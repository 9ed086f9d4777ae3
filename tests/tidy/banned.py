# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Headers and calls that bypass the I/O seam or the clock, each with its replacement."""

import re

from source_tree import LAYERS, Finding, layer_of, line_of

HEADERS = {
    "dirent.h": "storage::Directory",
    "fcntl.h": "storage::Env::open",
    "filesystem": "storage::Env and storage::Directory",
    "fstream": "storage::File",
    "liburing.h": "storage::ReadQueue",
    "sys/mman.h": "storage::File",
    "sys/stat.h": "format/entry/mode.h for mode bits, storage::FileStatus for attributes",
    "sys/uio.h": "storage::File",
    "sys/xattr.h": "storage::Directory",
    "unistd.h": "storage::Env",
}

_SYSTEM_CALLS = (
    "open|openat|creat|close|read|pread|preadv|write|pwrite|pwritev|lseek|fsync|fdatasync|mmap|"
    "stat|lstat|fstat|fstatat|rename|renameat|unlink|unlinkat|mkdir|mkdirat|readlink|opendir|"
    "readdir|truncate|ftruncate|fallocate"
)
CALLS = (
    (re.compile(rf"(?<![\w>])::(?:{_SYSTEM_CALLS})\s*\("), "storage::File, Directory or Env"),
    (re.compile(r"\bf(?:open|dopen|reopen)\s*\("), "storage::Env::open"),
    (re.compile(r"\b(?:std::rand|srand|random_device)\b"), "storage::Env::random"),
    (re.compile(r"\b(?:gettimeofday|clock_gettime)\s*\("), "storage::Env::now"),
    (re.compile(r"\btime\s*\(\s*(?:nullptr|NULL|0)\s*\)"), "storage::Env::now"),
    (re.compile(r"\bsystem_clock\b"), "storage::Env::now"),
    (re.compile(r"\b(?:steady_clock|high_resolution_clock)\b"), "storage::Env::monotonic_ns"),
    (re.compile(r"\b(?:secure_)?getenv\s*\("), "storage::Env::variable"),
    (re.compile(r"\bhardware_concurrency\b"), "storage::Env::processor_count"),
)

# (layer, header): the reason for the exception. tidy reports unused exceptions.
EXCEPTIONS = {}

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.MULTILINE)


def check(tree, exceptions=None):
    exceptions = EXCEPTIONS if exceptions is None else exceptions
    used = set()
    for path in tree.layer_sources([layer for layer in LAYERS if layer != "storage"]):
        code = tree.code(path)
        for match in _INCLUDE.finditer(code):
            header, exception = match.group(1), (layer_of(path), match.group(1))
            if exception in exceptions:
                used.add(exception)
            elif header in HEADERS:
                line = line_of(code, match.start(1))
                yield Finding(path, line, f"<{header}> is banned; use {HEADERS[header]}")
        for call, replacement in CALLS:
            for match in call.finditer(code):
                name = match.group(0).rstrip("( ")
                line = line_of(code, match.start())
                yield Finding(path, line, f"{name} is banned; use {replacement}")
    for layer, header in sorted(set(exceptions) - used):
        text = f"the exception for <{header}> in {layer} is unused"
        yield Finding("tests/tidy/banned.py", 0, text)
