// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/hundred_million/generated_tree.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "format/entry/mode.h"
#include "storage/mix.h"

namespace dgfs::bench {
namespace {

using storage::mix;

// The purposes of random numbers, so that the draws are independent of one another.
enum Draw : std::uint64_t { kStems = 1, kStep, kSizes, kJitter };

constexpr std::int64_t kFirstSecond = 1'700'000'000;
constexpr std::uint32_t kOwner = 1000;

std::uint64_t draw(std::uint64_t seed, Draw what, std::uint64_t number) {
  return mix(mix(seed, what), number);
}

// Uniform from `least` to `most`.
std::uint64_t uniform(std::uint64_t bits, std::uint64_t least, std::uint64_t most) {
  return least + ((bits >> 32) * (most - least + 1) >> 32);
}

std::string stem(std::uint64_t seed, unsigned level) {
  std::string text;
  for (auto bits = draw(seed, kStems, level); text.size() < 1 + level; bits /= 26) {
    text += static_cast<char>('a' + bits % 26);
  }
  return text;
}

}  // namespace

GeneratedTree::GeneratedTree(const TreePlan& plan) : plan_(plan) {
  counts_[0] = 1;
  for (unsigned level = 1; level <= kFileLevel; ++level) {
    const auto children = level == 1 ? plan.top_directories : plan.fan_out;
    counts_[level] = counts_[level - 1] * children;
    stems_[level] = stem(plan.seed, level);
    digits_[level] = std::to_string(std::max(children, std::uint64_t{100}) - 1).size();
  }
  // Like a program that writes about a hundred files per second.
  step_ns_ = uniform(draw(plan.seed, kStep, 0), 7'000'000, 13'000'000);
}

std::uint64_t GeneratedTree::entry_count() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t GeneratedTree::child_count(const Place& directory) const {
  return directory.level == 0 ? plan_.top_directories : plan_.fan_out;
}

std::uint64_t GeneratedTree::first_child(const Place& directory) const {
  return directory.number * child_count(directory);
}

std::uint64_t GeneratedTree::position_in_parent(const Place& entry) const {
  return entry.level == 1 ? entry.number : entry.number % plan_.fan_out;
}

void GeneratedTree::append_name(const Place& entry, std::string& out) const {
  out += stems_[entry.level];
  out.append(digits_[entry.level], '0');
  auto rest = position_in_parent(entry);
  for (auto digit = out.end(); rest != 0; rest /= 10) *--digit = static_cast<char>('0' + rest % 10);
}

std::optional<Place> GeneratedTree::find(const Place& directory, std::string_view name) const {
  const auto level = directory.level + 1;
  if (level > kFileLevel || name.size() != stems_[level].size() + digits_[level] ||
      !name.starts_with(stems_[level])) {
    return std::nullopt;
  }
  std::uint64_t position = 0;
  const auto end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + stems_[level].size(), end, position);
  if (error != std::errc() || stop != end || position >= child_count(directory)) {
    return std::nullopt;
  }
  return Place{level, first_child(directory) + position};
}

std::string GeneratedTree::path_of_file(std::uint64_t number) const {
  std::string path;
  std::uint64_t below = plan_.fan_out * plan_.fan_out * plan_.fan_out;
  for (unsigned level = 1; level <= kFileLevel; ++level, below /= plan_.fan_out) {
    if (level > 1) path += '/';
    append_name({level, number / below}, path);
  }
  return path;
}

std::uint64_t GeneratedTree::size_of_file(std::uint64_t number) const {
  return uniform(draw(plan_.seed, kSizes, number), kFileBytesMin, kFileBytesMax);
}

// Number of the file after which a directory got its last name; for a file, its own number.
std::uint64_t GeneratedTree::last_file_step(const Place& entry) const {
  if (entry.level == kFileLevel) return entry.number;
  std::uint64_t number = first_child(entry) + child_count(entry) - 1;
  for (unsigned level = entry.level + 1; level < kFileLevel; ++level) number *= plan_.fan_out;
  return number;
}

Time GeneratedTree::time_of(const Place& entry) const {
  const auto file = last_file_step(entry);
  const auto ns = file * step_ns_ + uniform(draw(plan_.seed, kJitter, file), 0, step_ns_ - 1);
  return {kFirstSecond + static_cast<std::int64_t>(ns / kNsPerSecond),
          plan_.nanoseconds ? static_cast<std::uint32_t>(ns % kNsPerSecond) : 0};
}

storage::FileStatus GeneratedTree::status(const Place& entry) const {
  storage::FileStatus status;
  status.device = 1;
  status.inode = entry.number + 1;
  for (unsigned level = 0; level < entry.level; ++level) status.inode += count(level);
  const bool is_file = entry.level == kFileLevel;
  status.mode = is_file ? format::kTypeRegular | 0644 : format::kTypeDirectory | 0755;
  status.link_count = is_file ? 1 : 2;
  status.uid = status.gid = kOwner;
  status.size_bytes = is_file ? size_of_file(entry.number) : 4096;
  status.allocated_bytes = (status.size_bytes + 4095) / 4096 * 4096;
  status.modify_time = status.change_time = status.access_time = time_of(entry);
  return status;
}

}  // namespace dgfs::bench
