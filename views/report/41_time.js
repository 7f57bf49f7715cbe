// Where the time goes: what warps wait for, and how much of the time each place is in use.
function waitsChart(l) {
  const runs = Math.max(0, l.warp_cycles - l.waits.reduce((sum, w) => sum + w[1], 0));
  const parts = [["runs", runs], ...l.waits.map(([name, v]) => ["waits for " + name, v])].filter((p) => p[1] > 0).sort((a, b) => b[1] - a[1]);
  const whole = parts.reduce((sum, p) => sum + p[1], 0) || 1;
  const W = 620, svg = s("svg", { viewBox: `0 0 ${W} 44` });
  let x = 0;
  parts.forEach(([name, v], i) => {
    const w = W * v / whole;
    const g = s("g", {}, s("rect", { x, y: 2, width: Math.max(1, w - 1), height: 40, rx: 4, fill: colour(i) }));
    if (w > 58) g.append(s("text", { x: x + w / 2, y: 27, "text-anchor": "middle", style: { fill: "#fff", "font-weight": "600" } }, percent(v / whole, 0)));
    svg.append(mark(g, `a warp ${name}: ${percent(v / whole)} of its time\n${grouped(v)} warp cycles`));
    x += w;
  });
  const chart = figure("A warp's time", "What warps do and wait for, as shares of the time that they are on an SM.", svg, () => ({
    columns: [{ name: "a warp" }, { name: "warp cycles", n: true }, { name: "share", n: true }], rows: parts.map(([n, v]) => [n, v, v / whole]) }));
  chart.append(keyOf(parts.map(([name, v], i) => [`${name} ${percent(v / whole, 0)}`, colour(i)])));
  return chart;
}

function placesChart(l) {
  const places = l.places.filter((p) => p.most > 0.001).sort((a, b) => b.most - a.most).slice(0, 10);
  const W = 620, row = 25, left = 170, svg = s("svg", { viewBox: `0 0 ${W} ${places.length * row + 24}` });
  const x = (v) => left + (W - left - 58) * Math.min(1, v);
  for (const t of [0, 0.25, 0.5, 0.75, 1]) svg.append(s("line", { x1: x(t), x2: x(t), y1: 0, y2: places.length * row, stroke: "var(--grid)" }),
    s("text", { x: x(t), y: places.length * row + 15, "text-anchor": "middle", class: "soft small" }, percent(t, 0)));
  places.forEach((p, i) => {
    const y = i * row + 3;
    const rate = p.bytes && l.running ? p.bytes / l.running : null;
    svg.append(mark(s("g", {},
      s("rect", { x: 0, y: y - 2, width: W, height: row - 1, fill: "transparent" }),
      s("text", { x: left - 8, y: y + 14, "text-anchor": "end" }, p.name),
      s("rect", { x: left, y, width: Math.max(1, x(p.share) - left), height: row - 7, rx: 3, fill: heatColour(p.most) }),
      s("line", { x1: x(p.most), x2: x(p.most), y1: y - 1, y2: y + row - 6, stroke: "var(--ink)", "stroke-width": 2 }),
      s("text", { x: x(p.most) + 6, y: y + 14, class: "small soft" }, percent(p.most, 0))),
    `${p.name}: in use ${percent(p.share)} of the time` + (p.count > 1 ? `\nthe busiest of ${p.count} (number ${p.element}): ${percent(p.most)}` : "") +
      (rate ? `\n${shortNumber(rate)} bytes a cycle` + (p.peak ? ` of ${shortNumber(p.peak)} at best` : "") : "")));
  });
  return figure("Places in use", "How much of the time each place of limited throughput is in use: all of its kind on average; the line is the busiest one.", svg, () => ({
    columns: [{ name: "place" }, { name: "in use", n: true }, { name: "busiest one", n: true }, { name: "elements", n: true }, { name: "bytes", n: true }, { name: "bytes a cycle at best", n: true }],
    rows: l.places.map((p) => [p.name, p.share, p.most, p.count, p.bytes, p.peak]) }));
}

function timeView(l) {
  if (!l.places.length) return h("p", { class: "notice" }, "The counts engine keeps no time. Leave --counts out to see where the time goes.");
  return h("div", { class: "halves" }, waitsChart(l), placesChart(l));
}
