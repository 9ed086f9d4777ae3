// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Pacer: delays writers so that maintenance stays ahead of them. Once the backlog is half of what
// may wait, each further byte adds to the delay, so that writers slow down gradually instead of
// stopping at a full backlog. At three quarters they write as fast as maintenance works, and beyond
// that slower and slower. The speed of maintenance is taken from its last piece of work, or from
// the present one if that already takes longer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace dgfs::delta {

/// Not thread-safe.
class Pacer {
 public:
  using Duration = std::chrono::nanoseconds;

  /// The bytes that wait for maintenance, and how many may wait. A value.
  struct Backlog {
    std::uint64_t used_bytes = 0;
    std::uint64_t room_bytes = 1;  ///< above 0
    [[nodiscard]] double share() const {
      return static_cast<double>(used_bytes) / static_cast<double>(room_bytes);
    }
  };

  /// Maintenance begins a piece of work. @param now  of one clock for all calls
  void begin_work(Duration now) { begun_ = now; }
  void end_work(Duration now) {
    if (begun_) last_ = now - *begun_;
    begun_.reset();
  }

  /// A writer has written `bytes`: writers owe some time for them.
  void charge(std::uint64_t bytes, const Backlog& backlog, Duration now) {
    const double share = backlog.share();
    if (share <= 0.5) return;
    const double pressure = (share - 0.5) / std::max(1 - share, kLeastRoom);
    const Duration work = begun_ ? std::max(last_, now - *begun_) : last_;
    const double per_byte =
        static_cast<double>(work.count()) / (static_cast<double>(backlog.room_bytes) / 2);
    debt_ += static_cast<double>(bytes) * per_byte * pressure;
    // Bounds the debt, so that the next writer and the one after it wait at most kMost each.
    debt_ = std::min(debt_, 2 * kMost.count());
  }
  /// Whether the debt is worth a sleep.
  [[nodiscard]] bool is_delay_due() const { return debt_ >= static_cast<double>(kLeast.count()); }
  /// The time that the next writer waits before it writes; zero unless is_delay_due(). Subtracts it
  /// from the debt.
  [[nodiscard]] Duration take_delay() {
    if (!is_delay_due()) return Duration(0);
    const auto delay = std::chrono::duration_cast<Duration>(
        std::min(std::chrono::duration<double, std::nano>(debt_), kMost));
    debt_ -= static_cast<double>(delay.count());
    return delay;
  }

 private:
  static constexpr double kLeastRoom = 1.0 / 1024;
  /// Sleeps are no more exact than this.
  static constexpr Duration kLeast = std::chrono::microseconds(200);
  static constexpr std::chrono::duration<double, std::nano> kMost =
      std::chrono::milliseconds(20);  ///< the longest single delay

  /// Start of the present piece of work; none: maintenance is idle.
  std::optional<Duration> begun_;
  Duration last_{0};
  double debt_ = 0;  ///< nanoseconds of delay that writers still owe
};

}  // namespace dgfs::delta
