// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ClosingWait: waits for a process that is closing a delta, since the delta will soon be free.
#pragma once

#include <functional>
#include <string>

namespace dgfs::delta {

/// For one thread.
class ClosingWait {
 public:
  /// @param directory  of the delta
  /// @param tell       is called once, with one line, if there is a process to wait for; may be
  ///                   empty
  ClosingWait(std::string directory, std::function<void(const std::string&)> tell)
      : directory_(std::move(directory)), tell_(std::move(tell)) {}

  /// Call it when opening the delta failed because the delta is in use. Waits 50 ms, and returns
  /// whether the caller should try again. It returns true as long as the holder of the delta says
  /// that it is closing the delta, however long that takes; for 1 s if no holder answers, since it
  /// may have just ended; otherwise for 0.2 s, since a signal may be about to end the mount.
  [[nodiscard]] bool wait();

 private:
  const std::string directory_;
  const std::function<void(const std::string&)> tell_;
  unsigned silent_waits_ = 0;
  unsigned open_waits_ = 0;
  bool has_told_ = false;
};

}  // namespace dgfs::delta
