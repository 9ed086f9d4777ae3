// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The attribute table that fuzzed pages and their seeds refer to.
#pragma once

#include "format/mode.h"
#include "format/page.h"
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

/// Model 0 and table 0.
inline constexpr std::uint16_t kFuzzTokenModel = 1;

class FuzzDictionaries final : public format::PageDictionaries {
 public:
  const format::Model* model(std::uint16_t id) const override {
    static const auto empty = format::Model::empty();
    static const auto tokens =
        format::Model::make(kFuzzTokenModel, format::ModelKind::kTokens,
                            format::encode_token_model(some_token_model(7, 3)))
            .value();
    if (id == kFuzzTokenModel) return tokens.get();
    return id == 0 ? empty.get() : nullptr;
  }
  const format::AttributeTable* attribute_table(std::uint16_t id) const override {
    return id == 0 ? &fuzz_attributes() : nullptr;
  }
};

}  // namespace dgfs::test
