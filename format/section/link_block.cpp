// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/link_block.h"

#include <utility>
#include <vector>

#include "format/coding.h"
#include "format/header/section.h"

namespace dgfs::format {
namespace {

// In a fresh build, the first name of most objects is the inode number less one. Any other first
// name is stored as the distance from that.
constexpr std::uint64_t kMovedBit = 1;

Ordinal usual_first(InodeNumber inode) { return inode - 1; }

Error corrupt_link_block(std::uint16_t code, std::size_t offset, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text)
      .in_section(section_name(SectionKind::kLinkNames))
      .at_offset(offset);
}

void encode_names(InodeNumber inode, std::span<const Ordinal> names, Encoder& encoder) {
  auto before = names.front();
  const bool is_moved = before != usual_first(inode);
  encoder.varint((names.size() - 1) << 1 | (is_moved ? kMovedBit : 0));
  if (is_moved) encoder.signed_varint(static_cast<std::int64_t>(before - usual_first(inode)));
  for (const auto name : names.subspan(1)) encoder.varint(name - std::exchange(before, name));
}

// Reads one block, object by object.
class BlockReader {
 public:
  BlockReader(Bytes body, const LinkBlockBounds& bounds) : decoder_(body), bounds_(bounds) {}

  [[nodiscard]] bool at_end() const { return decoder_.at_end(); }
  [[nodiscard]] InodeNumber inode() const { return inode_; }
  [[nodiscard]] std::span<const Ordinal> names() const { return names_; }

  [[nodiscard]] Status next() {
    DGFS_CHECK(read_inode());
    const auto offset = decoder_.offset();
    DGFS_TRY(head, decoder_.varint());
    const auto further = head >> 1;
    if (further > decoder_.remaining()) {  // F-002
      return corrupt_link_block(2961, offset, "more names than bytes");
    }
    names_.clear();
    DGFS_CHECK(read_first((head & kMovedBit) != 0));
    for (std::uint64_t i = 0; i < further; ++i) {
      DGFS_CHECK(read_further());
    }
    return ok();
  }

 private:
  // F-342, F-343
  Status read_inode() {
    const auto offset = decoder_.offset();
    const bool is_first = offset == 0;
    DGFS_TRY(gap, decoder_.varint());
    if (is_first && gap != bounds_.first_inode) {
      return corrupt_link_block(2962, offset, "block of another object than the table says");
    }
    if (gap == 0 || gap >= bounds_.inode_end - inode_) {
      return corrupt_link_block(2963, offset, "objects do not rise to the next block");
    }
    inode_ += gap;
    return ok();
  }

  // F-344
  Status read_first(bool is_moved) {
    const auto offset = decoder_.offset();
    auto name = usual_first(inode_);
    if (is_moved) {
      DGFS_TRY(distance, decoder_.varint());
      name = add_zigzag(name, distance);
    }
    if (name == 0 || name >= bounds_.ordinal_end) {
      return corrupt_link_block(2964, offset, "the first name of an object is none of the tree");
    }
    names_.push_back(name);
    return ok();
  }

  Status read_further() {
    const auto offset = decoder_.offset();
    DGFS_TRY(gap, decoder_.varint());
    if (gap == 0 || gap >= bounds_.ordinal_end - names_.back()) {
      return corrupt_link_block(2965, offset, "names of an object do not rise in the tree");
    }
    names_.push_back(names_.back() + gap);
    return ok();
  }

  Decoder decoder_;
  LinkBlockBounds bounds_;
  InodeNumber inode_ = 0;
  std::vector<Ordinal> names_;
};

}  // namespace

bool LinkBlockFiller::add(InodeNumber inode, std::span<const Ordinal> names) {
  const auto begin = body_.size();
  Encoder encoder(body_);
  encoder.varint(inode - last_inode_);
  encode_names(inode, names, encoder);
  if (body_.size() > kLinkBlockBytesMax) {
    body_.resize(begin);
    return false;
  }
  if (begin == 0) first_inode_ = inode;
  last_inode_ = inode;
  return true;
}

Buffer LinkBlockFiller::take() {
  last_inode_ = 0;
  return std::exchange(body_, {});
}

Status visit_link_block(Bytes body, const LinkBlockBounds& bounds, const VisitLinkNames& visit) {
  if (body.empty() || body.size() > kLinkBlockBytesMax) {  // F-342
    return corrupt_link_block(2966, 0, "not the length of a block of names");
  }
  BlockReader reader(body, bounds);
  while (!reader.at_end()) {
    DGFS_CHECK(in_section(SectionKind::kLinkNames, reader.next()));
    visit(reader.inode(), reader.names());
  }
  return ok();
}

}  // namespace dgfs::format
