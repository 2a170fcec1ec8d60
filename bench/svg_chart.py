"""Charts as SVG, light or dark as the reader's page is: as a module.

lines() draws series over a number, intervals() marks with their spread over names. Both give the text of a file.
"""
import math

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 44, 52
# Distinguishable by lightness too, and with a mark of its own each.
LIGHT = ("#1257b8", "#c2410c", "#15803d", "#7e22ce")
DARK = ("#6aa9ff", "#ff9f5a", "#5fd38d", "#d29bff")

STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 14px; font-weight: 600 }
.small { font-size: 11px; fill: #59636e }
.page { fill: #ffffff } .grid { stroke: #d8dee4 } .axis { stroke: #59636e } .zero { stroke: #59636e; stroke-dasharray: 4 3 }
.line { fill: none; stroke-width: 2 }
%s
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9198a1 }
.page { fill: #0d1117 } .grid { stroke: #2a313c } .axis { stroke: #9198a1 } .zero { stroke: #9198a1 }
%s
}
</style>"""


def colours(palette):
    return "\n".join(f".stroke{i} {{ stroke: {c} }} .fill{i} {{ fill: {c} }}" for i, c in enumerate(palette))


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def human(value):
    for limit, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{suffix}"
    return f"{value:.3g}"


def round_step(span, most):
    """A step of 1, 2 or 5 times a power of ten that cuts SPAN into no more than MOST pieces."""
    step = 10 ** math.floor(math.log10(span / most))
    return next(step * k for k in (1, 2, 5, 10) if span / (step * k) <= most)


def text(x, y, words, extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{escape(words)}</text>'


def straight(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def mark(i, x, y):
    """Series 0 has circles, 1 squares, 2 triangles, 3 diamonds."""
    shapes = ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "M-3.5 -3.5h7v7h-7z", "M0 -5l4.5 8h-9z", "M0 -5l5 5l-5 5l-5 -5z")
    return f'<path d="{shapes[i % 4]}" transform="translate({x:.1f} {y:.1f})" class="fill{i % 4}"/>'


def page(title, body, height=HEIGHT):
    style = STYLE % (colours(LIGHT), colours(DARK))
    heading = text(LEFT, 20, title, 'class="title"')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">\n'
            f"<title>{escape(title)}</title>\n{style}\n"
            f'<rect width="{WIDTH}" height="{height}" class="page"/>\n{heading}\n' + "\n".join(body) + "\n</svg>\n")


def legend(names, y, colour=None):
    out, x = [], LEFT
    for i, name in enumerate(names):
        i = colour[i] if colour else i
        out += [mark(i, x + 5, y - 4), text(x + 14, y, name)]
        x += 14 + 7 * len(name) + 18
    return out


def log_ticks(low, high):
    return [10.0 ** k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def lines(title, x_label, y_label, series, x_log=True, y_log=False, colour=None):
    """SERIES is a list of (name, [(x, y)...]); COLOUR the number of each, where they are not to be had in order."""
    colour = colour or list(range(len(series)))
    xs = [x for _, points in series for x, _ in points]
    ys = [y for _, points in series for _, y in points]
    if not xs:
        return ""
    if x_log:
        x_low, x_high = min(xs), max(xs)
        x_ticks = [t for t in log_ticks(x_low, x_high) if x_low <= t * 1.001 and t <= x_high * 1.001]
        if len(x_ticks) < 3:
            x_ticks = sorted(set(xs))

        def across(x):
            return LEFT + (math.log(x / x_low) / math.log(x_high / x_low) if x_high > x_low else 0.5) * (WIDTH - LEFT - RIGHT)
    else:
        x_high = max(xs)
        step = round_step(x_high, 8)
        x_ticks = [step * k for k in range(int(x_high / step) + 1)]

        def across(x):
            return LEFT + x / x_high * (WIDTH - LEFT - RIGHT)
    if y_log:
        y_ticks = log_ticks(min(ys), max(ys))
        low, high = y_ticks[0], y_ticks[-1]

        def up(y):
            return HEIGHT - BOTTOM - math.log(y / low) / math.log(high / low) * (HEIGHT - TOP - BOTTOM)
    else:
        step = round_step(max(ys), 6)
        y_ticks = [step * k for k in range(math.ceil(max(ys) / step) + 1)]
        high = y_ticks[-1]

        def up(y):
            return HEIGHT - BOTTOM - y / high * (HEIGHT - TOP - BOTTOM)
    body = legend([name for name, _ in series], 38, colour)
    for y in y_ticks:
        body += [straight(LEFT, up(y), WIDTH - RIGHT, up(y), "grid"), text(LEFT - 8, up(y) + 4, human(y), 'text-anchor="end" class="small"')]
    for x in x_ticks:
        body += [straight(across(x), HEIGHT - BOTTOM, across(x), HEIGHT - BOTTOM + 5, "axis"),
                 text(across(x), HEIGHT - BOTTOM + 18, human(x), 'text-anchor="middle" class="small"')]
    body += [straight(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis"),
             text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_label, 'text-anchor="middle"'),
             text(0, 0, y_label, f'text-anchor="middle" transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)"')]
    for i, (_, points) in zip(colour, series):
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
        body.append(f'<polyline points="{path}" class="line stroke{i % 4}"/>')
        body += [mark(i, across(x), up(y)) for x, y in points]
    return page(title, body)


def intervals(title, y_label, names, series):
    """SERIES is a list of (name, [(middle, half width) or None for each of NAMES...]); the middle line is zero."""
    reach = max(abs(m) + h for _, values in series for m, h in (v for v in values if v))
    step = round_step(2 * reach, 8)
    reach = math.ceil(reach / step) * step

    def up(y):
        return TOP + (reach - y) / (2 * reach) * (HEIGHT - TOP - BOTTOM)

    body = legend([name for name, _ in series], 38)
    for k in range(-round(reach / step), round(reach / step) + 1):
        y = up(k * step)
        body += [straight(LEFT, y, WIDTH - RIGHT, y, "grid" if k else "zero"),
                 text(LEFT - 8, y + 4, f"{k * step:+g}%" if k else "0", 'text-anchor="end" class="small"')]
    room = (WIDTH - LEFT - RIGHT) / len(names)
    for n, name in enumerate(names):
        middle = LEFT + room * (n + 0.5)
        body.append(text(middle, HEIGHT - BOTTOM + 18, name, 'text-anchor="middle"'))
        for i, (_, values) in enumerate(series):
            if values[n]:
                x = middle + (i - (len(series) - 1) / 2) * room * 0.22
                m, h = values[n]
                body += [straight(x, up(m - h), x, up(m + h), f"line stroke{i % 4}"), mark(i, x, up(m))]
                body += [straight(x - 4, up(m + s * h), x + 4, up(m + s * h), f"line stroke{i % 4}") for s in (-1, 1)]
    body.append(text(0, 0, y_label, f'text-anchor="middle" transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)"'))
    return page(title, body)
