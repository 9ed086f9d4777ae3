// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/filter/filter_stage.h"

#include <array>

#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::delta {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr auto kRelaxed = std::memory_order_relaxed;

// The bit of a word: other bits of the hash for each, and others than those that choose the line.
constexpr std::uint64_t bit_of(std::uint64_t mixed, std::size_t word) {
  return std::uint64_t{1} << (mixed >> (16 + 6 * word) & 63U);
}

// Its high bits depend on all bits of the hash.
constexpr std::uint64_t mixed(std::uint64_t hash) { return hash * 0x9E3779B97F4A7C15U; }

}  // namespace

// Eight words more than it needs, so that a line begins where a cache line does, by the ordinary
// operator new.
FilterStage::FilterStage(std::uint64_t capacity)
    : capacity_(capacity),
      count_(0),
      words_(std::make_unique<Word[]>(bytes_of(capacity) / sizeof(Word) + kWordsOfLine)) {
  const auto at = reinterpret_cast<std::uintptr_t>(words_.get());
  lines_ = words_.get() + (kLineBytes - at % kLineBytes) % kLineBytes / sizeof(Word);
}

FilterStage::FilterStage(std::uint64_t capacity, std::uint64_t count, Bytes bytes)
    : FilterStage(capacity) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
    lines_[at / sizeof(Word)].store(format::load<std::uint64_t>(bytes, at), kRelaxed);
  }
  count_ = count;
}

std::uint64_t FilterStage::hash(const ObjectPrefix& prefix) {
  std::array<std::uint8_t, kObjectKeyBytes> bytes{prefix.object_class};
  format::store(MutableBytes(bytes), 1, prefix.object);
  return format::checksum64(bytes);
}

FilterStage::Word* FilterStage::line_of(std::uint64_t hash) const {
  const auto lines = capacity_ / kPrefixesOfLine;
  return lines_ + ((hash >> 32) * lines >> 32) * kWordsOfLine;
}

bool FilterStage::may_have(std::uint64_t hash) const {
  const Word* line = line_of(hash);
  const auto bits = mixed(hash);
  for (std::size_t word = 0; word < kWordsOfLine; ++word) {
    if ((line[word].load(kRelaxed) & bit_of(bits, word)) == 0) return false;
  }
  return true;
}

void FilterStage::add(std::uint64_t hash) {
  Word* line = line_of(hash);
  const auto bits = mixed(hash);
  for (std::size_t word = 0; word < kWordsOfLine; ++word) {
    line[word].store(line[word].load(kRelaxed) | bit_of(bits, word), kRelaxed);
  }
  count_.store(count_.load(kRelaxed) + 1, std::memory_order_release);
}

Buffer FilterStage::encode() const {
  Buffer bytes(bytes_of(capacity_));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
    format::store(MutableBytes(bytes), at, lines_[at / sizeof(Word)].load(kRelaxed));
  }
  return bytes;
}

}  // namespace dgfs::delta
