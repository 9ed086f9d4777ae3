// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Counters of an open image, updated by any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "reader/counters.h"

namespace dgfs::reader {

/// Totals since the image was opened. Relaxed order is enough: no code infers the state of other
/// memory from them.
struct CounterCells {
  std::atomic<std::uint64_t> index_reads{0};
  std::atomic<std::uint64_t> side_reads{0};
  std::atomic<std::uint64_t> data_reads{0};
  std::atomic<std::uint64_t> index_read_bytes{0};
  std::atomic<std::uint64_t> side_read_bytes{0};
  std::atomic<std::uint64_t> data_read_bytes{0};
  std::atomic<std::uint64_t> healed_pages{0};
  std::atomic<std::uint64_t> errors{0};

  static void add(std::atomic<std::uint64_t>& cell, std::uint64_t count = 1) {
    cell.fetch_add(count, std::memory_order_relaxed);
  }

  /// Current values, without those of the caches, which count themselves.
  [[nodiscard]] Counters values() const {
    const auto value = [](const std::atomic<std::uint64_t>& cell) {
      return cell.load(std::memory_order_relaxed);
    };
    Counters counters;
    counters.index_reads = value(index_reads);
    counters.side_reads = value(side_reads);
    counters.data_reads = value(data_reads);
    counters.index_read_bytes = value(index_read_bytes);
    counters.side_read_bytes = value(side_read_bytes);
    counters.data_read_bytes = value(data_read_bytes);
    counters.healed_pages = value(healed_pages);
    counters.errors = value(errors);
    return counters;
  }
};

}  // namespace dgfs::reader
