// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which paths an extraction begins with, so that it comes to every entry once.
#pragma once

#include <string>
#include <vector>

namespace dgfs::reader {

/// `paths` as walk() gives them (without empty and "." components), in the same order, without
/// those that repeat an earlier one or lie below another; the root ("") alone if there are none.
[[nodiscard]] std::vector<std::string> disjoint_paths(const std::vector<std::string>& paths);

}  // namespace dgfs::reader
