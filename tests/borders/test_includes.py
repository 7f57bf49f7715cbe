"""Each file includes the standard headers of what it uses, by itself or by one of ours.

Compilers differ in which headers of their library include which others: what g++ 12 finds by way of
<string>, g++ 13 and 14 and clang's library do not. Names are looked for that were found missing so.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = ("base", "isa", "binary", "metrics", "model", "results", "traces", "emulate", "sim", "sweep", "validate",
         "views", "web", "command", "tests")
ALGORITHMS = ("sort stable_sort partial_sort nth_element lower_bound upper_bound equal_range binary_search find find_if "
              "find_if_not search any_of all_of none_of count count_if reverse rotate remove_if remove_copy_if unique "
              "max_element min_element minmax_element clamp copy_n copy_if fill_n transform replace shuffle is_sorted "
              "set_difference merge adjacent_find").split()
NEEDS = {
    "cstdint": r"\bstd::(?:u?int(?:8|16|32|64|ptr|max)_t|u?int_(?:fast|least)\d+_t)\b|(?<![\w:])(?:u?int(?:8|16|32|64|ptr)_t|U?INT(?:8|16|32|64)_(?:MAX|MIN)|UINT(?:8|16|32|64)_C)\b",
    "algorithm": r"\bstd::(?:ranges::)?(?:%s)\(" % "|".join(ALGORITHMS),
    "numeric": r"\bstd::(?:accumulate|iota|partial_sum|inner_product|reduce|gcd|lcm|midpoint)\(",
    "utility": r"\bstd::(?:exchange|in_range|cmp_less|to_underlying|as_const)\b",
    "stdexcept": r"\bstd::(?:runtime_error|logic_error|out_of_range|invalid_argument|length_error|range_error)\b",
    "memory": r"\bstd::(?:unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared)\b",
    "functional": r"\bstd::function\b",
    "optional": r"\bstd::(?:optional|nullopt)\b",
    "variant": r"\bstd::(?:variant|monostate|get_if|holds_alternative|visit)\b",
    "array": r"\bstd::array\b",
    "vector": r"\bstd::vector\b",
    "span": r"\bstd::span\b",
    "map": r"\bstd::(?:multi)?map\b",
    "set": r"\bstd::(?:multi)?set<",
    "string": r"\bstd::(?:string|to_string|stoi|stoul)\b",
    "limits": r"\bstd::numeric_limits\b",
    "charconv": r"\bstd::(?:from_chars|to_chars)\b",
    "bit": r"\bstd::(?:bit_cast|popcount|countr_zero|countl_zero|bit_ceil|bit_floor|bit_width|has_single_bit|rotl|rotr)\b",
    "cstring": r"\bstd::(?:memcpy|memset|memcmp|memmove|memchr|strlen|strcmp|strncmp|strchr|strrchr|strstr|strerror)\b",
    "cmath": r"\bstd::(?:floor|ceil|sqrt|pow|isfinite|isnan|isinf|lround|llround|trunc|fma|ldexp|frexp|signbit|log|log2|log10|exp|exp2|hypot|nearbyint|rint|round)\(",
    "mutex": r"\bstd::(?:mutex|lock_guard|unique_lock|scoped_lock|once_flag|call_once)\b",
    "thread": r"\bstd::(?:thread|this_thread)\b",
    "atomic": r"\bstd::atomic\b",
    "chrono": r"\bstd::chrono\b",
    "new": r"\bstd::(?:bad_alloc|align_val_t|nothrow)\b",
    "iterator": r"\bstd::(?:back_inserter|istreambuf_iterator|distance|prev|next)\(",
    "random": r"\bstd::(?:mt19937|mt19937_64|uniform_int_distribution|uniform_real_distribution|normal_distribution)\b",
}
# What the standard itself says that a header includes or has as well.
ALSO = {"string": {"string_view"}, "ranges": {"span", "iterator"}, "vector": {"initializer_list"}}
SAME = {"iterator": ("vector", "string", "map", "set", "array", "span", "deque", "list", "unordered_map"),  # std::next and so on
        "new": ("memory",), "string": ("fstream", "sstream", "filesystem", "iostream")}


def plain(text):
    """Without comments and literals."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', " ", text, flags=re.S)


class Files:
    def __init__(self):
        self.texts, self.known = {}, {}

    def text(self, path):
        if path not in self.texts:
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                self.texts[path] = file.read()
        return self.texts[path]

    def headers(self, path):
        """Standard headers that the file has, by way of ours too."""
        if path not in self.known:
            self.known[path] = set()
            found = set(re.findall(r"^#include <(\w+)>", self.text(path), re.M))
            for ours in re.findall(r'^#include "([^"]+)"', self.text(path), re.M):
                for at in (ours, os.path.join(os.path.dirname(path), ours)):
                    if os.path.exists(os.path.join(ROOT, at)):
                        found |= self.headers(at)
                        break
            self.known[path] = found
        return self.known[path]


def main():
    files, faults, looked = Files(), [], 0
    for room in ROOMS:
        for folder, _, names in os.walk(os.path.join(ROOT, room)):
            for name in sorted(names):
                if not name.endswith((".cpp", ".hpp")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                if name.endswith(".hpp") and "#pragma once" not in files.text(path):
                    continue  # a piece of those that include it
                looked += 1
                have, text = files.headers(path), plain(files.text(path))
                for header, pattern in NEEDS.items():
                    if header in have or any(h in have for h in SAME.get(header, ())):
                        continue
                    use = re.search(pattern, text)
                    if use:
                        faults.append("%s: %s wants <%s>" % (path, use.group().rstrip("("), header))
    for fault in faults:
        print(fault)
    print("%d files, %d headers missing" % (looked, len(faults)))
    return 1 if faults or looked < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
