// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Samples of the files of one class, spread evenly over the class. The files come in tree order and
// are cut into runs of about equal content; each run has samples of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace dgfs::builder {

/// Beginnings of files. A value.
struct Samples {
  Buffer joined;  ///< back to back
  std::vector<std::size_t> lengths;

  void add(Bytes sample) {
    joined.insert(joined.end(), sample.begin(), sample.end());
    lengths.push_back(sample.size());
  }
};

/// The samples of a run of files. A value.
struct RunSamples {
  std::uint64_t begin = 0;          ///< position of the first file among all entries
  std::uint64_t file_count = 0;     ///< of the files that were passed: in a very large tree a part
  std::uint64_t content_bytes = 0;  ///< likewise
  Samples trained;                  ///< The dictionary is made of these.
  /// These tell whether the dictionary pays, because it would always help with its own samples.
  Samples tried;

  static constexpr std::size_t kTriedShare = 16;  ///< One sample of so many is tried.

  [[nodiscard]] std::size_t count() const { return trained.lengths.size() + tried.lengths.size(); }
  [[nodiscard]] std::size_t bytes() const { return trained.joined.size() + tried.joined.size(); }
  void add(Bytes sample) { (count() % kTriedShare == 1 ? tried : trained).add(sample); }
};

/// Not thread-safe.
class ClassSamples {
 public:
  /// The samples of a run are a quarter of its content, within these bounds.
  static constexpr std::uint64_t kSampleBytesMin = std::uint64_t{512} << 10;
  static constexpr std::uint64_t kSampleBytesMax = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kSampleShare = 4;

  /// @param content_bytes  of all files of the class that will be passed
  /// @param runs           at least 1
  explicit ClassSamples(std::uint64_t content_bytes = 0, std::uint64_t runs = 1)
      : content_bytes_(content_bytes), runs_(runs) {}

  [[nodiscard]] std::uint64_t file_count() const { return file_count_; }
  /// Whether a run has its share of the content, so that the next file begins another one.
  [[nodiscard]] bool run_ends() const {
    return run_ + 1 < runs_ && passed_bytes_ >= content_bytes_ * (run_ + 1) / runs_;
  }
  /// Ends the run and returns its samples.
  RunSamples take_run() {
    ++run_;
    current_.file_count = std::exchange(file_count_, 0);
    current_.content_bytes = passed_bytes_ - std::exchange(run_begin_bytes_, passed_bytes_);
    sampled_bytes_ = 0;
    return std::exchange(current_, {});
  }
  /// Passes the next file. Returns whether it is to become a sample.
  bool pass(std::uint64_t position, std::uint64_t file_bytes) {
    if (file_count_++ == 0) current_.begin = position;
    passed_bytes_ += file_bytes;
    const auto run_bytes = std::max<std::uint64_t>(content_bytes_ / runs_, 1);
    const auto wanted =
        std::min(run_bytes, std::clamp(run_bytes / kSampleShare, kSampleBytesMin, kSampleBytesMax));
    return sampled_bytes_ < wanted * (passed_bytes_ - run_begin_bytes_) / run_bytes;
  }
  void add(Bytes sample) {
    note(sample.size());
    current_.add(sample);
  }
  /// Counts a sample that the caller keeps.
  void note(std::size_t sample_bytes) { sampled_bytes_ += sample_bytes; }

 private:
  std::uint64_t content_bytes_;
  std::uint64_t runs_;
  std::uint64_t run_ = 0;         ///< number of the current run
  std::uint64_t file_count_ = 0;  ///< in the current run
  std::uint64_t passed_bytes_ = 0;
  std::uint64_t run_begin_bytes_ = 0;  ///< passed when the run began
  std::uint64_t sampled_bytes_ = 0;    ///< in the current run
  RunSamples current_;
};

}  // namespace dgfs::builder
