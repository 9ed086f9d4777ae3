// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/ls/entry.h"

#include <algorithm>

#include "format/entry/mode.h"
#include "tools/text/quoting.h"
#include "tools/text/version_order.h"

namespace dgfs::tools {
namespace {

/// The text from the last dot on; names without a dot come first.
std::string_view ending(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? std::string_view() : name.substr(dot);
}

template <class Value>
int compare(const Value& a, const Value& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

/// Compares only by the sort key.
int compare_keys(const LsOptions& options, const LsEntry& a, const LsEntry& b) {
  switch (options.sort) {
    case LsSort::kTime:
      if (options.listing.time == nullptr) return 0;
      return compare(b.node.*options.listing.time, a.node.*options.listing.time);
    case LsSort::kSize:
      return compare(b.node.size_bytes, a.node.size_bytes);
    case LsSort::kExtension:
      return compare(ending(a.name), ending(b.name));
    case LsSort::kVersion:
      return compare_versions(a.name, b.name);
    case LsSort::kWidth:
      return compare(display_width(options.name_style.text(a.name)),
                     display_width(options.name_style.text(b.name)));
    default:
      return 0;
  }
}

bool leads_to_directory(const LsEntry& entry) {
  return format::is_directory(entry.node.mode) ||
         (entry.target && format::is_directory(entry.target->mode));
}

}  // namespace

void sort_entries(const LsOptions& options, std::vector<LsEntry>& entries) {
  if (options.sort == LsSort::kNone) return;
  const auto before = [&](const LsEntry& a, const LsEntry& b) {
    if (options.directories_first && leads_to_directory(a) != leads_to_directory(b)) {
      return leads_to_directory(a);
    }
    const LsEntry& x = options.reverse ? b : a;
    const LsEntry& y = options.reverse ? a : b;
    const int difference = compare_keys(options, x, y);
    return difference != 0 ? difference < 0 : x.name < y.name;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) {
    std::stable_sort(entries.begin(), entries.end(), before);
  }
}

}  // namespace dgfs::tools
