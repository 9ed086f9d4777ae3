// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SealSchedule: seals the delta of a mount unasked, after a time or at a size.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/view/view.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// When a delta is sealed; if both are 0, never. A value.
struct SealTimes {
  /// Since the newest state. Since the mount or its last seal, if there is no state, or if a clock
  /// that was ahead has made it.
  std::chrono::seconds interval{0};
  std::uint64_t bytes = 0;  ///< in use by the store that is written to
};

/// One thread makes and destroys it.
class SealSchedule {
 public:
  /// All must outlive it.
  /// @param warn  gets each error of a seal, but the same one only once in a row
  SealSchedule(storage::Env& env, view::View& view, delta::DeltaDirectory& delta,
               std::string image_path, const SealTimes& times,
               std::function<void(const Error&)> warn);
  /// Waits for a seal that is under way.
  ~SealSchedule();
  SealSchedule(const SealSchedule&) = delete;
  SealSchedule& operator=(const SealSchedule&) = delete;

  /// Starts the thread, if there is anything to do. Errors: kLimit (no thread available).
  [[nodiscard]] Status start();
  /// Whether a seal is due now. For the thread, or before it starts.
  [[nodiscard]] bool is_due() const;
  /// What the thread does when it looks: a seal, if one is due. The same.
  void look() noexcept;

 private:
  void run();
  void seal();
  void tell(const Error& error);

  storage::Env& env_;
  view::View& view_;
  delta::DeltaDirectory& delta_;
  const std::string image_path_;
  const SealTimes times_;
  const std::function<void(const Error&)> warn_;
  std::uint64_t counted_from_ns_;  ///< the mount, or its last unasked seal
  std::string told_;               ///< the last error
  std::mutex mutex_;               ///< guards what follows
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace dgfs::fuse
