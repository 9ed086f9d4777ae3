// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeChoice: which entries of the source are packed (BuildOptions::rules and ::paths).
#pragma once

#include <string_view>

#include "base/result.h"
#include "builder/losses.h"
#include "builder/options.h"
#include "rules/path_list.h"
#include "storage/directory.h"

namespace dgfs::builder {

/// Paths are below the source, "a/b/name". Thread-safe but for check().
class TreeChoice {
 public:
  /// `options` outlives this.
  explicit TreeChoice(const BuildOptions& options) : rules_(options.rules), paths_(options.paths) {}

  /// Nothing is left out, so that nothing else need be asked.
  [[nodiscard]] bool is_everything() const { return rules_.empty() && paths_.empty(); }
  /// Whether an entry whose parents are packed is packed itself. `may_include` answers before its
  /// type is known; what it denies need not even be looked at.
  [[nodiscard]] bool may_include(std::string_view path) const;
  [[nodiscard]] bool includes(std::string_view path, bool is_directory) const;

  /// Each chosen path that is not there is a loss.
  [[nodiscard]] Status check(const storage::Directory& root, LossLog& losses) const;

 private:
  const rules::PathRules& rules_;
  rules::PathList paths_;
};

}  // namespace dgfs::builder
