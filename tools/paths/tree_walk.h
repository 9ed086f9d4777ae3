// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Walks that need more than Image::walk: not below a depth, not into some directories, or with a
// word after a directory's last entry.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "reader/image.h"

namespace dgfs::tools {

enum class Step : std::uint8_t {
  kInto,  ///< go on, into the entry if it is a directory
  kOver,  ///< go on, not into it
  kEnd,
};

struct TreeVisitor {
  /// Each entry, a directory before its contents. `depth` counts from 0, the start.
  std::function<Step(std::string_view path, const reader::Node& node, std::size_t depth)> enter;
  /// After everything below a directory that was gone into; false ends the walk. Optional.
  std::function<bool(std::string_view path, const reader::Node& node, std::size_t depth)> leave;
  /// A directory some or all of whose names are lost, or an entry without its attributes; the walk
  /// goes on with all others. Optional: without it the walk ends with the error.
  std::function<void(std::string_view path, const Error& error)> damaged;
  /// What is below directories that are lost themselves is always visited. Set: `enter` and `leave`
  /// are called for such a directory, too, with a node that has a number and a type only.
  bool takes_lost_directories = false;
  /// Lost directories are not gone into from this depth on; of others `enter` decides.
  std::size_t depth_max = std::numeric_limits<std::size_t>::max();
  /// Links below the start are taken for what they lead to; those that lead nowhere stay links.
  bool follows_links = false;
  /// A link that leads to the directory `above`, on the way to itself: not visited. Or, without
  /// `above`, one that leads in a circle. For walks that follow links.
  std::function<void(std::string_view path, const std::optional<std::string>& above)> looped = {};
};

/// Visits `start` and what is below it in key order: the names of a directory, then its
/// subdirectories in turn. Paths begin with `path`, as the user wrote it. Memory: the names of
/// the subdirectories still to visit.
/// @param start_is_lost  it is one of find_listed() that lost its entry
[[nodiscard]] Status walk_tree(const reader::Image& image, const std::string& path,
                               const reader::Node& start, const TreeVisitor& visitor,
                               bool start_is_lost = false);

}  // namespace dgfs::tools
