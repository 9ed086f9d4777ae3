# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Tables of the results of bench/million_files/run."""
import dataclasses
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import measuring  # noqa: E402

# title: threads, files a run, runs
TASKS = {"1 thread": (1, 2_000, 5), "8 threads": (8, 2_000, 5), "1 thread, longer": (1, 20_000, 3)}


@dataclasses.dataclass
class Column:
    head: str
    key: str
    form: str = "{:,.0f}"


COLUMNS = (Column("p50 µs", "p50_us"), Column("p99 µs", "p99_us"), Column("p99.9 µs", "p999_us"),
           Column("device reads a file", "reads", "{:.2f}"),
           Column("KiB read a file", "read_kib", "{:.1f}"))


def title(results):
    tree = results["tree"]
    return (f"{tree['files']:,} files, {tree['entries']:,} entries, "
            f"{tree['content_bytes'] / 1e6:,.1f} MB of contents, seed {tree['seed']}")


def spread(values, form):
    middle, least, most = measuring.median_and_spread(values)
    if len(values) == 1:
        return form.format(middle)
    return f"{form.format(middle)} [{form.format(least)}, {form.format(most)}]"


def middle_of(runs, key):
    return statistics.median(run[key] for run in runs) if runs else None


def seconds_cells(packed, cache, reference):
    """Time, and its ratio to tar."""
    seconds = [run["seconds"] for run in packed[cache]]
    if not seconds:
        return ["", ""]
    base = middle_of(reference[cache], "seconds") if reference else None
    return [spread(seconds, "{:.1f} s"),
            f"{statistics.median(seconds) / base:.2f}" if base else ""]


def packing_rows(results):
    tree = results["tree"]
    for name, packed in results["packed"].items():
        reference = results["packed"].get("tar")
        peak = max(run["peak_bytes"] for run in packed["warm"] + packed["cold"])
        metadata = packed["metadata_bytes"]
        yield [name, *seconds_cells(packed, "warm", reference),
               *seconds_cells(packed, "cold", reference),
               f"{peak / 2**20:,.0f} MiB", f"{packed['size_bytes'] / 1e6:,.0f} MB",
               f"{(packed['size_bytes'] - tree['content_bytes']) / tree['files']:,.1f}",
               f"{metadata / 1e6:.1f} MB" if metadata else "",
               f"{metadata / tree['entries']:.2f}" if metadata else ""]


def reading_rows(results, task):
    reference = results["reads"].get("ext4", {}).get(task)
    for name, tasks in results["reads"].items():
        runs = tasks.get(task)
        if not runs:
            continue
        ratio = (f"{middle_of(runs, 'us_per_file') / middle_of(reference, 'us_per_file'):.2f}"
                 if reference else "")
        yield [name, spread([run["us_per_file"] for run in runs], "{:.0f}"), ratio,
               *(column.form.format(middle_of(runs, column.key)) for column in COLUMNS)]


def print_tables(results):
    measuring.table(["", "warm", "ratio to tar", "cold", "ratio to tar", "peak memory", "size",
                     "beyond contents, bytes a file", "index or metadata", "bytes an entry"],
                    list(packing_rows(results)))
    for task, (_, count, _) in TASKS.items():
        counts = sorted({len(tasks[task]) for tasks in results["reads"].values() if task in tasks})
        print(f"{task}, {count:,} files a run, n = {', '.join(map(str, counts))}:\n")
        measuring.table(["", "µs a file", "ratio to ext4", *(c.head for c in COLUMNS)],
                        list(reading_rows(results, task)))
