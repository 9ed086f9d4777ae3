// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tree spool: the whole scanned tree as tree records in key order, and a bounded number of
// places in it from which a sample can be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "builder/spool/spool.h"
#include "builder/spool/tree_record.h"

namespace dgfs::builder {

/// A place in the tree spool at which reading can begin.
struct SamplePoint {
  std::uint64_t offset_bytes = 0;
  std::string prefix;  ///< of the directory that the entry there is in
};

/// One writer, then any number of readers.
class TreeSpool {
 public:
  explicit TreeSpool(SpoolPlace place) : spool_(std::move(place)) {}

  /// The children of the directory with this prefix ("a 00 b 00"; empty: root) follow.
  [[nodiscard]] Status begin_directory(std::string_view prefix);
  /// Returns where the record stands, for omit().
  [[nodiscard]] Result<std::uint64_t> add(const ScannedEntry& entry);
  /// Marks a directory as not there after all: its children turned out to be unreadable.
  [[nodiscard]] Status omit(std::uint64_t record_offset);

  [[nodiscard]] std::uint64_t entry_count() const { return entry_count_; }
  [[nodiscard]] const Spool& spool() const { return spool_; }
  /// Evenly spread, in order; from half of kSamplePointsMax to all of it once there are so many
  /// entries. Depends on nothing but the tree.
  [[nodiscard]] const std::vector<SamplePoint>& sample_points() const { return samples_; }

  static constexpr std::size_t kSamplePointsMax = 64;

 private:
  void sample();

  Spool spool_;
  Buffer record_;
  std::string prefix_;
  std::uint64_t entry_count_ = 0;
  std::uint64_t sample_stride_ = 256;  ///< entries; doubles when there are too many samples
  std::vector<SamplePoint> samples_;
};

/// Reads tree records in order.
class TreeReader {
 public:
  explicit TreeReader(const TreeSpool& tree);
  TreeReader(const TreeSpool& tree, const SamplePoint& from);
  /// @param end_bytes  where a record ends
  TreeReader(const TreeSpool& tree, const SamplePoint& from, std::uint64_t end_bytes);

  /// The next whole record, valid until the next call; nullopt at the end.
  [[nodiscard]] Result<std::optional<Bytes>> next();
  /// Of the directory whose children are being read.
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  /// Where the record that next() gave stands.
  [[nodiscard]] std::uint64_t record_offset() const { return record_offset_; }

 private:
  SpoolCursor cursor_;
  std::string prefix_;
  std::uint64_t record_offset_ = 0;
};

}  // namespace dgfs::builder
