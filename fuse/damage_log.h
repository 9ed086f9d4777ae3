// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The log of a serving mount. A damaged place may be asked for thousands of times a second, and a
// damaged disk has thousands of places: each is told once an hour, and only so many in a second.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include <spdlog/logger.h>

#include "base/error.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// Places that are remembered as told; beyond them new ones are only counted. 1 MiB at most.
inline constexpr std::size_t kDamagedPlacesMax = 16384;
/// Lines in one second. What comes above is counted and can be told at the next occasion.
inline constexpr unsigned kDamageLinesPerSecondMax = 10;
/// After so long places are told again: a device may have failed, recovered and failed again.
inline constexpr std::uint64_t kDamageSilenceSeconds = 3600;

/// Thread-safe.
class DamageLog {
 public:
  /// @param env  gives the clock; must outlive the log
  DamageLog(storage::Env& env, std::shared_ptr<spdlog::logger> log)
      : env_(env), log_(std::move(log)) {}

  /// Sends everything to `log` from now on. Not to be called while other threads log.
  void redirect(std::shared_ptr<spdlog::logger> log) {
    log_ = std::move(log);
    is_redirected_ = true;
  }
  [[nodiscard]] bool is_redirected() const { return is_redirected_; }

  /// From now on what fails in this directory is of the delta. Not to be called while other threads
  /// log.
  void set_delta(std::string directory) { delta_ = std::move(directory); }

  /// Whether damage at this place is to be written now; then write() must follow. The question is
  /// apart from the answer because finding out the path of a damaged file costs reads.
  [[nodiscard]] bool is_due(const Error& error);
  /// The first line about a damaged image, about a failing device, about a delta that is full, and
  /// about one that fails, says what to do.
  /// Names in it may hold any bytes; what is no printable text is escaped.
  /// @param what  what failed, for whom: "read of a/b.txt"
  void write(const std::string& what, const Error& error);

  /// A fact that is no fault.
  void info(const std::string& text);
  /// Damage that did no harm, as a warning, if it is due.
  void warn(const Error& error);

 private:
  enum Advice : unsigned { kAboutImage = 1, kAboutDevice = 2, kAboutSpace = 4, kAboutDelta = 8 };
  [[nodiscard]] bool is_first(Advice advice);
  void tell_untold();
  void advise(const Error& error);
  [[nodiscard]] bool is_of_delta(const Error& error) const;

  storage::Env& env_;
  std::shared_ptr<spdlog::logger> log_;
  bool is_redirected_ = false;
  std::string delta_;  ///< empty: there is none
  std::mutex mutex_;
  std::unordered_set<std::uint64_t> told_places_;  // hashes
  std::uint64_t silent_since_second_ = 0;          // of the monotonic clock
  std::uint64_t second_ = 0;                       // likewise
  unsigned lines_in_second_ = 0;
  std::uint64_t untold_ = 0;  // since the last line
  unsigned advised_ = 0;      // Advice
};

}  // namespace dgfs::fuse
