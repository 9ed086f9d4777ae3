// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A machine that stops at a storage call, and knows which call that was. It sees only calls and
// file names, and uses no code of the store.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/hook_env.h"

namespace dgfs::test {

/// A value.
struct StorageCall {
  storage::CallKind kind = storage::CallKind::kOther;
  std::string name;  ///< of the file or directory, without its path

  friend bool operator==(const StorageCall&, const StorageCall&) = default;
};

/// The work of a store at the moment when the machine stops. A value.
enum class Step : std::uint8_t { kOpen, kOther };

/// Passes calls on to another Env until it stops; all later calls fail.
class StoppingEnv {
 public:
  /// @param at_call  the call to stop at, counted from 1; 0: never
  StoppingEnv(storage::Env& base, std::uint64_t at_call)
      : at_call_(at_call), env_(base, [this](storage::CallKind kind, const std::string& path) {
          return pass({kind, storage::base_name(path)}, path);
        }) {}

  [[nodiscard]] storage::Env& env() { return env_; }
  /// Stops at the call after the next `calls` calls.
  void stop_after(std::uint64_t calls) { at_call_ = calls_ + calls + 1; }
  /// A call of the store begins: clears done().
  void begin(Step step) {
    if (has_stopped()) return;
    step_ = step;
    done_.clear();
  }

  [[nodiscard]] bool has_stopped() const { return at_call_ != 0 && calls_ >= at_call_; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] Step step() const { return step_; }
  /// The storage calls since the call of the store began.
  [[nodiscard]] const std::vector<StorageCall>& done() const { return done_; }
  /// The call at which the machine stopped.
  [[nodiscard]] const StorageCall& blocked() const { return blocked_; }
  /// The last write was the first in a log segment that had been in use before, until the log
  /// changed to the other segment. Writes while the store opens do not count.
  [[nodiscard]] bool has_reused_segment() const { return segments_ > 2 && groups_ == 1; }
  /// The blocked call would have changed the disk, or made a change durable.
  [[nodiscard]] bool has_stopped_at_change() const {
    return has_stopped() && blocked_.kind != storage::CallKind::kRead &&
           blocked_.kind != storage::CallKind::kOpen;
  }

 private:
  Status pass(StorageCall call, const std::string& path) {
    if (has_stopped()) return stopped(path);
    ++calls_;
    if (has_stopped()) {
      blocked_ = std::move(call);
      return stopped(path);
    }
    if (step_ == Step::kOther && call.kind == storage::CallKind::kWrite) note_group(call.name);
    done_.push_back(std::move(call));
    return ok();
  }
  void note_group(const std::string& name) {
    if (!name.starts_with("log.")) return;
    groups_ = name == segment_ ? groups_ + 1 : 1;
    segments_ += name == segment_ ? 0 : 1;
    segment_ = name;
  }
  static Status stopped(const std::string& path) {
    return Error(ErrorKind::kIo, 1131, "the machine has stopped").in_file(path);
  }

  std::uint64_t at_call_;
  std::uint64_t calls_ = 0;
  Step step_ = Step::kOther;
  std::vector<StorageCall> done_;
  StorageCall blocked_;
  std::string segment_;  // the log segment that was written last
  int segments_ = 0;
  int groups_ = 0;
  HookEnv env_;
};

}  // namespace dgfs::test
