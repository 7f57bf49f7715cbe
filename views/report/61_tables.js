// Tables of a launch, its overview, and what the report rests on: card, provenance, accuracy.
function accuracyOf(report, run, l) {
  if (l.accuracy_not_measured) return () => "not measured: " + l.accuracy_not_measured;
  const said = report.accuracy_words.find((a) => a[0] === run.card && a[1] === l.level && a[2] === run.engine);
  return (metric) => said ? said[3][metric].replace(/ %/g, "\u00a0%") : "";
}
function countersTable(report, run, l) {
  const accuracy = accuracyOf(report, run, l);
  return dataTable({ columns: [{ name: "counter", code: true }, { name: "value", n: true, show: (v) => grouped(v) }, { name: "unit" }, { name: "level" }, { name: "error against hardware", long: true }, { name: "meaning", long: true }],
    rows: report.metrics.map((m, i) => [m[0], l.values[i], m[1], m[2], has(l.values[i]) ? accuracy(i) : l.missing[i], m[3]]) }, { name: "counters" });
}
function sitesTable(l) {
  return dataTable({ columns: [{ name: "place" }, { name: "access" }, { name: "instruction", code: true }, { name: "array" }, { name: "requests", n: true }, { name: "sectors", n: true }, { name: "ideal sectors", n: true }, { name: "passes", n: true }, { name: "ideal passes", n: true },
    { name: "L1 hits", n: true, show: (v) => has(v) ? percent(v, 0) : "-" }, { name: "L2 hits", n: true, show: (v) => has(v) ? percent(v, 0) : "-" }, { name: "time", n: true, show: (v) => percent(v, 0) }, { name: "pattern", long: true }],
  rows: l.sites.map((t) => [t.place, `${t.space} ${t.op}, ${t.bytes} B`, t.text, t.array, t.requests, t.sectors, t.ideal_sectors, t.wavefronts, t.ideal_wavefronts, ratio(t.l1_hits, t.sectors), ratio(t.l2_read_hits, t.l2_reads), t.share, t.pattern === "fine" ? "" : t.sentence]) }, { name: "instructions" });
}
function arraysTable(l) {
  if (!l.arrays.length) return null;
  return h("div", {}, h("h3", {}, "By array"), dataTable({ columns: [{ name: "array" }, { name: "bytes", n: true, show: bytesText }, { name: "requests", n: true }, { name: "sectors", n: true }, { name: "ideal sectors", n: true }],
    rows: l.arrays.map((a) => [a.name, a.bytes, a.requests, a.sectors, a.ideal_sectors]) }, { name: "arrays" }));
}

function tilesView(l) {
  const c = l.chart, tile = (value, what, more) => h("div", { class: "tile", title: more }, h("b", {}, value), h("span", {}, what));
  const used = ratio(c.load.lane_bytes + c.store.lane_bytes, 32 * (c.load.sectors + c.store.sectors));
  const rate = c.microseconds ? (c.dram_read + c.dram_written) / c.microseconds / 1000 : null;
  const out = [];
  if (c.cycles) out.push(tile(c.microseconds ? timeText(c.microseconds) : `${grouped(c.cycles)}`, c.microseconds ? `${grouped(c.cycles)} cycles at ${grouped(c.clock_mhz)} MHz` : "cycles"));
  if (has(rate)) out.push(tile(`${rateText(rate)} GB/s`, `DRAM` + (c.dram_peak ? `, ${percent(rate / (c.dram_peak * c.clock_mhz / 1000), 0)} of ${rateText(c.dram_peak * c.clock_mhz / 1000)}` : "")));
  if (has(used)) out.push(tile(used <= 1.001 ? percent(used, 0) : `×${shortNumber(used)}`, "of each sector's bytes asked for"));
  out.push(tile(`${c.warps} of ${c.most_warps}`, "warps can be resident" + (c.warps < c.most_warps && c.occupancy_limit ? `; limit: ${c.occupancy_limit}` : "")));
  if (c.shared_wavefronts) out.push(tile(`×${shortNumber(c.shared_wavefronts / (c.shared_ideal || 1))}`, "passes of shared memory over ideal"));
  const best = l.cost.cycles ? Math.min(...l.findings.flatMap((f) => f.changes).concat(l.changes).filter((k) => k.after && k.after.cycles).map((k) => k.after.cycles), Infinity) : Infinity;
  if (best < 0.99 * l.cost.cycles) out.push(tile(`−${percent(1 - best / l.cost.cycles, 0)}`, "time, by the best change found"));
  return h("div", {}, h("p", { class: "kernel code" }, `${l.kernel}  grid ${shape(l.grid)}  block ${shape(l.block)}`),
    l.limit ? h("p", { class: "limit" }, "Bottleneck: " + l.limit) : null, h("div", { class: "tiles" }, out),
    l.complete ? null : h("p", { class: "notice" }, "The trace of this launch is incomplete: its counters are a part of the truth."));
}

const overviewColumns = [{ name: "run" }, { name: "card" }, { name: "launch", n: true }, { name: "kernel", code: true }, { name: "grid" }, { name: "block" }, { name: "cycles", n: true }, { name: "sectors a load", n: true }, { name: "sectors a store", n: true },
  { name: "L1 hits", n: true, show: (v) => has(v) ? percent(v, 0) : "-" }, { name: "L2 hits", n: true, show: (v) => has(v) ? percent(v, 0) : "-" }, { name: "DRAM", n: true, show: bytesText }, { name: "DRAM busy", n: true, show: (v) => has(v) ? percent(v, 0) : "-" }, { name: "bank conflicts", n: true, show: (v) => has(v) ? "×" + shortNumber(v) : "-" }, { name: "worst pattern" }];
function overviewRow(report, run, l) {
  const c = l.chart;
  return [run.name, report.cards[run.card].name, l.launch, l.kernel, shape(l.grid), shape(l.block), c.cycles || null, ratio(c.load.sectors, c.load.requests), ratio(c.store.sectors, c.store.requests), c.l1_hits, c.l2_hits, c.dram_read + c.dram_written, c.dram_busy,
    c.shared_ideal ? c.shared_wavefronts / c.shared_ideal : null, l.findings.length ? l.findings[0].pattern : ""];
}

function cardView(card) {
  const changed = card.entries.filter((e) => e[5]);
  return h("div", {}, h("h3", {}, `${card.full_name} (${card.name}), compute capability ${card.capability}`),
    changed.length ? h("p", { class: "notice" }, "Changed: " + changed.map((e) => `${e[0]} = ${e[1]}`).join(", ")) : null,
    dataTable({ columns: [{ name: "key", code: true }, { name: "value", show: (v) => cut(v, 120) }, { name: "unit" }, { name: "meaning", long: true }, { name: "source", long: true }], rows: card.entries }, { name: "card " + card.name }));
}
function provenanceView(report) {
  const few = report.runs.length <= 8, keys = [...new Set(report.runs.flatMap((r) => r.provenance.map((p) => p[0])))];
  return h("div", {}, few ? report.runs.map((r) => folded(`${r.name} on ${report.cards[r.card].name}, ${r.engine} engine`, report.runs.length === 1,
    () => h("dl", {}, r.provenance.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)])))) : folded(`The origin of ${report.runs.length} traces`, false,
    () => dataTable({ columns: keys.map((name) => ({ name })), rows: report.runs.map((r) => keys.map((k) => (r.provenance.find((p) => p[0] === k) || [])[1])) }, { name: "provenance" })),
  report.accuracy.length ? folded("How near the model comes to hardware", report.runs.length <= 2, () => h("div", {}, h("p", { class: "soft" }, "Measured over the kernels of the card's reference; an error is the difference over the mean of both."),
    dataTable({ columns: [{ name: "card" }, { name: "trace level" }, { name: "counter", code: true }, { name: "launches", n: true }, { name: "equal", n: true }, { name: "median error", n: true, show: (v) => percent(v) }, { name: "90th percentile", n: true, show: (v) => percent(v) }],
      rows: report.accuracy.map((a) => [report.cards[a[0]].name, a[1], a[3], a[4], a[5], a[6], a[7]]) }, { name: "accuracy" })))
    : h("p", { class: "notice" }, "How near the counters are to hardware was not measured for these cards and traces."));
}
