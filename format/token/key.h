// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenKey: one key of a token page after the other, each from what it shares with the one before.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/token/bit_reader.h"
#include "format/token/model.h"
#include "format/token/row.h"
#include "format/token/text.h"

namespace dgfs::format {

/// Out of untrusted bits. Not thread-safe.
class TokenKey {
 public:
  /// A key that stands elsewhere. No share was before the next one.
  void assign(std::string_view key);
  /// The share of the next key depends on none before.
  void forget_share() { has_share_ = false; }
  /// Reads the share symbol and the suffix of the next key, which is above this one.
  /// @return nullptr, or what is wrong
  [[nodiscard]] const char* read_next(const TokenModel& model, BitReader& in);
  /// Becomes its successor (F-192). False, and as before, where it has none.
  [[nodiscard]] bool make_successor() {
    const auto size = text_.size();
    if (size == 0 || text_.data()[size - 1] < '0' || text_.data()[size - 1] >= '9') {
      return make_far_successor();
    }
    ++text_.data()[size - 1];
    shared_bytes_ = size - 1;
    return true;
  }

  [[nodiscard]] std::string_view view() const { return text_.view(); }
  /// How many bytes it has from the key before; the byte behind them is another one, or there was
  /// none. Of a key that was assigned: all.
  [[nodiscard]] std::size_t shared_bytes() const { return shared_bytes_; }

 private:
  /// Likewise, where not the last byte alone changes.
  [[nodiscard]] bool make_far_successor();

  TokenText text_;
  std::size_t directory_ = 0;  ///< length of its directory part
  std::size_t shared_bytes_ = 0;
  std::uint8_t share_class_ = 0;  ///< of the next share
  bool has_share_ = false;        ///< whether share_class_ holds
};

}  // namespace dgfs::format
