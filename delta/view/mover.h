// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mover: rename. It moves only dentries, not what lies below a directory.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "delta/view/makers.h"
#include "delta/view/removers.h"

namespace dgfs::view {

/// Thread-safe.
class Mover {
 public:
  /// Both must outlive it.
  Mover(Writer& writer, ObjectNumbers& numbers) : writer_(writer), numbers_(numbers) {}

  /// A rename.
  struct Request {
    NamePlace from;
    NamePlace to;
    RenameMode mode = RenameMode::kReplace;
    /// The owner of the whiteout that is left; none: no whiteout.
    std::optional<Credentials> whiteout = std::nullopt;
  };
  /// As View::rename().
  [[nodiscard]] Result<Renamed> rename(const Request& request);

 private:
  Writer& writer_;
  ObjectNumbers& numbers_;
};

}  // namespace dgfs::view
