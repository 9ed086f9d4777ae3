// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An Env whose clock moves only when the test calls step(), so that times compare exactly.
#pragma once

#include <atomic>
#include <cstdint>

#include "storage/forwarding_env.h"

namespace dgfs::test {

/// As thread-safe as the Env to which it passes all other calls.
class SteppingEnv final : public storage::ForwardingEnv {
 public:
  /// @param base  must outlive this
  explicit SteppingEnv(storage::Env& base) : EnvForwarder(base) {}

  Time now() const override { return {seconds_.load(), 123'456'789}; }
  /// Moves the clock on by a second.
  void step() { ++seconds_; }

 private:
  std::atomic<std::int64_t> seconds_ = 1'700'000'000;
};

}  // namespace dgfs::test
