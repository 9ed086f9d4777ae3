// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// make_context_model(): makes a context model (format/token/model.h) from a vocabulary and counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "builder/stop.h"
#include "builder/train/token_counts.h"

namespace dgfs::builder {

/// A token pays for its place in the model if the tree uses it at least this often.
inline constexpr std::uint64_t kTokenUsesMin = 6;

/// The input of make_context_model(). The referenced objects must outlive the call.
struct TokenModelSource {
  const TokenCounts& counts;
  const CountedTexts& texts;        ///< to choose tokens by
  std::vector<std::string> tokens;  ///< candidates, in any order
  std::vector<std::string> common;  ///< tokens to keep even if unused, rising
  std::uint64_t scale = kScaleOne;  ///< entries of the tree for each counted one, in 256ths

  static constexpr std::uint64_t kScaleOne = 256;
};

/// Returns the bytes of a model of kind format::ModelKind::kContextTokens. Deterministic;
/// thread-safe. Ends soon after `stop` is set, with a useless model.
[[nodiscard]] Buffer make_context_model(TokenModelSource source, const StopFlag& stop);

}  // namespace dgfs::builder
