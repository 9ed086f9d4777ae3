// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/section_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/coding.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

using format::SectionKind;

// F-042: no sealed block is longer.
constexpr std::size_t kBlockBytesMax =
    format::kSealedBlockHeaderBytes + format::kSectionBlockBytesMax;
constexpr std::size_t kWindowBytes = 2 * kBlockBytesMax;
constexpr std::uint64_t kSlackBytes = std::uint64_t{64} << 20;

// A part of a section that holds at least the next block, if there is one.
class Window {
 public:
  Window(const IndexCopy& copy, SectionKind kind)
      : copy_(copy), kind_(kind), length_bytes_(copy.superblock().section(kind).length_bytes) {}

  [[nodiscard]] bool at_end() const { return begin_ + at_ == length_bytes_; }
  [[nodiscard]] std::uint64_t place() const { return copy_.section_offset(kind_) + begin_ + at_; }
  [[nodiscard]] Bytes rest() const { return Bytes(bytes_).subspan(at_); }
  void skip(std::size_t bytes) { at_ += bytes; }

  Status fill() {
    const auto held = bytes_.size() - at_;
    if (held >= kBlockBytesMax || begin_ + bytes_.size() == length_bytes_) return ok();
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    begin_ += at_;
    at_ = 0;
    bytes_.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(kWindowBytes, length_bytes_ - begin_)));
    return copy_.read_section(kind_, begin_ + held, MutableBytes(bytes_).subspan(held));
  }

 private:
  const IndexCopy& copy_;
  SectionKind kind_;
  std::uint64_t length_bytes_;
  Buffer bytes_;  // the section's from begin_ on
  std::uint64_t begin_ = 0;
  std::size_t at_ = 0;  // in bytes_
};

}  // namespace

Status for_each_block(const IndexCopy& copy, SectionKind kind,
                      const std::function<Status(Bytes body)>& use) {
  const auto* name = format::section_name(kind);
  for (Window window(copy, kind); !window.at_end();) {
    DGFS_CHECK(window.fill());
    DGFS_TRY(block, placed_result(format::open_block(kind, window.rest()), copy.path(), name,
                                  window.place()));
    DGFS_CHECK(placed_result(use(block.body), copy.path(), name, window.place()));
    window.skip(block.consumed_bytes);
  }
  return ok();
}

Result<Buffer> only_block(const IndexCopy& copy, SectionKind kind) {
  Buffer body;
  bool is_first = true;
  DGFS_CHECK(for_each_block(copy, kind, [&](Bytes block) -> Status {
    if (!std::exchange(is_first, false)) {
      return Error(ErrorKind::kCorrupt, 3010, "a second block")
          .in_file(copy.path())
          .in_section(format::section_name(kind))
          .at_offset(copy.section_offset(kind));
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
               fmt::format("{} {}, of which there can be {}", count, elements, count_max));
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
