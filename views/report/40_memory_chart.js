// The memory hierarchy as a picture: a box a level, and what goes between them. An arrow is as thick
// as its traffic is large, and as red as the level behind it is busy.
function heatColour(share) {
  if (!has(share)) return "var(--c7)";
  // Teal over amber to crimson, which those see apart who do not see red and green apart.
  const stops = [[42, 157, 143], [226, 160, 52], [206, 48, 76]];
  const at = Math.min(0.9999, Math.max(0, share)) * 2, i = Math.floor(at), t = at - i;
  return `rgb(${stops[i].map((v, k) => Math.round(v + (stops[i + 1][k] - v) * t))})`;
}

function memoryChart(l, narrow) {
  const c = l.chart, wide = innerWidth > 700 && !narrow;
  const boxes = [
    { name: `${grouped(c.sms)} SMs`, more: [has(c.average_warps) ? `${shortNumber(c.average_warps)} of ${c.most_warps} warps` : ""], busy: null },
    { name: "L1", more: [has(c.l1_hits) ? percent(c.l1_hits, 0) + " hit" : ""], busy: c.l1_busy, no: !c.has_l1 },
    { name: "L2", more: [has(c.l2_hits) ? percent(c.l2_hits, 0) + " hit" : ""], busy: c.l2_busy, no: !c.has_l2 },
    { name: "DRAM", more: [""], busy: c.dram_busy }].filter((b) => !b.no);
  const edges = [
    c.has_l1 && { from: "L1", to: "SMs", read: c.load.lane_bytes, written: c.store.lane_bytes + c.atomic.lane_bytes, what: "that lanes asked for", busy: c.l1_busy },
    c.has_l2 && { from: "L2", to: c.has_l1 ? "L1" : "SMs", read: c.l1_read, written: c.l1_written, what: "in whole sectors", busy: c.l2_busy },
    { from: "DRAM", to: c.has_l2 ? "L2" : c.has_l1 ? "L1" : "SMs", read: c.dram_read, written: c.dram_written, what: "in whole transactions", busy: c.dram_busy }].filter(Boolean);
  const most = Math.max(1, ...edges.flatMap((e) => [e.read, e.written]));
  const thick = (v) => v ? 2 + 12 * Math.sqrt(v / most) : 1;
  const shared = c.shared_wavefronts > 0;
  const W = wide ? (boxes.length - 1) * 280 + 160 : 420, H = wide ? (shared ? 292 : 160) : (boxes.length - 1) * 175 + 126;
  const svg = s("svg", { viewBox: `0 0 ${W} ${H}`, style: { "max-width": wide ? "1180px" : W + "px" } });
  const bw = wide ? 140 : 200, bh = 100;
  const place = (i) => wide ? [10 + i * 280, 34] : [(W - bw) / 2 - (shared ? 60 : 0), 16 + i * 175];
  edges.forEach((e, i) => {
    const [x, y] = place(i);
    const label = `${e.from} to ${e.to}: ${bytesText(e.read)} read\n${e.to} to ${e.from}: ${bytesText(e.written)} written\n${e.what}` +
      (has(e.busy) ? `\n${e.from} is busy for ${percent(e.busy)} of the time` : "");
    const g = s("g", {});
    const arrow = (x1, y1, x2, y2, v, dashed) => {
      const t = thick(v), d = Math.hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / d, uy = (y2 - y1) / d, head = Math.max(8, t);
      const stroke = v ? heatColour(e.busy) : "var(--line)";
      g.append(s("line", { x1, y1, x2: x2 - ux * head, y2: y2 - uy * head, stroke, "stroke-width": t, "stroke-dasharray": dashed && v ? "7 3" : null }),
        s("path", { d: `M${x2} ${y2}L${x2 - ux * head - uy * head * 0.8} ${y2 - uy * head + ux * head * 0.8}L${x2 - ux * head + uy * head * 0.8} ${y2 - uy * head - ux * head * 0.8}Z`, fill: stroke }));
    };
    if (wide) {
      const x1 = x + bw + 6, x2 = x + 280 - 6;
      g.append(s("rect", { x: x1, y: y - 12, width: x2 - x1, height: bh + 32, fill: "transparent" }));
      arrow(x2, y + 28, x1, y + 28, e.read, false);
      arrow(x1, y + 72, x2, y + 72, e.written, true);
      g.append(s("text", { x: (x1 + x2) / 2, y: y + 12, "text-anchor": "middle" }, bytesText(e.read)),
        s("text", { x: (x1 + x2) / 2, y: y + 97, "text-anchor": "middle" }, bytesText(e.written)));
    } else {
      const y1 = y + bh + 5, y2 = y + 175 - 5, cx = x + bw / 2;
      g.append(s("rect", { x: x, y: y1, width: bw, height: y2 - y1, fill: "transparent" }));
      arrow(cx - 24, y2, cx - 24, y1, e.read, false);
      arrow(cx + 24, y1, cx + 24, y2, e.written, true);
      g.append(s("text", { x: cx - 42, y: (y1 + y2) / 2 + 4, "text-anchor": "end" }, bytesText(e.read)),
        s("text", { x: cx + 42, y: (y1 + y2) / 2 + 4 }, bytesText(e.written)));
    }
    svg.append(mark(g, label));
  });
  boxes.forEach((b, i) => {
    const [x, y] = place(i);
    const g = s("g", {}, s("rect", { x, y, width: bw, height: bh, rx: 10, fill: "var(--card)", stroke: has(b.busy) ? heatColour(b.busy) : "var(--soft)", "stroke-width": 2 }),
      s("text", { x: x + bw / 2, y: y + 30, "text-anchor": "middle", style: { "font-size": "16px", "font-weight": "600" } }, b.name),
      b.more.filter(Boolean).map((t, k) => s("text", { x: x + bw / 2, y: y + 50 + 16 * k, "text-anchor": "middle", class: "soft" }, t)));
    if (has(b.busy)) g.append(s("rect", { x: x + 14, y: y + 62, width: bw - 28, height: 8, rx: 4, fill: "var(--grid)" }),
      s("rect", { x: x + 14, y: y + 62, width: Math.max(2, (bw - 28) * Math.min(1, b.busy)), height: 8, rx: 4, fill: heatColour(b.busy) }),
      s("text", { x: x + bw / 2, y: y + 88, "text-anchor": "middle", class: "soft small" }, percent(b.busy, 0) + " busy"));
    svg.append(mark(g, b.name + b.more.filter(Boolean).map((t) => "\n" + t).join("") + (has(b.busy) ? `\nbusy for ${percent(b.busy)} of the time` : "")));
  });
  if (shared) {
    const over = ratio(c.shared_wavefronts, c.shared_ideal), bad = over > 1.005;
    const [x, y] = wide ? [place(0)[0], 196] : [W - 128, place(0)[1] + 178];
    const w = wide ? bw : 120, line = bad ? "var(--bad)" : "var(--good)";
    svg.append(wide ? s("line", { x1: x + bw / 2, x2: x + bw / 2, y1: 134, y2: 196, stroke: line, "stroke-width": 3 })
      : s("path", { d: `M${place(0)[0] + bw} ${place(0)[1] + 50}H${x + w / 2}V${y}`, fill: "none", stroke: line, "stroke-width": 3 }));
    svg.append(mark(s("g", {}, s("rect", { x, y, width: w, height: 84, rx: 10, fill: "var(--card)", stroke: line, "stroke-width": 2 }),
      s("text", { x: x + w / 2, y: y + 26, "text-anchor": "middle", style: { "font-weight": "600" } }, "Shared"),
      s("text", { x: x + w / 2, y: y + 46, "text-anchor": "middle", class: "soft small" }, shortNumber(c.shared_wavefronts) + " passes"),
      s("text", { x: x + w / 2, y: y + 64, "text-anchor": "middle", class: "small", style: { fill: line } }, bad ? `×${shortNumber(over)} by conflicts` : "no conflicts")),
      `shared memory: ${grouped(c.shared_wavefronts)} wavefronts\n${grouped(c.shared_ideal)} without bank conflicts`));
  }
  return figure("Memory chart", "Boxes are the SMs, their L1s, the L2 and DRAM; arrows are what was read and written between them.", svg, () => ({
    columns: [{ name: "from" }, { name: "to" }, { name: "bytes", n: true }, { name: "share of time that the first one is busy", n: true }],
    rows: edges.flatMap((e) => [[e.from, e.to, e.read, e.busy], [e.to, e.from, e.written, e.busy]]) }));
}
