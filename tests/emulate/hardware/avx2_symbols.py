"""avx2_symbols.py NM ARCHIVE: the member compiled for AVX2 defines its two entry points and nothing
else that the linker could hand to another file."""
import subprocess
import sys

nm, archive = sys.argv[1:]
text = subprocess.run([nm, "-C", "--defined-only", archive], capture_output=True, text=True, check=True).stdout
member, found, wrong = "", [], []
for line in text.splitlines():
    if line.endswith(":"):
        member = line[:-1]
    elif "avx2" in member and len(line.split(None, 2)) == 3:
        kind, name = line.split(None, 2)[1:]
        if kind.islower():
            continue  # local to the file
        if name.startswith("warpmem::emulate::lanes_avx2::"):
            found.append(name)
        elif not name.startswith(("__asan", "__ubsan", "__odr_asan", "typeinfo", "vtable")):
            wrong.append(name)
if len(found) != 2 or wrong:
    sys.exit("exported: %s; shared with other files: %s" % (found, wrong))
