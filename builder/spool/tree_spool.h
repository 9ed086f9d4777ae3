// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tree spool: the whole scanned tree as tree records in key order, with a bounded number of
// sample points at which reading can begin.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "builder/spool/spool.h"
#include "builder/spool/tree_record.h"

namespace dgfs::builder {

/// An entry in the tree spool at which reading can begin.
struct SamplePoint {
  std::uint64_t offset_bytes = 0;
  std::string prefix;          ///< of the directory with the entry
  std::uint64_t position = 0;  ///< of the entry, among all entries
};

/// One thread writes; then any number of threads may read.
class TreeSpool {
 public:
  explicit TreeSpool(SpoolPlace place) : spool_(std::move(place)) {}

  /// Begins the children of the directory with this prefix ("a 00 b 00"; empty: root).
  [[nodiscard]] Status begin_directory(std::string_view prefix);
  /// Adds an entry. Returns the offset of its record, for omit().
  [[nodiscard]] Result<std::uint64_t> add(const ScannedEntry& entry);
  /// Marks a directory as omitted, because its children cannot be read.
  [[nodiscard]] Status omit(std::uint64_t record_offset);
  /// Replaces mode, owner and time of a directory.
  [[nodiscard]] Status restate(std::uint64_t record_offset, const EntryAttributes& attributes);

  /// From now on, the contents of these volumes count as not kept.
  void pack_anew(std::set<format::VolumeNumber> volumes) { packed_ = std::move(volumes); }

  /// The whole record at `record_offset`. Valid until the next call. Errors: those of
  /// Spool::read().
  [[nodiscard]] Result<Bytes> read(std::uint64_t record_offset);

  [[nodiscard]] std::uint64_t entry_count() const { return entry_count_; }
  [[nodiscard]] const Spool& spool() const { return spool_; }
  /// Sample points, evenly spread and in order. In a large tree there are kSamplePointsMax / 2 to
  /// kSamplePointsMax of them. Depends only on the tree.
  [[nodiscard]] const std::vector<SamplePoint>& sample_points() const { return samples_; }

  /// Volumes of other images whose contents are packed anew.
  [[nodiscard]] const std::set<format::VolumeNumber>& packed() const { return packed_; }

  static constexpr std::size_t kSamplePointsMax = 64;

 private:
  void sample();

  Spool spool_;
  Buffer record_;
  std::string prefix_;
  std::uint64_t entry_count_ = 0;
  std::uint64_t sample_stride_ = 256;  ///< entries between points; doubles when there are too many
  std::vector<SamplePoint> samples_;
  std::set<format::VolumeNumber> packed_;
};

/// Reads tree records in order.
class TreeReader {
 public:
  explicit TreeReader(const TreeSpool& tree);
  TreeReader(const TreeSpool& tree, const SamplePoint& from);
  /// @param end_bytes  end of a record
  TreeReader(const TreeSpool& tree, const SamplePoint& from, std::uint64_t end_bytes);

  /// The next whole record, valid until the next call; nullopt at the end.
  [[nodiscard]] Result<std::optional<Bytes>> next();
  /// Prefix of the directory of the current record.
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  /// Offset of the last record from next().
  [[nodiscard]] std::uint64_t record_offset() const { return record_offset_; }

 private:
  [[nodiscard]] Result<Bytes> without_packed(Bytes record);

  SpoolCursor cursor_;
  const std::set<format::VolumeNumber>& packed_;
  std::string prefix_;
  std::uint64_t record_offset_ = 0;
  Buffer changed_;  ///< a record whose content is packed anew
};

}  // namespace dgfs::builder
