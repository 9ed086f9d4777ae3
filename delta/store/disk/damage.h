// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Damage: collects the findings of the parts of a check, so that the check can go on.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/result.h"

namespace dgfs::delta {

/// For one thread.
class Damage {
 public:
  using Sink = std::function<void(const Error&)>;

  /// @param sink  gets each damaged place; not set: the first one ends the check
  explicit Damage(Sink sink) : sink_(std::move(sink)) {}

  /// Adds an error. Returns it if it ends the check: if no sink is set, or if the error is not
  /// about what is on disk.
  [[nodiscard]] Status add(Error error) {
    if (!is_damage(error.kind())) return error;
    ++places_;
    if (!sink_) return error;
    sink_(error);
    return ok();
  }
  [[nodiscard]] std::uint64_t places() const { return places_; }

 private:
  [[nodiscard]] static bool is_damage(ErrorKind kind) {
    return kind == ErrorKind::kCorrupt || kind == ErrorKind::kIo || kind == ErrorKind::kNotFound ||
           kind == ErrorKind::kIsDirectory;
  }

  Sink sink_;
  std::uint64_t places_ = 0;
};

}  // namespace dgfs::delta
