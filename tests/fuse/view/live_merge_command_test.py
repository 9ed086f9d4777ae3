#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""dgfs delta merge of a mounted delta: what it tells, how it ends, and which states stay."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from live_merge_case import MIB, LiveMergeCase, tree_of  # noqa: E402
from support import build, dgfs, run  # noqa: E402


# The builder packs as fast as it can until its first report of progress.
SLOW_MIB = 120


class SlowMerges(LiveMergeCase):
    """A merge that would take half a minute."""

    def setUp(self):
        super().setUp()
        self.mount_delta("merge_rate=4M")
        self.write_large("large", SLOW_MIB)
        (self.point / "dir" / "7").write_text("changed")
        self.before = tree_of(self.point)

    def expect_nothing_merged(self):
        self.expect_merge_ended()
        self.assertEqual(self.bases(), [])
        self.expect_same_tree(self.before)

    def test_a_second_one_is_refused_and_a_cancelled_one_leaves_nothing(self):
        command = self.begin_slow_merge()
        self.expect_refused(self.merge(check=False), "a merge is under way (",
                            "%); --cancel ends it", code=1)
        self.assertRegex(self.info(), r"\nmerge +\d+ %, [\d.]+ \w?B of [\d.]+ \w?B, waited for "
                                      r"writers \d")
        self.expect_same_tree(self.before)
        begin = time.monotonic()
        said = self.merge("--cancel").stdout.decode()
        self.assertIn("the merge was cancelled; nothing was merged", said)
        self.expect_merge_ended()
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual(command.wait(timeout=10), 1)
        self.assertIn(b"it was cancelled", command.stderr.read())
        self.assertIn("the last one was given up: ", self.info())
        self.expect_nothing_merged()
        self.expect_refused(self.merge("--cancel", check=False), "no merge is under way", code=1)
        self.remount()
        self.merge()
        self.expect_whole_after_remount(self.before)

    def test_an_interrupted_command_leaves_it_running(self):
        command = self.begin_slow_merge()
        command.send_signal(signal.SIGINT)
        self.assertNotEqual(command.wait(timeout=10), 0)
        self.assertIn(b"the merge goes on in the mount; --cancel ends it", command.stderr.read())
        time.sleep(1)
        self.assertTrue(self.merge_state()["running"])
        self.expect_same_tree(self.before)

    def test_progress_and_rate(self):
        begin = time.monotonic()
        command = self.begin_slow_merge("--json")
        seen = []
        while (state := self.merge_state())["running"]:
            seen.append((state["percent"], state["done_bytes"]))
            self.assertGreaterEqual(state["total_bytes"], SLOW_MIB * MIB)
            time.sleep(0.2)
        took = time.monotonic() - begin
        self.assertEqual(seen, sorted(seen))
        self.assertGreater(len({percent for percent, _ in seen}), 10)
        self.assertLessEqual(max(seen)[0], 100)
        self.assertGreater(took, 25)
        self.assertEqual(command.wait(timeout=10), 0)
        answer = json.loads(command.stdout.read())
        self.assertGreaterEqual(answer["packed_bytes"], SLOW_MIB * MIB)
        self.expect_whole_after_remount(self.before)

    def test_the_mount_ends_soon_during_a_merge(self):
        command = self.begin_slow_merge()
        begin = time.monotonic()
        self.unmount()
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(command.wait(timeout=10), 1)
        self.assertIn(b"the mount ended; 'dgfs delta log' shows whether the merge was",
                      command.stderr.read())
        self.assertEqual(self.bases(), [])
        self.mount_delta()
        self.expect_same_tree(self.before)

    def test_leftovers_of_a_killed_mount_are_removed_and_told(self):
        command = self.begin_slow_merge()
        self.kill_daemon()
        run("umount", "-l", self.point)
        self.assertEqual(command.wait(timeout=30), 1)
        self.assertNotEqual(self.files_of_merges(), [])
        said = self.mount_delta().stdout
        self.assertIn(b"removed what an interrupted seal or merge had left", said)
        self.assertEqual(self.files_of_merges(), [])
        self.expect_same_tree(self.before)
        self.merge()
        self.expect_whole_after_remount(self.before)

    def test_changes_during_a_merge_are_kept(self):
        command = self.begin_slow_merge()
        with open(self.point / "large", "r+b") as file:
            for offset in range(0, SLOW_MIB * MIB, 13 * MIB):
                file.seek(offset)
                file.write(b"changed meanwhile")
        os.rename(self.point / "dir" / "7", self.point / "moved")
        shutil.rmtree(self.point / "dir")
        (self.point / "dir").write_text("a file now")
        os.setxattr(self.point / "id", "user.kind", b"set meanwhile")
        self.write_large("second", 3)
        os.unlink(self.point / "secret")
        before = tree_of(self.point)
        self.assertEqual(command.wait(timeout=60), 0)
        self.expect_same_tree(before)
        self.expect_whole_after_remount(before)


class BadInput(LiveMergeCase):
    """Lines that users see, with the paths that they have typed."""

    def said(self, *arguments, options=()):
        """The error output of a command in the scratch directory, which must fail."""
        result = dgfs(*arguments, *options, check=False, cwd=self.scratch)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        return result.stderr.decode()

    def test_a_second_merge(self):
        self.mount_delta("merge_rate=4M")
        self.write_large("large", SLOW_MIB)
        self.begin_slow_merge()
        self.assertRegex(self.said("delta", "merge", "delta"),
                         r"^dgfs: delta merge: delta: a merge is under way \(\d+ %\); --cancel "
                         r"ends it\n$")
        self.merge("--cancel")

    def test_a_named_base(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.seal("nightly-02")
        self.merge()
        text = ("dgfs: delta merge: nothing to merge: the oldest named state is the base "
                "(nightly-02)\n")
        self.assertEqual(self.said("delta", "merge", "delta"), text)
        self.unmount()
        self.assertEqual(self.said("delta", "merge", "delta", "--image", self.image), text)

    def test_a_delta_that_is_not_mounted(self):
        self.mount_delta()
        self.unmount()
        self.assertEqual(self.said("delta", "merge", "delta"),
                         "dgfs: delta merge: delta is not mounted; name its image with --image\n")
        self.assertEqual(self.said("delta", "merge", "--cancel", "delta"),
                         "dgfs: delta merge: delta is not mounted for writing\n")

    def test_a_wrong_image_and_a_missing_base(self):
        own = self.scratch / "own.dgfs"
        for ending in ("", ".idx"):
            shutil.copy(f"{self.image}{ending}", f"{own}{ending}")
        self.image = own
        self.mount_delta()
        (self.point / "new").write_text("new")
        self.merge()
        self.unmount()
        build(pathlib.Path(__file__).parent, self.scratch / "other.dgfs")
        self.assertRegex(
            self.said("mount", "other.dgfs", "mnt", "--delta", "delta"),
            r"^dgfs: mount: other\.dgfs is not the image of delta, which was made over own\.dgfs "
            r"\(uuid [0-9a-f-]+\); nothing was mounted\n$")
        base = self.delta / self.bases()[0]
        base.unlink()
        self.assertEqual(self.said("mount", "own.dgfs", "mnt", "--delta", "delta"),
                         f"dgfs: mount: delta: {base.name} is missing; restore it from a backup; "
                         "nothing was mounted\n")

    # The layer is closed already, so that only the base needs space.
    def test_too_little_space(self):
        disk, place = self.scratch / "disk", self.scratch / "small"
        place.mkdir()
        with open(disk, "wb") as file:
            file.truncate(600 * MIB)
        run("mkfs.ext4", "-q", "-F", "-m", "0", disk)
        run("mount", "-o", "loop", disk, place)
        try:
            self.delta = place / "delta"
            self.mount_delta("size=400M")
            self.write_large("large", 70)
            self.seal("kept")
            self.wait_until(lambda: not self.ask("info")["delta"]["layer_is_closing"],
                            "a closed layer")
            free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
            with open(place / "ballast", "wb") as file:
                os.posix_fallocate(file.fileno(), 0, free - 50 * MIB)
            self.assertRegex(self.said("delta", "merge", "small/delta"),
                             r"^dgfs: delta merge: needs 73\.\d MB, and [45]\d\.\d MB are free; "
                             r"nothing was merged\n$")
            self.unmount()
        finally:
            for point in (self.point, place):
                run("umount", "-l", point, check=False)


class KeptStates(LiveMergeCase):
    """States that have a name, or that somebody looks at, are not merged away."""

    def mount_state(self, state):
        place = self.scratch / f"then-{state}"
        place.mkdir()
        dgfs("mount", self.image, place, "--delta", self.delta, "--as-of", state)
        return place

    def log(self):
        lines = dgfs("delta", "log", "--json", self.delta).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def seal_unnamed(self, text):
        """Returns the id of a state in which the file has the text."""
        (self.point / "new").write_text(text)
        return json.loads(dgfs("delta", "seal", "--json", self.delta).stdout)["id"]

    def test_a_mounted_state_is_the_base_at_most(self):
        self.mount_delta()
        self.seal_unnamed("one")
        second = self.seal_unnamed("two")
        self.seal_unnamed("three")
        then = self.mount_state(second)
        shown = tree_of(then)
        self.merge()
        self.assertEqual(self.log()[-1]["state"], second)
        self.assertEqual(len(self.log()), 2)
        self.assertEqual(tree_of(then), shown)
        self.assertEqual((then / "new").read_text(), "two")
        self.assertEqual((self.point / "new").read_text(), "three")
        run("umount", then)
        self.merge()
        self.assertEqual(len(self.log()), 1)

    # Its files are removed under the mount, which holds them open.
    def test_a_mount_of_the_base_goes_on_beside_merges(self):
        self.mount_delta()
        (self.point / "new").write_text("one" * 10_000)
        self.merge()
        then = self.mount_state("base")
        shown = tree_of(then)
        for text in ("two", "three"):
            (self.point / "new").write_text(text)
            self.merge("--repack")
        self.assertEqual(tree_of(then), shown)
        self.assertEqual((then / "new").read_text(), "one" * 10_000)
        run("umount", then)

    def test_a_named_state_becomes_the_base_and_stays(self):
        self.mount_delta()
        (self.point / "new").write_text("one")
        self.seal("kept")
        (self.point / "new").write_text("two")
        self.merge()
        self.expect_refused(self.merge(check=False), "nothing to merge: the oldest named state is "
                                                     "the base (kept", code=1)
        then = self.mount_state("kept")
        self.assertEqual((then / "new").read_text(), "one")
        self.assertEqual((self.point / "new").read_text(), "two")
        run("umount", then)

    def test_the_end_can_be_chosen(self):
        self.mount_delta()
        first = self.seal_unnamed("one")
        second = self.seal_unnamed("two")
        self.seal("three")
        self.seal_unnamed("four")
        self.expect_refused(self.merge("--to", "nope", check=False), 'no state "nope"', code=1)
        self.merge("--to", first)
        self.assertEqual(self.log()[-1]["state"], first)
        self.expect_refused(self.merge("--to", first, check=False), "nothing to merge", code=1)
        self.merge("--to", second)
        self.assertEqual(self.log()[-1]["state"], second)
        newest = self.log()[0]["id"]
        self.expect_refused(self.merge("--to", newest, check=False), "three", code=1)
        self.assertEqual((self.point / "new").read_text(), "four")


class Commands(LiveMergeCase):
    def test_the_lines_of_a_merge(self):
        self.mount_delta()
        (self.point / "new").write_bytes(os.urandom(3 * MIB))
        said = self.merge().stdout.decode()
        self.assertRegex(said, r"^\S*delta: merged [\d,]+ changes in \d+:\d\d; [\d.]+ \w?B instead "
                               r"of [\d.]+ \w?B; base\.\d{4}\.dgfs needs image\.dgfs\n$")
        info = self.info()
        self.assertRegex(info, r"\nbase +base\.\d{4}\.dgfs, made of image\.dgfs \(\d+ % of it no "
                               r"longer used\)\n")
        self.assertRegex(info, r"\nmerge +the last one took [\d.]+ \w?s\n")
        self.expect_refused(self.merge(check=False), "nothing to merge: nothing has changed since",
                            code=1)

    def test_a_dry_run_merges_nothing(self):
        self.mount_delta()
        (self.point / "new").write_bytes(os.urandom(3 * MIB))
        dgfs("delta", "seal", self.delta)
        before = sorted(self.delta.iterdir())
        said = self.merge("--dry-run").stdout.decode()
        self.assertRegex(said, r"would pack 3\.1\d MB in 1 file, and take up to [\d.]+ \w?B")
        self.assertRegex(said, r"\n *3\.1\d MB  new\n")
        self.assertEqual(sorted(self.delta.iterdir()), before)

    # No store has a record of the numbers that it has from its base.
    def test_numbers_are_reserved_that_were_given_out_since(self):
        self.mount_delta()
        (self.point / "before").write_text("made before the merge")
        self.merge()
        (self.point / "after").write_text("made after the merge")
        self.unmount()
        self.expect_sound()
        dgfs("delta", "seal", self.delta)
        self.expect_sound()
        self.mount_delta()
        (self.point / "second").write_text("made after a seal")
        self.assertEqual((self.point / "after").read_text(), "made after the merge")
        self.assertNotEqual(os.stat(self.point / "second").st_ino,
                            os.stat(self.point / "after").st_ino)
        self.unmount()
        self.merge("--image", self.image)
        self.mount_delta()
        self.assertEqual((self.point / "after").read_text(), "made after the merge")

    def test_without_a_mount_it_needs_the_image(self):
        self.mount_delta()
        (self.point / "new").write_text("new")
        before = tree_of(self.point)
        self.unmount()
        self.expect_refused(self.merge(check=False), "is not mounted; name its image with --image",
                            code=1)
        self.assertIn(b"merged", self.merge("--image", self.image).stdout)
        self.mount_delta()
        self.expect_same_tree(before)

    def test_a_mount_that_cannot_merge_says_so(self):
        self.mount_delta()
        (self.point / "new").write_text("new")
        self.unmount()
        self.mount_delta("ro")
        for options in ((), ("--image", self.image)):
            self.expect_refused(self.merge(*options, check=False), code=1)
        self.assertEqual(self.bases(), [])
        refused = self.mount("ro,merge=1G,delta=" + str(self.delta), check=False)
        self.expect_refused(refused, "nothing to merge")

    def test_a_wrong_image_is_refused(self):
        self.mount_delta()
        (self.point / "new").write_text("new")
        self.merge()
        self.unmount()
        other = self.scratch / "other.dgfs"
        build(pathlib.Path(__file__).parent, other)
        text = "is not the image of"
        self.expect_refused(self.merge("--image", other, check=False), text, code=1)
        refused = self.mount(f"delta={self.delta}", other, check=False)
        self.expect_refused(refused, text, "image.dgfs (uuid ")

    def test_it_starts_by_itself(self):
        self.mount_delta("merge=16M")
        self.write_large("large", 30)
        before = tree_of(self.point)
        self.wait_until(self.bases, "a base")
        self.wait_until(lambda: self.merge_state().get("result"), "the end of the merge")
        self.expect_whole_after_remount(before)

    def test_a_missing_base_is_named(self):
        self.mount_delta()
        (self.point / "new").write_text("new")
        self.merge()
        self.unmount()
        base = self.delta / self.bases()[0]
        base.rename(self.scratch / "away")
        refused = self.mount(f"delta={self.delta}", check=False)
        self.expect_refused(refused, base.name, "is missing; restore it from a backup", code=1)
        (self.scratch / "away").rename(base)
        self.mount_delta()
        self.assertEqual((self.point / "new").read_text(), "new")

    # A base is looked for beside its delta, and the image where the mount names it.
    def test_a_delta_is_moved_with_its_base(self):
        self.mount_delta()
        (self.point / "new").write_text("new")
        self.merge()
        (self.point / "new").write_text("newer")
        before = tree_of(self.point)
        self.unmount()
        place = self.scratch / "elsewhere"
        place.mkdir()
        self.delta.rename(place / "moved")
        self.delta = place / "moved"
        copy = place / "copy.dgfs"
        shutil.copy(self.image, copy)
        shutil.copy(f"{self.image}.idx", f"{copy}.idx")
        self.image = copy
        self.mount_delta()
        self.expect_same_tree(before)
        self.merge()
        self.expect_whole_after_remount(before)

    # The layer is closed already, and there is no space for the base.
    def test_a_disk_that_fills_up_ends_only_the_merge(self):
        disk, place = self.scratch / "disk", self.scratch / "small"
        place.mkdir()
        with open(disk, "wb") as file:
            file.truncate(900 * MIB)
        run("mkfs.ext4", "-q", "-F", disk)
        run("mount", "-o", "loop", disk, place)
        try:
            self.delta = place / "delta"
            self.mount_delta("size=600M")
            self.write_large("large", 70)
            before = tree_of(self.point)
            dgfs("delta", "seal", self.delta)
            self.wait_until(lambda: not self.ask("info")["delta"]["layer_is_closing"],
                            "a closed layer")
            free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
            with open(place / "ballast", "wb") as file:
                os.posix_fallocate(file.fileno(), 0, free - 50 * MIB)
            refused = self.merge(check=False)
            self.expect_refused(refused, " free", code=1)
            self.assertEqual(self.files_of_merges(), [])
            self.assertIn("the last one was given up: ", self.info())
            (self.point / "after").write_text("the mount goes on")
            (self.point / "after").unlink()
            (place / "ballast").unlink()
            self.expect_whole_after_remount(before | {".": tree_of(self.point)["."]})
            self.remount()
            self.merge()
            self.expect_same_tree(before | {".": tree_of(self.point)["."]})
        finally:
            with contextlib.suppress(AssertionError):
                self.unmount()
            for point in (self.point, place):
                run("umount", "-l", point, check=False)


if __name__ == "__main__":
    mount_case.main()
