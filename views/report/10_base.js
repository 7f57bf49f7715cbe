// Elements, numbers, the tooltip, and marks that hovering and the keyboard reach. Text from the data
// is set as text everywhere, never as HTML.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(3))
    if (child !== null && child !== undefined && child !== false)
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return node;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const NONE = "n/a";
const has = (v) => v !== null && v !== undefined;
const WHOLE = new Intl.NumberFormat("en-US"), ONE_DIGIT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
function grouped(v) {
  if (!has(v)) return NONE;
  if (Number.isInteger(v)) return Math.abs(v) < 1000 ? String(v) : WHOLE.format(v);
  const size = Math.abs(v);
  if (size >= 1000) return ONE_DIGIT.format(v);
  return String(Number(v.toPrecision(4)));
}
function bytesText(v) {
  if (!has(v)) return NONE;
  for (const [unit, size] of [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]])
    if (v >= size) return Number((v / size).toPrecision(3)) + " " + unit;
  return Math.round(v) + " B";
}
function shortNumber(v) {
  if (!has(v)) return NONE;
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]])
    if (Math.abs(v) >= size) return Number((v / size).toPrecision(3)) + " " + unit;
  return String(Number(v.toPrecision(3)));
}
const timeText = (us) => us >= 1e6 ? Number((us / 1e6).toPrecision(4)) + " s" : us >= 1000 ? Number((us / 1000).toPrecision(4)) + " ms" : Number(us.toPrecision(4)) + " µs";
const percent = (v, digits = 1) => has(v) ? (100 * v).toFixed(digits) + " %" : NONE;
const ratio = (a, b) => b ? a / b : null;
const shortName = (name) => { const at = name.indexOf("("); return at > 0 ? name.slice(0, at) : name; };
const shape = (d) => (d[2] !== 1 ? d : d[1] !== 1 ? d.slice(0, 2) : d.slice(0, 1)).join("×");
const rateText = (v) => v >= 1000 ? grouped(Math.round(v)) : String(Number(v.toPrecision(3)));
const cut = (text, n) => text.length > n ? text.slice(0, n - 1) + "…" : text;
const colour = (i) => `var(--c${i % 8})`;

const tip = document.getElementById("tip");
function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 6)) + "px";
  tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18) + "px";
}
const hideTip = () => { tip.hidden = true; };
addEventListener("keydown", (e) => { if (e.key === "Escape") hideTip(); });
addEventListener("scroll", hideTip, { passive: true });

// A mark with words: shown when it is pointed at or has the focus, and read out.
function mark(node, text, onPick) {
  node.classList.add("mark");
  node.setAttribute("tabindex", "-1");
  node.setAttribute("role", onPick ? "button" : "img");
  node.setAttribute("aria-label", text.replace(/\n/g, "; "));
  node.addEventListener("pointermove", (e) => showTip(text, e.clientX, e.clientY));
  node.addEventListener("pointerleave", hideTip);
  node.addEventListener("focus", () => {
    const r = node.getBoundingClientRect();
    showTip(text, r.left + r.width / 2, r.top + r.height / 2);
  });
  node.addEventListener("blur", hideTip);
  if (onPick) {
    node.style.cursor = "pointer";
    node.addEventListener("click", onPick);
    node.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); onPick(e); } });
  }
  return node;
}
// Of a chart's marks one is in the order of tabs; arrow keys go on from there.
function rove(chart) {
  const marks = () => [...chart.querySelectorAll(".mark")];
  const first = marks()[0];
  if (first) first.setAttribute("tabindex", "0");
  chart.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    const all = marks(), at = all.indexOf(e.target);
    if (!step || at < 0) return;
    e.preventDefault();
    const next = all[Math.max(0, Math.min(all.length - 1, at + step))];
    all[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
  return chart;
}

function csvText(table) {
  const cell = (v) => {
    const text = has(v) ? String(v) : "";
    return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  };
  return [table.columns.map((c) => cell(c.name)), ...table.rows.map((r) => r.map(cell))].map((r) => r.join(",")).join("\n") + "\n";
}
async function copyText(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* not allowed here: the old way */ }
  const area = h("textarea", { style: { position: "fixed", opacity: "0" } });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
function copyButton(table) {
  const button = h("button", { type: "button", class: "copy", title: "Copy this data as CSV" }, "Copy CSV");
  button.addEventListener("click", async () => {
    button.textContent = await copyText(csvText(table())) ? "Copied" : "Not allowed";
    setTimeout(() => { button.textContent = "Copy CSV"; }, 1500);
  });
  return button;
}
