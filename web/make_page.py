"""make_page.py WASM PARTS FIRST VERSION OUTPUT: the page that computes, as one file.

WASM is the module, PARTS the folder of the page's parts, FIRST the answer that is shown where no WebAssembly runs."""

import base64
import json
import pathlib
import sys

wasm, parts, first, version, output = sys.argv[1:]
parts = pathlib.Path(parts)


def in_html(data):
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


scripts = "".join(p.read_text(encoding="utf-8") for p in sorted(parts.glob("*.js")))
data = {"schema": 1, "title": "Access patterns on any GPU", "version": version, "side_by_side": False, "metrics": [],
        "words": {}, "everyday_words": [], "cards": [], "accuracy": [], "accuracy_words": [], "runs": [], "reasons": [], "pair_counters": [], "verdicts": [], "pairs": [],
        "sources": [], "curves": [], "first": json.loads(pathlib.Path(first).read_text(encoding="utf-8"))}
page = (parts / "page.html").read_text(encoding="utf-8")
for mark, text in (("<!--TITLE-->", data["title"]), ("/*STYLE*/", (parts / "style.css").read_text(encoding="utf-8")),
                   ("/*SCRIPT*/", f'"use strict";\n(function () {{\n{scripts}}})();\n'),
                   ("/*WASM*/", base64.b64encode(pathlib.Path(wasm).read_bytes()).decode()),
                   ("/*DATA*/", in_html(data))):
    before, found, after = page.partition(mark)
    if not found:
        sys.exit(f"make_page.py: {mark} is not in page.html")
    page = before + text + after
pathlib.Path(output).write_text(page, encoding="utf-8")
