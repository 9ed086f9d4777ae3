// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The expression of dgfs find: tests and actions on one entry, which operators combine into one
// function. This file has what all of them share.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "reader/image.h"
#include "tools/cli/session.h"
#include "tools/paths/image_path.h"
#include "tools/text/user_names.h"

namespace dgfs::tools {

/// One entry, as tests and actions see it. The views are valid during the call.
struct FindItem {
  std::string_view path;   ///< as printed: begins with the start
  std::string_view start;  ///< as the user wrote it
  std::size_t depth = 0;   ///< below the start
  const reader::Node& node;
};

/// Widths of the columns of -ls; they grow with the printed numbers and names.
struct ListWidths {
  std::size_t inode = 9, blocks = 6, owner = 8, group = 8, major = 3, minor = 3, size = 8;
};

/// State of one run, shared by all tests and actions.
struct FindRun {
  const Session& session;
  const reader::Image& image;
  UserNames users;
  bool json = false;
  LinksFollowed links = LinksFollowed::kNone;
  bool prune = false;  ///< set by -prune: do not go into this directory
  bool quit = false;   ///< set by -quit
  bool failed = false;
  ListWidths list_widths = {};

  void complain(std::string_view path, const Error& error);
  /// Whether a link in the place of `item` is followed.
  [[nodiscard]] bool follows(const FindItem& item) const {
    return links == LinksFollowed::kAll || (links == LinksFollowed::kOperands && item.depth == 0);
  }
  /// @param above  the directory that the link at `path` leads to; nullopt: the link itself
  void complain_loop(std::string_view path, const std::optional<std::string>& above);
};

using FindTest = std::function<bool(const FindItem&)>;

struct FindExpression {
  FindTest test;
  std::size_t depth_min = 0;
  std::size_t depth_max = std::numeric_limits<std::size_t>::max();
  bool prunes = false;
  bool depth_first = false;                ///< visit a directory after its contents
  std::optional<std::string> starts_file;  ///< the file of -files0-from: paths to start at
};

/// The file system type of a mounted image, for -fstype and %F.
inline constexpr std::string_view kFileSystemType = "fuse.dgfs";

/// Type letter of a link's target, or of any other entry; 'N' if the link leads nowhere, 'L' in a
/// loop.
[[nodiscard]] char followed_type(FindRun& run, const FindItem& item);

/// -print, -print0, and the default action: prints the path, or the entry as JSON.
/// @param end  printed after the path
[[nodiscard]] FindTest print_action(FindRun& run, char end);

/// The last component, as -name sees it; "/" for a root written like that.
[[nodiscard]] std::string_view last_component(std::string_view path);

}  // namespace dgfs::tools
