// The instruction roofline (Ding and Williams, 2019) at every level: warp instructions a second over
// warp instructions for each sector that the level moves. A point below a slope waits for that
// level; the flat roof is what the schedulers issue at best.
const LEVELS = [["L1", "L1 and shared memory"], ["L2", "L2 slices"], ["DRAM", "DRAM bus"]];

function rooflineView(l, card) {
  const clock = l.chart.clock_mhz / 1000;  // GHz
  const levels = LEVELS.map(([name, place]) => {
    const p = l.places.find((q) => q.name === place);
    return [name, p && name === "L2" ? { ...p, bytes: l.chart.l1_read + l.chart.l1_written } : p];
  }).filter(([, p]) => p && p.bytes > 0 && p.peak > 0);
  if (!levels.length || !l.instructions || !clock || !l.running) return h("p", { class: "notice" }, "No roofline: it needs the time engine, and traffic to a level whose best rate the card has.");
  const rate = l.instructions / l.running * clock, roof = card.issue_peak * clock;
  const points = levels.map(([name, p]) => ({ name, x: l.instructions / (p.bytes / 32), slope: p.peak / 32 * clock, bytes: p.bytes, colour: colour({ L1: 0, L2: 2, DRAM: 1 }[name]),
    used: p.bytes / l.running / p.peak }));
  const low = Math.min(...points.map((p) => Math.min(p.x, roof / p.slope))) / 4, high = Math.max(...points.map((p) => Math.max(p.x, roof / p.slope))) * 4;
  const bottom = Math.min(rate, ...points.map((p) => p.slope * low)) / 2, top = roof * 2;
  const f = frame(620, 340, { left: 70 });
  const x = (v) => f.left + (f.right - f.left) * Math.log(v / low) / Math.log(high / low);
  const y = (v) => f.bottom - (f.bottom - f.top) * Math.log(v / bottom) / Math.log(top / bottom);
  axisX(f, logTicks(low, high), x, powerText, "warp instructions for each sector of 32 bytes");
  axisY(f, logTicks(bottom, top), y, powerText, "10⁹ warp instructions a second");
  const clip = "roof" + Math.random().toString(36).slice(2);
  f.svg.append(s("clipPath", { id: clip }, s("rect", { x: f.left, y: f.top, width: f.right - f.left, height: f.bottom - f.top })));
  const lines = s("g", { "clip-path": `url(#${clip})` });
  for (const p of points) lines.append(s("line", { x1: x(low), y1: y(p.slope * low), x2: x(roof / p.slope), y2: y(roof), stroke: p.colour, "stroke-width": 2 }));
  const knee = Math.min(...points.map((p) => roof / p.slope));
  lines.append(s("line", { x1: x(knee), x2: x(high), y1: y(roof), y2: y(roof), stroke: "var(--soft)", "stroke-width": 2 }));
  f.svg.append(lines, s("text", { x: f.right - 4, y: y(roof) - 6, "text-anchor": "end", class: "small soft" }, `issue: ${shortNumber(roof)} G/s`));
  for (const p of points) f.svg.append(mark(s("circle", { cx: x(p.x), cy: y(rate), r: 8, fill: p.colour, stroke: "var(--card)", "stroke-width": 2 }),
    `${p.name}: ${shortNumber(rate)} G warp instructions a second\n${shortNumber(p.x)} for each sector that it moves\n` +
    `at best ${shortNumber(Math.min(roof, p.slope * p.x))} G: ${percent(rate / Math.min(roof, p.slope * p.x))} of its roof`));
  const node = figure("Instruction roofline", "A point for each level, below the slope that is its best bandwidth. The closer to it, the more this level limits.", f.svg, () => ({
    columns: [{ name: "level" }, { name: "warp instructions per sector", n: true }, { name: "G warp instructions a second", n: true }, { name: "roof", n: true }],
    rows: points.map((p) => [p.name, p.x, rate, Math.min(roof, p.slope * p.x)]) }));
  node.append(keyOf(points.map((p) => [`${p.name}, ${rateText(p.slope * 32)} GB/s`, p.colour])));
  const table = dataTable({ columns: [{ name: "level" }, { name: "moved", n: true, show: bytesText }, { name: "GB/s", n: true, show: rateText }, { name: "of its best", n: true, show: (v) => percent(v) }, { name: "instructions a sector", n: true }],
    rows: points.map((p) => [p.name, p.bytes, p.bytes / l.running * clock, p.used, p.x]) }, { name: "levels", filter: false });
  return h("div", { class: "halves" }, node, h("div", {}, table, h("p", { class: "soft" }, `Warps issue ${shortNumber(rate)} · 10⁹ instructions a second, ${percent(rate / roof)} of what the schedulers can. A level whose point is near its slope is used up; a point far below all of them waits for answers, or bank conflicts use up the L1 without moving bytes.`)));
}
