"""An instruction is decoded once, in isa/, and nobody else reads its text.

isa/ and binary/ know how nvdisasm prints machine code and how PTX is written. emulate/ptx/ and emulate/sass/
decode for the emulator, emulate/cudart/ptx_link.cpp joins modules of PTX, and traces/import/ makes instructions of what
other tools say of them. Everybody else asks trace::DecodedProgram, with Opcode and Modifier of the table of forms.
"""
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["WARPMEM_SOURCE"])
ROOMS = ("base", "isa", "binary", "metrics", "model", "results", "traces", "emulate", "sim", "sweep", "validate",
         "views", "web", "command")
READERS = ("isa/", "binary/", "emulate/ptx/", "emulate/sass/", "emulate/cudart/ptx_link.cpp", "traces/import/")
# Where instructions are made up, not read.
WRITERS = ("sim/probe/kernels.cpp",)
# Where a variable named like one is no instruction: patterns, an option's words.
OTHER_TEXTS = ("sim/pattern/", "sim/engine/cta_order.cpp")
DECODES = ("isa/decoded_program.cpp", "isa/sass/", "traces/import/")

FORMS = set(re.findall(r"^FORM\((\w+),", (SOURCE / "isa/sass/forms.def").read_text(encoding="utf-8"), re.M))
MODIFIERS = set(re.findall(r"MODIFIER\((\w+)\)", (SOURCE / "isa/sass/modifiers.def").read_text(encoding="utf-8")))
PTX = ("ld st atom red cp bar barrier fence membar mbarrier prefetch ldmatrix stmatrix call ret exit bra tex tld4 "
       "cvt mma wmma shfl redux applypriority discard").split()

DECODE = re.compile(r"\b(?:trace::)?decode_instruction\s*\(")
# A member `text` (of an instruction) or an opcode that is searched; what a tool has said is no instruction.
SEARCH = re.compile(r"(\w+|[\])])(?:\.|->)(?:text|opcode|mnemonic)(?:\(\))?\s*\.\s*"
                    r"(?:find\w*|rfind|starts_with|ends_with|substr|contains|compare)\s*\(")
TOOLS = ("ran", "said")
# In the rooms that follow code, a variable with such a name is one.
FOLLOWERS = ("sim/", "emulate/executor/")
NAMED = re.compile(r"\b(?:text|opcode|mnemonic|operand|instruction)\.(?:find\w*|rfind|starts_with|ends_with|substr|"
                   r"contains|compare|remove_prefix)\s*\(")
LITERAL = re.compile(r'(?:[=!]=|\b(?:find|starts_with|ends_with|has|is|contains|compare|text_has)\()\s*"([^"\\]*)"')


def plain(text):
    """Without comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def files():
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.[ch]pp")):
            yield path.relative_to(SOURCE).as_posix(), plain(path.read_text(encoding="utf-8"))


def knows_instructions(text):
    """Only files that see instructions can search their text: elsewhere "text" is another's."""
    return re.search(r'#include "(?:isa/|sim/code/|traces/format/reader|emulate/|binary/)', text) is not None


def names_instruction(literal):
    word = re.split(r"[ .]", literal.lstrip("@!"))[0]
    if word in FORMS:
        return len(word) > 2 or "." in literal
    return word in PTX and literal.startswith(word + ".") or literal.startswith(".") and literal[1:] in MODIFIERS


def searches(text, name=""):
    """Line numbers on which instruction text is searched or compared, in the file of this name."""
    follows = name.startswith(FOLLOWERS) and not name.startswith(OTHER_TEXTS)
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        texts = [owner for owner in SEARCH.findall(line) if owner not in TOOLS]
        if texts or (follows and NAMED.search(line)) or any(names_instruction(m) for m in LITERAL.findall(line)):
            found.append(number)
    return found


class InstructionText(unittest.TestCase):
    def test_decoded_once(self):
        callers = [name for name, text in files() if DECODE.search(text)]
        outside = [n for n in callers if not n.startswith(DECODES)]
        self.assertIn("isa/decoded_program.cpp", callers, "the call that is meant to be there was not found")
        self.assertEqual(outside, [], "ask trace::DecodedProgram (TraceReader::code) instead of decoding again")

    def test_no_search(self):
        for name, text in files():
            if name.startswith(READERS) or name in WRITERS or not knows_instructions(text):
                continue
            lines = searches(text, name)
            self.assertEqual(lines, [], f"{name} searches the text of instructions: give isa/ a question that "
                                        "DecodedProgram answers (docs/how-to/contribute.md, Adding things)")

    def test_searches_are_found(self):
        for line in ('if (i.text.find("x") != npos)', 'const bool bar = text[over].text.starts_with("NOP");',
                     'if (op == "LDGDEPBAR")', 'return word.starts_with("cp.async.wait_group");',
                     'if (has(".IVALL"))', 'at->text.substr(0, 3)', 's.opcode.starts_with("st.")'):
            self.assertEqual(searches(line), [1], line)
        self.assertEqual(searches("text.remove_prefix(1);", "sim/code/code_paths.cpp"), [1])
        for line in ('ran->text.substr(0, 3)', 'if (text == "rows")', 'name.starts_with("_Z")', 'out += "LDG.E";',
                     'if (place == "L2")'):
            self.assertEqual(searches(line), [], line)

    def test_the_table_was_read(self):
        self.assertGreater(len(FORMS), 200)
        self.assertIn("LDG", FORMS)
        self.assertIn("STRONG", MODIFIERS)


if __name__ == "__main__":
    unittest.main()
