// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The attributes of an entry as the image states them: those of the source, with the overrides of
// the build's options.
#pragma once

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "builder/options.h"
#include "builder/spool/tree_record.h"
#include "format/entry/mode.h"
#include "storage/file.h"

namespace dgfs::builder {

/// Overrides of attributes. A value, thread-safe.
class EntryRules {
 public:
  /// Keeps all attributes.
  EntryRules() = default;
  /// @param newest  later times become this one; nullopt: none does
  EntryRules(const BuildOptions& options, std::optional<Time> newest)
      : cleared_(options.permission_mask.value_or(0) & format::kPermissionMask),
        uid_(options.uid),
        gid_(options.gid),
        newest_(newest) {}

  [[nodiscard]] EntryAttributes apply(const storage::FileStatus& status) const {
    EntryAttributes stated;
    stated.mode = status.mode & ~cleared_;
    stated.uid = uid_.value_or(status.uid);
    stated.gid = gid_.value_or(status.gid);
    stated.mtime = newest_ ? std::min(status.modify_time, *newest_) : status.modify_time;
    stated.size_bytes = format::is_regular(status.mode) ? status.size_bytes : 0;
    return stated;
  }

 private:
  std::uint32_t cleared_ = 0;  ///< bits of every mode
  std::optional<std::uint32_t> uid_;
  std::optional<std::uint32_t> gid_;
  std::optional<Time> newest_;
};

}  // namespace dgfs::builder
