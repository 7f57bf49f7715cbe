"""What a page of Markdown says, taken apart: sentences, words, links. For test_prose.py."""

import re

# What ends no sentence although a blank and a capital follow.
ABBREVIATIONS = re.compile(r"\b(?:e\.g|i\.e|et al|vs|cf|Fig|No)\.$")


def without_code(text):
    """The page without its blocks of code and its comments; as many lines as before."""
    def blank(match):
        return "\n" * match[0].count("\n")
    text = re.sub(r"^[ >]*```.*?^[ >]*```$", blank, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"<!--.*?-->", blank, text, flags=re.DOTALL)


def without_generated_tables(text):
    """Tables that a script writes hold data, not words: those below a comment that names the script."""
    return re.sub(r"<!-- [^\n]*\.py[^\n]*-->\n(?:\|[^\n]*\n)+", "", text)


def plain(text):
    """Words as they are read: a link is its text, code is one word."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"`[^`]*`", "code", text)


def blocks(text):
    """(line, text) of each paragraph, item of a list, and cell of a table."""
    lines, begin = [], 0
    for number, line in enumerate(without_code(text).split("\n") + [""], 1):
        table = line.lstrip().startswith("|")
        new = not line.strip() or table or re.match(r"\s*(?:[-*]|\d+\.) |#|>", line)
        if new and lines:
            yield begin, " ".join(lines)
            lines = []
        if table:
            if not re.fullmatch(r"[|:\- ]+", line):
                for cell in re.split(r"(?<!\\)\|", line.strip("| ")):
                    for note in cell.split("; "):  # a cell holds notes
                        yield number, note
        elif line.strip() and not line.startswith("#"):
            if not lines:
                begin = number
            lines.append(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", line).strip("> "))


def sentences(text):
    """(line of the block it stands in, sentence)."""
    for line, block in blocks(text):
        said = plain(block)
        begin = 0
        for end in re.finditer(r"[.!?][)*\"]*\s+(?=[\"(*\[]*[A-Z0-9]|code)", said):
            piece = said[begin:end.start() + 1]
            if ABBREVIATIONS.search(piece):
                continue
            yield line, said[begin:end.end()].strip()
            begin = end.end()
        if said[begin:].strip():
            yield line, said[begin:].strip()


def words(text):
    return [w for w in text.split() if re.search(r"\w", w)]


def links(text):
    """Targets of links, pictures too, outside code."""
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", without_code(text)))


def anchors(text):
    """What a heading is linked by, as GitHub makes it."""
    found, seen = set(), {}
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", plain_heading(heading).lower()).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        found.add(name + (f"-{seen[name]}" if seen[name] else ""))
    return found


def plain_heading(heading):
    return re.sub(r"`", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading))
