// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/parser.h"

#include <algorithm>

namespace dgfs::format {

void TokenTrie::insert(std::string_view token, std::uint16_t symbol) {
  const auto add_node = [&](char byte) {
    nodes_.emplace_back().byte = byte;
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  };
  auto& root = roots_[std::size_t{static_cast<unsigned char>(token[0])} << 8 |
                      static_cast<unsigned char>(token[1])];
  if (root == 0) root = add_node(token[1]);
  auto node = root;
  for (const char byte : token.substr(2)) {
    auto next = child(node, byte);
    if (next == 0) {
      next = add_node(byte);
      nodes_[next].next_sibling = nodes_[node].first_child;
      nodes_[node].first_child = next;
    }
    node = next;
  }
  nodes_[node].symbol = symbol;
}

std::span<const std::uint16_t> TokenParser::parse(std::string_view text, std::size_t first_class,
                                                  const EndingLengths& endings) {
  auto number = first_class;
  steps_.assign(text.size() + 1, {~std::uint32_t{0}, 0, 0});
  steps_[0].bits = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto& code = model_.code_of(number);
    const auto bits = steps_[at].bits;  // every byte has a code, so every place is reached
    reach(at + 1, bits + code.length_bits(byte), byte, 1);
    trie_.match(text.substr(at), [&](std::size_t length, std::size_t symbol) {
      const auto token_bits = code.length_bits(symbol);
      if (token_bits != 0) reach(at + length, bits + token_bits, symbol, length);
    });
    for (std::size_t i = 0; i < kEndings && model_.has_endings(); ++i) {
      if (endings[i] != text.size() - at) continue;
      const auto symbol = model_.ending_symbol(i);
      const auto ending_bits = code.length_bits(symbol);
      if (ending_bits != 0) reach(text.size(), bits + ending_bits, symbol, text.size() - at);
    }
    number = model_.token_class(byte);
  }
  symbols_.clear();
  for (auto at = text.size(); at > 0; at -= steps_[at].length) {
    symbols_.push_back(steps_[at].symbol);
  }
  std::reverse(symbols_.begin(), symbols_.end());
  return symbols_;
}

}  // namespace dgfs::format
