"""Counters that others published of known kernels, against what the model makes of those kernels.

published.csv: a row a counter: who counted it on what, the kernel (kernels.cpp) and its sizes, the value as it
was printed. `grow`: the kernel is so many times as large as what is replayed here; a count grows with it in a
straight line, which two small sizes give exactly; a ratio stays. `kind`: `address` is decided by addresses alone;
`arbitration` holds what the data stage lost to others as well, which moves from run to run; `cache`: by what an L2 has.

left_out.csv: rows that cannot be rebuilt, with the fact that is missing. `code`: decided by machine code alone.

times.csv: microseconds that were published, of which kernel on which GPU; `card` replays it, `stands_for` is the
built-in card whose band it counts for.

test_catalogue.py --write writes validate/published.csv, which `warpmem gpus` shows, and prints the tables of
docs/measurements/published.md; --write-counts does so of the counts alone.
"""
import collections
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

WARPMEM = os.environ["WARPMEM"]
MAKE_KERNEL = os.environ["MAKE_KERNEL"]
SOURCE = pathlib.Path(os.environ["WARPMEM_SOURCE"])
HERE = SOURCE / "tests/catalogue"
SUMMARY = SOURCE / "validate/published.csv"
OFFSETS = {"read_offset", "write_offset"}
KINDS = ("equal", "within_1", "within_5", "beyond")


def rows():
    with open(HERE / "published.csv", newline="") as file:
        return list(csv.DictReader(file))


# What sources print under names of their own. The M2090's profiler counted one of its 16 SMs.
SAME = {"lines_per_load": "gld_transactions_per_request", "transactions_per_store": "gst_transactions_per_request",
        "gld_transactions_one_sm": "gld_transactions", "gst_transactions_one_sm": "gst_transactions"}
SMS_SAMPLED_OF = 16


def words_of(metric):
    return "ncu" if "__" in metric else "nvprof"


def shrunk(row, factor):
    """Sizes of the same kernel of fewer CTAs."""
    sizes = {k: int(v) for k, v in (pair.split("=") for pair in row["sizes"].split())}
    left = factor
    for key in ("gy", "gx"):
        by = min(left, sizes.get(key, 1))
        sizes[key] = sizes.get(key, 1) // by
        left //= by
    if row["trace"] in OFFSETS:
        sizes["n"] //= factor
    return " ".join(f"{k}={v}" for k, v in sizes.items())


def jobs(row):
    """(card, trace, sizes, words) of each replay that the row needs."""
    grow = int(row["grow"])
    sizes = [row["sizes"]] if grow == 1 else [shrunk(row, grow), shrunk(row, grow // 2)]
    return [(row["card"], row["trace"], s, words_of(row["metric"])) for s in sizes]


def replay(job):
    card, trace, sizes, words = job
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.wmt")
        subprocess.run([MAKE_KERNEL, path, trace, *sizes.split()], check=True)
        done = subprocess.run([WARPMEM, "replay", path, "--gpu", card, "--counts", "--metrics", words, "--all",
                               "--format", "json"], check=True, capture_output=True)
    return json.loads(done.stdout)["kernels"][0]["metrics"]


def is_ratio(metric):
    return metric.endswith((".ratio", ".pct", "_per_request", "efficiency", "hit_rate"))


def model(row, replayed):
    metric = SAME.get(row["metric"], row["metric"])
    values = [replayed[job][metric] for job in jobs(row)]
    if len(values) == 1 or is_ratio(metric):
        return values[-1]
    # The second is of twice the CTAs.
    all_of_it = values[0] + (values[1] - values[0]) * (int(row["grow"]) - 1)
    return all_of_it / SMS_SAMPLED_OF if row["metric"].endswith("_one_sm") else all_of_it


def verdict(row, value):
    published = float(row["value"])
    decimals = len(row["value"].partition(".")[2])
    if round(value, decimals) == published:
        return "equal"
    error = abs(value - published)
    points = 0.5 if row["metric"].endswith(("efficiency", ".pct", "hit_rate")) else 0
    scale = abs(published) or 1
    if error <= max(0.01 * scale, points):
        return "within_1"
    return "within_5" if error <= 0.05 * scale else "beyond"


def results():
    all_rows = rows()
    wanted = sorted({job for row in all_rows for job in jobs(row)})
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        replayed = dict(zip(wanted, pool.map(replay, wanted)))
    out = []
    for row in all_rows:
        value = model(row, replayed)
        out.append((row, value, verdict(row, value)))
    return out


def by_card(found):
    counts = collections.defaultdict(collections.Counter)
    for row, _, how in found:
        counts[row["card"]][how] += 1
    return counts


def summary(found):
    lines = ["gpu,rows," + ",".join(KINDS)]
    for card, counts in sorted(by_card(found).items()):
        lines.append(",".join([card, str(sum(counts.values())), *(str(counts[k]) for k in KINDS)]))
    return "\n".join(lines) + "\n"


def times():
    with open(HERE / "times.csv", newline="") as file:
        return list(csv.DictReader(file))


def microseconds(card, trace, sizes):
    gpu = str(HERE / card) if card.endswith(".toml") else card
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.wmt")
        subprocess.run([MAKE_KERNEL, path, trace, *sizes.split()], check=True)
        done = subprocess.run([WARPMEM, "replay", path, "--gpu", gpu, "--metrics", "ncu", "--format", "json"],
                              check=True, capture_output=True)
    found = json.loads(done.stdout)
    clock = found["card"]["sm.clock_mhz"]["value"]
    return found["kernels"][0]["metrics"]["sm__cycles_elapsed.max"] / clock


def time_of(row):
    """Microseconds: of a kernel that grows, by the difference of two small sizes."""
    grow = int(row["grow"])
    if grow == 1:
        return microseconds(row["card"], row["trace"], row["sizes"])
    small, large = (microseconds(row["card"], row["trace"], shrunk(row, n)) for n in (grow, grow // 2))
    return small + (large - small) * (grow - 1)


def time_errors(rows_of_times):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(zip(rows_of_times, pool.map(time_of, rows_of_times)))
    errors = collections.defaultdict(list)
    for row, model_us in found:
        errors[row["stands_for"]].append(abs(model_us / float(row["us"]) - 1))
    return found, {card: sorted(e) for card, e in errors.items()}


def with_times(text, errors):
    """The summary with the times' columns, in per mille."""
    lines = text.splitlines()
    known = {line.split(",")[0]: line for line in lines[1:]}
    for card in errors:
        known.setdefault(card, f"{card},0,0,0,0,0")
    out = [lines[0] + ",times,time_median,time_p90"]
    for card, line in sorted(known.items()):
        e = errors.get(card)
        cells = [len(e), round(1000 * statistics.median(e)), round(1000 * e[min(len(e) - 1, int(0.9 * len(e)))])] \
            if e else [0, 0, 0]
        out.append(line + "," + ",".join(map(str, cells)))
    return "\n".join(out) + "\n"


def time_table():
    """What docs/measurements/published.md shows of times, by what the summary holds."""
    lines = ["| card | kernels timed | median error | nine of ten within |", "|---|---|---|---|"]
    for row in csv.DictReader(SUMMARY.read_text().splitlines()):
        if int(row["times"]):
            lines.append(f"| `{row['gpu']}` | {row['times']} | {int(row['time_median']) / 10:.1f} % | "
                         f"{int(row['time_p90']) / 10:.1f} % |")
    return "\n".join(lines)


def left_out():
    with open(HERE / "left_out.csv", newline="") as file:
        return list(csv.DictReader(file))


def table(found):
    """What docs/measurements/published.md shows."""
    boards = collections.defaultdict(set)
    for row, _, _ in found:
        boards[row["card"]].add(row["gpu"] if row["gpu"] != "unnamed" else f"one of {row['compute_capability']}")
    lines = ["| card | counted on | rows | equal | within 1 % | within 5 % | more than 5 % |", "|---|---|---|---|---|---|---|"]
    for card, counts in sorted(by_card(found).items()):
        lines.append(f"| `{card}` | {', '.join(sorted(boards[card]))} | {sum(counts.values())} | "
                     + " | ".join(str(counts[k]) for k in KINDS) + " |")
    return "\n".join(lines)


class Catalogue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = results()

    def test_what_addresses_decide_is_equal(self):
        for row, value, how in self.found:
            if row["kind"] != "address":
                continue
            with self.subTest(f"{row['gpu']} {row['kernel']} {row['sizes']} {row['metric']}"):
                said = f"model {value}, published {row['value']} ({row['source']})"
                # Fermi's profiler sampled one SM; builds with -G access more than the source says.
                exact = float(row["compute_capability"].rstrip("+")) >= 7 and not row["compute_capability"].startswith("6")
                self.assertIn(how, ("equal",) if exact else ("equal", "within_1"), said)

    def test_what_arbitration_moves_is_no_less_than_addresses_say(self):
        for row, value, _ in self.found:
            if row["kind"] == "arbitration":
                with self.subTest(f"{row['gpu']} {row['kernel']} {row['metric']}"):
                    self.assertLessEqual(value, 1.005 * float(row["value"]))

    def test_what_an_l2_keeps_is_near(self):
        for row, value, how in self.found:
            # How much of what was written stays in the L2 is known of Hopper alone.
            if row["kind"] == "cache" and "read" in row["metric"]:
                with self.subTest(f"{row['gpu']} {row['kernel']} {row['metric']}"):
                    self.assertNotEqual(how, "beyond", f"model {value}, published {row['value']}")

    def test_the_summary_is_what_was_found(self):
        # After a change: tests/catalogue/test_catalogue.py --write
        shipped = [line.rsplit(",", 3)[0] for line in SUMMARY.read_text().splitlines()]
        self.assertEqual([line for line in shipped if not line.endswith(",0,0,0,0,0")],
                         summary(self.found).splitlines())

    def test_times_that_were_published_are_as_far_off_as_the_summary_says(self):
        # The smallest kernels of two cards: all of them take minutes (--write).
        few = [row for row in times() if row["grow"] == "1" and row["stands_for"] in ("k20x", "gtx280")]
        _, errors = time_errors(few)
        shipped = {row["gpu"]: row for row in csv.DictReader(SUMMARY.read_text().splitlines())}
        for card, found in errors.items():
            self.assertEqual(int(shipped[card]["times"]), len(found))
            self.assertEqual(int(shipped[card]["time_median"]), round(1000 * statistics.median(found)))

    def test_the_page_shows_the_same_table(self):
        page = (SOURCE / "docs/measurements/published.md").read_text()
        self.assertIn(table(self.found), page)
        self.assertIn(time_table(), page)

    def test_few_rows_are_left_out_and_each_says_why(self):
        missing = left_out()
        self.assertTrue(all(row["missing"] for row in missing))
        few = sum(row["kind"] == "address" for row in missing)
        tried = sum(row["kind"] == "address" for row, _, _ in self.found)
        self.assertLess(few, 0.1 * (few + tried))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write-counts"]:
        # The same without the times, which take minutes: these stay as they are.
        everything = results()
        kept = {line.split(",")[0]: line for line in SUMMARY.read_text().splitlines()}
        lines = summary(everything).splitlines()
        for i, line in enumerate(lines):
            old = kept.pop(line.split(",")[0], None)
            lines[i] = f"{line},{old.split(',', 6)[6]}" if old else f"{line},0,0,0"
        SUMMARY.write_text("\n".join(lines[:1] + sorted(lines[1:] + list(kept.values()))) + "\n")
        print(table(everything))
    elif sys.argv[1:] == ["--write"]:
        everything = results()
        timed, errors = time_errors(times())
        SUMMARY.write_text(with_times(summary(everything), errors))
        print(table(everything), time_table(), sep="\n\n")
        for row, model_us in timed:
            print(f"{row['gpu']} {row['kernel']} {row['sizes']}: published {row['us']} us, model {model_us:.1f}, "
                  f"{model_us / float(row['us']) - 1:+.0%}")
        for row, value, how in everything:
            if how != "equal":
                print(how, row["gpu"], row["kernel"], row["sizes"], row["metric"], row["value"], value)
    else:
        unittest.main()
