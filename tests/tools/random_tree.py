# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A random tree with something for each output of the query commands."""
import os
import random
import stat
import subprocess

PLAIN = "abcxyzABCXYZ0123456789._-~"
AWKWARD = " \t\n\r\a\x1b'\"\\$`!#&*?[]{}()|;<>:=@,%^\x7f"
# The last are a right quote, private use, a line separator and an unassigned character.
FOREIGN = ["é", "ü", "漢", "字", "ñ", "\u0301", "\u0085", "\u2019", "\ue000", "\u2028", "\u0378"]
REORDERING = ["\u202e", "\u2066", "\u200f", "\U000e0001"]
CONTEXTS = ["system_u:object_r:etc_t:s0", "user_u:object_r:user_home_t:s0-s0:c0.c1023", "u", "x y",
            "unlabeled"]
ENDINGS = ["", "", "", ".c", ".h", ".tar.gz", ".TXT", ".jpg", "~", ".1", ".10", ".9"]


class RandomTree:
    """A tree below `top`, made from `seed` alone."""

    def __init__(self, top, seed, foreign=FOREIGN + REORDERING):
        self.random = random.Random(seed)
        self.foreign = foreign
        self.top = os.fsencode(top)
        self.files = []
        self.directories = [self.top]
        os.mkdir(self.top)
        for name in (b".backup~", b".#both~"):
            self.add_file(os.path.join(self.top, name))
        for _ in range(14):
            self.add_directory()
        for _ in range(150):
            self.add_entry()
        self.set_times()

    def name(self):
        # ls quotes some names that have an apostrophe and end in a control character in a way that
        # a shell reads wrongly; our output is different.
        name = self.any_name()
        return name + b"x" if b"'" in name else name

    def any_name(self):
        rng = self.random
        kind = rng.random()
        if kind < 0.1:
            raw = bytes(rng.choice([b for b in range(1, 256) if b != 0x2f])
                        for _ in range(rng.randint(1, 6)))
            return raw if raw not in (b".", b"..") else b"raw"
        pool = PLAIN if kind < 0.6 else PLAIN + AWKWARD
        letters = [rng.choice(pool) for _ in range(rng.randint(1, 12))]
        if kind > 0.85:
            letters.insert(rng.randint(0, len(letters)), rng.choice(self.foreign))
        text = "".join(letters) + rng.choice(ENDINGS)
        return (text if text not in (".", "..") else "dots").encode()

    def new_path(self, unwanted=b"/"):
        while True:
            name = self.name()
            path = os.path.join(self.random.choice(self.directories), name)
            if unwanted not in name and not os.path.lexists(path):
                return path

    def add_directory(self):
        path = self.new_path(unwanted=b"'")  # link targets lead through it
        os.mkdir(path)
        os.chmod(path, self.random.choice([0o755, 0o755, 0o700, 0o1777, 0o777, 0o1755, 0o2755]))
        if os.geteuid() == 0:
            self.mark(path)
        self.directories.append(path)

    def add_entry(self):
        rng = self.random
        path = self.new_path()
        kind = rng.random()
        if kind < 0.02:
            name = b"loop" + os.path.basename(path)
            os.symlink(name, os.path.join(os.path.dirname(path), name))
        elif kind < 0.15:
            # Not "/": in a mount it leads to the system's root, whose size differs.
            target = rng.choice([b"nowhere", b"..", b".",
                                 os.path.basename(rng.choice(self.files or [b"x"])),
                                 os.path.relpath(rng.choice(self.files or [self.top]),
                                                 os.path.dirname(path)),
                                 os.path.relpath(rng.choice(self.directories),
                                                 os.path.dirname(path))])
            os.symlink(target, path)
            if rng.random() < 0.3:  # beside it, so that the target means the same
                os.link(path, path + b".twin", follow_symlinks=False)
        elif kind < 0.2:
            os.mkfifo(path)
        elif kind < 0.23 and os.geteuid() == 0:
            how = rng.choice([stat.S_IFCHR, stat.S_IFBLK])
            os.mknod(path, how | 0o640, os.makedev(rng.choice([0, 8, 254, 1000]),
                                                   rng.choice([rng.randint(0, 300), 123456])))
        elif kind < 0.3 and self.files:
            os.link(rng.choice(self.files), path)
        else:
            self.add_file(path)

    def add_file(self, path):
        rng = self.random
        with open(path, "wb") as file:
            if rng.random() < 0.1:
                file.truncate(rng.choice([1, 4096, 100000, 3 << 20]))
            if rng.random() < 0.85:
                size = rng.choice([0, 1, 511, 512, 513, 1023, 1024, 1025, rng.randint(0, 200000)])
                file.write(rng.randbytes(size))
        os.chmod(path, rng.choice([0o644, 0o644, 0o600, 0o755, 0o4755, 0o2711, 0o000, 0o444, 0o1644,
                                   0o4644]))
        if os.geteuid() == 0:
            self.own(path)
        self.files.append(path)

    def own(self, path):
        rng = self.random
        mode = os.stat(path).st_mode
        if rng.random() < 0.2:
            os.chown(path, rng.choice([0, 1, 54321]), rng.choice([0, 4, 54322]))
            os.chmod(path, stat.S_IMODE(mode))
        self.mark(path)
        if rng.random() < 0.1:
            subprocess.run([b"setcap", b"cap_net_raw=ep", path], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def mark(self, path):
        """Sometimes adds an access control list or a security context."""
        rng = self.random
        if rng.random() < 0.1:
            subprocess.run([b"setfacl", b"-m", b"u:1:rw", b"--", path], check=False,
                           stderr=subprocess.DEVNULL)
        if rng.random() < 0.1:
            try:
                os.setxattr(path, "security.selinux", rng.choice(CONTEXTS).encode())
            except OSError:
                pass  # SELinux forbids it, or the file system keeps none

    def set_times(self):
        """Sets recent, old and future times; directories last, because entries change their
        times.
        """
        now = 1_000_000_000 * int(self.random.random() < 2) + 700_000_000
        for directory, names, files in os.walk(self.top, topdown=False):
            for name in files + names:
                path = os.path.join(directory, name)
                when = self.random.choice([0, 1, -1, now, 2**31, 2**32 + 5, 86400 * 365,
                                           self.random.randint(0, 2 * now)])
                if self.random.random() < 0.3:
                    continue
                nanoseconds = when * 10**9 + self.random.choice([0, 1, 500_000_000, 123_456_789])
                os.utime(path, ns=(nanoseconds, nanoseconds), follow_symlinks=False)
