// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/page.h"

#include <algorithm>

#include "format/coding.h"
#include "format/entry/key.h"
#include "format/limits.h"

namespace dgfs::format {
namespace {

constexpr const char* kDataTooLong = "data of the page is too long";

/// Returns false if the sum exceeds the length that a file may have (F-162).
bool add_data(std::uint64_t bytes, std::uint64_t& sum) {
  if (bytes > kFileBytesMax - sum) return false;
  sum += bytes;
  return true;
}

/// Reads a block's row in the table: how many bits its entries take, and how many bytes their data.
std::pair<std::uint64_t, std::uint64_t> read_block(BitReader& in, unsigned bits_width,
                                                   unsigned bytes_width) {
  if (bits_width + bytes_width > BitReader::kAheadBits) {
    const auto bits = in.long_bits(bits_width);
    return {bits, in.long_bits(bytes_width)};
  }
  const auto both = in.long_bits(bits_width + bytes_width);
  return {both >> bytes_width, both & ((std::uint64_t{1} << bytes_width) - 1)};
}

}  // namespace

Error TokenPage::bad_block(std::uint16_t code, const char* what, std::size_t block) const {
  return Error(ErrorKind::kCorrupt, code, what).at_offset(begin_bits(block) / 8);
}

Result<std::shared_ptr<const TokenPage>> TokenPage::open(const PageHeader& header, Bytes payload,
                                                         const TokenModel& model,
                                                         const AttributeTable& attributes) {
  if (header.decoded_bytes < header.entry_count) {  // F-190
    return Error(ErrorKind::kCorrupt, 2910, "page has fewer key bytes than entries").at_offset(0);
  }
  std::shared_ptr<TokenPage> page(new TokenPage(header, payload, model, attributes));
  DGFS_CHECK(page->load_head());
  return std::shared_ptr<const TokenPage>(std::move(page));
}

Status TokenPage::load_head() {
  BitReader in(payload());
  load_defaults(in);
  DGFS_CHECK(load_blocks(in));
  const auto bits = payload_bytes_ * 8;
  const auto end = begin_bits(block_count());
  const bool fills = end <= bits && bits - end < 8 && BitReader(payload(), end).peek(8) == 0;
  if (!fills) {  // F-191
    return Error(ErrorKind::kCorrupt, 2911, "blocks do not fill the page").at_offset(0);
  }
  return load_first_key(in);
}

void TokenPage::load_defaults(BitReader& in) {
  const auto times = in.bits(kTimeCountBits) + 1;
  Time time;
  for (std::size_t i = 0; i < times; ++i) {
    time.seconds = static_cast<std::int64_t>(add_zigzag(
        static_cast<std::uint64_t>(time.seconds), read_number(model_, NumberKind::kSeconds, in)));
    time.nanoseconds = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(read_number(model_, NumberKind::kNanoseconds, in), ~0u));
    head_.times.append(time);
  }
  const auto types = in.bits(kTypeCount);
  for (std::size_t type = 0; type < kTypeCount; ++type) {
    if ((types >> type & 1) == 0) continue;
    std::uint64_t number = model_.attributes().read(in);
    if (number == kAttributeEscape) number += read_number(model_, NumberKind::kOther, in);
    head_.attributes[type] = static_cast<std::uint32_t>(std::min<std::uint64_t>(number, ~0u));
  }
}

Status TokenPage::load_blocks(BitReader& in) {
  const auto count = (entry_count_ + kBlockEntries - 1) / kBlockEntries;
  const auto bits_width = in.bits(kBlockBitsWidthBits);
  const auto bytes_width = in.bits(kBlockBytesWidthBits);
  const auto keys_bits = in.bits(kGroupKeysWidthBits);
  const auto group_bits_width = in.bits(kGroupBitsWidthBits);
  blocks_.resize(count + 1, boost::container::default_init);
  std::size_t bits = 0;
  std::uint64_t data_bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    blocks_[i] = {static_cast<std::uint32_t>(bits), data_bytes};
    const auto [block_bits, block_bytes] = read_block(in, bits_width, bytes_width);
    bits += block_bits;
    if (!add_data(block_bytes, data_bytes)) {  // F-162
      return Error(ErrorKind::kCorrupt, 2914, kDataTooLong).at_offset(in.bit_offset() / 8);
    }
  }
  blocks_[count] = {static_cast<std::uint32_t>(bits), data_bytes};
  return load_groups(in, group_bits_width, keys_bits);
}

/// @param keys_bits  length of the first keys of the groups' first blocks, which follow this table
Status TokenPage::load_groups(BitReader& in, unsigned bits_width, std::size_t keys_bits) {
  const auto count = (block_count() + kGroupBlocks - 1) / kGroupBlocks;
  auto bits = in.bit_offset() + count * bits_width + keys_bits;
  for (std::size_t i = 0; i < count; ++i) {
    groups_bits_.push_back(static_cast<std::uint32_t>(bits));
    bits += in.long_bits(bits_width);
  }
  groups_bits_.push_back(static_cast<std::uint32_t>(bits));
  blocks_begin_bits_ = bits;
  // A group of one block has no other keys; bits of such keys would never be read or checked.
  if (block_count() % kGroupBlocks == 1 && groups_bits_[count] != groups_bits_[count - 1]) {
    return Error(ErrorKind::kCorrupt, 2926, "a group of one block has keys of others")  // F-191
        .at_offset(in.bit_offset() / 8);
  }
  return ok();
}

Status TokenPage::load_first_key(BitReader& in) {
  TokenText key;
  if (in.bits(1) != 0 && !key.read(model_, model_.start_class({}), kKeyBytesMax, in)) {  // F-145
    return Error(ErrorKind::kCorrupt, 2913, "key is too long").at_offset(in.bit_offset() / 8);
  }
  first_key_ = key.view();
  behind_first_bits_ = in.bit_offset();
  return ok();
}

TokenCursor TokenPage::cursor(const HeadKeys& at) const {
  return {model_,
          attributes_,
          head_,
          has_gaps_,
          BitReader(payload(), begin_bits(at.block())),
          begin_bits(at.block() + 1),
          at.key()};
}

PageEntry TokenPage::found(std::size_t index, const TokenCursor& at,
                           std::uint64_t data_offset) const {
  PageEntry found{index, at.entry(), data_offset};
  found.entry.key = at.key();
  return found;
}

Result<std::optional<PageEntry>> TokenPage::find(std::string_view key) const {
  std::size_t matched = 0;
  if (compare_from(first_key_, key, matched) > 0) return std::nullopt;
  // Only the last block whose first key is not above `key` can hold it.
  auto keys = head_keys();
  if (!keys.find(key, matched)) return keys.error();
  const auto block = keys.block();
  auto at = cursor(keys);
  auto data_offset = blocks_[block].data_offset;
  // As in KeyRun::advance_towards().
  const auto end = std::min(entry_count_, (block + 1) * kBlockEntries);
  for (auto index = block * kBlockEntries; index < end; ++index) {
    if (!at.next()) return bad_block(2915, at.problem(), block);
    const auto before = data_offset;
    if (!add_data(at.running_bytes(), data_offset)) return bad_block(2922, kDataTooLong, block);
    if (at.shared_bytes() < matched) return std::nullopt;
    if (at.shared_bytes() == matched || index % kBlockEntries == 0) {
      const auto order = compare_from(at.key(), key, matched);
      if (order == 0) return std::optional(found(index, at, before));
      if (order > 0) return std::nullopt;
    }
  }
  return std::nullopt;
}

Result<PageEntry> TokenPage::entry(std::size_t index) const {
  const auto block = index / kBlockEntries;
  auto keys = head_keys();
  if (!keys.seek(block)) return keys.error();
  auto at = cursor(keys);
  auto data_offset = blocks_[block].data_offset;
  for (auto i = block * kBlockEntries;; ++i) {
    if (!at.next()) return bad_block(2916, at.problem(), block);
    const auto before = data_offset;
    if (!add_data(at.running_bytes(), data_offset)) return bad_block(2923, kDataTooLong, block);
    if (i == index) return found(index, at, before);
  }
}

Status TokenPage::decode_block(HeadKeys& keys, TokenRows& rows) const {
  const auto block = keys.block();
  auto at = cursor(keys);
  const auto count = std::min(kBlockEntries, entry_count_ - block * kBlockEntries);
  for (std::size_t i = 0; i < count; ++i) {
    if (!at.next()) return bad_block(2917, at.problem(), block);
    // F-144, F-190
    if (!rows.add(at)) return bad_block(2918, "keys do not rise, or have other lengths", block);
  }
  // F-144: a slice may end here; then no row of the next block would show a wrong order.
  if (!keys.look_ahead()) return keys.error();
  if (keys.has_ahead() && at.key() >= keys.ahead()) {
    return bad_block(2925, "keys do not rise to the next block", block);
  }
  if (at.bit_offset() != begin_bits(block + 1)) {  // F-193
    return bad_block(2919, "block goes on behind its entries", block);
  }
  const auto end = blocks_[block + 1].data_offset;
  if (rows.data_offset(rows.size()) != end) {  // F-191
    return bad_block(2920, "block holds other data than its head says", block);
  }
  return ok();
}

Result<PageSlice> TokenPage::slice(std::size_t begin, std::size_t end) const {
  const auto first = begin / kBlockEntries;
  const auto last = (end - 1) / kBlockEntries;
  const auto first_index = first * kBlockEntries;
  const auto entries = std::min((last + 1) * kBlockEntries, entry_count_) - first_index;
  auto rows = std::make_shared<TokenRows>(entries, keys_bytes_, blocks_[first].data_offset);
  auto keys = head_keys();
  for (auto block = first; block <= last; ++block) {
    if (!keys.seek(block)) return keys.error();
    DGFS_CHECK(decode_block(keys, *rows));
  }
  if (entries == entry_count_ && !rows->is_full()) {  // F-190
    return bad_block(2921, "keys have other lengths", 0);
  }
  return PageSlice{std::move(rows), first_index};
}

Result<std::shared_ptr<const DecodedPage>> TokenPage::decode() const {
  DGFS_TRY(all, slice(0, entry_count_));
  return std::move(all.rows);
}

Result<TokenPartBits> TokenPage::measure(std::uint64_t& head_bits) const {
  TokenPartBits parts{};
  head_bits = begin_bits(0) + (payload_bytes_ * 8 - begin_bits(block_count()));
  auto keys = head_keys();
  for (std::size_t block = 0; block < block_count(); ++block) {
    if (!keys.seek(block)) return keys.error();
    auto at = cursor(keys);
    at.measure_into(parts);
    const auto count = std::min(kBlockEntries, entry_count_ - block * kBlockEntries);
    for (std::size_t i = 0; i < count; ++i) {
      if (!at.next()) return bad_block(2924, at.problem(), block);
    }
  }
  return parts;
}

std::size_t TokenPage::memory_bytes() const {
  const bool is_large = blocks_.capacity() > kBlocksUsual;
  const bool has_many_groups = groups_bits_.capacity() > kGroupsUsual;
  return sizeof *this + (is_large ? blocks_.capacity() * sizeof(Block) : 0) +
         (has_many_groups ? groups_bits_.capacity() * sizeof(std::uint32_t) : 0) +
         first_key_.capacity();
}

}  // namespace dgfs::format
