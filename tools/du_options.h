// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What dgfs du can be asked for: the options of du(1) that mean something in an image.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "reader/image.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/paths/image_path.h"
#include "tools/text/block_unit.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {

inline constexpr std::size_t kAnyDepth = std::numeric_limits<std::size_t>::max();

struct DuOptions {
  bool all = false;
  bool apparent = false;
  bool summarize = false;
  bool total = false;
  bool separate = false;     ///< a directory without its subdirectories
  bool count_links = false;  ///< a file with several names as often as it is met
  bool inodes = false;       ///< entries instead of bytes
  bool time = false;         ///< show it, too
  bool ends_with_nul = false;
  bool json = false;
  LinksFollowed links = LinksFollowed::kNone;
  BlockUnit unit;                     ///< of all but inodes
  std::uint64_t least = 0;            ///< show nothing smaller
  std::optional<std::uint64_t> most;  ///< or nothing larger
  Time reader::Node::*time_member = &reader::Node::mtime;
  TimeStyle time_style;
  std::size_t depth_max = kAnyDepth;
  std::vector<std::string> excluded;         ///< patterns
  std::vector<std::string> exclusion_files;  ///< of further ones, one a line
  std::optional<std::string> paths_file;     ///< what to sum up, with a NUL after each
};

/// Adds the options, after what the environment says; `du` must outlive the parse.
void add_du_options(OptionParser& options, const Session& session, DuOptions& du);
/// Why options contradict each other; empty where they do not. Works out what they leave open.
[[nodiscard]] std::string complete_du_options(DuOptions& du, bool has_operands);
/// Adds the patterns of the files to `excluded`. Errors: those of read_text().
[[nodiscard]] Status read_exclusions(const ToolIo& io, DuOptions& du);

}  // namespace dgfs::tools
