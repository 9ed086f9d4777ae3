// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The progress line of long commands: on terminals only, on the error output, and only once a
// second has passed.
#pragma once

#include <cstdint>
#include <string>

#include "tools/cli/tool_io.h"

namespace dgfs::tools {

/// The content of a progress line.
struct ProgressState {
  std::string label;              ///< "packing"
  std::uint64_t done = 0;         ///< bytes, or entries where `total` is 0
  std::uint64_t total = 0;        ///< bytes; 0 = unknown: a counter is shown instead of a bar
  std::uint64_t elapsed_ns = 0;   ///< since the work under this label began
  std::uint64_t done_before = 0;  ///< `done` when the work began; the rate counts what came since
};

/// "packing   [######----]  60%  5.83 GB of 9.71 GB  612 MB/s  0:05 left", at most `width_columns`
/// wide (the bar shrinks first, then the right end is cut), or "scanning  1,204 entries  386/s".
/// Rate and remaining time appear after one second of work: before, they cannot be estimated.
[[nodiscard]] std::string render_progress(const ProgressState& state, std::size_t width_columns);
/// "0:05", "12:34", "1:02:03".
[[nodiscard]] std::string clock_text(std::uint64_t seconds);

/// Draws over its previous line. Call it from one thread at a time.
class ProgressBar {
 public:
  ProgressBar(const ToolIo& io, bool quiet);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// The first update with a new label restarts the clock for the rate, so that earlier phases
  /// (training, opening) do not distort it.
  void update(const std::string& label, std::uint64_t done, std::uint64_t total);
  /// Removes the line, so that something can be printed in its place.
  void clear();
  /// Removes the line and stays silent for another second: the printed text shows progress.
  void rest();

 private:
  const ToolIo& io_;
  bool enabled_;
  bool shown_ = false;
  std::uint64_t start_ns_;
  std::uint64_t work_start_ns_;
  std::uint64_t work_start_done_ = 0;
  std::uint64_t drawn_ns_ = 0;
  std::string label_;
};

}  // namespace dgfs::tools
