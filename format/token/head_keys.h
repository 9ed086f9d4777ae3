// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// HeadKeys: the first keys of the blocks of a token page. Blocks form groups. The first keys of the
// groups' first blocks are stored together; the other keys follow, group by group. So a search
// reads only a few keys of each sort.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "format/token/bit_reader.h"
#include "format/token/key.h"
#include "format/token/model.h"
#include "format/token/row.h"
#include "format/token/text.h"

namespace dgfs::format {

/// Keys in order. For each, the bits hold the number of bytes shared with the key before, then the
/// suffix. Reads untrusted bits; not thread-safe. The model and the bits must outlive it.
class KeyRun {
 public:
  /// @param first     the first current key; it is stored elsewhere
  /// @param in        where the key after it begins
  /// @param end_bits  where the last of the `left` further keys must end
  KeyRun(const TokenModel& model, std::string_view first, BitReader in, std::size_t end_bits,
         std::size_t left);

  /// Reads the next key, if there is one, without going to it; has_ahead() tells afterwards.
  /// Returns false if the bits are corrupt.
  bool look_ahead();
  /// Goes to the next key if there is one and it is not above `wanted`. `wanted` must not be below
  /// the current key.
  /// @param matched  how many bytes `wanted` shares with the current key; updated
  bool advance_towards(std::string_view wanted, std::size_t& matched);
  [[nodiscard]] bool has_ahead() const { return has_ahead_; }
  [[nodiscard]] std::string_view ahead() const { return ahead_.view(); }
  /// Goes to the key ahead; has_ahead() must hold.
  void advance();
  [[nodiscard]] std::string_view key() const { return key_.view(); }
  [[nodiscard]] bool has_problem() const { return problem_ != nullptr; }
  /// The failure of look_ahead(): kCorrupt, with the offset in the payload.
  [[nodiscard]] Error error() const;

 private:
  const TokenModel& model_;
  BitReader in_;
  std::size_t end_bits_;
  std::size_t left_;
  TokenText key_;
  TokenKey ahead_;
  bool has_ahead_ = false;
  const char* problem_ = nullptr;
};

/// The first keys of all blocks of a page. There is no current block until seek() or find(). Reads
/// untrusted bits; not thread-safe. The constructor's arguments must outlive it.
class HeadKeys {
 public:
  /// The places of the keys, in bits of the payload. Views parts of the page.
  struct Places {
    std::string_view first;             ///< key of block 0
    std::size_t behind_first_bits = 0;  ///< where the key of block kGroupBlocks begins
    /// Where the other keys of each group begin, and where those of the last group end.
    std::span<const std::uint32_t> groups_bits;
    std::size_t block_count = 0;  ///< at least 1
  };
  HeadKeys(const TokenModel& model, Bytes payload, const Places& places);

  /// As in KeyRun, over the blocks one by one.
  bool look_ahead() { return run().look_ahead(); }
  [[nodiscard]] bool has_ahead() const { return run().has_ahead(); }
  [[nodiscard]] std::string_view ahead() const { return run().ahead(); }
  void advance();
  [[nodiscard]] std::string_view key() const { return others_->key(); }
  [[nodiscard]] Error error() const;

  /// Number of the current block.
  [[nodiscard]] std::size_t block() const { return block_; }
  /// Goes to block `block`, which must not lie before the current one. Returns false if the bits
  /// are corrupt.
  bool seek(std::size_t block);
  /// Goes to the last block whose first key is not above `key`. The first key of block 0 must not
  /// be above `key`. Returns false if the bits are corrupt. Must be called before any other method.
  /// @param matched  in: how many bytes `key` shares with the first key of block 0; out: with
  ///                 the first key of the found block
  bool find(std::string_view key, std::size_t& matched);

 private:
  [[nodiscard]] std::size_t group() const { return block_ / kGroupBlocks; }
  [[nodiscard]] bool is_last_of_group() const {
    return block_ % kGroupBlocks == kGroupBlocks - 1 || block_ + 1 == places_.block_count;
  }
  [[nodiscard]] KeyRun& run() { return is_last_of_group() ? groups_ : *others_; }
  [[nodiscard]] const KeyRun& run() const { return is_last_of_group() ? groups_ : *others_; }
  void enter_group();

  const TokenModel& model_;
  Bytes payload_;
  Places places_;
  std::size_t block_ = 0;
  KeyRun groups_;
  std::optional<KeyRun> others_;  ///< first keys of the blocks in the group of block_
};

}  // namespace dgfs::format
