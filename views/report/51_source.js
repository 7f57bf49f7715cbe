// The source with what its lines move in the margin; a line picked shows its accesses and lanes.
// Without the source, the instructions take its place.
function excess(t) { return (t.sectors - t.ideal_sectors) * 0.5 + (t.wavefronts - t.ideal_wavefronts); }
function moved(t) { return t.sectors * 0.5 + t.wavefronts; }

// Instructions of a line that do the same, as those of an unrolled loop: one of them stands for all.
function alike(sites) {
  const groups = new Map();
  for (const t of sites) {
    const key = [t.space, t.op, t.bytes, t.array, t.sentence].join("|");
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(t);
  }
  return [...groups.values()];
}

function siteDetail(group) {
  const sum = { ...group[0] };
  for (const t of group.slice(1)) for (const k of ["requests", "lanes", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts", "l1_hits", "l2_reads", "l2_read_hits"]) sum[k] += t[k];
  const drawing = h("div"), text = h("p", { class: "code kernel" });
  const show = (t) => {
    text.textContent = t.text;
    drawing.replaceChildren(...t.examples.slice(0, 1).map((a) => lanesChart(a, `Lanes of CTA ${grouped(a.cta)}, warp ${a.warp}`)));
  };
  show(group[0]);
  const node = sumDetail(sum, group.length > 1 ? `, ${group.length} instructions` : "");
  if (group.length > 1) node.append(h("div", { class: "tabletools" }, h("label", {}, "drawn: ", h("select", { onchange: (e) => show(group[Number(e.target.value)]) }, group.map((t, i) => h("option", { value: i }, cut(t.text, 60)))))));
  node.append(text, drawing);
  return node;
}
function sumDetail(t, more) {
  const what = [`${grouped(t.requests)} requests`, `${shortNumber(ratio(t.lanes, t.requests) || 0)} lanes each`];
  if (t.sectors) what.push(`${grouped(t.sectors)} sectors, ${grouped(t.ideal_sectors)} would do`, `${percent(ratio(t.l1_hits, t.sectors), 0)} L1 hits`);
  if (t.l2_reads) what.push(`${percent(ratio(t.l2_read_hits, t.l2_reads), 0)} L2 hits`);
  if (t.wavefronts) what.push(`${grouped(t.wavefronts)} passes, ${grouped(t.ideal_wavefronts)} would do`);
  return h("div", {}, h("h3", {}, `${t.place}: ${t.space} ${t.op} of ${t.bytes} bytes a lane${more}`),
    h("p", { class: "words" }, what.join(", ") + ".", t.sentence ? [" ", h("b", {}, t.sentence[0].toUpperCase() + t.sentence.slice(1) + ".")] : null));
}

function sourceView(l, report) {
  const detail = h("div", { class: "detail", "aria-live": "polite" });
  const heatOf = (sites) => sites.reduce((sum, t) => sum + moved(t), 0);
  const byLine = new Map();
  for (const t of l.sites) {
    const key = t.line ? `${t.file}:${t.line}` : t.place;
    if (!byLine.has(key)) byLine.set(key, []);
    byLine.get(key).push(t);
  }
  const most = Math.max(1e-9, ...[...byLine.values()].map(heatOf));
  const rows = new Map();
  const pick = (key) => {
    rows.forEach((row, k) => row.classList.toggle("on", k === key));
    detail.replaceChildren(...alike(byLine.get(key)).map(siteDetail));
  };
  const hotRow = (key, ...cells) => {
    const sites = byLine.get(key), bad = ratio(sites.reduce((sum, t) => sum + excess(t), 0), heatOf(sites)) || 0;
    const text = `${grouped(sites.reduce((sum, t) => sum + t.requests, 0))} requests, ${grouped(sites.reduce((sum, t) => sum + t.sectors, 0))} sectors, ${grouped(sites.reduce((sum, t) => sum + t.wavefronts, 0))} passes; ${percent(bad, 0)} too many`;
    const row = h("tr", { class: "hot", tabindex: "0", "data-line": key, "aria-label": `${key}: ${text}. Enter shows its lanes`, title: text, onclick: () => pick(key),
      onkeydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pick(key); } } },
    h("td", { class: "heat" }, h("i", { style: { width: Math.max(2, 100 * heatOf(sites) / most) + "%", "--heat": heatColour(Math.min(1, bad * 1.3)) } })), cells);
    rows.set(key, row);
    return row;
  };
  const tables = [];
  const files = [...new Set(l.sites.filter((t) => t.line).map((t) => t.file))];
  for (const file of files) {
    const source = report.sources.find((x) => x.file === file);
    const body = h("tbody");
    if (source) {
      const wanted = new Set(), lines = l.sites.filter((t) => t.file === file).map((t) => t.line);
      for (const n of lines) for (let k = n - 6; k <= n + 6; ++k) wanted.add(k);
      let gap = false;
      source.lines.forEach((text, i) => {
        const n = i + 1, key = `${file}:${n}`;
        if (!wanted.has(n)) { if (!gap) body.append(h("tr", { class: "gap" }, h("td", { colspan: 3 }, "⋯"))); gap = true; return; }
        gap = false;
        const cells = [h("td", { class: "no" }, n), h("td", { class: "code" }, text)];
        body.append(byLine.has(key) ? hotRow(key, ...cells) : h("tr", {}, h("td", { class: "heat" }), cells));
      });
      if (lines.some((n) => n > source.lines.length)) tables.push(h("p", { class: "notice" }, `${file} has fewer lines than the trace names: it has changed since.`));
    } else {
      for (const key of [...byLine.keys()].filter((k) => byLine.get(k)[0].file === file && byLine.get(k)[0].line).sort((a, b) => byLine.get(a)[0].line - byLine.get(b)[0].line))
        body.append(hotRow(key, h("td", { class: "no" }, key), h("td", { class: "code" }, byLine.get(key).map((t) => t.text).join("\n"))));
      tables.push(h("p", { class: "soft small" }, `The lines' machine code; --source ${file} shows the source itself.`));
    }
    tables.push(h("div", { class: "source" }, h("table", {}, h("caption", { class: "hidden" }, file), body)));
  }
  const other = [...byLine.keys()].filter((k) => !byLine.get(k)[0].line);
  if (other.length) {
    if (!files.length) tables.push(h("p", { class: "notice" }, "The trace has no lines of source: compile the program with -lineinfo. Instructions are shown."));
    tables.push(h("div", { class: "source" }, h("table", {}, h("tbody", {}, other.map((key) => hotRow(key, h("td", { class: "no" }, key), h("td", { class: "code" }, byLine.get(key).map((t) => t.text).join("\n"))))))));
  }
  if (!byLine.size) return h("p", { class: "notice" }, "No access to memory.");
  const worst = [...byLine.keys()].reduce((a, b) => byLine.get(b).reduce((x, t) => x + excess(t), 0) > byLine.get(a).reduce((x, t) => x + excess(t), 0) ? b : a);
  pick(worst);
  return h("div", {}, tables, detail);
}
