// Offsets by lane, null where a lane takes no part.
function offsetsOf(a) {
  let next = 0;
  return Array.from({ length: 32 }, (_, lane) => !(a.mask >>> lane & 1) ? null : Array.isArray(a.offsets) ? a.offsets[next++] : a.offsets.first + a.offsets.stride * lane);
}

// The lanes of one access over the sectors and lines, or the banks, that they touch.
function laneGrid(a) {
  const word = a.banks ? a.bank_bytes : 4, width = a.banks ? a.banks : a.line / 4, group = a.banks ? 0 : a.sector / 4;
  const rows = new Map();
  offsetsOf(a).forEach((offset, lane) => {
    if (!has(offset)) return;
    const from = a.base + offset;
    for (let w = Math.floor(from / word); w <= Math.floor((from + a.bytes - 1) / word); ++w) {
      const row = Math.floor(w / width), column = w % width;
      if (!rows.has(row)) rows.set(row, Array.from({ length: width }, () => ({ lanes: [], moved: false })));
      const cells = rows.get(row);
      cells[column].lanes.push(lane);
      const first = group ? Math.floor(column / group) * group : column;
      for (let i = 0; i < (group || 1); ++i) cells[first + i].moved = true;
    }
  });
  for (const [offset, bytes] of a.moved ?? [])
    for (let w = Math.floor((a.base + offset) / word); w < (a.base + offset + bytes) / word; ++w) {
      const row = Math.floor(w / width);
      if (!rows.has(row)) rows.set(row, Array.from({ length: width }, () => ({ lanes: [], moved: false })));
      rows.get(row)[w % width].moved = true;
    }
  let all = [...rows.entries()];
  if (a.banks) all.sort((x, y) => x[0] - y[0]);
  return { rows: all, width, group, word };
}

function lanesChart(a, name) {
  const grid = laneGrid(a), MOST = 32, shown = grid.rows.slice(0, MOST);
  const cell = 24, left = 108, top = 26, W = left + grid.width * cell + 4, H = top + shown.length * cell + (grid.rows.length > MOST ? 24 : 6);
  const svg = s("svg", { viewBox: `0 0 ${W} ${H}`, style: { "min-width": Math.min(W, 640) + "px", "max-width": W + "px" } });
  for (let c = 0; c < grid.width; ++c)
    if (a.banks || c % grid.group === 0) svg.append(s("text", { x: left + c * cell + (a.banks ? cell / 2 : 2), y: top - 8, "text-anchor": a.banks ? "middle" : "start", class: "soft small" }, a.banks ? c : "sector " + c / grid.group));
  shown.forEach(([row, cells], r) => {
    const y = top + r * cell, at = row * grid.width * grid.word;
    svg.append(s("text", { x: left - 8, y: y + 16, "text-anchor": "end", class: "soft small" }, a.banks ? "byte " + grouped(at) : "0x" + at.toString(16)));
    cells.forEach((k, c) => {
      const x = left + c * cell;
      const box = s("rect", { x: x + 0.5, y: y + 0.5, width: cell - 1, height: cell - 1, stroke: "var(--line)",
        fill: k.lanes.length ? `hsl(${k.lanes[0] * 360 / 32}, 62%, 62%)` : k.moved ? "color-mix(in srgb, var(--bad) 22%, var(--card))" : "var(--card)" });
      if (!k.lanes.length) { svg.append(k.moved && !a.banks ? s("g", {}, box, s("title", {}, "moved for nobody")) : box); return; }
      const text = `lane${k.lanes.length > 1 ? "s" : ""} ${k.lanes.join(", ")}\n${a.banks ? `bank ${c}, byte ${grouped(at + c * grid.word)}` : `address 0x${(at + c * grid.word).toString(16)}, sector ${Math.floor(c / grid.group)} of its line`}`;
      svg.append(mark(s("g", {}, box, s("text", { x: x + cell / 2, y: y + 16, "text-anchor": "middle", class: "small", style: { fill: "#14181f", "pointer-events": "none" } }, k.lanes[0] + (k.lanes.length > 1 ? "…" : ""))), text));
    });
    if (grid.group) for (let c = 0; c <= grid.width; c += grid.group) svg.append(s("line", { x1: left + c * cell, x2: left + c * cell, y1: y, y2: y + cell, stroke: "var(--ink)", "stroke-width": 1.5 }));
  });
  if (grid.rows.length > MOST) svg.append(s("text", { x: left, y: H - 8, class: "soft small" }, `and ${grid.rows.length - MOST} more rows`));
  const node = figure(name, a.words, svg, () => ({ columns: [{ name: "lane", n: true }, { name: "address", n: true }, { name: "bytes", n: true }],
    rows: offsetsOf(a).map((o, lane) => [lane, has(o) ? a.base + o : null, a.bytes]).filter((r) => has(r[1])) }));
  node.append(h("p", { class: "words" }, a.words + "."));
  return node;
}
