// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Untouched: questions that the image answers alone, since no store says anything of their objects.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// Thread-safe; a value. The layers must outlive it. It takes no snapshot: a store that says
/// nothing of an object's records has never said anything, so that all was so when the call began.
/// Cost: that of the image, and a question to the filter of each store for each object and class.
class Untouched {
 public:
  explicit Untouched(const Layers& layers) : layers_(layers) {}

  /// nullopt: a store may say something; a moment must be asked. A name that a directory has of
  /// itself, also. Errors: kNotFound (an alive directory has no such name), kIo, kCorrupt.
  [[nodiscard]] Result<std::optional<Entry>> lookup(ObjectNumber directory,
                                                    std::string_view name) const;
  /// Likewise, also where there is no such object. Errors: kIo, kCorrupt.
  [[nodiscard]] Result<std::optional<Attributes>> attributes(ObjectNumber object) const;

 private:
  const Layers& layers_;
};

}  // namespace dgfs::view
