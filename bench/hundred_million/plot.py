# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Draws the results of bench/hundred_million/run over the number of files, as an SVG."""
import math
import statistics

WIDTH, HEIGHT = 230, 170
LEFT, TOP, GAP = 46, 34, 64
STYLE = ("text{font:11px sans-serif;fill:#333}.t{font-weight:bold}.g{stroke:#ddd}"
         ".p{fill:none;stroke-width:2}")
COLOURS = ("#1f5fa8", "#b5541c")


def medians(results, of):
    return [(files, statistics.median(of(build, lookup)
                                      for build, lookup in zip(*results[files])))
            for files in sorted(results)]


def quantile(values, q):
    return sorted(values)[int(q * (len(values) - 1))]


def panels(results):
    """(title, whether the scale is logarithmic, [(label, points)])."""
    return [
        ("build, seconds", True, [("", medians(results, lambda b, _: b["seconds"]))]),
        ("peak memory of the build, MiB", False,
         [("", medians(results, lambda b, _: b["memory_bytes_peak"] / 2**20))]),
        ("index, bytes a file", False,
         [("", medians(results, lambda b, _: b["index_bytes"] / b["files"]))]),
        ("cold lookup, µs", False,
         [(f"p{q * 100:g}", medians(results, lambda _, x, q=q: quantile(x["cold_us"], q)))
          for q in (0.5, 0.99)]),
    ]


def scale(values, logarithmic):
    """Function from value to share of the height, and the values that get a line."""
    if logarithmic:
        low = math.floor(math.log10(min(values)))
        high = math.ceil(math.log10(max(values)))
        return (lambda v: (math.log10(v) - low) / (high - low),
                [10.0**power for power in range(low, high + 1)])
    step = 10 ** math.floor(math.log10(max(values)))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if max(values) <= 5 * s)
    ticks = [step * i for i in range(6)]
    return lambda v: v / ticks[-1], ticks


def panel(left, title, logarithmic, lines):
    files = [x for x, _ in lines[0][1]]
    low, high = math.log10(min(files)), math.log10(max(files))
    height_of, ticks = scale([y for _, points in lines for _, y in points], logarithmic)

    def across(count):
        share = (math.log10(count) - low) / (high - low) if high > low else 0.5
        return left + (0.12 + 0.76 * share) * WIDTH  # room for labels at both ends

    def up(value):
        return TOP + HEIGHT * (1 - height_of(value))

    yield f'<text class="t" x="{left}" y="{TOP - 14}">{title}</text>'
    for tick in ticks:
        yield (f'<line class="g" x1="{left}" x2="{left + WIDTH}" y1="{up(tick):.1f}" '
               f'y2="{up(tick):.1f}"/><text x="{left - 6}" y="{up(tick) + 4:.1f}" '
               f'text-anchor="end">{tick:g}</text>')
    for count in files:
        yield (f'<text x="{across(count):.1f}" y="{TOP + HEIGHT + 16}" '
               f'text-anchor="middle">{count / 1e6:g} M</text>')
    for (label, points), colour in zip(lines, COLOURS):
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
        yield f'<polyline class="p" stroke="{colour}" points="{path}"/>'
        for x, y in points:
            yield f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3" fill="{colour}"/>'
            yield (f'<text x="{across(x):.1f}" y="{up(y) - 7:.1f}" text-anchor="middle">'
                   f"{f'{label} {y:.3g}'.strip()}</text>")


def draw(path, results):
    every = panels(results)
    width = LEFT + len(every) * (WIDTH + GAP)
    height = TOP + HEIGHT + 42
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}"><style>{STYLE}</style>'
             '<rect width="100%" height="100%" fill="#fff"/>']
    for number, (title, logarithmic, lines) in enumerate(every):
        parts.extend(panel(LEFT + number * (WIDTH + GAP), title, logarithmic, lines))
    parts.append(f'<text x="{LEFT}" y="{height - 8}">files (logarithmic); '
                 "medians of the runs</text></svg>")
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
