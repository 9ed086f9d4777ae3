// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenModel: data that the pages of the token codec share: a vocabulary of strings that occur in
// names, and prefix codes for all parts of a page.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/token/context_code.h"
#include "format/token/ending.h"
#include "format/token/prefix_code.h"
#include "format/token/row.h"

namespace dgfs::format {

/// The parts of a context model that a token model lacks: they select its codes. A value.
struct TokenContextParts {
  std::array<std::uint8_t, 256> group_of_byte{};  ///< by the last shared byte
  /// By group, then by the passed byte (see TextStart): class of the first token of a key's text.
  std::vector<std::array<std::uint8_t, kPassedContexts>> start_classes;
  std::array<std::uint8_t, kRowContexts> class_of_row{};      ///< by the row before
  std::array<std::uint8_t, kShareContexts> class_of_share{};  ///< by the share before
};

/// A token model before it is encoded. A value.
struct TokenModelParts {
  std::vector<std::string> tokens;  ///< strictly rising; '/' only as the last byte
  std::array<std::uint8_t, kTokenContexts> class_of_context{};
  std::vector<Buffer> token_lengths;  ///< by class: code lengths of bytes, then tokens
  std::vector<Buffer> row_lengths;    ///< by class; only one without `contexts`
  std::vector<Buffer> share_lengths;  ///< as row_lengths
  Buffer time_lengths;
  Buffer attribute_lengths;
  Buffer extra_lengths;
  std::array<Buffer, kNumberKinds> width_lengths;
  /// Set for a context model. Then each of token_lengths also has the endings, after the tokens.
  std::optional<TokenContextParts> contexts;
};

/// Encodes a model, see docs/FORMAT.md, "Token models".
[[nodiscard]] Buffer encode_token_model(const TokenModelParts& parts);

/// Immutable, thread-safe. Memory: 19 bytes a token; for each class also 16 KiB, 5 bytes a token,
/// and 4 to 64 bytes for each beginning of codes that are longer than PrefixCode::kTableBits.
class TokenModel {
 public:
  /// Errors: kCorrupt, with the offset.
  /// @param has_contexts  whether it is a context model
  [[nodiscard]] static Result<std::unique_ptr<const TokenModel>> decode(Bytes bytes,
                                                                        bool has_contexts);

  /// The codes of rows, by the row symbol before or kRowNone.
  [[nodiscard]] const ContextCode& rows() const { return rows_; }
  /// The codes of shares, by the share symbol before or kShareNone.
  [[nodiscard]] const ContextCode& shares() const { return shares_; }
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
  /// Class of the first token of a key's text.
  [[nodiscard]] std::size_t start_class(const TextStart& start) const {
    return start_classes_[group_of_byte_[start.shared]][start.passed];
  }
  /// The code of tokens of a class.
  [[nodiscard]] const PrefixCode& code_of(std::size_t number) const { return tokens_[number]; }
  /// Class of the token after `symbol`. For a symbol that ends a text, see Step::next_class.
  [[nodiscard]] std::size_t class_after(std::size_t symbol) const { return class_after_[symbol]; }
  /// Symbols of endings follow those of tokens.
  [[nodiscard]] bool has_endings() const { return has_endings_; }
  [[nodiscard]] std::size_t ending_symbol(std::size_t ending) const {
    return token_count() + ending;
  }
  [[nodiscard]] std::size_t class_count() const { return tokens_.size(); }
  /// Bytes and tokens.
  [[nodiscard]] std::size_t token_count() const {
    return place_of_.size() - (has_endings_ ? kEndings : 0);
  }
  /// Bytes, tokens and endings.
  [[nodiscard]] std::size_t symbol_count() const { return place_of_.size(); }
  [[nodiscard]] std::string_view token(std::size_t symbol) const {
    const auto& text = texts_[place_of_[symbol]];
    return {text.bytes, text.length};
  }
  /// The next token of a text, as found in the bits ahead.
  struct Step {
    std::uint16_t place = 0;      ///< for put_token()
    std::uint8_t bits = 0;        ///< of its code
    std::uint8_t next_class = 0;  ///< class of the next token; kTextEnds and above: the text ends
  };
  /// `next_class` of a token that ends a text. Ending i has kTextEnds + 1 + i.
  static constexpr std::uint8_t kTextEnds = kTokenClassesMax;
  /// @param number  class of the token
  /// @param ahead   as BitReader::ahead()
  [[nodiscard]] Step step(std::size_t number, std::uint64_t ahead) const {
    constexpr auto kBits = PrefixCode::kTableBits;
    const auto step = steps_[number << kBits | static_cast<std::size_t>(ahead >> (64 - kBits))];
    if (step.bits != 0) return step;
    const auto further = static_cast<std::size_t>(ahead << kBits >> (64 - step.next_class));
    return long_steps_[first_long_step_[number] + step.place + further];
  }
  /// Writes kTokenRoomBytes bytes to `to`; the token is at their beginning.
  /// @return length of the token
  std::size_t put_token(const Step& step, char* to) const {
    const auto& text = texts_[step.place];
    std::memcpy(to, &text, kTokenRoomBytes);
    return text.length;
  }
  static constexpr std::size_t kTokenRoomBytes = kTokenBytesMax + 1;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Text {
    char bytes[kTokenBytesMax];
    std::uint8_t length;
  };
  class Loader;

  static_assert(sizeof(Text) == kTokenRoomBytes);

  [[nodiscard]] Step step_of(const PrefixCode::Found& found) const {
    return {place_of_[found.symbol], static_cast<std::uint8_t>(found.bits),
            class_after_[found.symbol]};
  }

  std::vector<Text> texts_;  ///< the most frequent first, so that few cache lines hold most
  std::vector<std::uint16_t> place_of_;    ///< by symbol: place in texts_
  std::vector<std::uint8_t> class_after_;  ///< by symbol, as Step::next_class
  /// By class, then by the next PrefixCode::kTableBits bits. If the code is longer, `bits` is 0,
  /// `place` is the index of its first long step among those of the class, and `next_class` is how
  /// many further bits select the long step.
  std::vector<Step> steps_;
  std::vector<Step> long_steps_;
  std::array<std::uint32_t, kTokenClassesMax> first_long_step_{};  ///< by class
  std::array<std::uint8_t, kTokenContexts> class_of_context_{};
  std::vector<PrefixCode> tokens_;
  std::array<std::uint8_t, 256> group_of_byte_{};
  std::vector<std::array<std::uint8_t, kPassedContexts>> start_classes_;
  bool has_endings_ = false;
  ContextCode rows_;
  ContextCode shares_;
  PrefixCode times_;
  PrefixCode attributes_;
  PrefixCode extras_;
  std::array<PrefixCode, kNumberKinds> widths_;
};

/// Reads a number: the symbol of its width, then its bits below the top one.
std::uint64_t read_number(const TokenModel& model, NumberKind kind, BitReader& in);

}  // namespace dgfs::format
