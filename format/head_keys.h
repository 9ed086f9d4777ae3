// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// HeadKeys: the first keys of the blocks of a token page, one after the other, each with the one
// after it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "format/bit_reader.h"
#include "format/token_cursor.h"
#include "format/token_model.h"

namespace dgfs::format {

/// Reads untrusted bits. Not thread-safe. What it is made from must outlive it.
class HeadKeys {
 public:
  /// @param in        where the first key begins
  /// @param end_bits  where the last of `count` (at least 1) keys must end
  HeadKeys(const TokenModel& model, BitReader in, std::size_t end_bits, std::size_t count)
      : model_(model), in_(in), end_bits_(end_bits), left_(count) {}

  /// Goes to the first, then to the next block; there must be one. False where the bits make none.
  bool next();
  /// Goes to block `block`, which must not lie before the one that it is at.
  bool seek(std::size_t block);
  /// Why next() failed: kCorrupt, with the offset in the payload.
  [[nodiscard]] Error error() const;

  /// Number of the block that it is at.
  [[nodiscard]] std::size_t block() const { return block_; }
  [[nodiscard]] std::string_view key() const { return key_.view(); }
  [[nodiscard]] bool has_next() const { return has_ahead_; }
  /// First key of the block after it; above key().
  [[nodiscard]] std::string_view next_key() const { return ahead_.view(); }

 private:
  bool read_ahead();

  const TokenModel& model_;
  BitReader in_;
  std::size_t end_bits_;
  std::size_t left_;  ///< keys that are not read yet
  std::size_t block_ = 0;
  bool is_at_block_ = false;
  TokenText key_;
  TokenText ahead_;
  bool has_ahead_ = false;
  std::size_t directory_ = 0;  ///< length of the directory part of ahead_
  const char* problem_ = nullptr;
};

}  // namespace dgfs::format
