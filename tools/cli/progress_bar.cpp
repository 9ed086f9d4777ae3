// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kSilentNs = kSecondNs;       // shorter work needs no bar
constexpr std::uint64_t kRedrawNs = kSecondNs / 10;  // faster is a blur
constexpr std::uint64_t kJudgedNs = kSecondNs;       // less work gives no useful rate
constexpr std::size_t kBarColumnsMax = 36;
constexpr std::size_t kBarColumnsMin = 8;

/// Returns 0 if there is too little work to estimate a rate.
std::uint64_t rate_of(const ProgressState& state) {
  if (state.elapsed_ns < kJudgedNs || state.done <= state.done_before) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(state.done - state.done_before) * 1e9 /
                                    static_cast<double>(state.elapsed_ns));
}

std::string render_counter(const ProgressState& state) {
  auto text = fmt::format("{:<9} {}", state.label, counted(state.done, "entry", "entries"));
  if (const auto rate = rate_of(state); rate != 0) text += fmt::format("  {}/s", grouped(rate));
  return text;
}

std::string bar(double fraction, std::size_t columns) {
  const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(columns));
  return std::string(filled, '#') + std::string(columns - filled, '-');
}

}  // namespace

std::string clock_text(std::uint64_t seconds) {
  const std::uint64_t minutes = seconds / 60;
  if (minutes < 60) return fmt::format("{}:{:02}", minutes, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, seconds % 60);
}

std::string render_progress(const ProgressState& state, std::size_t width_columns) {
  if (state.total == 0) return render_counter(state).substr(0, width_columns);
  const std::uint64_t done = std::min(state.done, state.total);
  const double fraction = static_cast<double>(done) / static_cast<double>(state.total);
  const std::uint64_t rate = rate_of(state);
  std::string tail = fmt::format("{:3}%  {} of {}", static_cast<unsigned>(fraction * 100),
                                 size_text(done), size_text(state.total));
  if (rate != 0) {
    tail += fmt::format("  {}/s  {} left", size_text(rate),
                        clock_text((state.total - done + rate - 1) / rate));
  }
  const std::string head = fmt::format("{:<9} ", state.label);
  const std::size_t taken = head.size() + tail.size() + 4;  // brackets and two spaces
  const std::size_t room = width_columns > taken ? width_columns - taken : 0;
  const std::size_t columns = std::clamp(room, kBarColumnsMin, kBarColumnsMax);
  return fmt::format("{}[{}]  {}", head, bar(fraction, columns), tail).substr(0, width_columns);
}

ProgressBar::ProgressBar(const ToolIo& io, bool quiet)
    : io_(io),
      enabled_(io.err_is_terminal && !quiet),
      start_ns_(io.env.monotonic_ns()),
      work_start_ns_(start_ns_) {}

void ProgressBar::update(const std::string& label, std::uint64_t done, std::uint64_t total) {
  if (!enabled_) return;
  const std::uint64_t now_ns = io_.env.monotonic_ns();
  if (label != label_ || work_start_done_ == 0) {
    label_ = label;
    work_start_ns_ = now_ns;
    work_start_done_ = done;
  }
  if (now_ns - start_ns_ < kSilentNs || now_ns - drawn_ns_ < kRedrawNs) return;
  drawn_ns_ = now_ns;
  const ProgressState state{label, done, total, now_ns - work_start_ns_, work_start_done_};
  const std::string line = render_progress(state, io_.width_columns - 1);
  io_.err.write("\r" + line + "\x1b[K");
  shown_ = true;
}

void ProgressBar::rest() {
  if (!enabled_) return;
  clear();
  start_ns_ = io_.env.monotonic_ns();
}

void ProgressBar::clear() {
  if (!shown_) return;
  io_.err.write("\r\x1b[K");
  shown_ = false;
}

}  // namespace dgfs::tools
