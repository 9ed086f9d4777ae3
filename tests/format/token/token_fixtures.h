// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Helpers for the tests of the token codec.
#pragma once

#include "tests/format/page/page_fixtures.h"
#include "tests/support/token_models.h"

namespace dgfs::test {

/// Dictionaries with some_token_model() as number 1, which for odd seeds has contexts.
inline MapDictionaries token_dictionaries(std::uint64_t seed, std::size_t classes) {
  MapDictionaries dictionaries;
  dictionaries.models[1] =
      format::Model::make(
          1, seed % 2 == 1 ? format::ModelKind::kContextTokens : format::ModelKind::kTokens,
          format::encode_token_model(some_token_model(seed, classes, seed % 2 == 1)))
          .value();
  return dictionaries;
}

}  // namespace dgfs::test
