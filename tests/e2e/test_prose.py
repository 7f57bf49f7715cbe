"""README.md and docs/ as somebody reads them who is new: short sentences, short pages, the field's words, no dead ends."""

import glob
import os
import re
import unittest

import prose

SOURCE = os.environ.get("WARPMEM_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
DOCS = os.path.join(SOURCE, "docs")
FOLDERS = ("learn", "how-to", "reference", "design", "measurements")
MOST_WORDS_OF_A_SENTENCE, MOST_WORDS_OF_A_PAGE, MOST_LINES_OF_THE_README = 40, 2000, 120

# A word of the house, and the field's. What stands in code (`rounds`, a record of the format) is a name and stays.
HOUSE_WORDS = {
    r"\b(?:on|along) (?:its|the|their) way\b|\bby way of\b|\bways? (?:between|back|through|round)\b|\bthe way (?:from|to|out)\b|"
    r"\blong way\b|\bways that\b": "path, route or delay; a way is associativity",
    r"\b(?:Seat|Spot)s?\b": "Resource, SetTag, Address",
    r"\briders?\b": "merge, outstanding request",
    r"\bstrangers?\b": "fully divergent lanes",
    r"\b(?:a|next|each|every|of|more|many|several|the|its|all|other's|\d+) rounds?\b(?! (?:off|down|up|number))": "loop iteration",
    r"\bemptying\b": "L1 invalidation",
    r"\bstands? at (?:a |its |the )?barriers?\b|\bwarps stand\b|\bstanding at\b": "waits at a barrier",
    r"\bcrews?\b": "thread pool",
    r"\bparted\b|\blanes part\b": "divergent",
    r"\bin turns\b|\b(?:take|takes|taking) turns\b": "interleaved CTA scheduling, or: alternate",
    r"\bcrossings?\b": "cross-CTA dependence",
    r"\b(?:worked out|served|compared) side by side\b": "vectorised",
    r"\b(?:held|hold|holds) [^.]{0,40}\bagainst\b|\bheld to\b": "compared with; accuracy",
    r"\b(?:told|hears)\b": "reported; notify",
    r"\b(?:rides?|riding) (?:with|along)\b": "shares the request",
    r"\bgo(?:es|ing)? by itself\b|\bpass(?:es|ing)? by\b": "bypasses",
    r"\boff by\b|\bwhat is off\b|\bfu?a?rthe[rs]t? off\b": "error",
    r"\blost step\b|\bdrift(?:s|ed)? apart\b": "skew",
    r"\blooks? again\b": "polls, retries",
}


def pages():
    return [os.path.join(SOURCE, "README.md"), *sorted(glob.glob(DOCS + "/**/*.md", recursive=True))]


def name_of(page):
    return os.path.relpath(page, SOURCE)


def read(page):
    with open(page, encoding="utf-8") as file:
        return file.read()


class Prose(unittest.TestCase):
    maxDiff = None

    def none_of(self, wrong):
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_the_readme_is_short_and_has_one_picture(self):
        text = read(os.path.join(SOURCE, "README.md"))
        self.assertLessEqual(len(text.splitlines()), MOST_LINES_OF_THE_README)
        self.assertEqual(len(re.findall(r"!\[", text)), 1)

    def test_no_sentence_is_too_long(self):
        self.none_of([f"{name_of(page)}:{line}: {len(prose.words(sentence))} words, make two of them: {sentence}"
                      for page in pages() for line, sentence in prose.sentences(read(page))
                      if len(prose.words(sentence)) > MOST_WORDS_OF_A_SENTENCE])

    def test_no_page_is_too_long_but_references(self):
        sizes = {name_of(page): len(prose.words(prose.without_code(prose.without_generated_tables(read(page)))))
                 for page in pages()}
        self.none_of([f"{name}: {size} words; make two of it, or move figures to docs/measurements/"
                      for name, size in sizes.items()
                      if size > MOST_WORDS_OF_A_PAGE and not name.startswith("docs/reference/")])

    def test_every_page_has_a_place_and_stands_in_the_index(self):
        named = set()
        for index in ("README.md", "learn/README.md"):  # a lesson stands in the list of the course
            folder = os.path.dirname(os.path.join(DOCS, index))
            named |= {os.path.normpath(os.path.join(folder, link.partition("#")[0]))
                      for link in prose.links(read(os.path.join(DOCS, index)))}
        inside = [page for page in pages()[1:] if page != os.path.join(DOCS, "README.md")]
        self.none_of([f"{name_of(page)}: name it in docs/README.md" for page in inside if page not in named])
        self.none_of([f"{name_of(page)}: put it into one of {FOLDERS}" for page in inside
                      if name_of(page).split("/")[1] not in FOLDERS])

    def test_a_page_with_the_name_of_a_verb_is_about_it(self):
        verbs = re.findall(r'\{"(\w+)", k\w+,', read(os.path.join(SOURCE, "command/subcommands.cpp")))
        self.assertGreater(len(verbs), 15)
        for page in pages():
            verb = os.path.basename(page)[:-len(".md")]
            if verb in verbs:
                self.assertIn(f"warpmem {verb}", read(page), name_of(page))

    def test_every_link_leads_somewhere(self):
        wrong = []
        for page in [*pages(), os.path.join(SOURCE, "validate/DEVIATIONS.md")]:
            for link in prose.links(read(page)):
                path, _, anchor = link.partition("#")
                if re.match(r"\w+:", link):
                    continue
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                if not os.path.exists(target):
                    wrong.append(f"{name_of(page)}: no file is at {link}")
                elif anchor and target.endswith(".md") and anchor not in prose.anchors(read(target)):
                    wrong.append(f"{name_of(page)}: no heading is at {link}")
        self.none_of(wrong)

    def test_the_words_are_the_fields(self):
        self.none_of([f"{name_of(page)}:{line}: '{found[0]}' is '{field}': {sentence}"
                      for page in pages() for line, sentence in prose.sentences(read(page))
                      for house, field in HOUSE_WORDS.items() for found in [re.search(house, sentence)] if found])

    def test_these_rules_see_what_breaks_them(self):
        long = "One " + "word " * 40 + "more."
        self.assertEqual([len(prose.words(s)) for _, s in prose.sentences(f"Short. {long}\n\n- {long}\n")], [1, 42, 42])
        self.assertEqual([s for _, s in prose.sentences("```\nA code.\n```\n| a; b | `c d` |\n|---|---|\n")],
                         ["a", "b", "code"])
        for sentence in ("Warps stand at a barrier.", "It was held against an H200.", "The error is off by two.",
                         "Lanes take turns.", "A loop of 12 rounds.", "Requests on their way to the L2."):
            self.assertTrue(any(re.search(house, sentence) for house in HOUSE_WORDS), sentence)
        for sentence in ("A cache of 16 ways.", "mma rounds as an H200 does.", "The order of the rows turns around."):
            self.assertFalse(any(re.search(house, sentence) for house in HOUSE_WORDS), sentence)
        self.assertEqual(prose.anchors("# What `a` does\n## What `a` does\n"), {"what-a-does", "what-a-does-1"})


if __name__ == "__main__":
    unittest.main()
