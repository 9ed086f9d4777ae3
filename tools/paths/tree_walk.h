// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Walks that Image::walk cannot do: to a limited depth, without some directories, or with a call
// after the last entry of a directory.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "reader/image.h"

namespace dgfs::tools {

enum class Step : std::uint8_t {
  kInto,  ///< continue, and enter the entry if it is a directory
  kOver,  ///< continue, but do not enter it
  kEnd,
};

struct TreeVisitor {
  /// Called for each entry, for a directory before its contents. `depth` counts from 0, the start.
  std::function<Step(std::string_view path, const reader::Node& node, std::size_t depth)> enter;
  /// Called after everything below a directory that was entered; false ends the walk. Optional.
  std::function<bool(std::string_view path, const reader::Node& node, std::size_t depth)> leave;
  /// Called for a directory that has lost some or all names, or for an entry without its
  /// attributes; the walk continues. Optional: without it the walk ends with the error.
  std::function<void(std::string_view path, const Error& error)> damaged;
  /// The contents of directories whose own entry is lost are always visited. Set: `enter` and
  /// `leave` are also called for such a directory, with a node that has only a number and a type.
  bool takes_lost_directories = false;
  /// Lost directories at this depth or below are not entered; for others `enter` decides.
  std::size_t depth_max = std::numeric_limits<std::size_t>::max();
  /// Links below the start are replaced by their targets; links that lead nowhere stay links.
  bool follows_links = false;
  /// Called for a link to the directory `above` that contains it: the walk does not visit it. Or,
  /// without `above`, for a link in a loop. Only for walks that follow links.
  std::function<void(std::string_view path, const std::optional<std::string>& above)> looped = {};
};

/// Visits `start` and everything below it in key order: the names of a directory, then its
/// subdirectories in turn. Paths begin with `path`, as the user wrote it. Holds the names of the
/// subdirectories that are still to visit.
/// @param start_is_lost  find_listed() found `start`, but its own entry is lost
[[nodiscard]] Status walk_tree(const reader::Image& image, const std::string& path,
                               const reader::Node& start, const TreeVisitor& visitor,
                               bool start_is_lost = false);

}  // namespace dgfs::tools
