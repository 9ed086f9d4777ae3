# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Turns rows of dgfs_view_bench from several runs into rows of a table."""
import measuring
from disks import RIVALS

HEADER = ["operation", "system", "n", "runs", "operations/s", "ratio", "µs each",
          "sync, ms", "device bytes each", "until settled", "device writes each", "until settled",
          "calls each", "until settled", "of these reads", "read bytes each",
          "memory bytes each"]
CALLS = ("opens", "reads", "writes", "syncs")


def spread(values, form):
    middle, least, most = measuring.median_and_spread(values)
    if least == most:
        return f"{middle:{form}}"
    return f"{middle:{form}} [{least:{form}}, {most:{form}}]"


def rates(rows):
    return [row["operations"] / row["seconds"] for row in rows]


def each(rows, value, form=",.2f"):
    """A count per operation; empty if it was not counted."""
    values = [value(row) for row in rows]
    if None in values:
        return "-"
    return spread([number / row["operations"] for number, row in zip(values, rows)], form)


def of_device(row, when, key):
    return row[when]["device"] and row[when]["device"][key]


def calls(row, when):
    return sum(row[when][key] for key in CALLS)


def reads_of(row, is_kernels):
    """Written bytes: for kernel file systems, those of the device."""
    return of_device(row, "synced", "read_bytes") if is_kernels else row["synced"]["read_bytes"]


def table_row(name, label, rows, reference):
    is_kernels = label in RIVALS
    ratio = ""
    if reference and reference is not rows:
        middle = [measuring.median_and_spread(rates(each_of))[0] for each_of in (reference, rows)]
        ratio = f"{middle[0] / middle[1]:.2f}"
    return [name, label, f"{rows[0]['operations']:,}", str(len(rows)), spread(rates(rows), ",.0f"),
            ratio, each(rows, lambda row: row["seconds"] * 1e6),
            spread([row["sync_seconds"] * 1e3 for row in rows], ",.1f"),
            each(rows, lambda row: of_device(row, "synced", "written_bytes"), ",.0f"),
            each(rows, lambda row: of_device(row, "settled", "written_bytes"), ",.0f"),
            each(rows, lambda row: of_device(row, "synced", "writes"), ",.4f"),
            each(rows, lambda row: of_device(row, "settled", "writes"), ",.4f"),
            *(["-"] * 3 if is_kernels else [
                each(rows, lambda row: calls(row, "synced"), ",.4f"),
                each(rows, lambda row: calls(row, "settled"), ",.4f"),
                each(rows, lambda row: row["synced"]["reads"], ",.4f")]),
            each(rows, lambda row: reads_of(row, is_kernels), ",.0f"),
            "-" if is_kernels else each(rows, lambda row: row["memory_bytes"], ",.0f")]
