// How many sectors, or passes over the banks, each request takes.
function histogram(l, shared) {
  const sites = l.sites.filter((t) => t.by_size.length && (t.wavefronts > 0) === shared);
  if (!sites.length) return null;
  const unit = shared ? "passes" : "sectors";
  const chart = h("div", {});
  const select = h("select", { "aria-label": "Requests of which instruction", onchange: () => draw() },
    h("option", { value: "-1" }, "all instructions"), sites.map((t, i) => h("option", { value: i }, `${t.place} ${t.op}: ${cut(t.text, 40)}`)));
  function draw() {
    const chosen = Number(select.value) < 0 ? sites : [sites[Number(select.value)]];
    const kinds = [["loads", (t) => /load|read/.test(t.op)], ["stores", (t) => /store|write/.test(t.op)], ["atomics", (t) => !/load|read|store|write/.test(t.op)]]
      .map(([name, is], i) => ({ name, colour: colour(i), of: new Map(), is }));
    for (const t of chosen) for (const [n, v] of t.by_size) {
      const kind = kinds.find((k) => k.is(t));
      kind.of.set(n, (kind.of.get(n) || 0) + v);
    }
    const shown = kinds.filter((k) => k.of.size);
    const sizes = [...new Set(shown.flatMap((k) => [...k.of.keys()]))].sort((a, b) => a - b);
    const most = Math.max(...sizes.map((n) => Math.max(...shown.map((k) => k.of.get(n) || 0))));
    const f = frame(620, 250);
    const ticks = niceTicks(most), top = ticks[ticks.length - 1];
    const y = (v) => f.bottom - (f.bottom - f.top) * v / top;
    axisY(f, ticks, y, shortNumber, "requests");
    const span = sizes[sizes.length - 1] <= 34 ? Array.from({ length: Math.max(9, sizes[sizes.length - 1] + 1) }, (_, i) => i).slice(1) : sizes;
    const slot = (f.right - f.left) / span.length;
    span.forEach((n, i) => {
      const x = f.left + slot * i;
      f.svg.append(s("text", { x: x + slot / 2, y: f.bottom + 16, "text-anchor": "middle", class: "soft small" }, n === 128 ? "128+" : n));
      const w = Math.min(60, (slot - 4) / shown.length);
      shown.forEach((k, j) => {
        const v = k.of.get(n);
        if (v) f.svg.append(mark(s("rect", { x: x + slot / 2 - w * shown.length / 2 + w * j, y: y(v), width: Math.max(1, w - 1), height: Math.max(1, f.bottom - y(v)), rx: 2, fill: k.colour }),
          `${grouped(v)} ${k.name} of ${n} ${unit} each`));
      });
    });
    f.svg.append(s("line", { x1: f.left, x2: f.right, y1: f.bottom, y2: f.bottom, stroke: "var(--soft)" }),
      s("text", { x: (f.left + f.right) / 2, y: f.height - 6, "text-anchor": "middle", class: "soft" }, `${unit} a request`));
    const node = figure(shared ? "Passes a request, shared memory" : "Sectors a request, global memory",
      `How many requests take how many ${unit}.`, f.svg, () => ({ columns: [{ name: unit, n: true }, ...shown.map((k) => ({ name: k.name, n: true }))],
        rows: sizes.map((n) => [n, ...shown.map((k) => k.of.get(n) || 0)]) }));
    node.append(keyOf(shown.map((k) => [k.name, k.colour])));
    chart.replaceChildren(node);
  }
  draw();
  return h("div", {}, h("div", { class: "tabletools" }, select), chart);
}

function histogramsView(l) {
  const all = [histogram(l, false), histogram(l, true)].filter(Boolean);
  return all.length ? h("div", { class: "halves" }, all) : h("p", { class: "notice" }, "No request of global or shared memory.");
}
