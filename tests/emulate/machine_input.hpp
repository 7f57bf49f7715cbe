// Any bytes as machine code: a listing as nvdisasm prints it, or a cubin. Whatever they are, what
// comes is a kernel that ends, or an error with words.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace warpmem::emulate::test {

// What the launch of kernel "k" ended with; empty: it ended well.
std::string run_any_listing(const std::string& text, std::uint32_t cc);

// … of each kernel of a cubin, whose code is said to be `listing`.
std::string load_any_cubin(std::span<const unsigned char> image, const std::string& listing);

}  // namespace warpmem::emulate::test
