// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/help/completion.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace dgfs::tools {
namespace {

constexpr struct {
  std::string_view name;
  Place place;
} kPlaces[] = {
    {"DEST", Place::kDirectory}, {"DIR", Place::kDirectory}, {"FILE", Place::kFile},
    {"GROUP", Place::kGroup},    {"IMAGE", Place::kFile},    {"OTHER", Place::kFile},
    {"PATH", Place::kImagePath}, {"SRC", Place::kDirectory}, {"USER", Place::kUser},
};

}  // namespace

Place place_of(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kPlaces), std::end(kPlaces),
                                         [&](const auto& known) { return known.name == name; });
  return found == std::end(kPlaces) ? Place::kAnything : found->place;
}

std::vector<std::string> choices_of(std::string_view operand) {
  std::vector<std::string> choices;
  if (operand.find('|') == std::string_view::npos) return choices;
  std::istringstream words{std::string(operand)};
  for (std::string word; std::getline(words, word, '|');) choices.push_back(word);
  return choices;
}

OperandPlaces operand_places(std::string_view operands) {
  OperandPlaces out;
  std::istringstream words{std::string(operands)};
  for (std::string word; words >> word && !out.last_repeats;) {
    out.last_repeats = word.ends_with("...");
    std::erase_if(word, [](char c) { return c == '[' || c == ']' || c == '.'; });
    out.names.push_back(word);
  }
  return out;
}

}  // namespace dgfs::tools
