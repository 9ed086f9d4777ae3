// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Pacer: how long writers wait so that maintenance stays ahead of them. From half of what may wait
// on they are slowed down a little more with each byte, so that nobody runs into a wall: at three
// quarters they write as fast as maintenance takes away, and what room is left they halve, and
// halve again. Its speed is that of its last piece of work, or of the present one if that lasts
// longer already.
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

  /// What waits for maintenance, and how much may. A value.
  struct Backlog {
    std::uint64_t used_bytes = 0;
    std::uint64_t room_bytes = 1;  ///< above 0
    [[nodiscard]] double share() const {
      return static_cast<double>(used_bytes) / static_cast<double>(room_bytes);
    }
  };

  /// Maintenance begins a piece of work. @param now  of any clock, always the same one
  void begin_work(Duration now) { begun_ = now; }
  void end_work(Duration now) {
    if (begun_) last_ = now - *begun_;
    begun_.reset();
  }

  /// Somebody has written `bytes`: writers owe some time for them.
  void charge(std::uint64_t bytes, const Backlog& backlog, Duration now) {
    const double share = backlog.share();
    if (share <= 0.5) return;
    const double pressure = (share - 0.5) / std::max(1 - share, kLeastRoom);
    const Duration work = begun_ ? std::max(last_, now - *begun_) : last_;
    const double per_byte =
        static_cast<double>(work.count()) / (static_cast<double>(backlog.room_bytes) / 2);
    debt_ += static_cast<double>(bytes) * per_byte * pressure;
    // However much it is, the next one waits for no more, and another one after him.
    debt_ = std::min(debt_, 2 * kMost.count());
  }
  /// Whether it is worth a sleep.
  [[nodiscard]] bool is_delay_due() const { return debt_ >= static_cast<double>(kLeast.count()); }
  /// What the next writer shall wait before it writes; zero until it is worth a sleep. It is not
  /// owed any more then.
  [[nodiscard]] Duration take_delay() {
    if (!is_delay_due()) return Duration(0);
    const auto delay = std::chrono::duration_cast<Duration>(
        std::min(std::chrono::duration<double, std::nano>(debt_), kMost));
    debt_ -= static_cast<double>(delay.count());
    return delay;
  }

 private:
  static constexpr double kLeastRoom = 1.0 / 1024;
  static constexpr Duration kLeast = std::chrono::microseconds(200);  ///< sleeps are about as exact
  static constexpr std::chrono::duration<double, std::nano> kMost =
      std::chrono::milliseconds(20);  ///< at once

  std::optional<Duration> begun_;  ///< the present piece of work; none: there is none
  Duration last_{0};
  double debt_ = 0;  ///< nanoseconds that have not been waited for
};

}  // namespace dgfs::delta
