// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenPageFiller: makes pages of the token codec from entries. Codes are fixed, so the filler
// knows the size of an entry once it is written. It takes entries until one does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/page/codec.h"
#include "format/token/bit_writer.h"
#include "format/token/parser.h"
#include "format/token/row_writer.h"

namespace dgfs::format {

/// A sink of RowWriter that makes bits.
class BitSink {
 public:
  BitSink(const TokenModel& model, const TokenTrie& trie) : model_(model), parser_(model, trie) {}

  void row(std::size_t symbol, std::size_t before) {
    model_.rows().behind(before).write(symbol, bits_);
  }
  void share(std::size_t symbol, std::size_t before) {
    model_.shares().behind(before).write(symbol, bits_);
  }
  void recent_time(std::size_t symbol) { model_.times().write(symbol, bits_); }
  void attribute(std::size_t symbol) { model_.attributes().write(symbol, bits_); }
  void extras(std::size_t symbol) { model_.extras().write(symbol, bits_); }
  void number(NumberKind kind, std::uint64_t value);
  void bits(std::uint64_t value, unsigned count) { bits_.bits(value, count); }
  void name(std::string_view text, const TextStart& start, const EndingLengths& endings) {
    put(text, model_.start_class(start), endings);
  }
  void target(std::string_view text) { put(text, model_.token_class(kContextTarget), {}); }
  /// The bits so far.
  [[nodiscard]] BitWriter& out() { return bits_; }
  [[nodiscard]] std::size_t bit_count() const { return bits_.bit_count(); }

 private:
  void put(std::string_view text, std::size_t first_class, const EndingLengths& endings);

  const TokenModel& model_;
  TokenParser parser_;
  BitWriter bits_;
  std::string text_;
};

/// Fills one page. Not thread-safe.
class TokenPageFiller {
 public:
  /// The model of `context` must be a token model.
  TokenPageFiller(const PageContext& context, std::uint8_t codec_id);

  /// Errors: kLimit; kInvalidArgument for entries that contradict themselves, or a key with '/'.
  [[nodiscard]] Result<EncodedPage> fill(std::span<const Entry> entries);

 private:
  [[nodiscard]] Status take(std::span<const Entry> entries);
  [[nodiscard]] bool add(std::span<const Entry> entries, std::size_t index);
  void begin_block(std::span<const Entry> entries, std::size_t index);
  void write_head_key(std::span<const Entry> entries, std::size_t index);
  void end_block();
  void write_first_key(std::string_view key, std::size_t prefix_bytes);
  [[nodiscard]] std::size_t prefix_of(std::string_view first, std::string_view last) const;
  [[nodiscard]] bool fits() const;
  [[nodiscard]] std::size_t open_group_bits() const {
    return other_keys_.bit_count() - group_begin_bits_;
  }
  /// Bits of the tables of blocks and groups, including the open block and group, and of the width
  /// fields before the tables.
  [[nodiscard]] std::size_t tables_bits() const;
  void write_tables(BitWriter& out) const;

  const PageContext& context_;
  std::uint8_t codec_id_;
  const TokenModel& model_;
  TokenPageHead head_;
  RowWriter rows_;
  BitSink page_head_;   ///< beginning of the page, common to all blocks
  BitSink first_key_;   ///< first key of the page, relative to prefix_bytes_
  BitSink group_keys_;  ///< first keys of the first blocks of the other groups
  BitSink other_keys_;  ///< first keys of the other blocks
  BitSink blocks_;
  /// A row in the table of blocks.
  struct Block {
    std::uint64_t bits = 0;
    std::uint64_t data_bytes = 0;
  };
  std::vector<Block> closed_blocks_;
  Block widest_;  ///< maximum of each member in closed_blocks_
  /// For each closed group, the bits of the first keys of its other blocks. The last group is open.
  std::vector<std::size_t> closed_groups_bits_;
  std::size_t widest_group_bits_ = 0;
  std::size_t group_begin_bits_ = 0;      ///< in other_keys_: beginning of the open group
  std::size_t group_keys_kept_bits_ = 0;  ///< bits before the open block began
  std::size_t other_keys_kept_bits_ = 0;
  std::size_t block_begin_bits_ = 0;
  std::uint64_t block_data_bytes_ = 0;
  std::uint64_t data_bytes_ = 0;
  std::size_t keys_bytes_ = 0;  ///< length of all keys in full
  std::size_t prefix_bytes_ = 0;
  std::size_t count_ = 0;
  // Both have one bit in the extras, so no page has both.
  bool has_gaps_ = false;
  bool has_link_counts_ = false;
};

}  // namespace dgfs::format
