// Two launches side by side: what changed, as ratios and as a table.
function compareView(report, a, b) {
  const same = report.metrics.map((m, i) => ({ m, x: a.l.values[i], y: b.l.values[i] })).filter((r) => has(r.x) && has(r.y));
  const main = [["time", a.l.chart.microseconds || a.l.chart.cycles, b.l.chart.microseconds || b.l.chart.cycles, a.l.chart.microseconds ? "µs" : "cycles"], ["sectors, L1", a.l.cost.sectors, b.l.cost.sectors, "sectors"], ["sectors, L2", a.l.cost.l2_sectors, b.l.cost.l2_sectors, "sectors"],
    ["sectors, DRAM", a.l.cost.dram_sectors, b.l.cost.dram_sectors, "sectors"], ["passes, shared", a.l.cost.wavefronts, b.l.cost.wavefronts, "wavefronts"]].filter((r) => r[1] > 0 || r[2] > 0);
  const W = 700, row = 30, left = 130, svg = s("svg", { viewBox: `0 0 ${W} ${main.length * row + 26}` }), middle = left + (W - left - 70) / 2, half = (W - left - 90) / 2;
  const most = Math.max(1, ...main.map((r) => r[1] > 0 && r[2] > 0 ? Math.abs(Math.log2(r[2] / r[1])) : 0));
  svg.append(s("line", { x1: middle, x2: middle, y1: 0, y2: main.length * row, stroke: "var(--soft)" }), s("text", { x: middle, y: main.length * row + 16, "text-anchor": "middle", class: "soft small" }, "B less  ◂  the same  ▸  B more"));
  main.forEach(([name, x, y, unit], i) => {
    const d = x > 0 && y > 0 ? Math.log2(y / x) : y > 0 ? most : -most, w = half * Math.abs(d) / most, top = i * row + 5;
    const text = x > 0 && y > 0 ? (Math.abs(d) < 0.001 ? "the same" : `×${Number((y / x).toPrecision(3))}`) : y > 0 ? "only B" : "only A";
    svg.append(mark(s("g", {}, s("rect", { x: 0, y: top - 4, width: W, height: row - 2, fill: "transparent" }), s("text", { x: left - 8, y: top + 15, "text-anchor": "end" }, name),
      s("rect", { x: d < 0 ? middle - w : middle, y: top, width: Math.max(1, w), height: row - 11, rx: 3, fill: d > 0.001 ? "var(--bad)" : d < -0.001 ? "var(--good)" : "var(--c7)" }),
      s("text", { x: d < 0 ? middle - w - 6 : middle + w + 6, y: top + 15, "text-anchor": d < 0 ? "end" : "start", class: "small" }, text)), `${name}\nA ${grouped(x)} ${unit}\nB ${grouped(y)} ${unit}`));
  });
  return h("div", {}, figure("B over A", "How much more or less B takes than A, by powers of two.", svg, () => ({ columns: [{ name: "what" }, { name: "A", n: true }, { name: "B", n: true }, { name: "unit" }], rows: main })),
    h("h3", {}, "Counters that both have"), !same.length ? h("p", { class: "notice" }, "The profilers of these two GPUs have no counter in common.") : dataTable({ columns: [{ name: "counter", code: true }, { name: "A", n: true }, { name: "B", n: true }, { name: "change", n: true, show: (v) => has(v) ? (v > 0 ? "+" : v < 0 ? "−" : "") + percent(Math.abs(v)) : "-" }, { name: "unit" }],
      rows: same.map((r) => [r.m[0], r.x, r.y, r.x ? r.y / r.x - 1 : r.x === r.y ? 0 : null, r.m[1]]) }, { name: "counters of both" }));
}
