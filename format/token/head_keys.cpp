// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/head_keys.h"

#include <algorithm>

#include "format/entry/key.h"

namespace dgfs::format {

KeyRun::KeyRun(const TokenModel& model, std::string_view first, BitReader in, std::size_t end_bits,
               std::size_t left)
    : model_(model), in_(in), end_bits_(end_bits), left_(left) {
  key_.assign(first);
  ahead_.assign(first);
}

Error KeyRun::error() const {
  return Error(ErrorKind::kCorrupt, 2912, problem_).at_offset(in_.bit_offset() / 8);
}

bool KeyRun::look_ahead() {
  if (has_ahead_) return true;
  if (left_ > 0) {
    ahead_.forget_share();
    problem_ = ahead_.read_next(model_, in_);
    --left_;
    has_ahead_ = problem_ == nullptr;
  }
  const auto at = in_.bit_offset();
  const bool ends_well = left_ == 0 ? at == end_bits_ : at <= end_bits_;
  if (problem_ == nullptr && !ends_well) problem_ = "first keys of blocks end elsewhere";  // F-191
  return problem_ == nullptr;
}

// In most cases the number of bytes that the next key shares with the current one decides. If it is
// more than `matched`, the next key is still below `wanted`, as the current one is. If it is less,
// the next key is above.
bool KeyRun::advance_towards(std::string_view wanted, std::size_t& matched) {
  if (!look_ahead() || !has_ahead_ || ahead_.shared_bytes() < matched) return false;
  if (ahead_.shared_bytes() == matched) {
    auto shared = matched;
    if (compare_from(ahead_.view(), wanted, shared) > 0) return false;
    matched = shared;
  }
  advance();
  return true;
}

void KeyRun::advance() {
  key_.assign(ahead_.view());
  has_ahead_ = false;
}

HeadKeys::HeadKeys(const TokenModel& model, Bytes payload, const Places& places)
    : model_(model),
      payload_(payload),
      places_(places),
      groups_(model, places.first, BitReader(payload, places.behind_first_bits),
              places.groups_bits.front(), (places.block_count - 1) / kGroupBlocks) {}

void HeadKeys::enter_group() {
  const auto blocks = std::min(kGroupBlocks, places_.block_count - group() * kGroupBlocks);
  others_.emplace(model_, groups_.key(), BitReader(payload_, places_.groups_bits[group()]),
                  places_.groups_bits[group() + 1], blocks - 1);
}

void HeadKeys::advance() {
  run().advance();
  const bool enters = is_last_of_group();
  ++block_;
  if (enters) enter_group();
}

Error HeadKeys::error() const { return groups_.has_problem() ? groups_.error() : others_->error(); }

bool HeadKeys::seek(std::size_t block) {
  auto entered = others_ ? group() : places_.block_count;
  while (group() < block / kGroupBlocks) {
    if (!groups_.look_ahead()) return false;
    groups_.advance();
    block_ = (group() + 1) * kGroupBlocks;
  }
  if (group() != entered) enter_group();
  for (; block_ < block; ++block_) {
    if (!others_->look_ahead()) return false;
    others_->advance();
  }
  return true;
}

bool HeadKeys::find(std::string_view key, std::size_t& matched) {
  while (groups_.advance_towards(key, matched)) block_ += kGroupBlocks;
  enter_group();
  while (others_->advance_towards(key, matched)) ++block_;
  return !groups_.has_problem() && !others_->has_problem();
}

}  // namespace dgfs::format
