// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/model.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "format/coding.h"
#include "format/entry/key.h"

namespace dgfs::format {
namespace {

Error bad_model(std::uint16_t code, const char* what, std::size_t offset) {
  return Error(ErrorKind::kCorrupt, code, what).at_offset(offset);
}

}  // namespace

Buffer encode_token_model(const TokenModelParts& parts) {
  Buffer bytes;
  Encoder out(bytes);
  out.varint(parts.tokens.size());
  std::string_view before;
  for (const auto& token : parts.tokens) {
    const auto shared = shared_prefix_bytes(before, token);
    out.fixed(static_cast<std::uint8_t>(shared << 4 | (token.size() - shared)));
    out.raw(as_bytes(std::string_view(token).substr(shared)));
    before = token;
  }
  out.fixed(static_cast<std::uint8_t>(parts.token_lengths.size()));
  out.raw(parts.class_of_context);
  for (const auto& lengths : parts.token_lengths) out.raw(lengths);
  for (const auto* lengths : {&parts.row_lengths, &parts.share_lengths, &parts.time_lengths,
                              &parts.attribute_lengths, &parts.extra_lengths}) {
    out.raw(*lengths);
  }
  for (const auto& lengths : parts.width_lengths) out.raw(lengths);
  return bytes;
}

/// Bytes to a model, in the order in which encode_token_model() wrote them.
class TokenModel::Loader {
 public:
  Loader(Bytes bytes, TokenModel& model) : in_(bytes), model_(model) {}

  Status load() {
    DGFS_CHECK(load_texts());
    DGFS_CHECK(load_classes());
    for (auto& code : model_.tokens_) {
      DGFS_CHECK(load_code(model_.token_count(), code));
      // Whatever a name is made of can be written.
      for (std::size_t byte = 0; byte < kByteTokens; ++byte) {
        if (code.length_bits(byte) != 0) continue;
        return bad_model(2906, "token model has no code for some byte", in_.offset());  // F-228
      }
    }
    order_texts();
    make_steps();
    DGFS_CHECK(load_full_code(kRowSymbols, model_.rows_));
    DGFS_CHECK(load_full_code(kShareSymbols, model_.shares_));
    DGFS_CHECK(load_full_code(kTimeSymbols, model_.times_));
    DGFS_CHECK(load_full_code(kAttributeSymbols, model_.attributes_));
    DGFS_CHECK(load_full_code(kExtraSymbols, model_.extras_));
    for (auto& code : model_.widths_) {
      DGFS_CHECK(load_full_code(kWidthSymbols, code));
    }
    return in_.finish();
  }

 private:
  Status load_texts() {
    DGFS_TRY(count, in_.varint_up_to(kTokensMax - kByteTokens));
    model_.texts_.resize(kByteTokens + count);
    model_.place_of_.resize(model_.texts_.size());
    std::iota(model_.place_of_.begin(), model_.place_of_.end(), std::uint16_t{0});
    for (std::size_t byte = 0; byte < kByteTokens; ++byte) {
      model_.texts_[byte] = {{static_cast<char>(byte)}, 1};
    }
    std::string_view before;
    for (std::size_t symbol = kByteTokens; symbol < model_.texts_.size(); ++symbol) {
      DGFS_CHECK(load_text(before, model_.texts_[symbol]));
      before = model_.token(symbol);
    }
    return ok();
  }

  Status load_text(std::string_view before, Text& text) {
    const auto offset = in_.offset();
    DGFS_TRY(lengths, in_.fixed<std::uint8_t>());
    const std::size_t shared = lengths >> 4;
    DGFS_TRY(suffix, in_.raw(lengths & 15u));
    const auto length = shared + suffix.size();
    if (shared > before.size() || length < 2 || length > kTokenBytesMax) {  // F-226
      return bad_model(2902, "token has an impossible length", offset);
    }
    std::copy_n(before.data(), shared, text.bytes);
    std::copy(suffix.begin(), suffix.end(), text.bytes + shared);
    text.length = static_cast<std::uint8_t>(length);
    const std::string_view token(text.bytes, length);
    if (token <= before) return bad_model(2903, "tokens do not rise", offset);  // F-226
    const auto end = token.find(kTextEnd);
    if (end != std::string_view::npos && end + 1 != length) {  // F-226
      return bad_model(2904, "token goes on behind its end", offset);
    }
    return ok();
  }

  Status load_classes() {
    const auto offset = in_.offset();
    DGFS_TRY(count, in_.fixed<std::uint8_t>());
    DGFS_TRY(classes, in_.raw(kTokenContexts));
    const auto highest = *std::max_element(classes.begin(), classes.end());
    if (count > kTokenClassesMax || highest >= count) {  // F-227
      return bad_model(2905, "token model has impossible classes", offset);
    }
    std::copy(classes.begin(), classes.end(), model_.class_of_context_.begin());
    model_.tokens_.resize(count);
    for (std::size_t symbol = 0; symbol < model_.texts_.size(); ++symbol) {
      const auto last = static_cast<unsigned char>(model_.token(symbol).back());
      model_.class_after_.push_back(last == kTextEnd ? std::uint8_t{kTokenClassesMax}
                                                     : model_.class_of_context_[last]);
    }
    return ok();
  }

  Status load_code(std::size_t symbols, PrefixCode& code) {
    const auto offset = in_.offset();
    DGFS_TRY(lengths, in_.raw(symbols));
    auto made = PrefixCode::make(lengths);
    if (!made) return std::move(made).assume_error().at_offset(offset);
    code = std::move(made).assume_value();
    return ok();
  }

  /// Puts the tokens with the shortest codes first.
  void order_texts() {
    const auto shortest = [this](std::size_t symbol) {
      unsigned least = kCodeBitsMax + 1;
      for (const auto& code : model_.tokens_) {
        const auto bits = code.length_bits(symbol);
        if (bits != 0) least = std::min(least, bits);
      }
      return least;
    };
    std::vector<std::pair<unsigned, std::uint16_t>> order;
    for (std::size_t symbol = 0; symbol < model_.token_count(); ++symbol) {
      order.emplace_back(shortest(symbol), static_cast<std::uint16_t>(symbol));
    }
    std::sort(order.begin(), order.end());
    const auto texts = model_.texts_;
    for (std::size_t place = 0; place < order.size(); ++place) {
      const auto symbol = order[place].second;
      model_.texts_[place] = texts[symbol];
      model_.place_of_[symbol] = static_cast<std::uint16_t>(place);
    }
  }

  void make_steps() {
    for (std::size_t number = 0; number < model_.tokens_.size(); ++number) {
      const auto& code = model_.tokens_[number];
      const auto first = model_.long_steps_.size();
      model_.first_long_step_[number] = static_cast<std::uint32_t>(first);
      for (std::size_t bits = 0; bits < std::size_t{1} << PrefixCode::kTableBits; ++bits) {
        const auto& found = code.at(bits);
        model_.steps_.push_back(found.bits != 0 ? model_.step_of(found)
                                                : add_long_steps(code, bits, first));
      }
    }
  }

  /// Steps of the codes that begin with `bits` and are longer.
  /// @param first  of the long steps of the class
  Step add_long_steps(const PrefixCode& code, std::uint64_t bits, std::size_t first) {
    constexpr auto kBits = PrefixCode::kTableBits;
    const auto begin = bits << (64 - kBits);
    const auto longest = code.find(begin | ~std::uint64_t{0} >> kBits).bits;  // codes get longer
    const unsigned further_bits = longest - kBits;
    const auto place = model_.long_steps_.size() - first;
    for (std::uint64_t further = 0; further < std::uint64_t{1} << further_bits; ++further) {
      const auto found = code.find(begin | further << (64 - longest));
      model_.long_steps_.push_back(model_.step_of(found));
    }
    return {static_cast<std::uint16_t>(place), 0, static_cast<std::uint8_t>(further_bits)};
  }

  /// A code that has all of its symbols.
  Status load_full_code(std::size_t symbols, PrefixCode& code) {
    DGFS_CHECK(load_code(symbols, code));
    const auto lengths = code.lengths();
    if (std::find(lengths.begin(), lengths.end(), 0) == lengths.end()) return ok();
    return bad_model(2907, "token model lacks the code of a symbol", in_.offset());  // F-228
  }

  Decoder in_;
  TokenModel& model_;
};

Result<std::unique_ptr<const TokenModel>> TokenModel::decode(Bytes bytes) {
  auto model = std::make_unique<TokenModel>();
  DGFS_CHECK(Loader(bytes, *model).load());
  return std::unique_ptr<const TokenModel>(std::move(model));
}

std::size_t TokenModel::memory_bytes() const {
  constexpr std::size_t kCodeBytes = std::size_t{9} << 10;
  constexpr std::size_t kSymbolBytes = 5;
  const auto codes = tokens_.size() + 5 + kNumberKinds;
  return sizeof *this + texts_.capacity() * (sizeof(Text) + 3) + codes * kCodeBytes +
         (steps_.capacity() + long_steps_.capacity()) * sizeof(Step) +
         tokens_.size() * texts_.size() * kSymbolBytes;
}

std::uint64_t read_number(const TokenModel& model, NumberKind kind, BitReader& in) {
  const unsigned width = model.widths(kind).read(in);
  if (width <= 1) return width;
  return std::uint64_t{1} << (width - 1) | in.long_bits(width - 1);
}

}  // namespace dgfs::format
