// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An Env whose clock stands still until it is told to go on, so that times can be compared exactly.
#pragma once

#include <atomic>
#include <cstdint>

#include "storage/forwarding_env.h"

namespace dgfs::test {

/// Thread-safe as the Env that it passes all else to.
class SteppingEnv final : public storage::ForwardingEnv {
 public:
  /// @param base  must outlive this
  explicit SteppingEnv(storage::Env& base) : EnvForwarder(base) {}

  Time now() const override { return {seconds_.load(), 123'456'789}; }
  /// A second passes.
  void step() { ++seconds_; }

 private:
  std::atomic<std::int64_t> seconds_ = 1'700'000'000;
};

}  // namespace dgfs::test
