// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/store/lock_hooks.h"

#include <pthread.h>

#include <utility>

namespace dgfs::test {

struct HookedLocks {
  static thread_local int held;
  static thread_local LockHooks* hooks;

  static void call(LockHooks::Hook LockHooks::*hook) {
    if (hooks == nullptr) return;
    LockHooks* const all = std::exchange(hooks, nullptr);
    if (all->*hook) (all->*hook)(held);
    hooks = all;
  }
  static void note_locked() {
    ++held;
    call(&LockHooks::locked_);
  }
  static void note_unlocked() {
    --held;
    call(&LockHooks::unlocked_);
  }
};

thread_local int HookedLocks::held = 0;
thread_local LockHooks* HookedLocks::hooks = nullptr;

LockHooks::LockHooks(Hook locked, Hook unlocked)
    : locked_(std::move(locked)), unlocked_(std::move(unlocked)) {
  HookedLocks::hooks = this;
}

LockHooks::~LockHooks() { HookedLocks::hooks = nullptr; }

}  // namespace dgfs::test

extern "C" {

int __real_pthread_mutex_lock(pthread_mutex_t* mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t* mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  const int result = __real_pthread_mutex_lock(mutex);
  dgfs::test::HookedLocks::note_locked();
  return result;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  const int result = __real_pthread_mutex_unlock(mutex);
  dgfs::test::HookedLocks::note_unlocked();
  return result;
}

}  // extern "C"
