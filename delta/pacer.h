// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Pacer: how long writers wait so that maintenance stays ahead of them. From half of what may wait
// on they are slowed down a little more with each byte, so that nobody runs into a wall: at three
// quarters they write as fast as maintenance takes away, as long as it lasted the last time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

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

  /// A piece of work of maintenance has taken so long.
  void note_work(Duration duration) { work_ = duration; }

  /// What a writer of `bytes` shall wait now; zero until it is worth a sleep.
  [[nodiscard]] Duration delay(std::uint64_t bytes, const Backlog& backlog) {
    const double share = backlog.share();
    if (share <= 0.5) return Duration(0);
    const double pressure = (share - 0.5) * 4;  // 1 at three quarters
    const double per_byte =
        static_cast<double>(work_.count()) / (static_cast<double>(backlog.room_bytes) / 2);
    debt_ += static_cast<double>(bytes) * per_byte * pressure;
    if (debt_ < static_cast<double>(kLeast.count())) return Duration(0);
    const auto delay = std::min(Duration(static_cast<std::int64_t>(debt_)), kMost);
    debt_ = 0;
    return delay;
  }

 private:
  static constexpr Duration kLeast = std::chrono::microseconds(200);  ///< sleeps are about as exact
  static constexpr Duration kMost = std::chrono::milliseconds(20);    ///< at once

  Duration work_{0};
  double debt_ = 0;  ///< nanoseconds that have not been waited for
};

}  // namespace dgfs::delta
