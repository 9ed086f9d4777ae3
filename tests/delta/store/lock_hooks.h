// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LockHooks: calls a hook whenever a thread has locked or unlocked a mutex. The linker replaces the
// system's two functions by wrappers (CMakeLists.txt).
#pragma once

#include <functional>

namespace dgfs::test {

/// Works for the thread that made it, as long as it lives; one at a time. A hook is not called for
/// locks that the hook itself takes.
class LockHooks {
 public:
  /// @param held  how many mutexes the thread holds now
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
