// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/section_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/coding.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

using format::SectionKind;

// Bound of a sealed block (F-042).
constexpr std::size_t kBlockBytesMax =
    format::kSealedBlockHeaderBytes + format::kSectionBlockBytesMax;
constexpr std::size_t kBlockStoredOffset = 8;  // offset in a block's header
constexpr std::size_t kBlockWindowBytes = 2 * kBlockBytesMax;
constexpr std::uint64_t kSlackBytes = std::uint64_t{64} << 20;

// A part of a section in memory, with at least the next block, if there is one.
class Window {
 public:
  Window(const IndexCopy& copy, SectionKind kind)
      : copy_(copy), kind_(kind), length_bytes_(copy.superblock().section(kind).length_bytes) {}

  [[nodiscard]] bool at_end() const { return at() >= length_bytes_; }
  /// Offset of the next block in the section.
  [[nodiscard]] std::uint64_t at() const { return begin_ + at_; }
  [[nodiscard]] std::uint64_t place() const { return copy_.section_offset(kind_) + at(); }
  /// Moves behind the next block, which has so many bytes.
  void skip(std::size_t bytes) {
    at_ += bytes;
    if (at_ <= bytes_.size()) return;
    begin_ += at_;  // the block was not read through this window
    at_ = 0;
    bytes_.clear();
  }

  [[nodiscard]] Result<format::OpenedBlock> block() {
    DGFS_CHECK(fill());
    return placed_result(format::open_block(kind_, Bytes(bytes_).subspan(at_)), copy_.path(),
                         format::section_name(kind_), place());
  }

 private:
  Status fill() {
    const auto held = bytes_.size() - at_;
    if (held >= kBlockBytesMax || begin_ + bytes_.size() == length_bytes_) return ok();
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    begin_ += at_;
    at_ = 0;
    bytes_.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(kBlockWindowBytes, length_bytes_ - begin_)));
    auto read = copy_.read_section(kind_, begin_ + held, MutableBytes(bytes_).subspan(held));
    if (!read) bytes_.clear();  // single blocks may still be readable
    return read;
  }

  const IndexCopy& copy_;
  SectionKind kind_;
  std::uint64_t length_bytes_;
  Buffer bytes_;  // bytes of the section from begin_ on
  std::uint64_t begin_ = 0;
  std::size_t at_ = 0;  // offset of the next block in bytes_
};

bool other_may_help(const Error& error) {
  return error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kIo;
}

// The next block of the window. If it is damaged, the same block of the other copy.
Result<format::OpenedBlock> next_block(const HealingCopy& index, SectionKind kind, Window& window) {
  auto block = window.block();
  if (block || !other_may_help(block.assume_error())) return block;
  const auto* other = index.other ? index.other() : nullptr;
  if (other == nullptr) return block;
  // One bad place makes the read of the whole window fail, so try the block alone.
  if (block.assume_error().kind() == ErrorKind::kIo) {
    auto alone = read_block(index.copy, kind, window.at());
    if (alone) return alone;
    block = std::move(alone).assume_error();
  }
  auto healed = read_block(*other, kind, window.at());
  if (!healed) return block;
  index.healed(block.assume_error());
  return healed;
}

}  // namespace

Result<format::OpenedBlock> read_block(const IndexCopy& copy, SectionKind kind, std::uint64_t at) {
  const auto left = copy.superblock().section(kind).length_bytes - at;
  Buffer bytes(
      static_cast<std::size_t>(std::min<std::uint64_t>(format::kSealedBlockHeaderBytes, left)));
  DGFS_CHECK(copy.read_section(kind, at, bytes));
  if (bytes.size() == format::kSealedBlockHeaderBytes) {
    const std::uint64_t stored = format::load<std::uint32_t>(bytes, kBlockStoredOffset);
    const auto whole = std::min({bytes.size() + stored, left, std::uint64_t{kBlockBytesMax}});
    bytes.resize(static_cast<std::size_t>(whole));
    DGFS_CHECK(copy.read_section(kind, at, bytes));
  }
  return placed_result(format::open_block(kind, bytes), copy.path(), format::section_name(kind),
                       copy.section_offset(kind) + at);
}

Status for_each_block(const HealingCopy& index, SectionKind kind,
                      const std::function<Status(Bytes body)>& use) {
  const auto* name = format::section_name(kind);
  for (Window window(index.copy, kind); !window.at_end();) {
    DGFS_TRY(block, next_block(index, kind, window));
    DGFS_CHECK(placed_result(use(block.body), index.copy.path(), name, window.place()));
    window.skip(block.consumed_bytes);
  }
  return ok();
}

Result<Buffer> only_block(const HealingCopy& index, SectionKind kind) {
  Buffer body;
  bool is_first = true;
  DGFS_CHECK(for_each_block(index, kind, [&](Bytes block) -> Status {
    if (!std::exchange(is_first, false)) {
      return Error(ErrorKind::kCorrupt, 3010, "a second block")
          .in_file(index.copy.path())
          .in_section(format::section_name(kind))
          .at_offset(index.copy.section_offset(kind));
    }
    body.assign(block.begin(), block.end());
    return ok();
  }));
  return body;
}

Status check_count(Bytes body, std::uint64_t count_max, const char* elements) {
  format::Decoder decoder(body);
  DGFS_TRY(count, decoder.varint());
  if (count <= count_max) return ok();
  return Error(ErrorKind::kCorrupt, 3022,
               fmt::format("{} {}, but there can be only {}", count, elements, count_max));
}

ExpansionBudget::ExpansionBudget(const IndexCopy& copy)
    : left_bytes_(kSlackBytes + copy.superblock().section(SectionKind::kPages).length_bytes) {}

Status ExpansionBudget::take(std::uint64_t bytes) {
  if (bytes > left_bytes_) {
    return Error(ErrorKind::kLimit, 3023, "decodes to more than an index with so few pages needs");
  }
  left_bytes_ -= bytes;
  return ok();
}

}  // namespace dgfs::reader
