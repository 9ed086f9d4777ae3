# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Draws the results of bench/compress: size over effort, over dictionaries and over frames."""
import itertools
import math

HEIGHT, TOP, GAP, LEFT = 300, 34, 70, 56
LETTER_WIDTH, LETTER_HEIGHT = 6, 11  # approximate, of the font below
# Texts have a white rim, so that they can be read over lines.
STYLE = ("text{font:11px sans-serif;fill:#333;stroke:#fff;stroke-width:3;paint-order:stroke}"
         ".t{font-weight:bold}.g{stroke:#ddd}.p{fill:none;stroke-width:2}")
COLOURS = ("#1f5fa8", "#b5541c", "#8a8a2a", "#6b3fa0", "#2a8a5a", "#a03f5f")


class Panel:
    """x is logarithmic; y is in MB, from the smallest to the largest value."""

    def __init__(self, left, width, title, x_label, x_values, y_values):
        self.left, self.width, self.title, self.x_label = left, width, title, x_label
        self.taken = []  # (left, right, top, bottom) of points and texts
        self.x_low, self.x_high = math.log(min(x_values)), math.log(max(x_values))
        step = 10 ** math.floor(math.log10(max(max(y_values) - min(y_values), 1)))
        self.ticks = [step * i for i in range(math.floor(min(y_values) / step),
                                              math.ceil(max(y_values) / step) + 1)]

    def across(self, value):
        share = (math.log(value) - self.x_low) / max(self.x_high - self.x_low, 1e-9)
        return self.left + (0.05 + 0.85 * share) * self.width

    def up(self, value):
        low, high = self.ticks[0], self.ticks[-1]
        return TOP + HEIGHT * (1 - (value - low) / (high - low))

    def frame(self):
        yield f'<text class="t" x="{self.left}" y="{TOP - 14}">{self.title}</text>'
        for tick in self.ticks:
            y = self.up(tick)
            yield (f'<line class="g" x1="{self.left}" x2="{self.left + self.width}" y1="{y:.1f}" '
                   f'y2="{y:.1f}"/><text x="{self.left - 6}" y="{y + 4:.1f}" '
                   f'text-anchor="end">{tick:g}</text>')
        yield (f'<text x="{self.left + self.width / 2:.0f}" y="{TOP + HEIGHT + 34}" '
               f'text-anchor="middle">{self.x_label}</text>')

    def lines(self, curves):
        """curves: (name, colour, points), points: (x, y, label). The name is drawn at the last one.

        Points are drawn before any text is placed, and labels before names: later texts avoid
        earlier ones.
        """
        curves = [(name, colour, [(self.across(x), self.up(y), label)
                                  for x, y, label in sorted(points)])
                  for name, colour, points in curves]
        for _, colour, points in curves:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
            yield f'<polyline class="p" stroke="{colour}" points="{path}"/>'
            for x, y, _ in points:
                self.taken.append((x - 3, x + 3, y - 3, y + 3))
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
        for _, _, points in curves:
            for x, y, label in points:
                yield (f'<text x="{x:.1f}" y="{self.free(x, y - 7, label):.1f}" '
                       f'text-anchor="middle">{label}</text>')
        for name, colour, points in sorted(curves, key=lambda curve: curve[2][-1]):
            x, y, _ = points[-1]
            yield (f'<text x="{x:.1f}" y="{self.free(x, y + 16, name):.1f}" '
                   f'text-anchor="middle" style="fill:{colour}">{name}</text>')

    def free(self, x, y, text):
        """Where a text with its middle at x fits: on y, or as near below or above as possible."""
        half = len(text) * LETTER_WIDTH / 2
        for shift in (shift for far in itertools.count() for shift in (far, -far)):
            low = y + shift
            left, right, high = x - half, x + half, low - LETTER_HEIGHT
            if all(right <= other[0] or other[1] <= left or low <= other[2] or other[3] <= high
                   for other in self.taken):
                self.taken.append((left, right, high, low))
                return low


def effort_panel(sizes):
    curves = {}
    for r in sizes:
        curves.setdefault(r["curve"], []).append(
            (r["cpu_seconds"], r["bytes"] / 1e6, r["label"]))
    every = [point for points in curves.values() for point in points]
    panel = Panel(LEFT, 560, "size, MB, over effort; points: level", "processor seconds (log)",
                  [x for x, _, _ in every], [y for _, y, _ in every])
    yield from panel.frame()
    yield from panel.lines((name, colour, points)
                           for (name, points), colour in zip(curves.items(), COLOURS))


def part_panel(left, title, x_label, points):
    panel = Panel(left, 230, title, x_label, [x for x, _, _ in points],
                  [y for _, y, _ in points])
    yield from panel.frame()
    yield from panel.lines([("", COLOURS[0], points)])


def draw(path, sizes, parts):
    width = LEFT + 560 + 2 * (GAP + 230) + 20
    # "No dictionary" is drawn where 8 KiB would be.
    dictionaries = [(max(r["dictionary_bytes"] >> 10, 8), r["image_bytes"] / 1e6,
                     f'{r["dictionary_bytes"] >> 10}') for r in parts["dictionaries"]]
    frames = [(r["frame_bytes"] >> 10, r["stored_bytes"] / 1e6, f'{r["frame_bytes"] >> 10}')
              for r in parts["frames"]]
    body = [*effort_panel(sizes),
            *part_panel(LEFT + 560 + GAP, "image, MB", "longest dictionary, KiB (log)",
                        dictionaries),
            *part_panel(LEFT + 560 + 230 + 2 * GAP, "contents, MB, no dictionary",
                        "frame, KiB (log)", frames)]
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 46}" '
        f'width="{width}" height="{TOP + HEIGHT + 46}"><style>{STYLE}</style>'
        '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n",
        encoding="utf-8")
