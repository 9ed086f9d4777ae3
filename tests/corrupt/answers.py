# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Asks a mount everything a program can ask of each path, and checks the answers."""
import errno
import os


def answer(question, *arguments, **keywords):
    try:
        return question(*arguments, **keywords)
    except OSError as error:
        return error.errno


def attributes(path):
    status = os.lstat(path)
    return (status.st_mode, status.st_size, status.st_nlink, status.st_uid, status.st_gid,
            status.st_mtime_ns, status.st_ino)


def names_below(point):
    """Returns all paths that can be found in a mount, "" for its root."""
    names = [""]
    for base, directories, files in os.walk(point):
        names += [os.path.relpath(os.path.join(base, name), point) for name in directories + files]
    return sorted(names)


def head_of(path, bytes_max):
    with open(path, "rb") as file:
        return file.read(bytes_max)


def ask(point, names, bytes_max=-1):
    """Returns question -> answer; an error is its number. Reads contents up to `bytes_max`."""
    answers = {}
    for name in names:
        path = point / name
        answers[name, "attributes"] = answer(attributes, path)
        answers[name, "xattrs"] = answer(os.listxattr, path, follow_symlinks=False)
        mode = answers[name, "attributes"]
        kind = mode[0] & 0o170000 if isinstance(mode, tuple) else 0
        if kind == 0o040000:
            answers[name, "names"] = answer(lambda: sorted(os.listdir(path)))
        if kind == 0o120000:
            answers[name, "target"] = answer(os.readlink, path)
        if kind == 0o100000:
            answers[name, "contents"] = answer(head_of, path, bytes_max)
    return answers


def count_failures(test, answers, truth, what):
    """Fails `test` unless all answers are true or EIO; returns how many are EIO."""
    failures = 0
    for question, got in answers.items():
        if got == errno.EIO:
            failures += 1
        else:
            test.assertEqual(got, truth[question], f"{what}: {question}")
    return failures
