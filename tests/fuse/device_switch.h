// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A device under a server in another process; the test makes it fail and recover.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "storage/env.h"

namespace dgfs::test {

enum class DeviceFault : int {
  kNone,
  kError,  ///< reads fail with EIO
  kShort,  ///< reads end early, as if the file had been cut
  kFlip,   ///< a bit of the read bytes is inverted
  kZeros,  ///< reads give zeros
};
enum class DevicePart : int { kAll, kImage, kIndex };

/// Lies in memory shared with the server. Thread-safe.
class DeviceSwitch {
 public:
  /// Every read of the part fails from now on.
  void set(DeviceFault fault, DevicePart part = DevicePart::kAll) { arm(fault, part, false, 0); }
  /// The n-th read (from 0) of the part fails, and no other.
  void set_once(DeviceFault fault, DevicePart part, std::int64_t nth) {
    arm(fault, part, true, nth);
  }
  void recover() { set(DeviceFault::kNone); }
  [[nodiscard]] std::uint64_t fired() const { return fired_; }

  /// The fault for this read of `path`.
  DeviceFault next(const std::string& path);

 private:
  void arm(DeviceFault fault, DevicePart part, bool once, std::int64_t nth) {
    fault_ = DeviceFault::kNone;
    part_ = part;
    once_ = once;
    countdown_ = nth;
    fired_ = 0;
    fault_ = fault;
  }

  std::atomic<DeviceFault> fault_ = DeviceFault::kNone;
  std::atomic<DevicePart> part_ = DevicePart::kAll;
  std::atomic<bool> once_ = false;
  std::atomic<std::int64_t> countdown_ = 0;  // reads before the one that fails
  std::atomic<std::uint64_t> fired_ = 0;
};

/// Makes a switch in memory that a forked child shares; never freed.
[[nodiscard]] DeviceSwitch* make_shared_switch();

/// `base` with the faults of `device_switch`; both must outlive the result.
[[nodiscard]] std::unique_ptr<storage::Env> make_switched_env(storage::Env& base,
                                                              DeviceSwitch& device_switch);

}  // namespace dgfs::test
