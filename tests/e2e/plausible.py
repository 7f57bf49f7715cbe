"""What no result of a replay may say, on whatever card: shared by test_all_cards.py and
tests/benchmarks/all_cards.py."""

import json
import math

# Per cent of what lanes ask for: words that lanes share are moved once and asked for often. Excess
# is 100 less that. Conflicts are passes for each instruction.
MAY_EXCEED = {
    "gld_efficiency", "gst_efficiency", "shared_efficiency", "bank_conflicts_per_shared_instruction",
    "smsp__sass_average_data_bytes_per_sector_mem_global.pct",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
    "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
}
MAY_BE_NEGATIVE = {"excess_load", "excess_store"}
# Of what DRAM moves, and of what the L2 gives and takes.
DRAM_RATES = {"dram_read_throughput", "dram_write_throughput", "dram__bytes_read.sum.per_second",
              "dram__bytes_write.sum.per_second"}
L2_RATES = {"l2_read_throughput", "l2_write_throughput", "l2_global_read_throughput",
            "l2_global_write_throughput"}
PERCENT = (".pct", "_rate", "_efficiency", "_replay", "_traffic")
IN_BYTES = 1e-9  # GB/s of ".per_second", which is in bytes


def percent(name):
    return name.endswith(PERCENT) or ".pct_of_" in name or "_hit_rate" in name or name in MAY_BE_NEGATIVE \
        or name == "bank_conflicts_per_shared_instruction"


def numbers_in(value, at):
    """(place, number) of everything in a piece of JSON."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers_in(inner, f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numbers_in(inner, f"{at}[{i}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield at, value


def not_a_number(word):
    return float(word.replace("Infinity", "inf").replace("NaN", "nan"))


def rate(name, value):
    return value * IN_BYTES if name.endswith(".per_second") else value


def wrong_with_metrics(metrics, missing, peaks):
    for name, value in metrics.items():
        if value is None:
            if not missing.get(name):
                yield f"{name} is not known, and nothing says why"
        elif value < 0 and name not in MAY_BE_NEGATIVE:
            yield f"{name} is {value}"
        elif percent(name) and value > 100 + 1e-9 and name not in MAY_EXCEED:
            yield f"{name} is {value} %"
    for names, peak, of in ((DRAM_RATES, peaks["dram"], "DRAM"), (L2_RATES, peaks["l2"], "the L2")):
        both = sum(rate(n, metrics[n]) for n in names if metrics.get(n))
        if peak and both > peak * (1 + 1e-9):
            yield f"{of} moves {both:.1f} GB/s of {peak:.1f}"


def wrong_with_time(time):
    if time["cycles"] <= 0:
        yield "no cycles"
    if not time.get("accuracy"):
        yield "nothing says how far the time is off"
    for place, share in time["in_use"].items():
        if share > 1 + 1e-9:
            yield f"{place} is in use {share:.3f} of the time"
    for place, of in time["moved"].items():
        if of["bytes_per_cycle"] > of["peak_bytes_per_cycle"] * (1 + 1e-9):
            yield f"{place}: {of['bytes_per_cycle']:.1f} bytes a cycle of {of['peak_bytes_per_cycle']:.1f}"


def peaks_of(card):
    """GB/s of DRAM's pins and of the L2's slices, whole lines read; None where there is no L2. `card`: of a JSON."""
    def n(key):
        return card[key]["value"]
    dram = n("dram.channels") * n("dram.width_bits") * n("dram.rate_mbps") / 8000
    if n("l2.size") == 0:
        return {"dram": dram, "l2": None}
    slices = n("l2.slices") if "l2.slices" in card else n("l2.partitions")
    line = n("l2.read_permille") + 4 * n("l2.read_sector_permille")
    return {"dram": dram, "l2": slices * 128 * n("l2.clock_permille") / line * n("sm.clock_mhz") / 1000}


def wrong_with(status, out, err, engine, peaks):
    """Sentences, one for each thing that cannot be."""
    if status == 2:
        said = err.startswith("warpmem: error: ") and "\n  fix: " in err and not out
        return [] if said else [f"status 2, and no message with a fix: {err[:200]}"]
    if status != 0:
        return [f"status {status}: {err[:200]}"]
    found = []
    result = json.loads(out, parse_constant=not_a_number)
    for place, value in numbers_in(result["kernels"], ""):
        if not math.isfinite(value):
            found.append(f"{place} is {value}")
    for kernel in result["kernels"]:
        says = list(wrong_with_metrics(kernel["metrics"], kernel.get("not_available", {}), peaks))
        if engine == "time":
            says += wrong_with_time(kernel["time"])
            says += [f"time: {at} is {v}" for at, v in numbers_in(kernel["time"], "") if v < 0]
        found += [f"launch {kernel['launch']}: {text}" for text in says]
    return found
