// Memory for large tables that are looked at all over: asks the host for large pages, without which
// finding out where a page lies takes longer than the look itself. What the host grants changes no
// result.
#pragma once

#include <memory_resource>

namespace warpmem {

// Allocations of half a megabyte and more start on large pages of their own; smaller ones are
// ordinary.
std::pmr::memory_resource* large_pages();

}  // namespace warpmem
