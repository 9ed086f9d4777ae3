// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenPage: an open page of the token codec. Opening decodes only its first key. A search decodes
// first keys of blocks, up to that of the block it needs, and then that block. It checks no others
// (F-198).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstring>
#include <memory>
#include <string>

#include "format/page/header.h"
#include "format/page/page.h"
#include "format/token/cursor.h"
#include "format/token/head_keys.h"
#include "format/token/rows.h"

namespace dgfs::format {

/// Immutable, thread-safe. Memory: room for a payload, and 16 bytes a block.
class TokenPage final : public Page {
 public:
  /// @param model       must outlive the page; so must `attributes`
  /// Errors: kCorrupt with the offset in `payload`.
  [[nodiscard]] static Result<std::shared_ptr<const TokenPage>> open(
      const PageHeader& header, Bytes payload, const TokenModel& model,
      const AttributeTable& attributes);

  [[nodiscard]] std::size_t size() const override { return entry_count_; }
  [[nodiscard]] std::string_view first_key() const override { return first_key_; }
  [[nodiscard]] Result<std::optional<PageEntry>> find(std::string_view key) const override;
  [[nodiscard]] Result<PageEntry> entry(std::size_t index) const override;
  /// Decodes the blocks that hold the entries.
  [[nodiscard]] Result<PageSlice> slice(std::size_t begin, std::size_t end) const override;
  [[nodiscard]] Result<std::shared_ptr<const DecodedPage>> decode() const override;
  [[nodiscard]] bool is_decoded() const override { return false; }
  [[nodiscard]] std::size_t memory_bytes() const override;
  /// Counts the bits of the payload: the result has those of the entries by part, `head_bits`
  /// receives all others. Errors: as decode().
  [[nodiscard]] Result<TokenPartBits> measure(std::uint64_t& head_bits) const;

 private:
  /// Where a block begins: its bits, counted from blocks_begin_bits_, and its data. The last
  /// element is the end of the page.
  struct Block {
    std::uint32_t begin_bits = 0;
    std::uint64_t data_offset = 0;
  };
  // With this much room inside, most pages are one piece of memory.
  static constexpr std::size_t kBlocksUsual = 40;
  static constexpr std::size_t kGroupsUsual = 8;
  TokenPage(const PageHeader& header, Bytes payload, const TokenModel& model,
            const AttributeTable& attributes)
      : model_(model),
        attributes_(attributes),
        payload_bytes_(payload.size()),
        entry_count_(header.entry_count),
        has_gaps_((header.flags & kPageGaps) != 0),
        keys_bytes_(header.decoded_bytes - header.entry_count) {
    std::memcpy(payload_, payload.data(), payload.size());
  }

  [[nodiscard]] Status load_head();
  void load_defaults(BitReader& in);
  [[nodiscard]] Status load_blocks(BitReader& in);
  [[nodiscard]] Status load_groups(BitReader& in, unsigned bits_width, std::size_t keys_bits);
  [[nodiscard]] Status load_first_key(BitReader& in);
  [[nodiscard]] Bytes payload() const { return {payload_, payload_bytes_}; }
  [[nodiscard]] std::size_t block_count() const { return blocks_.size() - 1; }
  [[nodiscard]] std::size_t begin_bits(std::size_t block) const {
    return blocks_begin_bits_ + blocks_[block].begin_bits;
  }
  [[nodiscard]] HeadKeys head_keys() const {
    return {model_,
            payload(),
            {first_key_,
             behind_first_bits_,
             {groups_bits_.data(), groups_bits_.size()},
             block_count()}};
  }
  [[nodiscard]] Status decode_block(HeadKeys& at, TokenRows& rows) const;
  [[nodiscard]] TokenCursor cursor(const HeadKeys& at) const;
  [[nodiscard]] PageEntry found(std::size_t index, const TokenCursor& at,
                                std::uint64_t data_offset) const;
  [[nodiscard]] Error bad_block(std::uint16_t code, const char* what, std::size_t block) const;

  const TokenModel& model_;
  const AttributeTable& attributes_;
  std::uint8_t payload_[kPagePayloadBytesMax];
  std::size_t payload_bytes_;
  std::size_t entry_count_;
  bool has_gaps_;
  std::size_t keys_bytes_;  ///< length of all keys, written out
  TokenPageHead head_;
  boost::container::small_vector<Block, kBlocksUsual> blocks_;  ///< then the end
  std::size_t blocks_begin_bits_ = 0;
  std::string first_key_;
  std::size_t behind_first_bits_ = 0;
  /// HeadKeys::Places::groups_bits
  boost::container::small_vector<std::uint32_t, kGroupsUsual> groups_bits_;
};

}  // namespace dgfs::format
