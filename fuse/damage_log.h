// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The log of a serving mount. Programs may request a damaged place thousands of times a second, and
// a damaged disk has thousands of places. So each place is logged once an hour, and only a few in a
// second.
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

/// The number of places that are remembered as logged; further ones are only counted. Needs 1 MiB
/// at most.
inline constexpr std::size_t kDamagedPlacesMax = 16384;
/// Lines in one second. Further ones are counted; the next line reports their number.
inline constexpr unsigned kDamageLinesPerSecondMax = 10;
/// After this time, places are logged again: a device may have failed, recovered and failed again.
inline constexpr std::uint64_t kDamageSilenceSeconds = 3600;

/// Thread-safe.
class DamageLog {
 public:
  /// @param env  provides the clock; must outlive the log
  DamageLog(storage::Env& env, std::shared_ptr<spdlog::logger> log)
      : env_(env), log_(std::move(log)) {}

  /// Sends all lines to `log` from now on. Must not run while other threads log.
  void redirect(std::shared_ptr<spdlog::logger> log) {
    log_ = std::move(log);
    is_redirected_ = true;
  }
  [[nodiscard]] bool is_redirected() const { return is_redirected_; }

  /// Errors below this directory count as errors of the delta from now on. Must not run while other
  /// threads log.
  void set_delta(std::string directory) { delta_ = std::move(directory); }

  /// Whether damage at this place is to be logged now; if so, the caller must call write(). The
  /// two are separate because finding the path of a damaged file costs reads.
  [[nodiscard]] bool is_due(const Error& error);
  /// Logs a failure. The first failure of each kind (a damaged image, a failing device, a full
  /// delta, a failing delta) is followed by advice. Names may hold any bytes; unprintable
  /// characters are escaped.
  /// @param what  the operation that failed, and its object: "read of a/b.txt"
  void write(const std::string& what, const Error& error);

  /// Logs a fact that is no fault.
  void info(const std::string& text);
  /// Logs damage that did no harm as a warning, if it is due.
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
  std::string delta_;  ///< empty: the mount has no delta
  std::mutex mutex_;
  std::unordered_set<std::uint64_t> told_places_;  // hashes
  std::uint64_t silent_since_second_ = 0;          // of the monotonic clock
  std::uint64_t second_ = 0;                       // likewise
  unsigned lines_in_second_ = 0;
  std::uint64_t untold_ = 0;  // failures left out since the last line
  unsigned advised_ = 0;      // bits of Advice that were given
};

}  // namespace dgfs::fuse
