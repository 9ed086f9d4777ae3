// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Damage: where the parts of a check bring what they find, so that the check may go on.
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

  /// @param sink  is told of each place that is damaged; not set: the first one ends the check
  explicit Damage(Sink sink) : sink_(std::move(sink)) {}

  /// Fails with `error` where the check ends by it: it is the first, and nobody is told of it, or
  /// it says nothing about what is on the disk.
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
