# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Draws how long the slower reads in bench/million_files/run take, as an SVG."""
import math
import statistics

WIDTH, HEIGHT = 420, 300
LEFT, TOP, RIGHT, GAP = 60, 40, 20, 70
STYLE = ("text{font:11px sans-serif;fill:#333}.t{font-weight:bold}.g{stroke:#ddd}"
         ".p{fill:none;stroke-width:2}")
COLOURS = {"ext4": "#444444", "dgfs": "#c23b22", "dgfs, library": "#e08a1e",
           "dgfs, library, direct": "#e0c01e", "squashfs": "#1f5fa8", "squashfuse": "#6fa8dc",
           "erofs": "#2e8b57", "sqlite": "#8e44ad", "tar + index": "#999999"}
SHARES = (0.5, 0.1, 0.01, 0.001, 0.0001)  # of reads that are slower
PANELS = (("1 thread, 20,000 reads", "1 thread, longer"), ("8 threads, 2,000 reads", "8 threads"))


def points(runs):
    """(share of slower reads, µs), medians of the runs."""
    smallest = 1.5 / runs[0]["files"]
    shares = [share for share, _ in runs[0]["distribution_us"]]
    for number, share in enumerate(shares):
        if 0.5 <= share and 1 - share >= smallest:
            yield 1 - share, statistics.median(run["distribution_us"][number][1] for run in runs)


def panel(left, title, lines):
    values = [us for line in lines.values() for _, us in line]
    low, high = math.log10(min(values)), math.log10(max(values))

    def across(share):
        return left + WIDTH * math.log10(0.5 / share) / math.log10(0.5 / SHARES[-1])

    def up(us):
        return TOP + HEIGHT * (1 - (math.log10(us) - low) / (high - low))

    yield f'<text class="t" x="{left}" y="{TOP - 16}">cold read, µs: {title}</text>'
    for tick in (m * 10**p for p in range(0, 7) for m in (1, 2, 5)):
        if min(values) <= tick <= max(values):
            yield (f'<line class="g" x1="{left}" x2="{left + WIDTH}" y1="{up(tick):.1f}" '
                   f'y2="{up(tick):.1f}"/><text x="{left - 6}" y="{up(tick) + 4:.1f}" '
                   f'text-anchor="end">{tick:,}</text>')
    for share in SHARES:
        yield (f'<text x="{across(share):.1f}" y="{TOP + HEIGHT + 16}" '
               f'text-anchor="middle">p{100 * (1 - share):g}</text>')
    for name, line in lines.items():
        path = " ".join(f"{across(share):.1f},{up(us):.1f}" for share, us in line)
        yield f'<polyline class="p" stroke="{COLOURS[name]}" points="{path}"/>'


def legend(top, names):
    for number, name in enumerate(names):
        x, y = LEFT + number % 5 * 180, top + number // 5 * 18
        yield (f'<line class="p" stroke="{COLOURS[name]}" x1="{x}" x2="{x + 24}" y1="{y - 4}" '
               f'y2="{y - 4}"/><text x="{x + 30}" y="{y}">{name}</text>')


def draw(path, results):
    width = LEFT + len(PANELS) * (WIDTH + GAP) - GAP + RIGHT
    height = TOP + HEIGHT + 80
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}"><style>{STYLE}</style>'
             '<rect width="100%" height="100%" fill="#fff"/>']
    names = [name for name in COLOURS if name in results["reads"]]
    for number, (title, task) in enumerate(PANELS):
        lines = {name: list(points(results["reads"][name][task])) for name in names
                 if results["reads"][name].get(task)}
        parts.extend(panel(LEFT + number * (WIDTH + GAP), title, lines))
    parts.extend(legend(TOP + HEIGHT + 46, names))
    path.write_text("\n".join([*parts, "</svg>"]) + "\n", encoding="utf-8")
