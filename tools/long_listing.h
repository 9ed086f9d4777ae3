// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The table of ls -l: rows whose columns are as wide as the widest row needs.
#pragma once

#include <string>
#include <vector>

#include "reader/image.h"
#include "tools/time_text.h"
#include "tools/user_names.h"

namespace dgfs::tools {

struct LongListingOptions {
  bool human = false;    ///< sizes as 1.2K
  bool numeric = false;  ///< ids instead of names
  bool inode = false;    ///< the number first
  TimeStyle time_style;
  Time now;  ///< decides which times are recent
};

struct LongRow {
  reader::Node node;
  bool has_acl = false;  ///< shown as '+' after the mode
  std::string name;      ///< everything after the time: quoted, coloured, with arrow and target
};

/// One line per row.
[[nodiscard]] std::string long_listing(const std::vector<LongRow>& rows,
                                       const LongListingOptions& options, UserNames& users);

}  // namespace dgfs::tools
