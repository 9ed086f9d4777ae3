#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Difficult sources: that change while they are packed, that may not be read, that contain other
file systems or themselves.

The build fails with the reason, or packs what it has found.
"""
import os
import pathlib
import random
import shutil
import struct
import sys
import threading

import support

NOBODY = 65534
ROUNDS = 8
SEED = 20260601


class UnsteadyCase(support.ScratchCase):
    def setUp(self):
        super().setUp()
        self.source = self.scratch / "source"
        self.source.mkdir()
        self.image = self.scratch / "image.dgfs"

    def build(self, *options, prefix=()):
        return support.run(*prefix, support.DGFS, "build", self.source, self.image, "--quiet",
                           *options, check=False)


class Changing(UnsteadyCase):
    """A thread renames, removes, appends, cuts, and exchanges directories for links."""

    def make_tree(self):
        for directory in range(20):
            place = self.source / f"d{directory}"
            place.mkdir(exist_ok=True)
            for number in range(30):
                (place / f"f{number}").write_bytes(b"steady " * (1 + number * 200))

    def disturb(self, chance):
        directory = self.source / f"d{chance.randrange(20)}"
        path = directory / f"f{chance.randrange(30)}"
        what = chance.randrange(6)
        if what == 0:
            path.rename(directory / f"g{chance.randrange(30)}")
        elif what == 1:
            path.unlink()
        elif what == 2:
            with open(path, "ab") as file:
                file.write(b"more " * 3000)
        elif what == 3:
            os.truncate(path, chance.randrange(100))
        elif what == 4:
            path.write_bytes(b"rewritten " * chance.randrange(2000))
        else:
            aside = self.scratch / f"aside{chance.random()}"
            directory.rename(aside)
            directory.symlink_to("/etc")
            directory.unlink()
            aside.rename(directory)

    def run_rounds(self, *options):
        chance = random.Random(support.test_seed(SEED))
        results = []
        for _ in range(ROUNDS):
            self.make_tree()
            stop = threading.Event()

            def disturb_until_stopped(seed=chance.random(), stop=stop):
                own_chance = random.Random(seed)
                while not stop.is_set():
                    try:
                        self.disturb(own_chance)
                    except OSError:
                        pass  # the object that it wanted to change is gone

            thread = threading.Thread(target=disturb_until_stopped)
            thread.start()
            try:
                results.append(self.build(*options))
            finally:
                stop.set()
                thread.join()
            self.check_outcome(results[-1])
        return results

    def check_outcome(self, result):
        told = result.stderr.decode(errors="replace")
        self.assertIn(result.returncode, (0, 1), told)
        names = [name for name in os.listdir(self.scratch) if not name.startswith("aside")]
        if not self.image.exists():
            self.assertEqual(names, ["source"], told)
            self.assertEqual(result.returncode, 1, told)
            self.assertIn(str(self.source), told)
            return
        support.dgfs("verify", self.image)
        out = self.scratch / "aside-out"
        support.dgfs("extract", self.image, out)
        for path in out.rglob("*"):
            if path.is_file() and not path.is_symlink():
                content = path.read_bytes()
                # Rewriting replaces the whole content, and only this test writes contents.
                self.assertFalse(b"steady" in content and b"rewritten" in content, path)
                # An empty file that is truncated to a greater length begins with zeros.
                written = content.lstrip(b"\0")
                self.assertTrue(written.startswith((b"s", b"r", b"m")) or not written, path)
        shutil.rmtree(out)
        self.image.unlink()
        pathlib.Path(f"{self.image}.idx").unlink()

    def test_fails_or_packs_what_was_there(self):
        results = self.run_rounds()
        self.assertIn(1, [result.returncode for result in results])

    def test_keep_going_leaves_out_what_changed(self):
        for result in self.run_rounds("--keep-going"):
            if result.returncode == 1:
                self.assertIn(b"left out", result.stderr)


class Growing(UnsteadyCase):
    """Writers that only append, each line with its number, and never stop."""

    def test_keep_going_keeps_beginnings(self):
        chance = random.Random(support.test_seed(SEED + 1))
        logs = [self.source / f"{size}.log" for size in (0, 5000, 6_000_000)]
        for log, size in zip(logs, (0, 5000, 6_000_000)):
            log.write_bytes(b"".join(b"%07d\n" % n for n in range(size // 8)))
        linked = self.source / "linked"
        linked.write_bytes(b"x" * 8_000_000)
        stop = threading.Event()

        def append():
            files = [open(log, "ab", buffering=0) for log in logs]
            numbers = [log.stat().st_size // 8 for log in logs]
            while not stop.is_set():
                which = chance.randrange(len(files))
                count = chance.randrange(1, 50)
                lines = (b"%07d\n" % (numbers[which] + n) for n in range(count))
                files[which].write(b"".join(lines))
                numbers[which] += count
                os.link(linked, self.scratch / "aside-link")
                os.unlink(self.scratch / "aside-link")
            for file in files:
                file.close()

        thread = threading.Thread(target=append)
        thread.start()
        try:
            for options in ((), ("--compress", "zstd:1"), ("--digest", "sha256")):
                result = self.build("--keep-going", "--force", *options)
                self.assertNotIn(b"left out", result.stderr)
                support.dgfs("verify", self.image)
                for log in logs:
                    lines = support.dgfs("cat", self.image, log.name).stdout
                    numbers = [int(line) for line in lines.split()]
                    self.assertEqual(len(lines) % 8, 0)
                    self.assertEqual(numbers, list(range(len(lines) // 8)), log)
                content = support.dgfs("cat", self.image, "linked").stdout
                self.assertEqual(len(content), 8_000_000)
        finally:
            stop.set()
            thread.join()


class Renumbered(UnsteadyCase):
    """An overlay of two file systems numbers directories anew when the kernel forgets them."""

    def test_nothing_is_replaced(self):
        support.need_root()
        lower, upper, tree = (self.scratch / name for name in ("lower", "upper", "tree"))
        for number in range(100):
            place = lower / f"d{number}" / "e"
            place.mkdir(parents=True)
            for file in range(3):
                (place / f"f{file}").write_text(f"{number} {file}")
        os.link(lower / "d7" / "e" / "f0", lower / "linked")
        upper.mkdir()
        tree.mkdir()
        support.run("mount", "-t", "tmpfs", "none", upper)
        self.addCleanup(support.run, "umount", "-l", upper, check=False)
        for name in ("u", "w"):
            (upper / name).mkdir()
        options = f"lowerdir={lower},upperdir={upper}/u,workdir={upper}/w"
        if support.run("mount", "-t", "overlay", "none", tree, "-o", options,
                       check=False).returncode != 0:
            self.skipTest("no overlay can be mounted here")
        self.addCleanup(support.run, "umount", "-l", tree, check=False)
        self.source = tree
        stop = threading.Event()

        def forget():
            while not stop.is_set():
                pathlib.Path("/proc/sys/vm/drop_caches").write_text("2")
                stop.wait(0.02)

        thread = threading.Thread(target=forget)
        thread.start()
        try:
            for _ in range(3):
                result = self.build("--force")
                self.assertEqual(result.returncode, 0, result.stderr)
                files = support.dgfs("find", self.image, "-type", "f").stdout.split()
                self.assertEqual(len(files), 301)
                links = support.dgfs("find", self.image, "-links", "2", "-type", "f").stdout.split()
                self.assertEqual(len(links), 2, "the hard link is kept")
        finally:
            stop.set()
            thread.join()


class Attributes(UnsteadyCase):
    """Attributes that are listed and cannot be read, or that cannot be listed."""

    def setUp(self):
        super().setUp()
        support.need_root()
        (self.source / "plain").write_bytes(b"plain content")
        os.setxattr(self.source / "plain", "trusted.kept", b"value")

    def expect_kept(self, prefix=()):
        result = self.build(prefix=prefix)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"--no-xattrs", result.stderr)
        self.assertFalse(self.image.exists())
        result = self.build("--keep-going", prefix=prefix)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"plain", result.stderr)
        self.assertIn(b"--no-xattrs", result.stderr)
        self.assertNotIn(b"left out,", result.stderr)
        self.assertEqual(support.dgfs("cat", self.image, "plain").stdout, b"plain content")
        result = self.build("--no-xattrs", "--force", prefix=prefix)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_capability_of_an_unknown_user_namespace(self):
        support.need_program("unshare")
        # struct vfs_ns_cap_data: revision 3, effective, CAP_NET_RAW, and a root that the namespace
        # of the build does not know.
        capability = struct.pack("<6I", 0x03000001, 1 << 13, 0, 0, 0, 54321)[:24]
        os.setxattr(self.source / "plain", "security.capability", capability)
        os.setxattr(self.source / "plain", "user.kept", b"value")
        prefix = ("unshare", "--map-root-user")
        if support.run(*prefix, "true", check=False).returncode != 0:
            self.skipTest("no user namespace can be made here")
        self.expect_kept(prefix)
        self.build("--keep-going", "--force", prefix=prefix)
        out = self.scratch / "out"
        support.dgfs("extract", self.image, out)
        self.assertEqual(os.getxattr(out / "plain", "user.kept"), b"value")

    def test_more_names_than_the_system_lists(self):
        support.run("mount", "-t", "tmpfs", "none", self.source)
        self.addCleanup(support.run, "umount", "-l", self.source, check=False)
        (self.source / "plain").write_bytes(b"plain content")
        for number in range(400):
            os.setxattr(self.source / "plain", "trusted." + f"{number:03}".ljust(240, "x"), b"v")
        self.expect_kept()


class OtherUser(UnsteadyCase):
    def setUp(self):
        super().setUp()
        support.need_root()
        support.need_program("setpriv")
        self.as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        os.chmod(self.scratch, 0o777)
        # The program may lie where only root can reach it.
        program = self.scratch / "bin"
        program.mkdir()
        shutil.copy(support.DGFS, program / "dgfs")
        self.as_nobody += ["env", f"PATH={program}:{os.environ['PATH']}"]
        (self.source / "open").write_bytes(b"for all")
        (self.source / "secret").write_bytes(b"for root")
        (self.source / "secret").chmod(0o600)
        (self.source / "closed").mkdir(mode=0o700)
        (self.source / "closed" / "inside").write_bytes(b"unseen")

    def run_as_nobody(self, *options):
        return support.run(*self.as_nobody, "dgfs", "build", self.source, self.image, "--quiet",
                           *options, check=False)

    def test_names_what_may_not_be_read(self):
        result = self.run_as_nobody()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, rb"(secret|closed): .*Permission denied")
        self.assertFalse(self.image.exists())

    def test_keep_going_packs_the_rest(self):
        result = self.run_as_nobody("--keep-going")
        self.assertEqual(result.returncode, 1)
        for name in (b"secret", b"closed"):
            self.assertRegex(result.stderr, name + rb": .*Permission denied")
        names = support.dgfs("ls", "-1", self.image).stdout.split()
        self.assertEqual(names, [b"open"])


class Mounts(UnsteadyCase):
    """The source contains other file systems, or itself."""

    def setUp(self):
        super().setUp()
        support.need_root()
        self.place = self.source / "place"
        self.place.mkdir()
        (self.source / "file").write_bytes(b"of the source")

    def mount(self, *arguments):
        support.run("mount", *arguments, self.place)
        self.addCleanup(support.run, "umount", "-l", self.place, check=False)

    def paths(self, *options):
        result = self.build(*options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return set(support.dgfs("find", self.image).stdout.decode().split())

    def test_other_file_systems_are_packed_unless_told_not_to(self):
        self.mount("-t", "tmpfs", "none")
        (self.place / "theirs").write_bytes(b"of another one")
        inside = {path for path in self.paths() if path.endswith("theirs")}
        self.assertEqual(len(inside), 1)
        kept = self.paths("--one-file-system")
        self.assertTrue(any(path.endswith("place") for path in kept))
        self.assertFalse(any(path.endswith("theirs") for path in kept))

    def test_a_source_bound_into_itself_ends(self):
        self.mount("--bind", self.source)
        paths = self.paths()
        self.assertTrue(any(path.endswith("place/file") for path in paths))
        self.assertTrue(any(path.endswith("place/place") for path in paths))
        self.assertFalse(any("place/place/" in path for path in paths))

    def test_links_to_parents_are_not_followed(self):
        (self.place / "up").symlink_to("..")
        (self.place / "self").symlink_to("self")
        self.assertEqual(len(self.paths()), 5)


if __name__ == "__main__":
    sys.exit(support.main())
