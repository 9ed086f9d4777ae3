# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
#
# What the tutorials share; they source it. Each works in a folder of its own, which it removes.
set -euo pipefail

work=$(mktemp -d "${TMPDIR:-/tmp}/dgfs-tutorial.XXXXXX")
clean_up() {
  local code=$?
  local point
  for point in "$work"/*/; do
    if mountpoint -q "$point"; then fusermount3 -u -z "$point" || code=1; fi
  done
  rm -rf --one-file-system -- "$work"
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
cd "$work"

# Prints a heading.
step() { printf '\n== %s\n' "$*"; }
# Prints a command line and runs it in the tutorial's shell.
run() {
  printf '$ %s\n' "$*"
  eval "$*"
}
# Ends the tutorial unless the command line succeeds.
expect() {
  eval "$*" || {
    echo "not true: $*" >&2
    exit 1
  }
}
# unmount POINT: returns once it is gone.
unmount() { run fusermount3 -u "$1"; }
