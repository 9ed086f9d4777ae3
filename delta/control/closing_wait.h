// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ClosingWait: waits for a process that is closing a delta, which is as good as free.
#pragma once

#include <functional>
#include <string>

namespace dgfs::delta {

/// For one thread.
class ClosingWait {
 public:
  /// @param directory  of the delta
  /// @param tell       is told once, in one line, if there is somebody to wait for; may be empty
  ClosingWait(std::string directory, std::function<void(const std::string&)> tell)
      : directory_(std::move(directory)), tell_(std::move(tell)) {}

  /// The delta was found to be in use. Returns whether to try again, after a wait of 50 ms: whoever
  /// has it says that it closes it. One that cannot be asked is given a second, as it may have just
  /// ended, and one that says nothing of closing 0.2 s, as it may have just been unmounted.
  [[nodiscard]] bool wait();

 private:
  const std::string directory_;
  const std::function<void(const std::string&)> tell_;
  unsigned silent_waits_ = 0;
  unsigned open_waits_ = 0;
  bool has_told_ = false;
};

}  // namespace dgfs::delta
