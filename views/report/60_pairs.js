// Predicted against measured, and what-if curves.
function pairsView(report, choose) {
  const names = [...new Set(report.pairs.map((p) => p[2]))].filter((m) => report.pairs.some((p) => p[2] === m && p[4] > 0 && p[5] > 0));
  const first = report.pairs.every((p) => p[0] === report.pairs[0][0] && p[1] === report.pairs[0][1]) ? "" : names.includes("sm__cycles_elapsed.max") ? "sm__cycles_elapsed.max" : names[0];
  const chart = h("div", {});
  const select = h("select", { "aria-label": "Which counter", onchange: () => draw() }, h("option", { value: "" }, "all counters"), names.map((n) => h("option", { value: n, selected: n === first }, n)));
  function draw() {
    const points = report.pairs.filter((p) => (!select.value || p[2] === select.value) && p[4] > 0 && p[5] > 0);
    const values = points.flatMap((p) => [p[4], p[5]]);
    const low = Math.min(...values) / 1.6, high = Math.max(...values) * 1.6;
    const f = frame(760, 420, { left: 74 });
    const x = (v) => f.left + (f.right - f.left) * Math.log(v / low) / Math.log(high / low), y = (v) => f.bottom - (f.bottom - f.top) * Math.log(v / low) / Math.log(high / low);
    axisX(f, logTicks(low, high), x, powerText, "measured");
    axisY(f, logTicks(low, high), y, powerText, "predicted");
    f.svg.append(s("path", { d: `M${x(low)} ${y(low)}L${x(high)} ${y(high)}`, stroke: "var(--soft)" }));
    for (const k of [1.1, 1 / 1.1]) f.svg.append(s("path", { d: `M${x(k > 1 ? low : low / k)} ${y(k > 1 ? low * k : low)}L${x(k > 1 ? high / k : high)} ${y(k > 1 ? high : high * k)}`, stroke: "var(--soft)", "stroke-dasharray": "4 4" }));
    for (const p of points) {
      const l = report.runs[p[0]].launches[p[1]], off = Math.abs(p[6]);
      f.svg.append(mark(s("circle", { cx: x(p[5]), cy: y(p[4]), r: 5, fill: off < 0.005 ? "var(--good)" : off < 0.1 ? "var(--c0)" : "var(--bad)", "fill-opacity": 0.75 }),
        `${shortName(l.kernel)}\n${p[2]}\npredicted ${grouped(p[4])}, measured ${grouped(p[5])}\n${p[6] > 0 ? "+" : "−"}${percent(off)}: ${p[7]}`, () => choose(p[0], p[1])));
    }
    const errors = points.map((p) => Math.abs(p[6])).sort((a, b) => a - b);
    const logs = points.map((p) => [Math.log(p[5]), Math.log(p[4])]), mean = (k) => logs.reduce((sum, v) => sum + v[k], 0) / logs.length, mx = mean(0), my = mean(1);
    const sum = (fn) => logs.reduce((t, v) => t + fn(v), 0);
    const r = sum((v) => (v[0] - mx) * (v[1] - my)) / Math.sqrt(sum((v) => (v[0] - mx) ** 2) * sum((v) => (v[1] - my) ** 2));
    const node = figure("Predicted against measured", "A point for each launch and counter; on the line both are the same, between the dashed ones they are within 10 %.", f.svg, () => ({
      columns: [{ name: "kernel" }, { name: "counter" }, { name: "unit" }, { name: "predicted", n: true }, { name: "measured", n: true }, { name: "error", n: true }, { name: "verdict" }],
      rows: points.map((p) => [report.runs[p[0]].launches[p[1]].kernel, p[2], p[3], p[4], p[5], p[6], p[7]]) }));
    const equal = points.filter((p) => p[4] === p[5]).length;
    node.append(keyOf([["equal, or within 0.5 %", "var(--good)"], ["within 10 %", "var(--c0)"], ["further off", "var(--bad)"]]),
      h("p", { class: "soft" }, `${grouped(points.length)} pairs, ${grouped(equal)} of them equal; error in the median ${percent(errors[Math.floor(errors.length / 2)])}` + (points.length > 2 && Number.isFinite(r) ? `, correlation of the logarithms ${r.toFixed(4)}` : "") + "."));
    chart.replaceChildren(node);
  }
  draw();
  return h("div", {}, h("div", { class: "tabletools" }, select), chart);
}

function curvesChart(curves) {
  const series = curves.series.filter((c) => c.points.length);
  const xs = series.flatMap((c) => c.points.map((p) => p[0]));
  const low = Math.min(...xs), high = Math.max(...xs), log = low > 0 && high / low > 20;
  const f = frame(760, 320, { left: 78 });
  const part = (v, a, b) => a === b ? 0.5 : log ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a);
  const x = (v) => f.left + (f.right - f.left) * part(v, low, high);
  axisX(f, [...new Set(xs)].length <= 12 ? [...new Set(xs)] : niceTicks(high).filter((t) => t >= low), x, /size|bytes/.test(curves.x) ? bytesText : shortNumber, curves.x);
  // Series of different units share the chart: each is drawn as a share of its largest value.
  const top = (c) => Math.max(...c.points.map((p) => p[1]));
  const one = series.length === 1 || curves.alike;
  const ticks = one ? niceTicks(Math.max(...series.map(top))) : [0, 0.25, 0.5, 0.75, 1];
  const y = (v, c) => f.bottom - (f.bottom - f.top) * (one ? v / ticks[ticks.length - 1] : v / (top(c) || 1));
  axisY(f, ticks, (v) => y(v, { points: [[0, 1]] }), one ? shortNumber : (v) => percent(v, 0), series.length === 1 ? series[0].name : one ? "" : "of its largest value");
  series.forEach((c, i) => {
    const points = [...c.points].sort((a, b) => a[0] - b[0]);
    f.svg.append(s("path", { d: points.map((p, k) => `${k ? "L" : "M"}${x(p[0])} ${y(p[1], c)}`).join(""), fill: "none", stroke: colour(i), "stroke-width": 2 }));
    for (const p of points) f.svg.append(mark(s("circle", { cx: x(p[0]), cy: y(p[1], c), r: c.points.length > 30 ? 3.5 : 5, fill: colour(i) }), `${curves.x} = ${/size|bytes/.test(curves.x) ? bytesText(p[0]) : grouped(p[0])}\n${c.name}: ${grouped(p[1])}`));
  });
  const node = figure(curves.title, `What comes out as ${curves.x} changes.`, f.svg, () => ({ columns: [{ name: "series" }, { name: curves.x, n: true }, { name: "value", n: true }],
    rows: series.flatMap((c) => c.points.map((p) => [c.name, p[0], p[1]])) }));
  node.append(keyOf(series.map((c, i) => [c.name, colour(i)])));
  return node;
}
