// The page that computes: the model as WebAssembly, asked in JSON (web/answer.hpp).
class Model {
  static async start(bytes) {
    const model = new Model();
    model.module = await WebAssembly.compile(bytes);
    await model.restart();
    return model;
  }
  // The module has no files, no clock and no arguments; it is told so.
  async restart() {
    const stubs = new Proxy({ environ_sizes_get: (count, size) => {
      const view = new DataView(this.exports.memory.buffer);
      view.setUint32(count, 0, true);
      view.setUint32(size, 0, true);
      return 0;
    }, proc_exit: (status) => { throw new Error("the model has ended with status " + status); } }, { get: (known, name) => known[name] || (() => 52) });
    this.exports = (await WebAssembly.instantiate(this.module, { wasi_snapshot_preview1: stubs })).exports;
    if (this.exports._initialize) this.exports._initialize();
  }
  askText(question) {
    const bytes = new TextEncoder().encode(question), at = this.exports.warpmem_question(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, at);
    const length = this.exports.warpmem_answer(), from = this.exports.warpmem_answer_at();
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, from, length));
  }
  ask(question) { return JSON.parse(this.askText(JSON.stringify(question))); }
}

const EXAMPLES = [
  ["neighbours take neighbours", "a[blockIdx.x*blockDim.x + threadIdx.x]", "256", "4", {}],
  ["a stride", "a[threadIdx.x * stride]", "32", "1", { stride: 2 }],
  ["an offset", "a[threadIdx.x + offset]", "256", "1", { offset: 1 }],
  ["a transpose", "out[threadIdx.x*n + threadIdx.y] = in[threadIdx.y*n + threadIdx.x]", "32x8", "1", { n: 1024 }],
  ["a tile with padding", "shared float tile[32][64]; tile[threadIdx.x][threadIdx.y]; shared float t2[4096]; t2[threadIdx.x*pitch + threadIdx.y]", "32x8", "1", { pitch: 33 }],
  ["a swizzle", "shared float t[32][32]; t[lane][k ^ (lane & mask)]", "32", "1", { k: 0, mask: 31 }],
  ["structures", "float4 p; p[threadIdx.x]; float3 q; q[threadIdx.x]", "128", "1", {}],
  ["read it twice: the L1's size", "for r in 0..2: for k in 0..rows: a[k*32 + lane]", "32", "1", { rows: 512 }],
  ["random words", "a[random(threadIdx.x) % words]", "256", "4", { words: 4096 }],
  ["atomics", "atomicAdd(&bins[random(threadIdx.x) % bins_used], 1)", "256", "1", { bins_used: 8 }]];

// "32x8" -> [32, 8]
const dimsOf = (text) => text.split(/[x×,\s]+/).filter(Boolean).map(Number);
const sumOf = (accesses, key) => accesses.reduce((sum, a) => sum + a[key], 0);

// What a result of `pattern` says, as tiles and a table.
function answerView(card, drawn) {
  const all = card.accesses;
  const tile = (value, what, bad) => h("div", { class: "tile" }, h("b", { style: bad ? { color: "var(--bad)" } : {} }, value), h("span", {}, what));
  const sectors = sumOf(all, "sectors"), ideal = sumOf(all, "ideal_sectors"), passes = sumOf(all, "wavefronts"), idealPasses = sumOf(all, "ideal_wavefronts");
  const hits = sumOf(all, "l1_hits"), reads = sumOf(all, "l2_reads"), l2hits = sumOf(all, "l2_read_hits");
  const tiles = [tile(grouped(sumOf(all, "requests")), "requests of warps")];
  if (sectors) tiles.push(tile(grouped(sectors), `sectors, ${grouped(ideal)} would do`, sectors > ideal), tile(percent(hits / sectors, 0), `L1 hits; ${grouped(sectors - hits)} sectors miss`), tile(grouped(reads), `sectors read from the L2, ${grouped(reads - l2hits)} of DRAM`));
  const cycles = sumOf(all, "l1_cycles");
  if (cycles) tiles.push(tile(grouped(cycles), "cycles of the L1 and its load/store unit"));
  if (passes) tiles.push(tile(grouped(passes), `passes over the banks, ${grouped(idealPasses)} would do`, passes > idealPasses));
  const detail = h("div", { class: "detail", "aria-live": "polite" });
  const show = (i) => detail.replaceChildren(all[i].sentence ? h("p", { class: "words" }, h("b", {}, all[i].sentence[0].toUpperCase() + all[i].sentence.slice(1) + ".")) : "",
    drawn && drawn[i] && drawn[i].length ? lanesChart(drawn[i][0], `${all[i].access}: the lanes of CTA ${drawn[i][0].cta}, warp ${drawn[i][0].warp}`) : h("p", { class: "soft" }, all[i].lanes_in_words || ""));
  const table = dataTable({ columns: [{ name: "access", code: true }, { name: "kind" }, { name: "requests", n: true }, { name: "sectors", n: true }, { name: "ideal", n: true }, { name: "passes", n: true }, { name: "ideal passes", n: true }, { name: "L1 hits", n: true }, { name: "L2 reads", n: true }, { name: "L1 cycles", n: true }, { name: "pattern" }],
    rows: all.map((a) => [a.access, `${a.space} ${a.op}, ${a.bytes} B`, a.requests, a.sectors, a.ideal_sectors, a.wavefronts, a.ideal_wavefronts, a.l1_hits, a.l2_reads, a.l1_cycles, a.pattern]) }, { name: "accesses", filter: false, pick: (i) => { table.light(i); show(i); } });
  const worst = all.reduce((best, a, i) => a.sectors - a.ideal_sectors + 2 * (a.wavefronts - a.ideal_wavefronts) > all[best].sectors - all[best].ideal_sectors + 2 * (all[best].wavefronts - all[best].ideal_wavefronts) ? i : best, 0);
  if (all.length) { table.light(worst); show(worst); }
  return h("div", {}, h("div", { class: "tiles" }, tiles), table, detail);
}

function liveView(model) {
  const cards = model.ask({ do: "cards" }).cards;
  const text = h("textarea", { id: "pattern", rows: 2, spellcheck: "false", class: "code", "aria-label": "Accesses of each thread, separated by ;" });
  const block = h("input", { type: "text", size: 7, value: "32", id: "block" }), grid = h("input", { type: "text", size: 7, value: "1", id: "grid" });
  const gpu = h("select", { id: "gpu" }, cards.map((c) => h("option", { value: c.name, selected: c.name === "h200" }, `${c.full_name}${c.year ? ", " + c.year : ""}`)));
  const l1 = h("input", { type: "range", id: "l1", min: 0, max: 10, step: 1, value: 0, "aria-label": "Size of the L1" }), l1Text = h("output", { for: "l1" });
  const keys = h("datalist", { id: "keys" }, model.ask({ do: "card", gpu: "h200" }).entries.map((e) => h("option", { value: e[0] + "=" }, `${e[1]}: ${e[4]}`)));
  const extra = h("input", { type: "text", id: "extra", list: "keys", size: 28, placeholder: "l1.ways=8; shared.banks=16", "aria-label": "Other numbers of the card to change" });
  const numbers = h("div", { class: "numbers" }), out = h("div", { id: "answer" }), wrong = h("pre", { class: "notice wrong", role: "alert", hidden: true });
  const lets = new Map();
  const L1_SIZES = [null, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256];
  // As the L1 is all data then; what shared memory could take of it changes with it.
  const changed = () => Object.fromEntries(extra.value.split(/[;\n]/).map((t) => t.split("=").map((x) => x.trim())).filter((t) => t.length === 2 && t[0] && t[1]));
  const settings = (kib = L1_SIZES[l1.value]) => ({ ...l1Of(kib), ...changed() });
  const l1Of = (kib) => kib ? { "l1.size": kib + "KiB", "shared.configs": `0,${kib * 512}`, "shared.per_cta": String(kib * 512), "shared.reserved": "0", "l1.reserved": "0" } : {};
  const question = (more = {}) => ({ do: "pattern", text: text.value, block: dimsOf(block.value), grid: dimsOf(grid.value), let: Object.fromEntries(lets), gpu: gpu.value, set: settings(), ...more });

  function numberRow(name) {
    const value = lets.get(name), most = Math.max(64, 2 ** Math.ceil(Math.log2(Math.max(1, value) * 2)));
    const slide = h("input", { type: "range", min: 0, max: most, value, "data-let": name, "aria-label": name }), exact = h("input", { type: "number", value, "aria-label": name + ", exactly" });
    const set = (v) => { lets.set(name, Math.round(Number(v)) || 0); compute(); };
    slide.addEventListener("input", () => { exact.value = slide.value; set(slide.value); });
    exact.addEventListener("input", () => { slide.value = exact.value; set(exact.value); });
    return h("label", {}, h("span", { class: "code" }, name), slide, exact);
  }
  function rows() {
    numbers.replaceChildren(...[...lets.keys()].map(numberRow));
    vary.replaceChildren(...[...lets.keys(), "L1 size"].map((name) => h("option", { value: name }, name)));
  }
  function compute() {
    l1Text.textContent = L1_SIZES[l1.value] ? L1_SIZES[l1.value] + " KiB" : "as on the card";
    let answer;
    try {
      for (let i = 0; i < 8; ++i) {
        answer = model.ask(question());
        const unknown = answer.error && /^'([A-Za-z_]\w*)' is not known/.exec(answer.error.message);
        if (!unknown) break;
        lets.set(unknown[1], 32);  // a name without a number is given one, and a slider
        rows();
      }
    } catch (error) { answer = { error: { message: error.message, place: "", fix: "make the grid smaller" } }; model.restart(); }
    wrong.hidden = !answer.error;
    if (answer.error) { wrong.textContent = [answer.error.message, answer.error.fix].filter(Boolean).join("\n"); return; }
    out.replaceChildren(answerView(JSON.parse(answer.text).cards[0], answer.drawn));
  }
  function allCards() {
    const answer = model.ask(question({ all_gpus: true, set: changed() }));
    if (answer.error) { below.replaceChildren(h("p", { class: "notice" }, answer.error.message)); return; }
    const rowsOf = JSON.parse(answer.text).cards.map((c) => [c.gpu, (cards.find((k) => k.name === c.gpu) || {}).year, ...(c.failure ? Array(7).fill(null) : ["requests", "sectors", "wavefronts", "l1_hits", "l2_reads", "l2_writes", "l1_cycles"].map((k) => sumOf(c.accesses, k))), c.failure || ""]);
    below.replaceChildren(h("h3", {}, "The same on every card"), dataTable({ columns: [{ name: "card" }, { name: "year" }, { name: "requests", n: true }, { name: "sectors", n: true }, { name: "passes", n: true }, { name: "L1 hits", n: true }, { name: "L2 reads", n: true }, { name: "L2 writes", n: true }, { name: "L1 cycles", n: true }, { name: "" }], rows: rowsOf }, { name: "all cards" }));
  }
  function sweep() {
    const name = vary.value, series = [["sectors", (c) => sumOf(c.accesses, "sectors")], ["L1 misses", (c) => sumOf(c.accesses, "sectors") - sumOf(c.accesses, "l1_hits")], ["passes over the banks", (c) => sumOf(c.accesses, "wavefronts")], ["cycles of the L1", (c) => sumOf(c.accesses, "l1_cycles")]].map(([what, of]) => ({ name: what, of, points: [] }));
    const xs = name === "L1 size" ? L1_SIZES.slice(1) : Array.from({ length: 65 }, (_, i) => i);
    for (const x of xs) {
      const answer = model.ask(question(name === "L1 size" ? { set: settings(x) } : { let: { ...Object.fromEntries(lets), [name]: x } }));
      if (answer.error) continue;
      const card = JSON.parse(answer.text).cards[0];
      for (const c of series) c.points.push([name === "L1 size" ? x * 1024 : x, c.of(card)]);
    }
    const used = series.filter((c) => c.points.some((p) => p[1] > 0));
    below.replaceChildren(used.length ? curvesChart({ title: `As ${name} changes`, x: name === "L1 size" ? "l1.size" : name, series: used, alike: true }) : h("p", { class: "notice" }, "No number to be had."));
  }

  const vary = h("select", { "aria-label": "What the curve is over", id: "vary" }), below = h("div", { id: "below" });
  const example = h("select", { "aria-label": "An example", id: "example", onchange: () => take(Number(example.value)) }, EXAMPLES.map((e, i) => h("option", { value: i, selected: i === 1 }, e[0])));
  function take(i) {
    [text.value, block.value, grid.value] = EXAMPLES[i].slice(1, 4);
    lets.clear();
    for (const [k, v] of Object.entries(EXAMPLES[i][4])) lets.set(k, v);
    below.replaceChildren();
    rows();
    compute();
  }
  for (const node of [text, block, grid, gpu, l1, extra]) node.addEventListener("input", compute);
  take(1);
  return h("div", { class: "live" }, h("div", { class: "tabletools" }, h("label", {}, "example ", example), h("label", {}, "GPU ", gpu), h("label", {}, "block ", block), h("label", {}, "grid ", grid)),
    text, h("div", { class: "numbers" }, h("label", {}, h("span", {}, "L1 size"), l1, l1Text), h("label", {}, "card ", extra, keys)), numbers, wrong, out,
    h("div", { class: "tabletools" }, h("button", { type: "button", id: "all-cards", onclick: allCards }, "On every card"), h("button", { type: "button", id: "sweep", onclick: sweep }, "Curve over"), vary), below);
}

// Where the module is in the page: it starts, or what was computed before stands in its place.
function startLive(section) {
  const holder = document.getElementById("wasm");
  const packed = holder ? holder.textContent.trim() : "";
  if (!packed) return;
  const slot = h("div", {}, h("p", { class: "soft" }, "Starting the model …"));
  section(slot);
  const without = (why) => slot.replaceChildren(h("p", { class: "notice" }, why + " The model cannot run here; what was computed before is shown."),
    report.first ? h("div", {}, h("p", { class: "code" }, report.first.pattern), answerView(report.first.cards[0], null)) : "");
  if (typeof WebAssembly !== "object") { without("This browser has no WebAssembly."); return; }
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  Model.start(bytes).then((model) => {
    globalThis.warpmem = model;
    slot.replaceChildren(liveView(model));
    document.documentElement.dataset.live = "yes";
  }).catch((error) => { console.error(error); without(String(error.message) + "."); });
}
