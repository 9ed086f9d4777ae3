# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Results of bench/merge, and their tables."""
import dataclasses
import statistics

import measuring

MERGE, BUILD = "dgfs merge", "dgfs build from the mount"
BOUND_BYTES_AN_ENTRY = 50  # written beside changed contents and two indexes: temporary files


@dataclasses.dataclass(frozen=True)
class Change:
    percent: float
    spread: str
    kind: str

    def __str__(self):
        return f"{self.percent:g} % {self.spread}, {self.kind}" if self.percent else "none"


# What the distances are about.
USUAL = Change(1, "scattered", "overwritten")


@dataclasses.dataclass
class Case:
    """A tree with a change, and all that was measured of it."""
    tree: str
    change: Change
    changed_bytes: int  # of contents that were written
    costs: dict = dataclasses.field(default_factory=dict)  # system: [Cost]
    new: dict = dataclasses.field(default_factory=dict)    # what dgfs info tells
    fresh: dict = dataclasses.field(default_factory=dict)
    of_new: dict = dataclasses.field(default_factory=dict)  # task: [results]
    of_fresh: dict = dataclasses.field(default_factory=dict)

    def add(self, system, cost):
        self.costs.setdefault(system, []).append(cost)

    def values(self, system, name):
        return [getattr(cost, name) for cost in self.costs.get(system, [])]

    def bound_bytes(self):
        return (self.changed_bytes + 2 * self.new["index_bytes"]
                + BOUND_BYTES_AN_ENTRY * self.new["entries"])


def middle(values):
    return statistics.median(values) if values else None


def divided(value, base):
    return value / base if value is not None and base else None


def text(value, form=".2f"):
    return "" if value is None else f"{value:{form}}"


def spread(values, form=".2f"):
    if not values:
        return ""
    median, least, most = measuring.median_and_spread(values)
    around = f" [{least:{form}}, {most:{form}}]" if least < most else ""
    return f"{median:{form}}{around}"


def mega(values, unit=1e6):
    return [value / unit for value in values]


def merge_row(case):
    seconds = case.values(MERGE, "seconds")
    written = case.values(MERGE, "written_bytes")
    build = case.values(BUILD, "seconds")
    per_entry = [info["index_bytes_per_entry"] for info in (case.new, case.fresh)]
    return [case.tree, str(case.change), str(len(seconds)), spread(seconds),
            f"{case.new['entries'] / middle(seconds):,.0f}",
            spread(case.values(MERGE, "processor_seconds")), spread(mega(written), ",.1f"),
            text(middle(written) / case.bound_bytes()),
            spread(mega(case.values(MERGE, "memory_bytes"), 2**20), ",.0f"),
            spread(mega(case.values(MERGE, "disk_bytes")), ",.1f"),
            *(f"{value:.2f}" for value in per_entry), text(divided(*per_entry)),
            f"{case.new.get('inode_runs', 0):,}",
            spread(build), text(divided(middle(seconds), middle(build)))]


def compared(case, task, key, form):
    """Cells of the new image, of the fresh one, and of their ratio."""
    values = [[number for run in results.get(task, []) for number in listed(run[key])]
              for results in (case.of_new, case.of_fresh)]
    return [*(spread(each, form) for each in values),
            text(divided(*(middle(each) for each in values)))]


def listed(value):
    return value if isinstance(value, list) else [value]


def lookup_row(case):
    return [case.tree, str(case.change), str(len(case.of_new["lookups"])),
            *compared(case, "lookups", "default_per_second", ",.0f"),
            *compared(case, "lookups", "unkept_per_second", ",.0f"),
            *compared(case, "lookups", "open_cold_ms", ".2f"),
            *compared(case, "lookups", "open_warm_ms", ".2f")]


def tar_row(case):
    return [case.tree, str(case.change), str(len(case.of_new["tar"])),
            *compared(case, "tar", "seconds", ".2f"), *compared(case, "tar", "reads", ",.0f")]


def rival_rows(case):
    ours = {name: middle(case.values(MERGE, name))
            for name in ("seconds", "processor_seconds", "written_bytes", "disk_bytes")}
    for system, costs in case.costs.items():
        def ratio(name, system=system):
            return text(divided(middle(case.values(system, name)), ours[name]))
        yield [case.tree, system, str(len(costs)), spread(case.values(system, "seconds")),
               ratio("seconds"), spread(case.values(system, "processor_seconds")),
               ratio("processor_seconds"),
               spread(mega(case.values(system, "written_bytes")), ",.1f"), ratio("written_bytes"),
               spread(mega(case.values(system, "memory_bytes"), 2**20), ",.0f"),
               spread(mega(case.values(system, "disk_bytes")), ",.1f"), ratio("disk_bytes")]


def rate(case):
    return divided(case.new["entries"] / 1e6, middle(case.values(MERGE, "seconds")))


def of_build(case):
    return divided(middle(case.values(MERGE, "seconds")), middle(case.values(BUILD, "seconds")))


def of_fresh_index(case):
    return divided(case.new["index_bytes_per_entry"], case.fresh["index_bytes_per_entry"])


def of_fresh(task, key):
    return lambda case: divided(*(middle([run[key] for run in results.get(task, [])])
                                  for results in (case.of_new, case.of_fresh)))


def distances(case):
    """What was set for a tree where 1 % was overwritten: (what, set, measured)."""
    is_linux = case.tree == "Linux"
    written = middle(case.values(MERGE, "written_bytes"))
    return [("merge, M entries/s", "at least 1" if is_linux else "at least 2", rate(case)),
            ("time, to a build from the mount", "at most 0.1", of_build(case)),
            ("written bytes, to the bound", "at most 1", divided(written, case.bound_bytes())),
            ("index bytes an entry, to a fresh one", "at most 1.06" if is_linux else "at most 1.15",
             of_fresh_index(case)),
            ("lookups/s, to a fresh index", "at least 0.95",
             of_fresh("lookups", "default_per_second")(case)),
            ("cold tar, to a fresh image", "at most 1.1", of_fresh("tar", "seconds")(case))]


def distance_rows(cases):
    for case in cases:
        if case.change == USUAL:
            for what, wanted, value in distances(case):
                if value is not None:
                    yield [case.tree, what, wanted, f"{value:.3g}"]
    for tree in dict.fromkeys(case.tree for case in cases):
        peak = max(max(case.values(MERGE, "memory_bytes")) for case in cases if case.tree == tree)
        yield [tree, "peak memory of all cases, MiB", "at most 256", f"{peak / 2**20:.0f}"]


def print_table(title, header, rows):
    rows = list(rows)
    if rows:
        print(f"{title}\n")
        measuring.table(header, rows)


def print_tables(cases):
    beside = ("fresh", "ratio")
    print_table("Merges", ["tree", "changes", "n", "s, synced", "entries/s", "processor s",
                           "written MB", "to the bound", "memory MiB", "room MB",
                           "index, B an entry", *beside, "runs of numbers",
                           "build from the mount, s", "merge to it"],
                (merge_row(case) for case in cases))
    print_table("Lookups in the index, and opening it",
                ["tree", "changes", "n", "lookups/s, default cache", *beside, "no page kept",
                 *beside, "opening, cold, ms", *beside, "warm, ms", *beside],
                (lookup_row(case) for case in cases if "lookups" in case.of_new))
    print_table("Cold tar of a mount",
                ["tree", "changes", "n", "s", *beside, "device reads", *beside],
                (tar_row(case) for case in cases if "tar" in case.of_new))
    print_table("Rivals; ratios are to the merge",
                ["tree", "system", "n", "s, synced", "ratio", "processor s", "ratio", "written MB",
                 "ratio", "memory MiB", "room MB", "ratio"],
                (row for case in cases if not case.costs.keys() <= {MERGE, BUILD}
                 for row in rival_rows(case)))
    print_table(f"Distances that were set ({USUAL})", ["tree", "what", "set", "measured"],
                distance_rows(cases))
