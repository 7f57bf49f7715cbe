// Axes of charts.
function niceTicks(most, n = 5) {
  if (!(most > 0)) return [0, 1];
  const raw = most / n, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((f) => f * power >= raw) * power;
  const out = [];
  for (let v = 0; v <= most + step * 0.001; v += step) out.push(Number(v.toPrecision(12)));
  if (out[out.length - 1] < most) out.push(out[out.length - 1] + step);
  return out;
}
const logTicks = (low, high) => {
  const out = [], parts = high / low < 300 ? [1, 2, 5] : [1];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); ++p) for (const k of parts) out.push(Number((k * 10 ** p).toPrecision(6)));
  return out.filter((v) => v >= low * 0.999 && v <= high * 1.001);
};
const powerText = (v) => v >= 1e15 || v < 1e-3 ? v.toExponential(0) : v >= 1000 ? shortNumber(v) : String(Number(v.toPrecision(6)));

// The frame of a chart: size, margins, and functions from values to places.
function frame(width, height, { left = 62, right = 16, top = 14, bottom = 44 } = {}) {
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}` });
  return { svg, left, top, right: width - right, bottom: height - bottom, width, height };
}
function axisX(f, ticks, place, text, name) {
  for (const t of ticks) {
    const x = place(t);
    if (x < f.left - 1 || x > f.right + 1) continue;
    f.svg.append(s("line", { x1: x, x2: x, y1: f.top, y2: f.bottom, stroke: "var(--grid)" }),
      s("text", { x, y: f.bottom + 16, "text-anchor": "middle", class: "soft small" }, text(t)));
  }
  f.svg.append(s("text", { x: (f.left + f.right) / 2, y: f.height - 6, "text-anchor": "middle", class: "soft" }, name));
}
function axisY(f, ticks, place, text, name) {
  for (const t of ticks) {
    const y = place(t);
    if (y < f.top - 1 || y > f.bottom + 1) continue;
    f.svg.append(s("line", { x1: f.left, x2: f.right, y1: y, y2: y, stroke: "var(--grid)" }),
      s("text", { x: f.left - 6, y: y + 4, "text-anchor": "end", class: "soft small" }, text(t)));
  }
  f.svg.append(s("text", { x: 14, y: (f.top + f.bottom) / 2, "text-anchor": "middle", class: "soft",
    transform: `rotate(-90 14 ${(f.top + f.bottom) / 2})` }, name));
}
