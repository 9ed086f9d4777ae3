# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Programs that people run on trees, for bench/mount_rw, and their times."""
import dataclasses
import json
import random
import shutil
import subprocess
import time

import measuring

SMALL_FILES_BYTES = 200
WRITERS = 4
ABSENT = "no_such_word_in_it"
GROW = "find copy -name '*e*.c' -type f -exec sh -c 'for f; do echo >>$f; done' _ {} +"


MMAP = ("fio --name=mmap --ioengine=mmap --rw=randwrite --bs=4k --size=64m --io_size=16m"
        " --fallocate=none --end_fsync=1")
POSTMARK = ("set number 5000\\nset transactions 20000\\nset size 500 20000\\nset subdirectories 50"
            "\\nrun\\nquit\\n")
SOURCES = 200  # source files of the project that is built


@dataclasses.dataclass
class Program:
    """One program; programs build on the results of those before them."""
    title: str
    command: str  # for sh, in the root of the tree
    is_cold: bool = False
    needs: str = ""  # a program that it needs besides the shell


def programs(tree, tars):
    """The programs in order. `tree`: its name in the base; `tars`: the archives of make_tars()."""
    whole, project, *parts = tars
    untar_parts = " & ".join(f"(mkdir many{i} && tar xf {part} -C many{i})"
                             for i, part in enumerate(parts))
    git = ("git -c user.name=A -c user.email=a@example.org"
           " -c gc.auto=0 -c maintenance.auto=false")  # else work continues after the command
    return [
        Program("cat of the large file", "cat tree/big >/dev/null", True),
        Program("find of the base", f"find {tree} -newer /", True),
        Program("grep -r of the base", f"grep -rc {ABSENT} {tree} >/dev/null || true", True),
        Program("tar of the base", f"tar cf - {tree} | cat >/dev/null", True),
        Program("cp -a of the base", f"cp -a {tree} copy", True),
        Program("mv of the base", f"mv {tree} moved"),
        Program("rm -rf of the base", "rm -rf moved"),
        Program("find of the copy", "find copy -newer /", True),
        Program("grep -r of the copy", f"grep -rc {ABSENT} copy >/dev/null || true", True),
        Program("tar of the copy", "tar cf - copy | cat >/dev/null", True),
        Program("rsync -a", "rsync -a copy/ back", needs="rsync"),
        Program("rsync -a of files that have grown", f"{GROW}; rsync -a copy/ back",
                needs="rsync"),
        Program("the same, --inplace",
                f"{GROW}; rsync -a --inplace --no-whole-file copy/ back", needs="rsync"),
        Program("rm -rf of two copies", "rm -rf copy back"),
        Program("tar xf", f"mkdir out && tar xf {whole} -C out"),
        Program("tar xf and make -j2", f"tar xf {project} && make -s -C project -j2",
                needs="make"),
        Program("fio, mmap, 4 KiB at random", f"{MMAP}; rm mmap.0.0", needs="fio"),
        Program("PostMark", f"printf '{POSTMARK}' | postmark", needs="postmark"),
        Program("git add and commit",
                f"cd out && {git} init -q . && {git} add . && {git} commit -qm a",
                needs="git"),
        Program("git clone", f"{git} clone -q out clone", needs="git"),
        Program("git status and diff, cold",
                f"cd clone && {git} status -s && {git} diff --stat", True, needs="git"),
        Program("rm -rf of out and clone", "rm -rf out clone"),
        Program(f"{WRITERS} x tar xf of files of {SMALL_FILES_BYTES} B", f"{untar_parts} & wait"),
        Program("find of these", "find many* -newer /", True),
        Program("rm -rf of these", "rm -rf many*"),
    ]


def make_tars(tree, small_files, directory):
    """Archives of a tree, of a project, and of small files for WRITERS, 1,000 per directory."""
    whole = directory / "tree.tar"
    measuring.run("tar", "cf", whole, "-C", tree, ".")
    project = make_project(directory)
    chance = random.Random(1)
    parts = []
    source = directory / "small"
    source.mkdir()
    for i in range(small_files // WRITERS):
        folder = source / f"d{i // 1000}"
        if i % 1000 == 0:
            folder.mkdir()
        (folder / f"file-{i}").write_bytes(chance.randbytes(SMALL_FILES_BYTES))
    for part in range(WRITERS):
        path = directory / f"small{part}.tar"
        if part == 0:
            measuring.run("tar", "cf", path, "-C", source, ".")
        else:
            path.symlink_to(parts[0])
        parts.append(path)
    shutil.rmtree(source)
    return [whole, project, *parts]


def make_project(directory):
    """An archive of C sources that are linked to one program."""
    place = directory / "project"
    place.mkdir()
    names = [f"part{i}" for i in range(SOURCES)]
    for i, name in enumerate(names):
        text = f"#include <stdio.h>\nint {name}(void) {{ return {i}; }}\n"
        (place / f"{name}.c").write_text(text)
    (place / "main.c").write_text("int main(void) { return 0; }\n")
    objects = " ".join(f"{name}.o" for name in (*names, "main"))
    (place / "Makefile").write_text(f"all: {objects}\n\t$(CC) -o $@ $^\n")
    archive = directory / "project.tar"
    measuring.run("tar", "cf", archive, "-C", directory, "project")
    shutil.rmtree(place)
    return archive


def time_program(program, root, below):
    """Seconds of the program, with the sync of everything that it wrote."""
    begin = time.monotonic()
    result = subprocess.run(["sh", "-c", program.command], cwd=root, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise measuring.Failed(f"{program.title}: {result.stderr[-2000:]}")
    marker = root / "synced"
    marker.write_bytes(b"x")
    for place in (root, below):
        measuring.run("sync", "-f", place)
    measuring.run("sync", marker)
    return time.monotonic() - begin


def sync_latencies(root):
    """p50 and p99 in µs of an fsync of 4 KiB written at random, measured by fio."""
    said = measuring.run("fio", "--name=sync", f"--directory={root}", "--rw=randwrite", "--bs=4k",
                         "--size=64m", "--io_size=8m", "--fsync=1", "--fallocate=none",
                         "--output-format=json")
    (root / "sync.0.0").unlink()
    percentiles = json.loads(said)["jobs"][0]["sync"]["lat_ns"]["percentile"]
    return percentiles["50.000000"] / 1000, percentiles["99.000000"] / 1000

