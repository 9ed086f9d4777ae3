// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Output: where a command prints. Collects small writes and remembers the first failure, so that a
// command can stop printing to a closed pipe and main() can report a full disk.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace dgfs::tools {

/// A byte sink with a buffer. Thread-safe: each write() lands in one piece.
class Output {
 public:
  /// Writes all of the text and returns 0, or returns an errno.
  using Sink = std::function<int(std::string_view)>;

  /// @param buffer_bytes_max  0: every write goes straight to the sink
  Output(Sink sink, std::size_t buffer_bytes_max)
      : sink_(std::move(sink)), buffer_bytes_max_(buffer_bytes_max) {}
  ~Output() { flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  /// Writes at once. The command does not fail if this fails: the text is no result of it.
  void write_note(std::string_view text);
  void flush();
  /// errno of the first failed write, or 0; after a failure nothing more is written.
  [[nodiscard]] int failure() const;

 private:
  void drain();

  mutable std::mutex mutex_;
  Sink sink_;
  std::size_t buffer_bytes_max_;
  std::string buffer_;
  int failure_ = 0;
};

}  // namespace dgfs::tools
