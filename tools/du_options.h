// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The options of dgfs du: those of du(1) that mean something in an image.
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
  bool separate = false;     ///< sums of directories leave out subdirectories
  bool count_links = false;  ///< a file counts once for each of its names
  bool inodes = false;       ///< entries instead of bytes
  bool time = false;         ///< also print the newest time
  bool ends_with_nul = false;
  bool json = false;
  LinksFollowed links = LinksFollowed::kNone;
  BlockUnit unit;                     ///< for everything but inodes
  std::uint64_t least = 0;            ///< show nothing smaller
  std::optional<std::uint64_t> most;  ///< show nothing larger
  Time reader::Node::*time_member = &reader::Node::mtime;
  TimeStyle time_style;
  std::size_t depth_max = kAnyDepth;
  std::vector<std::string> excluded;         ///< patterns
  std::vector<std::string> exclusion_files;  ///< files with further patterns, one per line
  std::optional<std::string> paths_file;     ///< file of the paths to sum up, each ended by a NUL
};

/// Adds the options, with defaults from the environment; `du` must outlive the parse.
void add_du_options(OptionParser& options, const Session& session, DuOptions& du);
/// Fills in what the options leave open. Returns why options contradict each other, or "".
[[nodiscard]] std::string complete_du_options(DuOptions& du, bool has_operands);
/// Adds the patterns of the exclusion files to `excluded`. Errors: those of read_text().
[[nodiscard]] Status read_exclusions(const ToolIo& io, DuOptions& du);

}  // namespace dgfs::tools
