// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How the tree of a merge names an object without a name, to open it: "/" and its number. No entry
// has such a name.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "delta/view/object.h"

namespace dgfs::merge {

[[nodiscard]] inline std::string nameless_name(view::ObjectNumber object) {
  return "/" + std::to_string(object);
}

/// The object that nameless_name() names; none: it is another name.
[[nodiscard]] inline std::optional<view::ObjectNumber> nameless_object(std::string_view name) {
  if (!name.starts_with('/')) return std::nullopt;
  view::ObjectNumber object = 0;
  const auto* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + 1, end, object);
  if (error != std::errc() || stop != end) return std::nullopt;
  return object;
}

/// For messages.
[[nodiscard]] inline std::string nameless_text(view::ObjectNumber object) {
  return "object " + std::to_string(object) + ", which has no name";
}

}  // namespace dgfs::merge
