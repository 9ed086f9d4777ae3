#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""tutorial_test.py NAME: a tutorial runs to its end, and leaves neither files nor mounts."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import support  # noqa: E402

TUTORIALS = support.HERE.parent.parent / "examples" / "tutorials"


def main():
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        support.skip("/dev/fuse cannot be opened")
    with tempfile.TemporaryDirectory(prefix="dgfs-tutorial-test-") as scratch:
        program = pathlib.Path(support.DGFS).resolve()
        environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}",
                                    "TMPDIR": scratch}
        result = subprocess.run([TUTORIALS / sys.argv[1]], env=environment, text=True, check=False,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        print(result.stdout)
        left = os.listdir(scratch)
        mounts = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8")
        if result.returncode != 0 or left or scratch in mounts:
            sys.exit(f"exit {result.returncode}, left: {left}, mounted: {scratch in mounts}")


if __name__ == "__main__":
    main()
