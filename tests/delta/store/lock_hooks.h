// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LockHooks: what a thread does whenever it has locked a mutex, or unlocked one. The linker puts
// the two functions that lock before those of the system (CMakeLists.txt).
#pragma once

#include <functional>

namespace dgfs::test {

/// While it lives, of the thread that has made it; one at a time. A hook is not called for the
/// locks that it takes itself.
class LockHooks {
 public:
  /// @param held  how many the thread has now
  using Hook = std::function<void(int held)>;

  LockHooks(Hook locked, Hook unlocked);
  ~LockHooks();
  LockHooks(const LockHooks&) = delete;
  LockHooks& operator=(const LockHooks&) = delete;

 private:
  friend struct HookedLocks;
  Hook locked_;
  Hook unlocked_;
};

}  // namespace dgfs::test
