// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/inode_runs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "format/coding.h"
#include "format/header/section.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kRunBytesMin = 2;  ///< two varints of one byte each

Error corrupt_inode_runs(std::uint16_t code, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text))
      .in_section(section_name(SectionKind::kInodeRuns));
}

// F-060, F-061: the runs cover each ordinal of the namespace exactly once, without gaps.
Status check_ordinals(const std::vector<InodeRun>& runs, Ordinal entry_count) {
  if (runs.empty() || runs.front().first_inode != kRootInode) {
    return corrupt_inode_runs(2680, "root is not inode 1");
  }
  Ordinal next = 0;
  for (const auto& run : runs) {
    if (run.first_ordinal != next || run.count == 0 || run.count > entry_count - next) {
      return corrupt_inode_runs(2681, "runs do not cover the entries exactly once");
    }
    next += run.count;
  }
  if (next != entry_count) return corrupt_inode_runs(2682, "runs end before the entries do");
  return ok();
}

}  // namespace

Result<InodeRuns> InodeRuns::make(std::vector<InodeRun> runs, Ordinal entry_count,
                                  Numbering numbering) {
  DGFS_CHECK(check_ordinals(runs, entry_count));
  const bool lacks = std::any_of(runs.begin(), runs.end(),
                                 [](const InodeRun& run) { return run.first_inode == 0; });
  if (lacks && numbering == Numbering::kWhole) {
    return corrupt_inode_runs(2687, "entries without a number");
  }
  InodeRuns result;
  result.by_ordinal_ = std::move(runs);
  DGFS_CHECK(result.sort_by_inode());
  return result;
}

Status InodeRuns::sort_by_inode() {
  if (by_ordinal_.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error(ErrorKind::kLimit, 2686, "more than 2^32 - 1 inode runs");
  }
  for (std::uint32_t position = 0; position < by_ordinal_.size(); ++position) {
    if (by_ordinal_[position].first_inode != 0) by_inode_.push_back(position);
  }
  std::sort(by_inode_.begin(), by_inode_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return by_ordinal_[a].first_inode < by_ordinal_[b].first_inode;
  });
  InodeNumber next = 1;
  for (const auto position : by_inode_) {  // F-062
    const auto& run = by_ordinal_[position];
    if (run.first_inode < next) return corrupt_inode_runs(2683, "inode numbers are given twice");
    if (run.count > std::numeric_limits<InodeNumber>::max() - run.first_inode) {
      return corrupt_inode_runs(2684, "inode numbers pass 2^64");
    }
    next = run.first_inode + run.count;
  }
  return ok();
}

void InodeRuns::encode(Buffer& out) const {
  Encoder encoder(out);
  encoder.varint(by_ordinal_.size());
  for (const auto& run : by_ordinal_) {
    encoder.varint(run.first_inode);
    encoder.varint(run.count);
  }
}

Result<InodeRuns> InodeRuns::decode(Bytes body, Ordinal entry_count, Numbering numbering) {
  Loader loader(entry_count);
  DGFS_CHECK(in_section(SectionKind::kInodeRuns, loader.add(body)));
  return std::move(loader).finish(numbering);
}

Result<std::uint64_t> InodeRuns::Loader::count(Bytes body) const {
  Decoder decoder(body);
  DGFS_TRY(count, decoder.varint());
  if (count > decoder.remaining() / kRunBytesMin) {  // F-002
    return Error(ErrorKind::kCorrupt, 2685, "more runs than bytes").at_offset(0);
  }
  if (count > entry_count_ - std::min<std::uint64_t>(entry_count_, runs_.size())) {  // F-061
    return corrupt_inode_runs(2688, "more runs than entries");
  }
  return count;
}

Status InodeRuns::Loader::add(Bytes body) {
  DGFS_TRY(runs, count(body));
  Decoder decoder(body);
  DGFS_CHECK(decoder.varint());
  // Room for exactly these would be made anew for each of many small blocks.
  const auto size = runs_.size() + static_cast<std::size_t>(runs);
  if (size > runs_.capacity()) runs_.reserve(std::max(size, runs_.capacity() / 2 * 3));
  for (std::uint64_t i = 0; i < runs; ++i) {
    DGFS_TRY(first_inode, decoder.varint());
    DGFS_TRY(run_count, decoder.varint());
    runs_.push_back({first_inode, next_, run_count});
    next_ += run_count;  // may wrap: make() checks each run against the end and refuses that
  }
  return decoder.finish();
}

Result<InodeRuns> InodeRuns::Loader::finish(Numbering numbering) && {
  return make(std::move(runs_), entry_count_, numbering);
}

Status InodeRunsEncoder::add(InodeNumber inode, const Sink& sink) {
  const bool goes_on = count_ != 0 && inode == (first_ == 0 ? 0 : first_ + count_);
  if (!goes_on) {
    DGFS_CHECK(end_run(sink));
    first_ = inode;
  }
  ++count_;
  if (inode == 0) is_split_ = true;
  if (inode >= end_inode_) end_inode_ = inode + 1;
  return ok();
}

Status InodeRunsEncoder::end_run(const Sink& sink) {
  if (count_ == 0) return ok();
  Encoder encoder(body_);
  encoder.varint(first_);
  encoder.varint(std::exchange(count_, 0));
  ++body_runs_;
  return body_.size() < kSectionBlockBytes ? ok() : end_body(sink);
}

Status InodeRunsEncoder::end_body(const Sink& sink) {
  if (body_runs_ == 0) return ok();
  Buffer body;
  Encoder encoder(body);
  encoder.varint(std::exchange(body_runs_, 0));
  encoder.raw(std::exchange(body_, {}));
  if (++bodies_ > 1) is_split_ = true;
  return sink(body);
}

Status InodeRunsEncoder::finish(const Sink& sink) {
  DGFS_CHECK(end_run(sink));
  return end_body(sink);
}

std::optional<Ordinal> InodeRuns::ordinal_of(InodeNumber inode) const {
  const auto after = std::upper_bound(
      by_inode_.begin(), by_inode_.end(), inode,
      [&](InodeNumber i, std::uint32_t position) { return i < by_ordinal_[position].first_inode; });
  if (after == by_inode_.begin()) return std::nullopt;
  const auto& run = by_ordinal_[*std::prev(after)];
  if (inode - run.first_inode >= run.count) return std::nullopt;
  return run.first_ordinal + (inode - run.first_inode);
}

std::optional<InodeNumber> InodeRuns::inode_of(Ordinal ordinal) const {
  const auto after =
      std::upper_bound(by_ordinal_.begin(), by_ordinal_.end(), ordinal,
                       [](Ordinal o, const InodeRun& run) { return o < run.first_ordinal; });
  if (after == by_ordinal_.begin()) return std::nullopt;
  const auto& run = *std::prev(after);
  if (run.first_inode == 0 || ordinal - run.first_ordinal >= run.count) return std::nullopt;
  return run.first_inode + (ordinal - run.first_ordinal);
}

InodeNumber InodeRuns::end_inode() const {
  if (by_inode_.empty()) return kRootInode;
  const auto& last = by_ordinal_[by_inode_.back()];
  return last.first_inode + last.count;
}

std::size_t InodeRuns::memory_bytes() const {
  return sizeof *this + by_ordinal_.capacity() * sizeof(InodeRun) +
         by_inode_.capacity() * sizeof(std::uint32_t);
}

}  // namespace dgfs::format
