// Puts the page together: the sections of the report, and those of the launches that are picked.
const report = JSON.parse(document.getElementById("data").textContent);
report.pairs = report.pairs.map(([run, launch, counter, predicted, measured, error, verdict]) => [run, launch, ...report.pair_counters[counter], predicted, measured, error, report.verdicts[verdict]]);
const everyLaunch = report.runs.flatMap((run, r) => run.launches.map((l, i) => ({ r, i, run, l })));
const labelOf = (e) => `${shortName(e.l.kernel)}${e.run.launches.length > 1 ? " #" + e.l.launch : ""} · ${e.run.name === shortName(e.l.kernel) ? "" : e.run.name + " · "}${report.cards[e.run.card].name}`;
// What stands short in the JSON, as the charts have it.
const opened = (data) => data && { ...data, windows: data.windows.map((w) => w.split(",").map((n) => parseInt(n, 36))) };
for (const { l } of everyLaunch) {
  l.places = l.places.map(([name, share, most, element, count, bytes, peak]) => ({ name, share, most, element, count, bytes, peak }));
  l.missing = l.values.map((v) => Array.isArray(v) ? report.reasons[v[0]] : "");
  l.values = l.values.map((v) => Array.isArray(v) ? null : v);
}
for (const { l } of everyLaunch) l.sites = l.sites.map((t) => ({ requests: 0, lanes: 0, sectors: 0, ideal_sectors: 0, wavefronts: 0, ideal_wavefronts: 0, l1_hits: 0, l2_reads: 0, l2_read_hits: 0, l2_writes: 0, ...t }));
const state = { a: 0, b: -1 };
if (report.side_by_side && report.runs[0].launches.length && report.runs[1].launches.length) state.b = report.runs[0].launches.length;

// name, title, what it says, and what draws it for one launch
const sections = [
  ["summary", "At a glance", "", (e) => h("div", {}, e.run.notes.map((n) => h("p", { class: "notice" }, n)), tilesView(e.l))],
  ["chart", "Memory hierarchy", "What moved between the levels. Arrows to the left were read, dashed ones written; colour says how busy the level is.", (e) => memoryChart(e.l, state.b >= 0)],
  ["findings", "What moves too much, and what would change it", "Gains are replayed: the addresses of the launch were changed and the launch ran on the model again.", (e) => findingsView(e.l)],
  ["source", "Source", "Bars are as long as what a line moves and as red as it is too much. Pick a line to see its lanes.", (e) => sourceView(e.l, report)],
  ["time", "Where the time goes", "", (e) => timeView(e.l)],
  ["roofline", "Roofline", "", (e) => rooflineView(e.l, report.cards[e.run.card])],
  ["histograms", "Sectors and passes a request", "", (e) => histogramsView(e.l)],
  ["heat", "Channels and banks over time", "", (e) => heatView({ dram: opened(e.l.dram), banks: opened(e.l.banks) })],
  ["instructions", "Instructions and arrays", "", (e) => h("div", {}, sitesTable(e.l), arraysTable(e.l))],
  ["counters", "Counters", "In the profiler's own words, each beside how near it comes to hardware's.", (e) => countersTable(report, e.run, e.l)],
  ["notes", "Notes", "", (e) => e.l.notes.length ? h("ul", {}, e.l.notes.map((n) => h("li", {}, n))) : h("p", {}, "None.")]];

const main = document.getElementById("main");
const wordsWanted = wordPattern(report.words, report.everyday_words);
const titles = [];
function section(id, title, lead, ...content) {
  titles.push([id, title]);
  return h("section", { id, "aria-labelledby": id + "-title" }, h("h2", { id: id + "-title" }, title), lead ? h("p", { class: "lead" }, lead) : null, content);
}
const slots = new Map();
const compareSlot = h("div"), compareSection = section("compare", "What changed from A to B", "", compareSlot);
let overview = null;
function choose(r, i) {
  state.a = everyLaunch.findIndex((e) => e.r === r && e.i === i);
  draw();
  document.getElementById("summary").scrollIntoView();
}

function draw() {
  const a = everyLaunch[state.a], b = state.b >= 0 ? everyLaunch[state.b] : null;
  pickA.value = state.a;
  pickB.value = state.b;
  compareSection.hidden = !b;
  const toCompare = document.querySelector("nav a[data-to=compare]");
  if (toCompare) toCompare.hidden = !b;
  const one = (e, make, which) => {
    let content;
    try { content = make(e); } catch (error) { console.error(error); content = h("p", { class: "notice" }, "This view cannot be drawn: " + error.message); }
    return h("div", { class: "side " + which }, b ? h("p", { class: "who" }, `${which.toUpperCase()}: ${labelOf(e)}`) : null, content);
  };
  for (const [id, , , make] of sections) slots.get(id).replaceChildren(...[one(a, make, "a"), b ? one(b, make, "b") : null].filter(Boolean)), slots.get(id).classList.toggle("on", !!b);
  compareSlot.replaceChildren(b ? compareView(report, a, b) : "");
  for (const part of main.children) linkWords(part, report.words, wordsWanted);
  if (overview) overview.light(state.a);
}

const options = () => everyLaunch.map((e, i) => h("option", { value: i }, labelOf(e)));
const pickA = h("select", { id: "pick-a", onchange: (e) => { state.a = Number(e.target.value); draw(); } }, options());
const pickB = h("select", { id: "pick-b", onchange: (e) => { state.b = Number(e.target.value); draw(); } }, h("option", { value: -1 }, "nothing"), options());
const theme = h("button", { type: "button", title: "Light, dark, or as the system has it", onclick: () => {
  const next = { "": "dark", dark: "light", light: "" }[document.documentElement.dataset.theme || ""];
  if (next) document.documentElement.dataset.theme = next; else delete document.documentElement.dataset.theme;
  theme.textContent = next ? next[0].toUpperCase() + next.slice(1) : "Auto";
  dispatchEvent(new Event("themechange"));
} }, "Auto");

if (everyLaunch.length > 1) {
  overview = dataTable({ columns: overviewColumns, rows: everyLaunch.map((e) => overviewRow(report, e.run, e.l)) }, { name: "launches", pick: (i) => choose(everyLaunch[i].r, everyLaunch[i].i) });
  main.append(section("launches", `${everyLaunch.length} launches`, "Pick a row to see that launch below.", overview));
}
const pairsSection = () => { if (report.pairs.length) main.append(section("pairs", "Predicted against measured", "", pairsView(report, choose))); };
if (everyLaunch.length > 2) pairsSection();
if (everyLaunch.length) for (const [id, title, lead] of sections) {
  slots.set(id, h("div", { class: "two" }));
  main.append(section(id, title, lead, slots.get(id)));
  if (id === "summary") main.append(compareSection);
}
if (everyLaunch.length <= 2) pairsSection();
startLive((content) => main.append(section("live", "Try it", "Change the accesses, a number, the GPU or its L1, and see what moves. Every thread of the grid runs the accesses; a name without a number gets a slider.", content)));
if (report.curves.length) main.append(section("curves", "What if", "", report.curves.map(curvesChart)));
if (report.cards.length) main.append(section("card", report.cards.length > 1 ? "Cards" : "Card", "Every number of the model, with its unit and where it comes from.", report.cards.map(cardView)),
  section("provenance", "Where it comes from", "", provenanceView(report)));
if (Object.keys(report.words).length) main.append(section("words", "Words", "", wordsView(report.words)));
const order = [...main.children].map((x) => x.id);
const shown = titles.filter(([id]) => order.includes(id)).sort((x, y) => order.indexOf(x[0]) - order.indexOf(y[0]));
const short = { live: "Try it", launches: "Launches", pairs: "Measured", summary: "Summary", compare: "A to B", chart: "Memory", findings: "Findings", source: "Source", time: "Time", roofline: "Roofline", histograms: "Histograms", heat: "Heat maps", instructions: "Instructions", counters: "Counters", notes: "Notes", curves: "What if", card: "Card", provenance: "Provenance", words: "Words" };
document.getElementById("top").append(
  h("div", { class: "bar" }, h("div", {}, h("span", { class: "brand" }, everyLaunch.length ? "warpmem report" : "warpmem"), h("h1", {}, report.title)),
    h("div", { class: "pickers" }, everyLaunch.length > 1 ? [h("label", {}, "Launch ", pickA), h("label", {}, "beside ", pickB)] : null, theme)),
  h("nav", { "aria-label": "Sections" }, shown.map(([id]) => h("a", { href: "#" + id, "data-to": id }, short[id] || id))));
document.getElementById("bottom").append(`warpmem ${report.version}. The page holds all of its data and asks for nothing else.`);
if (everyLaunch.length) draw();
let width = innerWidth > 700;
addEventListener("resize", () => { if ((innerWidth > 700) !== width) { width = !width; if (everyLaunch.length) draw(); } });
document.documentElement.dataset.ready = "yes";
