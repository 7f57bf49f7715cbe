#!/usr/bin/env python3
"""Curves that others measured with microbenchmarks, against what `warpmem probe` says of the card that stands
for each GPU.

curves.csv: a row a curve: which card, which probe, what x and y are, who measured it. A stream is four curves: of
init, read, scale and triad (stream3: a triad of three arrays). published.csv: the points. boards/: cards of boards that differ from a built-in one.

  tests/curves/curves.py --write            writes docs/measurements/curves.md's table and docs/measurements/curves/ (plots and their points)
  tests/curves/curves.py --write --only t4  the same for some curves; the others stay as they were
  tests/curves/curves.py --only v100 --show  prints the points of some curves
"""
import argparse
import collections
import concurrent.futures
import csv
import io
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WARPMEM = os.environ.get("WARPMEM", str(ROOT / "build/warpmem"))
PAGE, PLOTS = ROOT / "docs/measurements/curves.md", ROOT / "docs/measurements/curves"
POINTS = PLOTS / "points.csv"
BEGIN, END = "<!-- table: tests/curves/curves.py --write -->", "<!-- end of table -->"
# Curves that tell a number of the card that stands for their GPU: they judge nothing.
TOLD = {("l40", "stream_by_occupancy/init"): "time.turn_cycles"}
STREAMS = {"stream": ("init", "read", "scale", "triad"), "stream3": ("init", "read", "scale", "add")}  # as probed

Curve = collections.namedtuple("Curve", "gpu curve card probe options x y source points")


def curves():
    with open(HERE / "published.csv", newline="") as file:
        points = collections.defaultdict(list)
        for row in csv.DictReader(file):
            points[row["gpu"], row["curve"]].append((float(row["x"]), float(row["y"])))
    out = []
    with open(HERE / "curves.csv", newline="") as file:
        for row in csv.DictReader(file):
            parts = [(f"{row['curve']}/{name}", s) for name, s in zip(STREAMS["stream"], STREAMS[row["probe"]])] \
                if row["probe"] in STREAMS else [(row["curve"], row["probe"])]
            for name, probe in parts:
                out.append(Curve(row["gpu"], name, row["card"], probe, row["options"].split(), row["x"], row["y"],
                                 row["source"], points[row["gpu"], name]))
    return out


def warpmem(*args):
    done = subprocess.run([WARPMEM, *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"warpmem {' '.join(map(str, args))}: {done.stderr}")
    return done.stdout


def card_of(curve):
    return str(HERE / curve.card) if curve.card.endswith(".toml") else curve.card


def numbers_of(card):
    return {key: entry["value"] for key, entry in json.loads(warpmem("gpus", card, "--format", "json"))["card"].items()}


def at(curve, x, threads):
    if curve.x == "KiB":
        return max(128, round(x * 1024))
    return max(1, round(x * threads / 100)) if curve.x == "%" else round(x)


def measure(curve):
    """(x, published, model) of each point."""
    numbers = numbers_of(card_of(curve))
    xs = [at(curve, x, numbers["sm.threads"]) for x, _ in curve.points]
    text = warpmem("probe", curve.probe, "--gpu", card_of(curve), *curve.options, "--format", "csv",
                   "--at", ",".join(map(str, xs)))
    scale = 1000 / numbers["sm.clock_mhz"] if curve.y == "ns" else 1
    ys = [float(row["y"]) * scale for row in csv.DictReader(io.StringIO(text))]
    return [(x, y, model) for (x, y), model in zip(curve.points, ys)]


def error(published, model):
    return abs(model / published - 1)


def summary(points):
    errors = sorted(error(y, model) for _, y, model in points)
    return statistics.median(errors), errors[min(len(errors) - 1, int(0.9 * len(errors)))]


def nice(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:g}"


def svg(curve, points):
    """Dots: published. Line: the model."""
    width, height, left, top, bottom = 320, 180, 46, 22, 28
    log_y = max(p[1] for p in points) > 20 * min(p[1] for p in points)
    fx = math.log10 if curve.x == "KiB" else (lambda v: v)
    fy = math.log10 if log_y else (lambda v: v)
    xs = [fx(p[0]) for p in points]
    ys = [fy(v) for p in points for v in p[1:]]
    x0, x1, y0, y1 = min(xs), max(xs), min(ys) if log_y else 0, max(ys)

    def px(x):
        return left + (fx(x) - x0) / ((x1 - x0) or 1) * (width - left - 12)

    def py(y):
        return height - bottom - (fy(y) - y0) / ((y1 - y0) or 1) * (height - bottom - top)

    line = " ".join(f"{px(x):.1f},{py(m):.1f}" for x, _, m in points)
    dots = "".join(f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="2.2"/>' for x, y, _ in points)
    low = 10 ** y0 if log_y else 0
    high = 10 ** y1 if log_y else y1
    ticks = [(low, py(low)), (high, py(high))]
    marks = "".join(f'<text x="{left - 4}" y="{y + 3:.1f}" text-anchor="end">{nice(v)}</text>' for v, y in ticks)
    ends = (f'<text x="{left}" y="{height - 12}">{nice(points[0][0])}</text>'
            f'<text x="{width - 12}" y="{height - 12}" text-anchor="end">{nice(points[-1][0])} {curve.x}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10">'
            f'<rect width="{width}" height="{height}" fill="#fff"/>'
            f'<text x="{left}" y="13" font-size="11">{curve.gpu}: {curve.curve.replace("_", " ")}, {curve.y}</text>'
            f'<path d="M{left},{top}V{height - bottom}H{width - 12}" fill="none" stroke="#888"/>'
            f'<polyline points="{line}" fill="none" stroke="#c33" stroke-width="1.4"/>'
            f'<g fill="#236">{dots}</g>{marks}{ends}</svg>\n')


def plot_name(curve):
    return f"{curve.gpu}_{curve.curve.replace('/', '_')}.svg"


def table(found):
    lines = ["| GPU | card | curve | points | median error | 90th percentile | plot |",
             "|---|---|---|---|---|---|---|"]
    for curve, points in found:
        median, most = summary(points)
        told = TOLD.get((curve.gpu, curve.curve))
        lines.append(f"| {curve.gpu} | `{curve.card.removeprefix('boards/')}` | {curve.curve.replace('_', ' ')}"
                     f"{f' (tells `{told}`)' if told else ''} | "
                     f"{len(points)} | {median:.1%} | {most:.1%} | [plot](curves/{plot_name(curve)}) |")
    by_gpu = collections.defaultdict(list)
    for curve, points in found:
        if (curve.gpu, curve.curve) not in TOLD:
            by_gpu[curve.gpu] += [error(y, model) for _, y, model in points]
    lines += ["", "| GPU | points | median error of all |", "|---|---|---|"]
    lines += [f"| {gpu} | {len(errors)} | {statistics.median(errors):.1%} |" for gpu, errors in by_gpu.items()]
    return "\n".join(lines)


def shown(value):
    return f"{value:.5g}"


def stored():
    """Points of docs/measurements/curves/points.csv, by GPU and curve."""
    found = collections.defaultdict(list)
    if POINTS.exists():
        with open(POINTS, newline="") as file:
            for row in csv.DictReader(file):
                found[row["gpu"], row["curve"]].append(tuple(float(row[k]) for k in ("x", "published", "model")))
    return found


def write(found):
    PLOTS.mkdir(exist_ok=True)
    points = stored() | {(curve.gpu, curve.curve): p for curve, p in found}
    everything = [(c, points[c.gpu, c.curve]) for c in curves() if (c.gpu, c.curve) in points]
    with open(POINTS, "w") as file:
        file.write("gpu,curve,x,published,model\n")
        for curve, of_curve in everything:
            for x, y, model in of_curve:
                file.write(f"{curve.gpu},{curve.curve},{x:g},{y:g},{shown(model)}\n")
    for curve, of_curve in everything:
        (PLOTS / plot_name(curve)).write_text(svg(curve, of_curve))
    head, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(head + BEGIN + "\n" + table(everything) + "\n" + END + rest.partition(END)[2])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="write the page's table and the plots")
    options.add_argument("--only", default="", help="curves whose GPU and name hold this")
    options.add_argument("--show", action="store_true", help="every point")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options = options.parse_args()
    wanted = [c for c in curves() if all(word in f"{c.gpu} {c.curve}" for word in options.only.split())]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = list(zip(wanted, pool.map(measure, wanted)))
    print(table(found))
    if options.show:
        for curve, points in found:
            print(f"\n{curve.gpu} {curve.curve} ({curve.y}; {curve.x})")
            for x, y, model in points:
                print(f"{x:12g} {y:10.1f} {model:10.1f} {model / y - 1:+8.1%}")
    if options.write:
        write(found)


if __name__ == "__main__":
    main()
