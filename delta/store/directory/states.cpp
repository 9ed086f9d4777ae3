// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/states.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace dgfs::delta {
namespace {

constexpr std::size_t kIdDigitsMin = 4;
constexpr std::size_t kIdDigitsShown = 8;

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

Error no_state(std::uint16_t code, const std::string& text, const std::string& directory) {
  return Error(ErrorKind::kNotFound, code,
               fmt::format("no state {}; 'dgfs delta log {}' lists them", text, directory));
}

// Whether a user may mean a state by these digits.
bool begins_like(const StateId& state, std::string_view digits) {
  return state_text(state).starts_with(lower(digits));
}

std::string title_of(const Manifest& manifest, const StateId& state, const std::string& name) {
  const auto id = short_state_text(manifest, state);
  return name.empty() ? id : fmt::format("{} ({})", name, id);
}

}  // namespace

// Gaps are shorter by the batches that came meanwhile, so a rest is left of what they are not.
std::uint64_t changes_in(const StackedStore& layer) {
  return (layer.layer.last_sequence + 1 - layer.first_sequence) % kBatchesUntilSwitch;
}

std::size_t layers_of(const Manifest& manifest) {
  const bool ends_with_layer = !is_base(manifest.stores.back().layer.state);
  return manifest.stores.size() - (ends_with_layer ? 0 : 1);
}

std::string state_text(const StateId& state) {
  std::string text;
  for (const std::uint8_t byte : state) text += fmt::format("{:02x}", byte);
  return text;
}

Result<std::vector<StateId>> parse_states(std::string_view text) {
  std::vector<StateId> states;
  while (!text.empty()) {
    const auto end = text.find(' ');
    const auto word = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (word.empty()) continue;
    StateId state{};
    const bool is_whole =
        word.size() == 2 * state.size() && std::ranges::all_of(word, is_hex_digit);
    for (std::size_t i = 0; is_whole && i < state.size(); ++i) {
      const auto* const digits = word.data() + 2 * i;
      std::from_chars(digits, digits + 2, state.at(i), 16);
    }
    if (!is_whole) {
      return Error(ErrorKind::kInvalidArgument, 7668,
                   fmt::format("\"{}\" is no whole id of a state", word));
    }
    states.push_back(state);
  }
  if (!states.empty()) return states;
  return Error(ErrorKind::kInvalidArgument, 7669, "no state was named");
}

std::string short_state_text(const Manifest& manifest, const StateId& state) {
  const auto own = state_text(state);
  std::size_t digits = kIdDigitsShown;
  const auto tell_from = [&](const StateId& another) {
    const auto other = state_text(another);
    if (other == own) return;
    const auto [differs, end] = std::mismatch(own.begin(), own.end(), other.begin());
    digits = std::max(digits, static_cast<std::size_t>(differs - own.begin()) + 1);
  };
  if (manifest.base) tell_from(manifest.base->state);
  for (std::size_t i = 0; i < layers_of(manifest); ++i) tell_from(manifest.stores[i].layer.state);
  return own.substr(0, digits);
}

std::string state_title(const Manifest& manifest, std::size_t layers) {
  if (layers != 0) {
    const LayerFacts& layer = manifest.stores[layers - 1].layer;
    return title_of(manifest, layer.state, layer.name);
  }
  if (!manifest.base) return std::string(kBaseState);
  return title_of(manifest, manifest.base->state, manifest.base->name);
}

Result<std::size_t> find_state(const Manifest& manifest, std::string_view text,
                               const std::string& directory) {
  if (text == kBaseState) return std::size_t{0};
  if (text == kNewestState) return manifest.stores.size();
  std::vector<std::size_t> found;
  const bool is_id =
      text.size() >= kIdDigitsMin && std::all_of(text.begin(), text.end(), is_hex_digit);
  if (const auto& base = manifest.base) {
    if (!base->name.empty() && base->name == text) return std::size_t{0};
    if (is_id && begins_like(base->state, text)) found.push_back(0);
  }
  for (std::size_t i = 0; i < layers_of(manifest); ++i) {
    const LayerFacts& layer = manifest.stores[i].layer;
    if (is_base(layer.state)) continue;  // version 2 knows no states
    if (!layer.name.empty() && layer.name == text) return i + 1;
    if (is_id && begins_like(layer.state, text)) found.push_back(i + 1);
  }
  const auto is_meant = [&](const StateId& state) { return is_id && begins_like(state, text); };
  if (found.empty() && std::ranges::any_of(manifest.absorbed, is_meant)) {
    return Error(ErrorKind::kNotFound, 7614,
                 fmt::format("the state \"{}\" is gone: a merge has taken it into the base, which "
                             "is the later state {}",
                             text, state_title(manifest, 0)))
        .in_file(directory);
  }
  if (found.empty()) return no_state(7485, fmt::format("\"{}\"", text), directory);
  if (found.size() == 1) return found.front();
  std::string candidates;
  for (const std::size_t layers : found) {
    candidates += (candidates.empty() ? "" : ", ") + state_title(manifest, layers);
  }
  return Error(ErrorKind::kInvalidArgument, 7486,
               fmt::format("\"{}\" may be any of {}", text, candidates));
}

Result<std::size_t> find_state_at(const Manifest& manifest, const Time& time,
                                  const std::string& directory) {
  std::size_t layers = 0;
  const bool is_of_base = manifest.base && manifest.base->sealed_at <= time;
  for (std::size_t i = 0; i < layers_of(manifest); ++i) {
    const LayerFacts& layer = manifest.stores[i].layer;
    if (!is_base(layer.state) && layer.sealed_at <= time) layers = i + 1;
  }
  if (layers == 0 && !is_of_base) return no_state(7487, "from then or before", directory);
  return layers;
}

}  // namespace dgfs::delta
