// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// make_context_model(): a context model (format/token/model.h) out of a vocabulary and of counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "builder/stop.h"
#include "builder/train/token_counts.h"

namespace dgfs::builder {

/// Uses in the tree that pay for a token's place in the model.
inline constexpr std::uint64_t kTokenUsesMin = 6;

/// What a model is made from. All that it refers to must outlive the call.
struct TokenModelSource {
  const TokenCounts& counts;
  const CountedTexts& texts;        ///< by which tokens are chosen
  std::vector<std::string> tokens;  ///< to choose from, in any order
  std::vector<std::string> common;  ///< those that are kept even if unused, rising
  std::uint64_t scale = kScaleOne;  ///< entries of the tree for each one counted, in 256ths

  static constexpr std::uint64_t kScaleOne = 256;
};

/// The bytes of a model of kind format::ModelKind::kContextTokens. Deterministic; thread-safe.
/// Once `stop` is set it ends soon, with a model that is of no use.
[[nodiscard]] Buffer make_context_model(TokenModelSource source, const StopFlag& stop);

}  // namespace dgfs::builder
