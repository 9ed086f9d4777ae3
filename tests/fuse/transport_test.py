#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Requests through io_uring where the kernel can, also with stopped, killed and bound processes."""
import contextlib
import ctypes
import errno
import json
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import time

import mount_case
import support
from support import compare, dgfs, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "view"))
from delta_case import DeltaCase, state_of  # noqa: E402

SWITCH = pathlib.Path("/sys/module/fuse/parameters/enable_uring")


@contextlib.contextmanager
def switched(on):
    """Sets the system's switch, and restores it at the end."""
    before = SWITCH.read_text()
    SWITCH.write_text("Y" if on else "N")
    try:
        yield
    finally:
        SWITCH.write_text(before)


def wait_for_requests(clients):
    """Returns when each client waits for an answer of the mount, as far as the system tells."""
    deadline = time.monotonic() + 10
    for client in clients:
        place = pathlib.Path(f"/proc/{client.pid}/wchan")
        while not re.search("fuse|request_wait", place.read_text()):
            if time.monotonic() > deadline:  # the system hides it
                return
            time.sleep(0.005)


def transport_of(point):
    return json.loads(dgfs("info", "--live", "--json", point).stdout)["transport"]


class RingCase(DeltaCase):
    def setUp(self):
        super().setUp()
        held = contextlib.ExitStack()
        held.enter_context(switched(True))
        self.addCleanup(held.close)

    def mount_ring(self, *options, **keywords):
        said = self.mount(",".join(("transport=uring", *options)), **keywords)
        self.assertEqual(transport_of(self.point), "io_uring")
        return said

    def mount_ring_delta(self, *options):
        return self.mount_ring(f"delta={self.delta}", *options)


class Ring(RingCase):
    def test_an_image_is_served(self):
        self.mount_ring()
        compare(self.tree, self.point)
        copy = self.scratch / "copy"
        run("cp", "-a", self.point, copy)
        compare(self.tree, copy)

    def listings(self):
        return json.loads(os.getxattr(self.point, "user.dgfs.stats"))["listings"]

    # Listings are dropped through the device, since rings take no notifications.
    def test_listings_that_a_walk_left_are_dropped(self):
        tree = self.scratch / "walked"
        for i in range(30):
            (tree / f"d{i}").mkdir(parents=True)
            for k in range(30):
                (tree / f"d{i}" / f"{k:02}").write_text(f"{i} {k}\n")
        image = self.scratch / "walked.dgfs"
        support.build(tree, image)
        self.mount_ring(image=image)
        run("find", self.point)
        run("ls", "-l", "d1", "d2", cwd=self.point)
        deadline = time.monotonic() + 30
        while (listings := self.listings())["dropped"] <= 20 or listings["to_drop"] != 0:
            self.assertLess(time.monotonic(), deadline, listings)
            time.sleep(0.01)
        shown = [run("ls", "-lR", "--time-style=full-iso", ".", cwd=place).stdout.splitlines()
                 for place in (tree, self.point)]
        self.assertEqual(*([line for line in lines if not line.startswith((b"total", b"d"))]
                           for lines in shown))
        statistics = json.loads(os.getxattr(self.point, "user.dgfs.stats"))
        self.assertGreater(statistics["listings"]["bare_names"], 800)
        self.assertLess(statistics["requests"]["lookup"]["count"], 200)

    def test_few_threads_serve_all_queues(self):
        for threads in (1, 3, 40):
            with self.subTest(threads):
                self.mount_ring(f"threads={threads}")
                readers = [subprocess.Popen(["md5sum", *sorted((self.point / "dir").iterdir())],
                                            stdout=subprocess.DEVNULL) for _ in range(6)]
                self.assertEqual([reader.wait() for reader in readers], [0] * 6)
                run("umount", self.point)

    def test_a_bound_server_serves_clients_of_other_processors(self):
        allowed = sorted(os.sched_getaffinity(0))
        run("taskset", "-c", str(allowed[0]), support.DGFS, "mount", self.image, self.point, "-o",
            "transport=uring")
        self.assertEqual(transport_of(self.point), "io_uring")
        clients = [subprocess.Popen(["taskset", "-c", str(processor), "md5sum",
                                     *(self.point / "dir" / str(i) for i in range(first, 100, 4))],
                                    stdout=subprocess.DEVNULL)
                   for first in range(4) for processor in allowed]
        self.assertEqual([client.wait(timeout=60) for client in clients], [0] * len(clients))

    def test_changes_are_served(self):
        self.mount_ring_delta()
        source = self.point / "copy"
        run("cp", "-a", self.tree, source)
        compare(self.tree, source)
        large = os.urandom(5_000_000)
        (self.point / "large").write_bytes(large)
        os.rename(self.point / "dir", self.point / "moved")
        run("umount", self.point)
        self.mount_ring_delta()
        compare(self.tree, source)
        self.assertEqual((self.point / "large").read_bytes(), large)
        self.unmount()
        self.expect_sound()

    def test_a_killed_server_frees_its_clients(self):
        self.mount_ring_delta()
        daemon = self.daemon()
        os.kill(daemon, signal.SIGSTOP)
        client = subprocess.Popen(["stat", self.point / "dir" / "8"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        wait_for_requests([client])
        self.assertIsNone(client.poll(), "the client must wait")
        self.kill_daemon()
        self.assertEqual(client.wait(timeout=20), 1)
        self.mount_ring_delta()
        self.expect_served()

    def test_a_stopped_server_goes_on_behind_a_killed_client(self):
        self.mount_ring()
        daemon = self.daemon()
        os.kill(daemon, signal.SIGSTOP)
        client = subprocess.Popen(["stat", self.point / "dir" / "9"], stdout=subprocess.DEVNULL)
        wait_for_requests([client])
        client.kill()
        os.kill(daemon, signal.SIGCONT)
        client.wait(timeout=20)
        self.expect_served()

    def test_a_signal_ends_it_in_good_order(self):
        self.mount_ring_delta()
        (self.point / "new").write_bytes(b"x" * 100_000)
        daemon = self.daemon()
        os.kill(daemon, signal.SIGTERM)
        deadline = time.monotonic() + 20
        while state_of(daemon) not in ("Z", None):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.assertNotIn(b"recovered", self.mount_ring_delta().stdout)
        self.assertEqual((self.point / "new").read_bytes(), b"x" * 100_000)

    def test_what_was_answered_before_a_signal_is_there(self):
        self.mount_ring_delta()
        done = 0
        os.kill(self.daemon(), signal.SIGTERM)
        try:
            for i in range(100_000):
                os.mkdir(self.point / str(i))
                done = i + 1
        except OSError:
            pass
        dgfs("delta", "check", "-q", self.delta)
        self.mount_ring_delta()
        made = {name for name in os.listdir(self.point) if name.isdigit() and int(name) < done}
        self.assertEqual(len(made), done)

    def test_long_attributes_and_writes_are_whole(self):
        self.mount_ring_delta()
        path = self.point / "new"
        content = os.urandom(3_000_001)
        path.write_bytes(content)
        for length in (1, 8192, 8193, 60_000):
            os.setxattr(path, "user.long", content[:length])
            self.assertEqual(os.getxattr(path, "user.long"), content[:length])
        fd = os.open(path, os.O_RDWR)
        for offset, length in ((5, 4096), (4096, 8192), (100, 9000), (7, 1_500_000)):
            os.pwrite(fd, content[:length], offset)
            content = content[:offset] + content[:length] + content[offset + length:]
        os.close(fd)
        run("umount", self.point)
        self.mount_ring_delta()
        self.assertEqual(path.read_bytes(), content)

    def test_the_log_tells_how_requests_come(self):
        for on, option, text in ((True, "uring", "through io_uring"),
                                 (False, "uring", "through /dev/fuse: the kernel does not offer"),
                                 (True, "classic", "")):
            with self.subTest(option), switched(on), open(self.scratch / "log", "wb+") as log:
                server = subprocess.Popen([support.DGFS, "mount", "-f", self.image, self.point,
                                           "-o", f"transport={option}"], stderr=log)
                deadline = time.monotonic() + 20
                while self.table_entry() is None:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)
                self.expect_served()
                run("umount", self.point)
                self.assertEqual(server.wait(timeout=20), 0)
                log.seek(0)
                said = log.read().decode()
                self.assertIn(text, said)
                if not text:
                    self.assertEqual(said, "")

    def test_readers_in_order_on_one_processor_are_not_stuck(self):
        """A thread that prefetches files waits for pages that other threads of its queue
        load.
        """
        processor = str(min(os.sched_getaffinity(0)))
        for threads in (2, 8):
            with self.subTest(threads):
                self.mount_ring(f"threads={threads}")
                script = f"for i in $(seq 0 99); do cat {self.point}/dir/$i; done | md5sum"
                readers = [subprocess.Popen(["taskset", "-c", processor, "sh", "-c", script],
                                            stdout=subprocess.PIPE) for _ in range(8)]
                sums = {reader.communicate(timeout=60)[0] for reader in readers}
                self.assertEqual(len(sums), 1)
                run("umount", self.point)

    def test_full_queues_are_emptied_or_end(self):
        """More requests wait than there are entries, from every processor."""
        for end in (signal.SIGCONT, signal.SIGKILL):
            with self.subTest(end.name):
                self.mount_ring_delta("threads=2")
                daemon = self.daemon()
                os.kill(daemon, signal.SIGSTOP)
                clients = [subprocess.Popen(
                    ["taskset", "-c", str(processor), "stat", self.point / "dir" / str(i)],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    for i in range(40) for processor in sorted(os.sched_getaffinity(0))]
                wait_for_requests(clients)
                self.assertEqual({client.poll() for client in clients}, {None},
                                 "all clients must wait")
                os.kill(daemon, end)
                expected = 0 if end == signal.SIGCONT else 1
                self.assertEqual({client.wait(timeout=60) for client in clients}, {expected})
                if end == signal.SIGCONT:
                    self.expect_served()
                    self.unmount()

    def test_a_thousand_clients_are_served(self):
        self.mount_ring_delta("threads=2")
        clients = [subprocess.Popen(
            ["sh", "-c", f"mkdir {self.point}/{i} && cat {self.point}/dir/{i % 100} > "
                         f"{self.point}/{i}/copy && cmp {self.tree}/dir/{i % 100} "
                         f"{self.point}/{i}/copy"]) for i in range(1000)]
        self.assertEqual([client.wait(timeout=120) for client in clients], [0] * 1000)
        self.unmount()
        self.expect_sound()

    def test_processors_may_go_and_come(self):
        numbers = sorted(os.sched_getaffinity(0))
        online = pathlib.Path(f"/sys/devices/system/cpu/cpu{numbers[-1]}/online")
        if len(numbers) < 2 or not online.exists():
            print("left out: no processor here can be switched off")
            return
        self.addCleanup(online.write_text, "1")
        self.mount_ring_delta()
        readers = [subprocess.Popen(
            ["sh", "-c", f"for i in $(seq 30); do cat {self.point}/dir/* > {self.point}/{name}; "
                         f"done"]) for name in ("a", "b", "c", "d")]
        for _ in range(3):
            online.write_text("0")
            time.sleep(0.2)
            self.expect_served()
            online.write_text("1")
            time.sleep(0.2)
        self.assertEqual([reader.wait(timeout=60) for reader in readers], [0] * 4)
        self.unmount()
        online.write_text("0")
        self.mount_ring_delta()
        self.expect_served()
        online.write_text("1")
        run("taskset", "-c", str(numbers[-1]), "cat", self.point / "dir" / "9")
        self.expect_served()


def forbid_rings():
    """From here on a filter of system calls makes io_uring_setup(2) fail with EPERM."""
    def step(code, yes, no, value):
        return struct.pack("HBBI", code, yes, no, value)
    io_uring_setup = 425
    load, is_equal, give_back = 0x20, 0x15, 0x06
    program = (step(load, 0, 0, 0) + step(is_equal, 0, 1, io_uring_setup) +
               step(give_back, 0, 0, 0x00050000 | errno.EPERM) + step(give_back, 0, 0, 0x7fff0000))
    text = ctypes.create_string_buffer(program, len(program))
    filter_of = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    set_no_new_privileges, set_filter, by_program = 38, 22, 2
    if (libc.prctl(set_no_new_privileges, 1, 0, 0, 0) != 0 or
            libc.prctl(set_filter, by_program, filter_of, 0, 0) != 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls")


class Refused(RingCase):
    """If no ring is available, the mount serves through the device, and the log says why."""

    def expect_classic(self, reason, **keywords):
        with open(self.scratch / "log", "wb+") as log:
            server = subprocess.Popen([support.DGFS, "mount", "-f", self.image, self.point, "-o",
                                       "transport=uring"], stderr=log, **keywords)
            deadline = time.monotonic() + 20
            while self.table_entry() is None:
                self.assertLess(time.monotonic(), deadline)
                self.assertIsNone(server.poll())
                time.sleep(0.01)
            compare(self.tree, self.point)
            self.assertEqual(transport_of(self.point), "classic")
            run("umount", self.point)
            self.assertEqual(server.wait(timeout=20), 0)
            log.seek(0)
            self.assertIn(reason, log.read().decode())

    def test_the_system_forbids_rings(self):
        switch = pathlib.Path("/proc/sys/kernel/io_uring_disabled")
        if not switch.exists():
            print("left out: this kernel cannot forbid io_uring")
            return
        self.addCleanup(switch.write_text, switch.read_text())
        switch.write_text("2")
        self.expect_classic("Operation not permitted")

    def test_a_filter_of_system_calls_forbids_rings(self):
        self.expect_classic("Operation not permitted", preexec_fn=forbid_rings)

    def few_processors(self):
        """A command that leaves two of them: the number of threads depends on it."""
        allowed = sorted(os.sched_getaffinity(0))[:2]
        return ["taskset", "-c", ",".join(map(str, allowed))]

    def test_no_memory_is_left(self):
        """With little address space, the mount works, tells ENOMEM, or is refused in good order."""
        ways = set()
        # A queue of each possible processor needs a mebibyte in two threads.
        most = 400 + 3 * (os.sysconf("SC_NPROCESSORS_CONF") + 1)
        for mebibytes in range(40, most, 15):
            limits = (mebibytes << 20, mebibytes << 20)
            result = run(*self.few_processors(), support.DGFS, "mount", self.image, self.point,
                         "-o", "transport=uring,threads=8", check=False,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limits))
            if self.table_entry() is None:
                self.assertNotIn(result.returncode, (0, -signal.SIGSEGV, -signal.SIGABRT))
                ways.add("refused")
                continue
            try:
                way = transport_of(self.point)
                self.expect_served()
            except AssertionError as failure:
                # The server began with its last mebibytes, and has none for a request.
                self.assertIn("Cannot allocate memory", str(failure))
                way = "short"
            ways.add(way)
            run("umount", self.point)
        self.assertIn("io_uring", ways)
        self.assertGreater(len(ways), 1)

    def test_no_thread_is_left(self):
        """If a user may have few threads, the mount works, or is refused in good order."""
        os.chown(self.point, mount_case.NOBODY, mount_case.NOBODY)
        ways = set()
        for threads in range(2, 24):
            server = subprocess.Popen(
                [*self.few_processors(), "setpriv", f"--reuid={mount_case.NOBODY}",
                 f"--regid={mount_case.NOBODY}", "--clear-groups", "prlimit",
                 f"--nproc={threads}", support.DGFS, "mount", "-f", self.image,
                 self.point, "-o", "transport=uring,threads=8"],
                stderr=subprocess.PIPE)
            deadline = time.monotonic() + 20
            told = None
            while told is None and server.poll() is None:
                self.assertLess(time.monotonic(), deadline)
                shown = mount_case.as_nobody(support.DGFS, "info", "--live", "--json", self.point,
                                             check=False)
                told = json.loads(shown.stdout)["transport"] if shown.returncode == 0 else None
            ways.add(told)
            if told is not None:
                shown = mount_case.as_nobody("cat", self.point / "dir" / "7").stdout
                self.assertEqual(shown, (self.tree / "dir" / "7").read_bytes())
            run("umount", self.point, check=told is not None)
            said = server.communicate(timeout=20)[1]
            self.assertEqual(server.returncode, 0 if told else 1, said)
            self.assertTrue(told or said)
        self.assertEqual(ways, {None, "classic", "io_uring"})


if __name__ == "__main__":
    if not SWITCH.exists():
        # Nothing is wrong with such a machine, so this is no failure where skips are failures.
        print("skipped: this kernel has no FUSE over io_uring")
        sys.exit(77)
    mount_case.main()
