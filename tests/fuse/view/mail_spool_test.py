#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Mail in a mount with a delta: no accepted message is lost or delivered twice.

Deliverers write to a Maildir (a file in tmp, synced, then renamed into new) and to an mbox
(appended under a lock, synced); readers move, mark and remove. Meanwhile the daemon is killed.
"""
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mount_case  # noqa: E402
from delta_case import DeltaCase  # noqa: E402

KILLS = 4
DELIVERERS = 3

# Prints the name of each message when it is durable: there a mail server answers "250 OK".
DELIVER = """
import fcntl, os, sys
spool, name, mbox = sys.argv[1:]
number = 0
while True:
    number += 1
    message = f"{name}-{number}"
    text = f"From {message}\\n" + f"line of {message}\\n" * (number * 7 % 200) + "\\n"
    fd = os.open(f"{spool}/tmp/{message}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    os.write(fd, text.encode())
    os.fsync(fd)
    os.close(fd)
    os.rename(f"{spool}/tmp/{message}", f"{spool}/new/{message}")
    folder = os.open(f"{spool}/new", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
    print("maildir", message, flush=True)
    fd = os.open(mbox, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    fcntl.lockf(fd, fcntl.LOCK_EX)
    os.write(fd, text.encode())
    os.fsync(fd)
    os.close(fd)
    print("mbox", message, flush=True)
"""

# Marks every message as seen, as clients do.
READ = """
import os, sys, time
spool, = sys.argv[1:]
while True:
    for name in os.listdir(f"{spool}/new"):
        os.rename(f"{spool}/new/{name}", f"{spool}/cur/{name}:2,S")
    time.sleep(0.01)
"""


def text_of(message):
    number = int(message.rpartition("-")[2])
    return f"From {message}\n" + f"line of {message}\n" * (number * 7 % 200) + "\n"


class MailSpool(DeltaCase):
    def start(self, program, *arguments):
        return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def messages(self):
        """Returns name -> text, over all folders with delivered messages."""
        found = {}
        for folder in ("new", "cur"):
            for path in (self.spool / folder).iterdir():
                name = path.name.split(":")[0]
                self.assertNotIn(name, found, "delivered twice")
                found[name] = path.read_text()
        return found

    def expect_whole(self, accepted):
        messages = self.messages()
        self.assertLessEqual(accepted["maildir"], set(messages), "a message is lost")
        for name, text in messages.items():
            self.assertEqual(text, text_of(name))
        appended = {}
        for text in self.mbox.read_text().split("From ")[1:]:
            name = text.partition("\n")[0]
            self.assertNotIn(name, appended, "appended twice")
            appended[name] = f"From {text}"
        self.assertLessEqual(accepted["mbox"], set(appended))
        for name in accepted["mbox"]:
            self.assertEqual(appended[name], text_of(name))

    def test_loses_no_message_in_kills(self):
        self.spool, self.mbox = self.point / "Maildir", self.point / "mbox"
        self.mount_delta()
        for folder in ("tmp", "new", "cur"):
            (self.spool / folder).mkdir(parents=True)
        self.mbox.touch()
        accepted = {"maildir": set(), "mbox": set()}
        for kill in range(KILLS):
            programs = [self.start(DELIVER, self.spool, f"{kill}-{i}", self.mbox)
                        for i in range(DELIVERERS)]
            reader = self.start(READ, self.spool)
            time.sleep(1)
            self.kill_daemon()
            for program in (*programs, reader):
                program.kill()
                said = program.communicate()[0].decode().splitlines()
                for line in said:
                    kind, _, name = line.partition(" ")
                    accepted[kind].add(name)
            self.mount_delta()
            self.expect_whole(accepted)
        self.assertGreater(len(accepted["mbox"]), KILLS * DELIVERERS)
        self.unmount()
        self.expect_sound()


if __name__ == "__main__":
    mount_case.main()
