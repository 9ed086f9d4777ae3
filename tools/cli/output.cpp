// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/output.h"

namespace dgfs::tools {

void Output::write(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (failure_ != 0) return;
  buffer_ += text;
  if (buffer_.size() > buffer_bytes_max_) drain();
}

void Output::write_note(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  drain();
  if (failure_ == 0) static_cast<void>(sink_(text));
}

void Output::flush() {
  const std::scoped_lock lock(mutex_);
  drain();
}

int Output::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

void Output::drain() {
  if (failure_ == 0 && !buffer_.empty()) failure_ = sink_(buffer_);
  buffer_.clear();
}

}  // namespace dgfs::tools
