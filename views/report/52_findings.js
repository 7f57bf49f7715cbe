// What moves too much, why, and what a change gains.
function gainBar(before, after) {
  const W = 190, most = Math.max(before, after), w = (v) => Math.max(2, (W - 4) * v / most);
  const svg = s("svg", { viewBox: `0 0 ${W} 30`, role: "img", "aria-label": `${grouped(before)} before, ${grouped(after)} after` });
  svg.append(s("rect", { x: 0, y: 2, width: w(before), height: 11, rx: 3, fill: "var(--c7)" }), s("rect", { x: 0, y: 17, width: w(after), height: 11, rx: 3, fill: after < before ? "var(--good)" : "var(--bad)" }));
  return svg;
}
function changeView(change, cost) {
  const a = change.after;
  if (!a) return h("div", { class: "change" }, h("div", {}, change.what, " ", h("span", { class: "gain no" }, `not replayed (${change.not_measured})`)), h("span"));
  const key = has(cost.cycles) && has(a.cycles) ? "cycles" : a.wavefronts !== cost.wavefronts ? "wavefronts" : "sectors";
  const gain = 1 - a[key] / cost[key];
  return h("div", { class: "change" }, h("div", {}, change.what, change.estimate ? h("span", { class: "badge", title: "The change needs instructions of its own, which were not replayed" }, "estimate") : null, h("br"),
    h("span", { class: gain > 0.005 ? "gain" : "gain no" }, `${key} ${grouped(cost[key])} → ${grouped(a[key])} (${gain > 0 ? "−" : "+"}${percent(Math.abs(gain))})`),
    key === "cycles" && gain > 0.005 ? `, ${Number((cost.cycles / a.cycles).toPrecision(3))} times as fast` : ""), gainBar(cost[key], a[key]));
}
function findingsView(l) {
  if (!l.findings.length && !l.changes.length) return h("p", {}, "Nothing moves more than it has to: all accesses take as few sectors and passes as their bytes need.");
  return h("div", {}, l.findings.map((f) => h("div", { class: "finding" },
    h("p", {}, h("span", { class: "pattern" }, `${[...new Set(f.sites.map((i) => `${l.sites[i].place} ${l.sites[i].op}`))].slice(0, 4).join(", ")}: ${f.pattern}`)),
    h("p", {}, f.sentence[0].toUpperCase() + f.sentence.slice(1) + "."),
    h("p", { class: "soft" }, [f.excess_sectors ? `${grouped(f.excess_sectors)} sectors too many` : null, f.excess_wavefronts ? `${grouped(f.excess_wavefronts)} passes too many` : null].filter(Boolean).join(", ")),
    f.changes.map((c) => changeView(c, l.cost)))),
  l.changes.length ? h("div", { class: "finding" }, h("p", { class: "pattern" }, "The launch as a whole"), l.changes.map((c) => changeView(c, l.cost))) : null);
}
