// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Inode runs: the map between stable inode numbers and ordinals. A fresh build has one run (inode 1
// is ordinal 0, and so on). A merge that keeps numbers makes more.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"

namespace dgfs::format {

/// Inodes [first_inode, first_inode + count) are ordinals [first_ordinal, first_ordinal + count).
/// first_inode 0: these ordinals have no number of their own, because they are names of multiply
/// linked objects (feature::kIncompatSplitInodes). A value.
struct InodeRun {
  InodeNumber first_inode = 0;
  Ordinal first_ordinal = 0;
  std::uint64_t count = 0;
  friend bool operator==(const InodeRun&, const InodeRun&) = default;
};

/// Whether ordinals may be without a number: feature::kIncompatSplitInodes of the superblock.
enum class Numbering : std::uint8_t { kWhole, kSplit };

/// Immutable, thread-safe.
class InodeRuns {
 public:
  /// Memory of a run.
  static constexpr std::uint64_t kRunBytes = sizeof(InodeRun) + sizeof(std::uint32_t);

  /// @param runs         in order of first_ordinal
  /// @param entry_count  entries of the namespace; the runs must cover them exactly once
  /// Errors: kCorrupt for overlap in either number space, gaps in ordinals, inode 0 (with kWhole),
  /// overflow, or a root that is not inode 1.
  [[nodiscard]] static Result<InodeRuns> make(std::vector<InodeRun> runs, Ordinal entry_count,
                                              Numbering numbering = Numbering::kWhole);

  /// All runs as one body, and the reverse. Errors: those of Loader.
  void encode(Buffer& out) const;
  [[nodiscard]] static Result<InodeRuns> decode(Bytes body, Ordinal entry_count,
                                                Numbering numbering = Numbering::kWhole);

  /// Makes the runs from the bodies of the section, in order.
  class Loader {
   public:
    explicit Loader(Ordinal entry_count) : entry_count_(entry_count) {}
    /// How many runs a body says that it has, before memory is taken for them. Errors: kCorrupt
    /// (more than it has bytes for, or than the index has entries).
    [[nodiscard]] Result<std::uint64_t> count(Bytes body) const;
    /// Adds the runs of a body. Errors: kCorrupt.
    [[nodiscard]] Status add(Bytes body);
    /// Errors: those of make().
    [[nodiscard]] Result<InodeRuns> finish(Numbering numbering) &&;

   private:
    Ordinal entry_count_;
    Ordinal next_ = 0;
    std::vector<InodeRun> runs_;
  };

  /// nullopt: no ordinal has the number.
  [[nodiscard]] std::optional<Ordinal> ordinal_of(InodeNumber inode) const;
  /// nullopt: no such ordinal, or it has no number of its own.
  [[nodiscard]] std::optional<InodeNumber> inode_of(Ordinal ordinal) const;
  [[nodiscard]] const std::vector<InodeRun>& runs() const { return by_ordinal_; }
  /// One more than the highest inode number; at most the superblock's next_inode.
  [[nodiscard]] InodeNumber end_inode() const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// Fills by_inode_ and checks that no number occurs twice.
  [[nodiscard]] Status sort_by_inode();

  std::vector<InodeRun> by_ordinal_;
  /// Positions in by_ordinal_ of the runs with numbers, sorted by first_inode.
  std::vector<std::uint32_t> by_inode_;
};

/// Writes the bodies of the section. For one thread.
class InodeRunsEncoder {
 public:
  using Sink = std::function<Status(Bytes body)>;

  /// The next entry of the namespace has this number; 0: none of its own.
  /// @param sink  gets each body that is full
  [[nodiscard]] Status add(InodeNumber inode, const Sink& sink);
  /// Gives the rest to the sink. Errors: those of the sink.
  [[nodiscard]] Status finish(const Sink& sink);

  /// Whether a reader needs feature::kIncompatSplitInodes: some entry has no number, or there are
  /// several bodies.
  [[nodiscard]] bool is_split() const { return is_split_; }
  /// One more than the highest number.
  [[nodiscard]] InodeNumber end_inode() const { return end_inode_; }

 private:
  [[nodiscard]] Status end_run(const Sink& sink);
  [[nodiscard]] Status end_body(const Sink& sink);

  InodeNumber first_ = 0;  ///< of the run
  std::uint64_t count_ = 0;
  InodeNumber end_inode_ = 0;
  std::uint64_t body_runs_ = 0;
  std::uint64_t bodies_ = 0;
  Buffer body_;  ///< without its count
  bool is_split_ = false;
};

}  // namespace dgfs::format
