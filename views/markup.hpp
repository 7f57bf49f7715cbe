// Text inside a document of XML, such as a picture.
#pragma once

#include <string>

namespace warpmem::views {

// With "&amp;" and its kin for the characters that mean something there.
std::string escaped(const std::string& text);

}  // namespace warpmem::views
