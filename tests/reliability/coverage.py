"""coverage.py BUILD: how many lines of what reads other people's files the tests have run.

BUILD is that of the preset `coverage`, in which tests have run. Prints a table; ends 1 below 95 % of all parsers' lines.
"""
import collections
import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PARSERS = ["base/json_parser.cpp", "base/read_number.cpp", "base/toml_values.cpp", "base/units.cpp", "base/utf8.cpp",
           "binary/cubin/cubin.cpp", "binary/elf/elf_file.cpp", "binary/fatbin/fat_binary.cpp",
           "emulate/executor/launch_file.cpp", "emulate/ptx/parser.cpp", "isa/sass/instruction.cpp",
           "model/card/card_text.cpp", "sim/pattern/lexer.cpp", "sim/pattern/parser.cpp", "sweep/store_file.cpp",
           "traces/format/block_table.cpp", "traces/format/contents.cpp", "traces/format/cta_index.cpp",
           "traces/format/metadata.cpp", "traces/format/opening.cpp", "traces/format/reader.cpp",
           "traces/format/records_decoder.cpp", "traces/format/recovery.cpp", "validate/csv_scan.cpp",
           "validate/ncu_csv.cpp", "validate/ncu_details.cpp", "validate/ncu_table.cpp", "validate/nvprof_csv.cpp",
           "validate/text_report.cpp", "validate/units.cpp"]
LEAST = 0.95


def counted(build, gcov):
    """(file, line) -> how often it ran."""
    lines = collections.Counter()
    data = [str(p) for p in build.rglob("*.gcda")]
    for at in range(0, len(data), 50):
        done = subprocess.run([gcov, "--json-format", "--stdout", *data[at:at + 50]], capture_output=True, text=True,
                              cwd=build)
        for document in done.stdout.splitlines():
            if not document.startswith("{"):
                continue
            for file in json.loads(document)["files"]:
                path = pathlib.Path(build, file["file"]).resolve()
                if not path.is_relative_to(SOURCE):
                    continue
                name = str(path.relative_to(SOURCE))
                if name in PARSERS:
                    for line in file["lines"]:
                        lines[name, line["line_number"]] += line["count"]
    return lines


def main():
    lines = counted(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "gcov")
    files = collections.defaultdict(lambda: [0, 0])
    for (name, _), count in lines.items():
        files[name][0] += count > 0
        files[name][1] += 1
    missing = [name for name in PARSERS if name not in files]
    for name in sorted(files):
        ran, all_of = files[name]
        rest = sorted(line for (other, line), count in lines.items() if other == name and count == 0)
        print(f"{100 * ran / all_of:5.1f} %  {ran:4} of {all_of:4}  {name}  {' '.join(map(str, rest[:40]))}")
    if missing:
        sys.exit(f"coverage: error: not compiled or moved: {', '.join(missing)}\n  fix: put right PARSERS of {__file__}")
    ran, all_of = (sum(f[i] for f in files.values()) for i in (0, 1))
    print(f"{100 * ran / all_of:5.1f} %  {ran:4} of {all_of:4}  all parsers")
    sys.exit(ran < LEAST * all_of)


if __name__ == "__main__":
    main()
