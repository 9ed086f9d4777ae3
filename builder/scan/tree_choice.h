// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeChoice: decides which entries of the source are packed (BuildOptions::rules and ::paths).
#pragma once

#include <string_view>

#include "base/result.h"
#include "builder/losses.h"
#include "builder/options.h"
#include "rules/path_list.h"
#include "storage/directory.h"

namespace dgfs::builder {

/// Paths are below the source, "a/b/name". Thread-safe, except check().
class TreeChoice {
 public:
  /// `options` must outlive this.
  explicit TreeChoice(const BuildOptions& options) : rules_(options.rules), paths_(options.paths) {}

  /// Whether everything is packed, so that callers need not ask further.
  [[nodiscard]] bool is_everything() const { return rules_.empty() && paths_.empty(); }
  /// Whether an entry is packed if its parents are. may_include() answers before the type of the
  /// entry is known; if it says no, the entry need not be read.
  [[nodiscard]] bool may_include(std::string_view path) const;
  [[nodiscard]] bool includes(std::string_view path, bool is_directory) const;

  /// Adds a loss for each missing path of BuildOptions::paths.
  [[nodiscard]] Status check(const storage::Directory& root, LossLog& losses) const;

 private:
  const rules::PathRules& rules_;
  rules::PathList paths_;
};

}  // namespace dgfs::builder
