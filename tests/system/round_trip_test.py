#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""A tree with every feature goes in and comes out identical, in a mount, an extraction, and by
other programs.
"""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import support
from support import HERE, build, compare, dgfs, mounted, run


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def catches(pid, number):
    """Returns whether a process has installed a handler for a signal."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def add_letters(tree):
    """Adds files that resemble each other, each of them twice."""
    for folder in ("letters", "letters-again"):
        (tree / folder).mkdir()
        for number in range(200):
            text = f"Dear reader {number},\n" + "once more what we told you.\n" * (number % 70)
            (tree / folder / f"{number}.letter").write_text(text)


class FeatureTree(support.ScratchCase):
    """One tree and one image for the cases of this class."""
    jobs = 0  # threads of that image's build

    @staticmethod
    def add_to(_tree):
        """Adds files for which the options make a difference."""

    @staticmethod
    def options(_folder):
        """Returns the options of a build with its output in this folder."""
        return ()

    @staticmethod
    def volumes(_folder):
        """Returns the further volumes of such a build."""
        return ()

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="dgfs-features-"))
        cls.tree = cls.shared / "tree"
        made = run(sys.executable, HERE / "feature_tree.py", cls.tree)
        sys.stderr.write(made.stdout.decode())
        cls.add_to(cls.tree)
        cls.image = cls.shared / "tree.dgfs"
        cls.index = cls.shared / "tree.dgfs.idx"
        build(cls.tree, cls.image, "--jobs", str(cls.jobs), *cls.options(cls.shared))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def test_verify_finds_no_damage(self):
        dgfs("verify", self.image)

    def test_mount_equals_source(self):
        with mounted(self.image) as point:
            compare(self.tree, point)

    def test_extract_equals_source(self):
        dgfs("extract", self.image, self.scratch / "out", "--quiet")
        compare(self.tree, self.scratch / "out")

    def test_extract_of_the_mount_by_tar_equals_source(self):
        out = self.scratch / "out"
        out.mkdir()
        with mounted(self.image) as point:
            tar = f"tar -C {point} --xattrs --xattrs-include='*' --acls -S -cf - ."
            untar = f"tar -C {out} --xattrs --xattrs-include='*' --acls -xpf - --same-owner"
            # tar cannot store sockets; it says so and continues.
            run("bash", "-c", f"({tar} || test $? = 1) 2>/dev/null | {untar}")
        compare(self.tree, out, "--skip", "special/socket", "--no-holes")

    def test_image_without_index_file_opens(self):
        alone = self.scratch / "alone.dgfs"
        shutil.copyfile(self.image, alone)
        for volume in self.volumes(self.shared):
            shutil.copy(volume, self.scratch)
        dgfs("verify", alone)
        listed = dgfs("find", alone).stdout
        self.assertEqual(listed, dgfs("find", self.image).stdout)

    def test_index_alone_answers_for_metadata(self):
        alone = self.scratch / "alone.idx"
        shutil.copyfile(self.index, alone)
        listed = dgfs("ls", "-lR", alone).stdout
        self.assertEqual(listed, dgfs("ls", "-lR", self.image).stdout)
        failed = dgfs("cat", alone, "sizes/4096", check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn(b"missing", failed.stderr)

    def test_same_bytes_for_any_jobs_and_any_run(self):
        files = self.image, self.index, *self.volumes(self.shared)
        expected = [digest(file) for file in files]
        for jobs in (1, 2, 8, 2):
            image = self.scratch / "again.dgfs"
            build(self.tree, image, "--jobs", str(jobs), *self.options(self.scratch))
            files = image, f"{image}.idx", *self.volumes(self.scratch)
            self.assertEqual([digest(file) for file in files], expected, f"--jobs {jobs}")

    def test_gnu_diff_and_rsync_see_no_difference(self):
        support.need_program("rsync")
        with mounted(self.image) as point:
            # diff treats sockets and device files specially; /sparse is compared elsewhere.
            differ = run("diff", "-r", "--no-dereference", "-x", "special", "-x", "sparse",
                         self.tree, point, check=False)
            self.assertEqual(differ.stdout, b"")
            changes = run("rsync", "-aHAXn", "--numeric-ids", "--checksum", "--itemize-changes",
                          "--delete", "--exclude", "/sparse/above-4-gib",
                          f"{self.tree}/", f"{point}/")
            self.assertEqual(changes.stdout, b"")

    def test_gnu_tar_sees_no_difference(self):
        archive = self.scratch / "tree.tar"
        run("tar", "-C", self.tree, "--exclude=./special/socket", "-S", "-cf", archive, ".")
        with mounted(self.image) as point:
            run("tar", "-C", point, "-df", archive)

    def test_unprivileged_user_extracts_what_is_allowed(self):
        support.need_root()
        support.need_program("setpriv")
        out = self.scratch / "out"
        os.chmod(self.scratch, 0o777)
        for part in (self.shared, ):
            os.chmod(part, 0o755)
        told = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                   support.DGFS, "extract", self.image, out, "--quiet", check=False)
        self.assertEqual(told.returncode, 1)
        self.assertIn(b"special/null: only root can make device nodes", told.stderr)
        self.assertIn(b"2 device nodes left out", told.stderr)
        # As with tar: set-id bits would give the rights of another owner than intended.
        compare(self.tree, out, "--no-owner", "--no-set-id", "--no-xattrs", "--skip",
                "special/null", "--skip", "special/disk")


class CompressedFeatureTree(FeatureTree):
    """The same tests with all options for storing contents."""

    @staticmethod
    def add_to(tree):
        add_letters(tree)

    @staticmethod
    def options(folder):
        return ("--compress", "zstd:3", "--fragment-frames", "64K", "--digest", "sha256",
                "--volume", folder / "tree.volume")

    @staticmethod
    def volumes(folder):
        return (folder / "tree.volume",)

    def test_image_has_what_was_asked_for(self):
        told = json.loads(dgfs("info", "--scan", "--json", self.image).stdout)
        for word in ("zstd-extents", "fragment-frames", "volumes"):
            self.assertIn(word, json.dumps(told["features"]))
        self.assertGreater(told["fragment_files"], 300)
        self.assertGreater(told["shared_files"], 0)

    def test_digests_are_those_of_the_source(self):
        dgfs("verify", "--digest", "-q", self.image)
        for line in dgfs("digest", "-z", self.image, "sizes").stdout.split(b"\0")[:-1]:
            self.assertEqual(line[:64].decode(), digest(os.fsencode(self.tree) + b"/" + line[66:]))


class Interruption(support.ScratchCase):
    """The files that an interrupted build leaves."""

    def setUp(self):
        super().setUp()
        self.tree = self.scratch / "tree"
        self.tree.mkdir()
        for number in range(2000):
            (self.tree / f"f{number}").write_bytes(os.urandom(20000))
        self.out = self.scratch / "out"
        self.out.mkdir()

    def test_kill_leaves_nothing(self):
        killed = 0
        for wait in (0.0, 0.005, 0.01, 0.02, 0.05):
            process = subprocess.Popen([support.DGFS, "build", self.tree, self.out / "i.dgfs"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            process.wait()
            left = sorted(os.listdir(self.out))
            if process.returncode == 0:  # the build was faster than the signal
                for name in left:
                    os.unlink(self.out / name)
                continue
            killed += 1
            # While names are given, the index has a hidden name for an instant.
            visible = [name for name in left if not name.startswith(".")]
            self.assertIn(visible, ([], ["i.dgfs"], ["i.dgfs", "i.dgfs.idx"]))
            for name in left:
                if name == "i.dgfs":
                    dgfs("verify", self.out / name)
                os.unlink(self.out / name)
        self.assertGreater(killed, 0)

    def test_interrupt_leaves_nothing_and_says_so(self):
        process = subprocess.Popen([support.DGFS, "build", self.tree, self.out / "i.dgfs"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while process.poll() is None and not catches(process.pid, signal.SIGINT):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate()
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(os.listdir(self.out), [])
        self.assertIn(b"interrupted", complaint.lower())

    def test_full_disk_is_a_clear_failure(self):
        support.need_root()
        run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", self.out)
        self.addCleanup(run, "umount", self.out)
        failed = dgfs("build", self.tree, self.out / "i.dgfs", check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn(b"No space left", failed.stderr)
        self.assertEqual(os.listdir(self.out), [])

    def test_failed_build_keeps_the_old_image(self):
        image = self.out / "i.dgfs"
        build(self.tree, image)
        before = digest(image)
        support.need_root()
        failed = dgfs("build", self.scratch / "missing", image, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertEqual(digest(image), before)
        dgfs("verify", image)


if __name__ == "__main__":
    support.main()
