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
  const auto* const contexts = parts.contexts ? &*parts.contexts : nullptr;
  if (contexts != nullptr) {
    out.fixed(static_cast<std::uint8_t>(contexts->start_classes.size()));
    out.raw(contexts->group_of_byte);
    for (const auto& classes : contexts->start_classes) out.raw(classes);
  }
  for (const auto& lengths : parts.token_lengths) out.raw(lengths);
  const auto put_codes = [&](const std::vector<Buffer>& codes, const Bytes& class_of) {
    if (contexts != nullptr) {
      out.fixed(static_cast<std::uint8_t>(codes.size()));
      out.raw(class_of);
    }
    for (const auto& lengths : codes) out.raw(lengths);
  };
  put_codes(parts.row_lengths, contexts != nullptr ? Bytes(contexts->class_of_row) : Bytes());
  put_codes(parts.share_lengths, contexts != nullptr ? Bytes(contexts->class_of_share) : Bytes());
  for (const auto* lengths :
       {&parts.time_lengths, &parts.attribute_lengths, &parts.extra_lengths}) {
    out.raw(*lengths);
  }
  for (const auto& lengths : parts.width_lengths) out.raw(lengths);
  return bytes;
}

/// Decodes a model in the order in which encode_token_model() writes it.
class TokenModel::Loader {
 public:
  Loader(Bytes bytes, bool has_contexts, TokenModel& model)
      : in_(bytes), has_contexts_(has_contexts), model_(model) {
    model_.has_endings_ = has_contexts;
  }

  Status load() {
    DGFS_CHECK(load_texts());
    DGFS_CHECK(load_classes());
    DGFS_CHECK(load_starts());
    for (auto& code : model_.tokens_) {
      DGFS_CHECK(load_code(model_.symbol_count(), code));
      // With a code for each byte, every name can be written.
      for (std::size_t byte = 0; byte < kByteTokens; ++byte) {
        if (code.length_bits(byte) != 0) continue;
        return bad_model(2906, "token model has no code for some byte", in_.offset());  // F-228
      }
    }
    order_texts();
    make_steps();
    DGFS_CHECK(load_codes(kRowSymbols, model_.rows_));
    DGFS_CHECK(load_codes(kShareSymbols, model_.shares_));
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
    const auto tokens_end = kByteTokens + count;
    model_.texts_.resize(tokens_end + (has_contexts_ ? kEndings : 0));
    // The token of an ending is only kTextEnd. TokenText then puts the ending in its place.
    for (std::size_t i = tokens_end; i < model_.texts_.size(); ++i) {
      model_.texts_[i] = {{kTextEnd}, 1};
    }
    model_.place_of_.resize(model_.texts_.size());
    std::iota(model_.place_of_.begin(), model_.place_of_.end(), std::uint16_t{0});
    for (std::size_t byte = 0; byte < kByteTokens; ++byte) {
      model_.texts_[byte] = {{static_cast<char>(byte)}, 1};
    }
    std::string_view before;
    for (std::size_t symbol = kByteTokens; symbol < tokens_end; ++symbol) {
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
    const auto count_max = has_contexts_ ? kTokenClassesMax : kPlainTokenClassesMax;
    if (count > count_max || highest >= count) {  // F-227
      return bad_model(2905, "token model has impossible classes", offset);
    }
    std::copy(classes.begin(), classes.end(), model_.class_of_context_.begin());
    model_.tokens_.resize(count);
    for (std::size_t symbol = 0; symbol < model_.texts_.size(); ++symbol) {
      const auto last = static_cast<unsigned char>(model_.token(symbol).back());
      model_.class_after_.push_back(last == kTextEnd ? kTextEnds : model_.class_of_context_[last]);
    }
    for (std::size_t i = 0; has_contexts_ && i < kEndings; ++i) {
      model_.class_after_[model_.ending_symbol(i)] = static_cast<std::uint8_t>(kTextEnds + 1 + i);
    }
    return ok();
  }

  /// Loads the classes of first tokens. Without contexts, the last shared byte alone selects them:
  /// its class is its group.
  Status load_starts() {
    if (!has_contexts_) {
      std::copy_n(model_.class_of_context_.begin(), 256, model_.group_of_byte_.begin());
      model_.start_classes_.resize(model_.tokens_.size());
      for (std::size_t i = 0; i < model_.start_classes_.size(); ++i) {
        model_.start_classes_[i].fill(static_cast<std::uint8_t>(i));
      }
      return ok();
    }
    const auto offset = in_.offset();
    DGFS_TRY(count, in_.fixed<std::uint8_t>());
    if (count > kByteGroupsMax)
      return bad_model(2908, "too many groups of bytes", offset);  // F-229
    DGFS_CHECK(load_classes_of(count, model_.group_of_byte_));
    model_.start_classes_.resize(count);
    for (auto& classes : model_.start_classes_) {
      DGFS_CHECK(load_classes_of(model_.tokens_.size(), classes));
    }
    return ok();
  }

  /// Loads numbers, which must be below `count`.
  Status load_classes_of(std::size_t count, std::span<std::uint8_t> classes) {
    const auto offset = in_.offset();
    DGFS_TRY(numbers, in_.raw(classes.size()));
    if (*std::max_element(numbers.begin(), numbers.end()) >= count) {  // F-229
      return bad_model(2909, "class of a context is none", offset);
    }
    std::copy(numbers.begin(), numbers.end(), classes.begin());
    return ok();
  }

  /// Loads the codes of an alphabet, by the symbol before.
  Status load_codes(std::size_t symbols, ContextCode& code) {
    Buffer class_of(symbols + 1);
    std::size_t count = 1;
    if (has_contexts_) {
      const auto offset = in_.offset();
      DGFS_TRY(stated, in_.fixed<std::uint8_t>());
      if (stated > kRowClassesMax) return bad_model(2938, "too many classes", offset);  // F-229
      count = stated;
      DGFS_CHECK(load_classes_of(count, class_of));
    }
    std::vector<PrefixCode> codes(count);
    for (auto& of_class : codes) {
      DGFS_CHECK(load_full_code(symbols, of_class));
    }
    code = ContextCode(std::move(codes), std::move(class_of));
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
    for (std::size_t symbol = 0; symbol < model_.symbol_count(); ++symbol) {
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

  /// Adds the steps of the codes that begin with `bits` and are longer.
  /// @param first  index of the first long step of the class
  Step add_long_steps(const PrefixCode& code, std::uint64_t bits, std::size_t first) {
    constexpr auto kBits = PrefixCode::kTableBits;
    const auto begin = bits << (64 - kBits);
    const auto longest = code.find(begin | ~std::uint64_t{0} >> kBits).bits;  // the last is longest
    const unsigned further_bits = longest - kBits;
    const auto place = model_.long_steps_.size() - first;
    for (std::uint64_t further = 0; further < std::uint64_t{1} << further_bits; ++further) {
      const auto found = code.find(begin | further << (64 - longest));
      model_.long_steps_.push_back(model_.step_of(found));
    }
    return {static_cast<std::uint16_t>(place), 0, static_cast<std::uint8_t>(further_bits)};
  }

  /// Loads a code that must have all of its symbols.
  Status load_full_code(std::size_t symbols, PrefixCode& code) {
    DGFS_CHECK(load_code(symbols, code));
    const auto lengths = code.lengths();
    if (std::find(lengths.begin(), lengths.end(), 0) == lengths.end()) return ok();
    return bad_model(2907, "token model lacks the code of a symbol", in_.offset());  // F-228
  }

  Decoder in_;
  bool has_contexts_;
  TokenModel& model_;
};

Result<std::unique_ptr<const TokenModel>> TokenModel::decode(Bytes bytes, bool has_contexts) {
  auto model = std::make_unique<TokenModel>();
  DGFS_CHECK(Loader(bytes, has_contexts, *model).load());
  return std::unique_ptr<const TokenModel>(std::move(model));
}

std::size_t TokenModel::memory_bytes() const {
  constexpr std::size_t kCodeBytes = std::size_t{9} << 10;
  constexpr std::size_t kSymbolBytes = 5;
  const auto codes =
      tokens_.size() + 2 * (rows_.class_count() + shares_.class_count()) + 3 + kNumberKinds;
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
