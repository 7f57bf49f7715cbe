// What channels of DRAM, or banks of shared memory, move over time: a row each, a column a window.
const heatStops = () => matchMedia("(prefers-color-scheme: dark)").matches && document.documentElement.dataset.theme !== "light" || document.documentElement.dataset.theme === "dark"
  ? [[29, 36, 48], [60, 50, 130], [190, 60, 110], [250, 160, 70], [255, 240, 180]] : [[241, 244, 248], [253, 216, 140], [240, 120, 70], [180, 30, 80], [60, 10, 70]];
function heatRgb(v) {
  const stops = heatStops(), at = Math.min(0.9999, v) * (stops.length - 1), i = Math.floor(at), t = at - i;
  return stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * t));
}

function heatMap(data, { name, one, unit, words }) {
  const rows = data.rows, columns = data.windows.length;
  const most = Math.max(1, ...data.windows.map((w) => Math.max(...w)));
  const canvas = h("canvas", { width: columns, height: rows, tabindex: "0", role: "img",
    "aria-label": `${name}. ${words} Arrow keys move over it.`, style: { height: Math.min(420, Math.max(120, rows * 6)) + "px" } });
  const context = canvas.getContext("2d");
  function paint() {
    const image = context.createImageData(columns, rows);
    data.windows.forEach((w, x) => w.forEach((v, y) => {
      const at = 4 * (y * columns + x);
      image.data.set([...(v ? heatRgb(0.08 + 0.92 * v / most) : heatStops()[0]), 255], at);
    }));
    context.putImageData(image, 0, 0);
  }
  paint();
  addEventListener("themechange", paint);
  let at = [0, 0];
  const tell = (x, y, px, py) => showTip(`${one} ${y}, cycles ${grouped(x * data.window_cycles)} to ${grouped((x + 1) * data.window_cycles)}\n${grouped(data.windows[x][y])} ${unit}`, px, py);
  const box = () => canvas.getBoundingClientRect();
  canvas.addEventListener("pointermove", (e) => {
    const b = box();
    at = [Math.min(columns - 1, Math.max(0, Math.floor((e.clientX - b.left) / b.width * columns))), Math.min(rows - 1, Math.max(0, Math.floor((e.clientY - b.top) / b.height * rows)))];
    tell(...at, e.clientX, e.clientY);
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("blur", hideTip);
  canvas.addEventListener("keydown", (e) => {
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[e.key];
    if (!step) return;
    e.preventDefault();
    at = [Math.min(columns - 1, Math.max(0, at[0] + step[0])), Math.min(rows - 1, Math.max(0, at[1] + step[1]))];
    const b = box();
    tell(...at, b.left + (at[0] + 0.5) / columns * b.width, b.top + (at[1] + 0.5) / rows * b.height);
  });
  const node = figure(name, words, canvas, () => ({ columns: [{ name: one, n: true }, { name: "first cycle", n: true }, { name: unit, n: true }],
    rows: data.windows.flatMap((w, x) => w.map((v, y) => [y, x * data.window_cycles, v])).filter((r) => r[2]) }));
  const gradient = h("span", { class: "scale" });
  const colours = () => { gradient.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((v) => `rgb(${heatRgb(v)})`)})`; };
  colours();
  addEventListener("themechange", colours);
  node.append(h("div", { class: "key" }, h("span", {}, `${one} 0 on top, ${grouped(columns * data.window_cycles)} cycles from left to right`), h("span", {}, "0", gradient, `${grouped(most)} ${unit}`)));
  return node;
}

function heatView(l) {
  const out = [];
  if (l.dram) out.push(h("div", {}, heatMap(l.dram, { name: "Channels of DRAM over time", one: "channel", unit: "sectors", words: `${shortNumber(l.dram.at_work)} of ${l.dram.rows} channels are at work at a time; even traffic would use all of them.` }),
    h("p", { class: "soft" }, `${shortNumber(l.dram.at_work)} of ${l.dram.rows} channels are at work at a time.`)));
  if (l.banks) out.push(heatMap(l.banks, { name: "Banks of shared memory over time", one: "bank", unit: "words", words: "Words that each bank gives or takes, all SMs together. Even banks may still conflict: what counts is who meets in one access." }));
  return out.length ? h("div", { class: "halves" }, out) : h("p", { class: "notice" }, "Nothing moved between DRAM and the L2, and no bank of shared memory was used.");
}
