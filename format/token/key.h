// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenKey: decodes the keys of a token page one after the other. Each key is stored as the length
// that it shares with the key before, and its suffix.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/token/bit_reader.h"
#include "format/token/model.h"
#include "format/token/row.h"
#include "format/token/text.h"

namespace dgfs::format {

/// Reads untrusted bits. Not thread-safe.
class TokenKey {
 public:
  /// Sets the key to one that is stored elsewhere.
  void assign(std::string_view key);
  /// Makes the share of the next key independent of the shares before (kShareNone).
  void forget_share() { has_share_ = false; }
  /// Reads the share symbol and the suffix of the next key, which is above this one.
  /// @return nullptr, or a description of the error
  [[nodiscard]] const char* read_next(const TokenModel& model, BitReader& in);
  /// Becomes its own successor (F-192). Returns false, and changes nothing, if it has none.
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
  /// How many bytes it shares with the key before. The next byte differs, or the key before has no
  /// more. After assign(): all bytes.
  [[nodiscard]] std::size_t shared_bytes() const { return shared_bytes_; }

 private:
  /// make_successor() if more than the last byte may change.
  [[nodiscard]] bool make_far_successor();

  TokenText text_;
  std::size_t directory_ = 0;  ///< length of its directory part
  std::size_t shared_bytes_ = 0;
  std::uint8_t share_class_ = 0;  ///< class of the next share
  bool has_share_ = false;        ///< whether share_class_ is valid
};

}  // namespace dgfs::format
