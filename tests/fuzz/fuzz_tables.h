// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tables to which fuzzed pages and frames, and their seeds, refer: an attribute table, a model,
// a dictionary.
#pragma once

#include "format/entry/mode.h"
#include "format/page_open.h"
#include "format/zstd/content_dictionary.h"
#include "tests/support/token_models.h"

namespace dgfs::test {

/// Every type, a few owners.
inline const format::AttributeTable& fuzz_attributes() {
  static const auto table = [] {
    format::AttributeTable made(0);
    for (const auto type :
         {format::kTypeRegular, format::kTypeDirectory, format::kTypeSymlink, format::kTypeFifo,
          format::kTypeCharacterDevice, format::kTypeBlockDevice, format::kTypeSocket}) {
      for (const std::uint32_t owner : {0U, 1000U}) made.intern({type | 0640, owner, owner});
    }
    return made;
  }();
  return table;
}

/// Besides model 0 and table 0.
inline constexpr std::uint16_t kFuzzTokenModel = 1;
inline constexpr std::uint16_t kFuzzContextModel = 2;

class FuzzDictionaries final : public format::PageDictionaries {
 public:
  const format::Model* model(std::uint16_t id) const override {
    static const auto empty = format::Model::empty();
    static const auto tokens =
        format::Model::make(kFuzzTokenModel, format::ModelKind::kTokens,
                            format::encode_token_model(some_token_model(7, 3)))
            .value();
    static const auto contexts =
        format::Model::make(kFuzzContextModel, format::ModelKind::kContextTokens,
                            format::encode_token_model(some_token_model(8, 3, true)))
            .value();
    if (id == kFuzzTokenModel) return tokens.get();
    if (id == kFuzzContextModel) return contexts.get();
    return id == 0 ? empty.get() : nullptr;
  }
  const format::AttributeTable* attribute_table(std::uint16_t id) const override {
    return id == 0 ? &fuzz_attributes() : nullptr;
  }
};

/// One dictionary, number 1, trained on fuzz_sample().
inline constexpr std::uint8_t kFuzzDictionary = 1;
/// Sample bytes; samples with near numbers have much in common.
inline Buffer fuzz_sample(std::size_t number) {
  Buffer sample(100);
  for (std::size_t at = 0; at < sample.size(); ++at) {
    sample[at] = static_cast<std::uint8_t>((number % 20 * 31 + at * at) % 251);
  }
  return sample;
}
inline const format::ContentDictionaries& fuzz_content_dictionaries() {
  static const auto made = [] {
    std::vector<Buffer> samples;
    for (std::size_t i = 0; i < 200; ++i) samples.push_back(fuzz_sample(i));
    format::ContentDictionaries dictionaries;
    auto bytes = format::ZstdDictionary::train(samples, 1024).value();
    auto dictionary = format::make_content_dictionary(kFuzzDictionary, "class", std::move(bytes));
    if (!dictionaries.add(std::move(dictionary).value())) std::abort();
    return dictionaries;
  }();
  return made;
}

}  // namespace dgfs::test
