// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ExtractLog: counts the entries written and failed by an extraction, and decides whether it goes
// on.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "reader/extract/options.h"
#include "reader/progress_clock.h"
#include "storage/env.h"

namespace dgfs::reader {

class Image;

/// Thread-safe. Calls the callbacks of the options one at a time.
class ExtractLog {
 public:
  /// All references must outlive the log.
  ExtractLog(const Image& image, storage::Env& env, const ExtractOptions& options);

  /// The user asked to stop.
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop->load(); }
  /// The extraction must write nothing more.
  [[nodiscard]] bool ended() const { return stopped() || failed_.load(); }

  void add_entry() { ++entries_; }
  /// Notes an entry that is left out because its name exists.
  void add_skipped() { ++skipped_; }
  void add_content(std::uint64_t bytes);
  /// Notes the result for `path`.
  void settle(const std::string& path, const Status& status);
  [[nodiscard]] bool wants_lost_ranges() const { return options_.lost_range != nullptr; }
  [[nodiscard]] bool writes_parts() const { return options_.partial; }
  /// Notes a damaged part of a file's contents.
  void lose_range(const std::string& path, const LostRange& range, const Error& error);
  /// Notes an attribute of `path` that cannot be restored. Returns the error if it ends the
  /// extraction, or ok() to write the entry without the attribute.
  /// @param error  without the path
  [[nodiscard]] Status lose_attribute(const std::string& path, const LostAttribute& attribute,
                                      const Error& error);
  void add_partial_file() { ++partial_files_; }
  /// Notes an object that was made once more instead of linked.
  void add_copy(const std::string& path, const Error& why);
  /// Notes a device node that the user may not make. Never ends the extraction.
  void refuse_device(const std::string& path);
  void refuse_device(const std::string& path, const Error& error);

  /// Result of the extraction: kInterrupted, the first error that ended it, or the report.
  [[nodiscard]] Result<ExtractReport> result();

 private:
  void report_progress();

  const ExtractOptions& options_;
  ProgressClock clock_;
  std::uint64_t entries_total_ = 0;
  std::uint64_t content_bytes_total_ = 0;
  std::atomic<std::uint64_t> entries_{0};
  std::atomic<std::uint64_t> skipped_{0};
  std::atomic<std::uint64_t> content_bytes_{0};
  std::atomic<std::uint64_t> partial_files_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // guards the members below, and the callbacks
  std::uint64_t failures_ = 0;
  std::uint64_t devices_refused_ = 0;
  std::uint64_t lost_attributes_ = 0;
  std::uint64_t further_copies_ = 0;
  std::optional<Error> first_error_;
};

}  // namespace dgfs::reader
