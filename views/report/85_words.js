// The words of the glossary, where they stand in sentences: links to what they mean, each once in a
// section.
const glossary = new Map();
function wordPattern(words, everyday) {
  const all = Object.keys(words).filter((w) => !everyday.includes(w)).sort((a, b) => b.length - a.length);
  for (const word of all) glossary.set(word.toLowerCase(), word);
  // Of a word of capitals, such as SM, only that spelling is meant.
  const spelt = (w) => /^[A-Z]+$/.test(w) ? w : `[${w[0].toLowerCase()}${w[0].toUpperCase()}]${w.slice(1)}`;
  return all.length ? new RegExp(`\\b(${all.map(spelt).join("|")})(?:s|es)?\\b`, "g") : null;
}
const idOf = (word) => "word-" + word.toLowerCase().replace(/[^a-z0-9]+/g, "-");
function linkWords(root, words, pattern) {
  if (!pattern) return;
  const seen = new Set();
  for (const block of root.querySelectorAll("p, li, dd, .tile, .note")) {
    if (block.closest("#words, button, a, pre")) continue;
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT), texts = [];
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("a, button, code, svg, pre, .pattern")) texts.push(walker.currentNode);
    for (const node of texts) {
      const parts = [];
      let from = 0;
      for (const found of node.data.matchAll(pattern)) {
        const word = glossary.get(found[1].toLowerCase());
        if (!word || seen.has(word)) continue;
        seen.add(word);
        parts.push(node.data.slice(from, found.index), h("a", { class: "word", href: "#" + idOf(word), title: words[word] }, found[0]));
        from = found.index + found[0].length;
      }
      if (parts.length) node.replaceWith(...parts, node.data.slice(from));
    }
  }
}
const wordsView = (words) => h("dl", {}, Object.entries(words).map(([word, meaning]) => [h("dt", { id: idOf(word) }, word), h("dd", {}, meaning[0].toUpperCase() + meaning.slice(1) + ".")]));
