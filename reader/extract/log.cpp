// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/log.h"

#include <utility>

#include "reader/image.h"
#include "reader/placed_error.h"

namespace dgfs::reader {

ExtractLog::ExtractLog(const Image& image, storage::Env& env, const ExtractOptions& options)
    : options_(options), clock_(env) {
  if (!options.paths.empty() || options.wanted) return;  // totals of a part are unknown
  entries_total_ = image.superblock().namespace_entries;
  content_bytes_total_ = image.superblock().content_bytes;
}

void ExtractLog::add_content(std::uint64_t bytes) {
  content_bytes_ += bytes;
  if (clock_.due()) report_progress();
}

void ExtractLog::settle(const std::string& path, const Status& status) {
  if (!status) {
    const std::lock_guard lock(mutex_);
    ++failures_;
    if (options_.keep_going) {
      if (options_.failed) options_.failed(path, status.assume_error());
    } else if (!failed_.exchange(true)) {
      first_error_ = status.assume_error();
    }
    return;
  }
  if (clock_.due()) report_progress();
}

void ExtractLog::lose_range(const std::string& path, const LostRange& range, const Error& error) {
  const std::lock_guard lock(mutex_);
  options_.lost_range(path, range, error);
}

void ExtractLog::add_copy(const std::string& path, const Error& why) {
  const std::lock_guard lock(mutex_);
  ++further_copies_;
  if (options_.copied) options_.copied(path, why);
}

Status ExtractLog::lose_attribute(const std::string& path, const LostAttribute& attribute,
                                  const Error& error) {
  const std::lock_guard lock(mutex_);
  const bool ends = !options_.keep_going;
  if (ends && failed_.exchange(true)) return error;
  ++lost_attributes_;
  if (options_.lost_attribute) options_.lost_attribute(path, attribute, error);
  if (!ends) return ok();
  first_error_ = prefixed((path.empty() ? "." : path) + ": ", error);
  return *first_error_;
}

void ExtractLog::refuse_device(const std::string& path) {
  refuse_device(path, Error(ErrorKind::kPermission, 3142, "only root can make device nodes"));
}

void ExtractLog::refuse_device(const std::string& path, const Error& error) {
  const std::lock_guard lock(mutex_);
  ++devices_refused_;
  if (options_.failed) options_.failed(path, error);
}

void ExtractLog::report_progress() {
  if (!options_.progress) return;
  const std::lock_guard lock(mutex_);
  options_.progress({entries_, entries_total_, content_bytes_, content_bytes_total_});
}

Result<ExtractReport> ExtractLog::result() {
  report_progress();
  if (stopped()) return Error(ErrorKind::kInterrupted, 3140, "interrupted");
  const std::lock_guard lock(mutex_);
  if (first_error_) return *std::exchange(first_error_, std::nullopt);
  ExtractReport report;
  report.entries = entries_;
  report.content_bytes = content_bytes_;
  report.failures = failures_;
  report.partial_files = partial_files_;
  report.devices_refused = devices_refused_;
  report.lost_attributes = lost_attributes_;
  report.skipped = skipped_;
  report.further_copies = further_copies_;
  return report;
}

}  // namespace dgfs::reader
