# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Two trees that get the same operations, and must behave alike.

An operation is done on one tree and then on the other. Both must return the same result, or fail
with the same errno, and change the same times of the same objects.
"""
import errno
import stat

from tree_calls import Acting, Root

USERS = ((0, 0, []), (1000, 1000, [1002]), (1001, 1001, []))


def outcome(root, operation, arguments):
    try:
        return getattr(root, operation)(*arguments)
    except OSError as failure:
        return errno.errorcode.get(failure.errno, failure.errno)


def parent(name):
    return name.rsplit("/", 1)[0] if "/" in name else ""


class Twins:
    """Two trees that get the same operations.

    With write-back, the kernel keeps the times of files by its own rules, and the caller turns off
    the comparison of times.
    """

    def __init__(self, first, second, compares_times=True):
        self.first, self.second = Root(first), Root(second)
        self.compares_times = compares_times

    def step(self, user, operation, arguments, names):
        """Does an operation on both trees. Returns a description of the difference, or None."""
        about = sorted({*names, *(parent(name) for name in names)})
        said, changed = [], []
        for root in (self.first, self.second):
            before = [root.times(name) for name in about]
            with Acting(user):
                said.append(outcome(root, operation, arguments))
            after = [root.times(name) for name in about]
            changed.append([self.change(*pair) for pair in zip(before, after)])
        if said[0] != said[1]:
            return f"result {said[0]!r:.200} and {said[1]!r:.200}"
        if said[0] in errno.errorcode.values():
            # A failed operation changes nothing. But ext4 begins a rename with a whiteout and takes
            # it back.
            changed[1] = [self.change(time, time) for time in before]
        if self.compares_times and changed[0] != changed[1]:
            return f"times (modified, changed) of {about}: {changed[0]} and {changed[1]}"
        for name in about:
            facts = self.first.facts(name), self.second.facts(name)
            if facts[0] != facts[1]:
                return f"{name}: {facts[0]} and {facts[1]}"
        return None

    @staticmethod
    def change(before, after):
        if before is None or after is None:
            return before is None, after is None
        if before[0] != after[0]:
            return "another"
        return before[1] != after[1], before[2] != after[2]

    def release_all(self):
        self.first.release_all()
        self.second.release_all()

    def difference(self):
        """Returns the first difference anywhere in the trees, or None."""
        pending = [""]
        while pending:
            name = pending.pop()
            facts = self.first.facts(name), self.second.facts(name)
            if facts[0] != facts[1]:
                return f"{name}: {facts[0]} and {facts[1]}"
            if isinstance(facts[0], int):
                continue
            if stat.S_ISDIR(facts[0][0]):
                names = self.first.listing(name), self.second.listing(name)
                if names[0] != names[1]:
                    return f"names of {name}: {names[0]} and {names[1]}"
                pending += [f"{name}/{leaf}" if name else leaf for leaf in names[0]]
            elif stat.S_ISREG(facts[0][0]):
                if self.first.contents(name) != self.second.contents(name):
                    return f"contents of {name}"
            elif stat.S_ISLNK(facts[0][0]):
                targets = self.first.readlink(name), self.second.readlink(name)
                if targets[0] != targets[1]:
                    return f"targets of {name}"
        return None
