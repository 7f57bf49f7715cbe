// Tables that sort by a click on a heading and are filtered by a text, and figures: a chart with its
// data beside it as a table and as CSV.

// columns: {name, n: it holds numbers, show(value, row), code}; options: pick(row index), filter, sort: [column, down], isOn(i)
function dataTable(table, options = {}) {
  const { columns, rows } = table;
  let order = rows.map((_, i) => i), sorted = options.sort || null, wanted = "";
  const body = h("tbody");
  const count = h("span", { role: "status" });
  const heads = columns.map((c, at) => {
    const button = h("button", { type: "button", onclick: () => {
      sorted = sorted && sorted[0] === at ? [at, !sorted[1]] : [at, !!c.n];
      arrange();
    } }, c.name);
    return h("th", { scope: "col", class: c.n ? "n" : null, title: c.title }, button);
  });
  const text = (c, v, row) => c.show ? c.show(v, row) : c.n ? grouped(v) : has(v) ? String(v) : "";
  const lines = rows.map((row, i) => {
    const line = h("tr", options.pick ? { class: "pick", tabindex: "0" } : {},
      columns.map((c, at) => h("td", { class: c.n ? "n" : c.code ? "code" : c.long ? "long" : null }, text(c, row[at], row))));
    if (options.pick) {
      const pick = () => options.pick(i);
      line.addEventListener("click", pick);
      line.addEventListener("keydown", (e) => { if (e.key === "Enter") pick(); });
    }
    return line;
  });
  function arrange() {
    if (sorted) {
      const [at, down] = sorted;
      const value = (i) => rows[i][at];
      order.sort((a, b) => {
        const x = value(a), y = value(b);
        if (!has(x) || !has(y)) return has(x) ? -1 : has(y) ? 1 : a - b;  // what is not known is last
        const d = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
        return d === 0 ? a - b : down ? -d : d;
      });
      heads.forEach((head, i) => head.setAttribute("aria-sort", i !== at ? "none" : down ? "descending" : "ascending"));
    }
    const shown = order.filter((i) => !wanted || lines[i].textContent.toLowerCase().includes(wanted));
    body.replaceChildren(...shown.map((i) => lines[i]));
    count.textContent = wanted ? `${shown.length} of ${rows.length} rows` : "";
  }
  arrange();
  const tools = h("div", { class: "tabletools" });
  if (options.filter !== false && rows.length > 6)
    tools.append(h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the rows of " + (options.name || "this table"),
      oninput: (e) => { wanted = e.target.value.trim().toLowerCase(); arrange(); } }));
  tools.append(copyButton(() => ({ columns, rows: order.map((i) => rows[i]) })), count);
  const node = h("div", {}, tools, h("div", { class: "tablewrap" },
    h("table", {}, options.name && h("caption", { class: "hidden" }, options.name), h("thead", {}, h("tr", {}, heads)), body)));
  node.light = (i) => lines.forEach((l, k) => l.classList.toggle("on", k === i));
  return node;
}

// A chart with its name, what it says in words, and its data.
function figure(name, words, chart, table) {
  const data = h("div", { class: "hidden" });
  const toggle = h("button", { type: "button", "aria-expanded": "false", onclick: () => {
    const open = data.classList.toggle("hidden");
    toggle.setAttribute("aria-expanded", String(!open));
    if (!open && !data.firstChild) data.append(dataTable(table(), { name }));
  } }, "Table");
  if (chart.tagName === "svg") {
    chart.setAttribute("role", "group");
    chart.setAttribute("aria-label", name + ". " + words);
    chart.prepend(s("title", {}, name), s("desc", {}, words));
    rove(chart);
  }
  return h("figure", {}, h("figcaption", {}, h("span", { class: "name" }, name),
    h("span", { class: "tools" }, copyButton(table), toggle)),
    h("div", { class: "scroll" }, chart), data);
}
// What is closed at first is made when it is opened.
function folded(summary, open, make) {
  const node = h("details", { open }, h("summary", {}, summary)), fillIn = () => { if (node.children.length === 1) node.append(make()); };
  if (open) fillIn();
  else node.addEventListener("toggle", fillIn);
  return node;
}
const keyOf = (entries) => h("div", { class: "key" }, entries.map(([text, fillColour]) =>
  h("span", {}, h("i", { style: { background: fillColour } }), text)));
