// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/filter/filter_stage.h"

#include <array>

#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::delta {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// The bit in a word: each word uses other bits of the hash, and none that choose the line.
constexpr std::uint64_t bit_of(std::uint64_t mixed, std::size_t word) {
  return std::uint64_t{1} << (mixed >> (16 + 6 * word) & 63U);
}

// Its high bits depend on all bits of the hash.
constexpr std::uint64_t mixed(std::uint64_t hash) { return hash * 0x9E3779B97F4A7C15U; }

}  // namespace

FilterStage::FilterStage(std::uint64_t capacity) : FilterStage(capacity, 0) {
  lines_ = make_words();
}

FilterStage::FilterStage(std::uint64_t capacity, std::uint64_t count)
    : capacity_(capacity), count_(count) {}

// Eight words more than needed, so that lines can begin at cache lines with the ordinary operator
// new.
FilterStage::Word* FilterStage::make_words() {
  words_ = std::make_unique<Word[]>(bytes_of(capacity_) / sizeof(Word) + kWordsOfLine);
  const auto at = reinterpret_cast<std::uintptr_t>(words_.get());
  return words_.get() + (kLineBytes - at % kLineBytes) % kLineBytes / sizeof(Word);
}

void FilterStage::read(Bytes bytes) {
  Word* lines = make_words();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
    lines[at / sizeof(Word)].store(format::load<std::uint64_t>(bytes, at), kRelaxed);
  }
  lines_.store(lines, std::memory_order_release);
}

std::uint64_t FilterStage::hash(const ObjectPrefix& prefix) {
  std::array<std::uint8_t, kObjectKeyBytes> bytes{prefix.object_class};
  format::store(MutableBytes(bytes), 1, prefix.object);
  return format::checksum64(bytes);
}

FilterStage::Word* FilterStage::line_of(Word* lines, std::uint64_t hash) const {
  const auto count = capacity_ / kPrefixesOfLine;
  return lines + ((hash >> 32) * count >> 32) * kWordsOfLine;
}

bool FilterStage::may_have(std::uint64_t hash) const {
  Word* const lines = lines_.load(std::memory_order_acquire);
  if (lines == nullptr) return true;
  const Word* line = line_of(lines, hash);
  const auto bits = mixed(hash);
  for (std::size_t word = 0; word < kWordsOfLine; ++word) {
    if ((line[word].load(kRelaxed) & bit_of(bits, word)) == 0) return false;
  }
  return true;
}

void FilterStage::add(std::uint64_t hash) {
  Word* line = line_of(lines_.load(kRelaxed), hash);
  const auto bits = mixed(hash);
  for (std::size_t word = 0; word < kWordsOfLine; ++word) {
    line[word].store(line[word].load(kRelaxed) | bit_of(bits, word), kRelaxed);
  }
  count_.store(count_.load(kRelaxed) + 1, std::memory_order_release);
}

Buffer FilterStage::encode() const {
  Buffer bytes(bytes_of(capacity_));
  const Word* lines = lines_.load(kRelaxed);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
    format::store(MutableBytes(bytes), at, lines[at / sizeof(Word)].load(kRelaxed));
  }
  return bytes;
}

}  // namespace dgfs::delta
