#!/usr/bin/env python3
"""What a program prints in colour, as an SVG picture: COMMAND | terminal.py [LINES] >picture.svg

    cd tests/submissions/histogram/wrong && COLUMNS=96 cugrade check no_barrier_after_clearing.cu -a histogram \\
        --task bytes --backend emulator --colour always | python3 ../../../../docs/images/terminal.py 18 \\
        >../../../../docs/images/report.svg
"""
import html
import re
import sys

CHARACTER, LINE, MARGIN = 8.43, 19, 18
STYLES = {"1": 'font-weight="bold"', "2": 'opacity="0.65"', "31": 'fill="#e06c75"', "32": 'fill="#98c379"',
          "33": 'fill="#d9a441"', "34": 'fill="#61afef"', "36": 'fill="#56b6c2"'}


def row(line, y):
    spans, style, column = [], [], 0
    for part in re.split(r"(\x1b\[[\d;]*m)", line):
        if code := re.fullmatch(r"\x1b\[([\d;]*)m", part):
            codes = code[1].split(";")
            style = [] if codes[-1] in ("", "0") else style + [STYLES[one] for one in codes if one in STYLES]
        elif part:
            look = "".join(" " + one for one in style)
            spans.append(f'<tspan x="{MARGIN + CHARACTER * column:.1f}"{look}>{html.escape(part)}</tspan>')
            column += len(part)
    return f'<text y="{y}" xml:space="preserve">{"".join(spans)}</text>', column


lines = sys.stdin.read().splitlines()
lines = lines[:int(sys.argv[1])] if len(sys.argv) > 1 else lines
rows = [row(line, 32 + LINE * i) for i, line in enumerate(lines)]
width = round(2 * MARGIN + CHARACTER * max(column for _, column in rows))
height = 32 + LINE * len(rows) + 4
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
      'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="#d8dee9">\n'
      f'<rect width="{width}" height="{height}" rx="8" fill="#1e222a"/>')
print("\n".join(text for text, _ in rows))
print("</svg>")
