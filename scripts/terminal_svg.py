#!/usr/bin/env python3
"""Draws what a program printed on a terminal as an SVG picture: terminal_svg.py <in.ansi >out.svg

Understands the SGR codes that cugrade uses (bold, dim, the sixteen colours); everything else of ANSI
is dropped.
"""
import html
import re
import sys

COLOURS = {30: "#3b4252", 31: "#e06c75", 32: "#7fbf6a", 33: "#d9a441", 34: "#61afef", 35: "#c678dd",
           36: "#56b6c2", 37: "#d8dee9", 90: "#8a93a3", 91: "#e06c75", 92: "#7fbf6a", 93: "#d9a441",
           94: "#61afef", 95: "#c678dd", 96: "#56b6c2", 97: "#ffffff"}
CHAR_WIDTH, LINE_HEIGHT, MARGIN = 8.43, 19, 18

lines = sys.stdin.read().rstrip("\n").split("\n")
style = {}
rows = []
width = 0
for number, line in enumerate(lines):
    x = 0
    spans = []
    for part in re.split(r"(\x1b\[[0-9;]*[A-Za-z])", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if code:
            for value in (int(v or 0) for v in code[1].split(";")):
                if value == 0:
                    style = {}
                elif value == 1:
                    style["font-weight"] = "bold"
                elif value == 2:
                    style["opacity"] = "0.65"
                elif value in COLOURS:
                    style["fill"] = COLOURS[value]
        elif part and not part.startswith("\x1b"):
            attributes = "".join(f' {k}="{v}"' for k, v in style.items())
            spans.append(f'<tspan x="{MARGIN + x * CHAR_WIDTH:.1f}"{attributes}>{html.escape(part)}</tspan>')
            x += len(part)
    width = max(width, x)
    y = MARGIN + (number + 1) * LINE_HEIGHT - 5
    rows.append(f'<text y="{y}" xml:space="preserve">{"".join(spans)}</text>')

w, h = round(2 * MARGIN + width * CHAR_WIDTH), 2 * MARGIN + len(lines) * LINE_HEIGHT
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" '
      f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="#d8dee9">')
print(f'<rect width="{w}" height="{h}" rx="8" fill="#1e222a"/>')
print("\n".join(rows))
print("</svg>")
