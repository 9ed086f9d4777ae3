// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenModel: what the pages of the token codec share: a vocabulary of strings that occur in
// names, and prefix codes for everything a page says.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/prefix_code.h"
#include "format/token_row.h"

namespace dgfs::format {

/// A token model as trained, before it is bytes. A value.
struct TokenModelParts {
  std::vector<std::string> tokens;  ///< strictly rising; '/' only as the last byte
  std::array<std::uint8_t, kTokenContexts> class_of_context{};
  std::vector<Buffer> token_lengths;  ///< by class: code lengths of bytes, then tokens
  Buffer row_lengths;
  Buffer share_lengths;
  Buffer time_lengths;
  Buffer attribute_lengths;
  Buffer extra_lengths;
  std::array<Buffer, kNumberKinds> width_lengths;
};

/// docs/FORMAT.md, "Token models".
[[nodiscard]] Buffer encode_token_model(const TokenModelParts& parts);

/// Immutable, thread-safe. Memory: 16 bytes a token, and 16 KiB and 4 bytes a token for each class.
class TokenModel {
 public:
  /// Errors: kCorrupt, with the offset.
  [[nodiscard]] static Result<std::unique_ptr<const TokenModel>> decode(Bytes bytes);

  [[nodiscard]] const PrefixCode& rows() const { return rows_; }
  [[nodiscard]] const PrefixCode& shares() const { return shares_; }
  [[nodiscard]] const PrefixCode& times() const { return times_; }
  [[nodiscard]] const PrefixCode& attributes() const { return attributes_; }
  [[nodiscard]] const PrefixCode& extras() const { return extras_; }
  [[nodiscard]] const PrefixCode& widths(NumberKind kind) const {
    return widths_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const PrefixCode& tokens(std::size_t context) const {
    return tokens_[class_of_context_[context]];
  }
  [[nodiscard]] std::size_t token_class(std::size_t context) const {
    return class_of_context_[context];
  }
  [[nodiscard]] std::size_t class_count() const { return tokens_.size(); }
  [[nodiscard]] const PrefixCode& tokens_of_class(std::size_t number) const {
    return tokens_[number];
  }
  [[nodiscard]] std::size_t token_count() const { return texts_.size(); }
  [[nodiscard]] std::string_view token(std::size_t symbol) const {
    return {texts_[symbol].bytes, texts_[symbol].length};
  }
  /// Writes kTokenRoomBytes bytes that begin with the token's. @return the token's length
  std::size_t copy_token(std::size_t symbol, char* to) const {
    std::memcpy(to, &texts_[symbol], kTokenRoomBytes);
    return texts_[symbol].length;
  }
  /// Class of what comes after the token; kTokenClassesMax behind the end of a text.
  [[nodiscard]] std::size_t class_after(std::size_t symbol) const { return class_after_[symbol]; }
  static constexpr std::size_t kTokenRoomBytes = kTokenBytesMax + 1;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Text {
    char bytes[kTokenBytesMax];
    std::uint8_t length;
  };
  class Loader;

  static_assert(sizeof(Text) == kTokenRoomBytes);

  std::vector<Text> texts_;
  std::vector<std::uint8_t> class_after_;
  std::array<std::uint8_t, kTokenContexts> class_of_context_{};
  std::vector<PrefixCode> tokens_;
  PrefixCode rows_;
  PrefixCode shares_;
  PrefixCode times_;
  PrefixCode attributes_;
  PrefixCode extras_;
  std::array<PrefixCode, kNumberKinds> widths_;
};

}  // namespace dgfs::format
