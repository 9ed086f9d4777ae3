// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenParser: finds the tokens of a model that encode a text in the fewest bits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/token/model.h"

namespace dgfs::format {

/// A trie of strings to search for together, at any place of a text. Its two upper levels are one
/// table. Immutable, thread-safe. Memory: 256 KiB and about 12 bytes for each byte of the strings.
class TokenTrie {
 public:
  /// @param tokens  strictly rising, each of at least 2 bytes; number i has the symbol kByteTokens
  ///                + i, which must fit into 16 bits
  template <class Tokens>
  explicit TokenTrie(const Tokens& tokens) : roots_(std::size_t{1} << 16) {
    std::uint16_t symbol = kByteTokens;
    for (const auto& token : tokens) insert(token, symbol++);
  }

  /// Calls found(length, symbol) for every token at the beginning of `text`, the shortest first.
  template <class Found>
  void match(std::string_view text, const Found& found) const {
    if (text.size() < 2) return;
    auto node = roots_[std::size_t{static_cast<unsigned char>(text[0])} << 8 |
                       static_cast<unsigned char>(text[1])];
    for (std::size_t length = 2; node != 0; ++length) {
      if (nodes_[node].symbol != 0) found(length, nodes_[node].symbol);
      if (length == text.size()) return;
      node = child(node, text[length]);
    }
  }

 private:
  /// The children of a node are a list in no order; most nodes have few.
  struct Node {
    std::uint32_t first_child = 0;
    std::uint32_t next_sibling = 0;
    std::uint16_t symbol = 0;  ///< 0: no token ends here
    char byte = 0;
  };
  void insert(std::string_view token, std::uint16_t symbol);
  [[nodiscard]] std::uint32_t child(std::uint32_t node, char byte) const {
    auto at = nodes_[node].first_child;
    while (at != 0 && nodes_[at].byte != byte) at = nodes_[at].next_sibling;
    return at;
  }

  std::vector<std::uint32_t> roots_;  ///< by the first two bytes; 0: none
  std::vector<Node> nodes_ = std::vector<Node>(1);
};

/// Encodes one text after another in the fewest bits, by dynamic programming over the places of the
/// text. Not thread-safe (it keeps its tables).
class TokenParser {
 public:
  /// Both must outlive the parser.
  TokenParser(const TokenModel& model, const TokenTrie& trie) : model_(model), trie_(trie) {}

  /// Symbols of `text`, whose last byte is kTextEnd. Valid until the next call.
  /// @param first_class  class of the first token
  /// @param endings      lengths of the endings that the text has
  /// Cost: about 15 ns a byte.
  std::span<const std::uint16_t> parse(std::string_view text, std::size_t first_class,
                                       const EndingLengths& endings = {});

 private:
  struct Step {
    std::uint32_t bits = 0;  ///< cost of the best way to here
    std::uint16_t symbol = 0;
    std::uint16_t length = 0;  ///< length of the symbol's text
  };
  void reach(std::size_t at, std::uint32_t bits, std::size_t symbol, std::size_t length) {
    auto& step = steps_[at];
    if (bits < step.bits) {
      step = {bits, static_cast<std::uint16_t>(symbol), static_cast<std::uint16_t>(length)};
    }
  }

  const TokenModel& model_;
  const TokenTrie& trie_;
  std::vector<Step> steps_;
  std::vector<std::uint16_t> symbols_;
};

}  // namespace dgfs::format
