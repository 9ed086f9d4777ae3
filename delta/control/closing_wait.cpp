// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/control/closing_wait.h"

#include <chrono>
#include <thread>

#include "delta/control/control.h"

namespace dgfs::delta {
namespace {

constexpr std::chrono::milliseconds kInterval{50};
constexpr unsigned kSilentWaitsMax = 20;
constexpr unsigned kOpenWaitsMax = 4;

}  // namespace

bool ClosingWait::wait() {
  const auto state = ask_holder(directory_, kAskState);
  const bool is_silent = !state && state.error().kind() == ErrorKind::kNotFound;
  const bool is_being_closed = state && is_closing(state.value());
  if (is_silent && ++silent_waits_ > kSilentWaitsMax) return false;
  if (!is_silent && !is_being_closed && ++open_waits_ > kOpenWaitsMax) return false;
  if (is_being_closed && tell_ && !has_told_) {
    has_told_ = true;
    tell_(directory_ + ": waiting for the mount that is closing it");
  }
  std::this_thread::sleep_for(kInterval);
  return true;
}

}  // namespace dgfs::delta
