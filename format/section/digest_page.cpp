// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/digest_page.h"

#include <algorithm>
#include <bit>

#include "format/coding.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kBitmapOffset = sizeof(Ordinal);
constexpr std::size_t kDigestsOffset = kBitmapOffset + kDigestPageBitmapBytes;
constexpr std::size_t kBodyBytes = kPageBytes - kRecordChecksumBytes;
static_assert(kDigestsOffset + kDigestPageDigests * kDigestBytes == kBodyBytes);

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kWords = kDigestPageOrdinals / kWordBits;
static_assert(kWords * kWordBits == kDigestPageOrdinals);

Error corrupt_digest_page(std::uint16_t code, std::size_t body_offset, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text)
      .in_section(section_name(SectionKind::kDigests))
      .at_offset(kRecordChecksumBytes + body_offset);
}

std::uint64_t word(Bytes body, std::size_t index) {
  return load<std::uint64_t>(body, kBitmapOffset + index * sizeof(std::uint64_t));
}

std::size_t count_bits(std::uint64_t bits) { return static_cast<std::size_t>(std::popcount(bits)); }

/// Number of set bits below `bit`.
std::size_t count_below(Bytes body, std::size_t bit) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < bit / kWordBits; ++i) count += count_bits(word(body, i));
  if (bit % kWordBits == 0) return count;
  const auto below = (std::uint64_t{1} << bit % kWordBits) - 1;
  return count + count_bits(word(body, bit / kWordBits) & below);
}

bool is_set(Bytes body, std::size_t bit) {
  return (body[kBitmapOffset + bit / 8] >> bit % 8 & 1) != 0;
}

}  // namespace

bool DigestPageFiller::has_room_for(Ordinal ordinal) const {
  return empty() || (count_ < kDigestPageDigests && ordinal - first_ < kDigestPageOrdinals);
}

void DigestPageFiller::add(Ordinal ordinal, const Digest& digest) {
  if (empty()) {
    body_.assign(kBodyBytes, 0);
    first_ = ordinal;
    store(MutableBytes(body_), 0, first_);
  }
  const auto bit = static_cast<std::size_t>(ordinal - first_);
  body_[kBitmapOffset + bit / 8] |= static_cast<std::uint8_t>(1U << bit % 8);
  std::copy(digest.begin(), digest.end(),
            body_.begin() + static_cast<std::ptrdiff_t>(kDigestsOffset + count_ * kDigestBytes));
  ++count_;
}

Buffer DigestPageFiller::take(std::uint64_t number) {
  count_ = 0;
  return seal_record(SectionKind::kDigests, number * kPageBytes, body_);
}

Result<std::size_t> check_digest_page(Bytes body, const DigestRange& range) {
  if (body.size() != kBodyBytes) return corrupt_digest_page(2953, 0, "not a digest page");
  if (load<Ordinal>(body, 0) != range.first) {  // F-333
    return corrupt_digest_page(2954, 0, "page of other entries than the digest table says");
  }
  const auto ordinals = static_cast<std::size_t>(
      std::min<std::uint64_t>(range.end - range.first, kDigestPageOrdinals));
  const auto count = count_below(body, kDigestPageOrdinals);
  if (!is_set(body, 0) || count > kDigestPageDigests || count != count_below(body, ordinals)) {
    return corrupt_digest_page(2955, kBitmapOffset, "impossible bitmap of digests");  // F-334
  }
  const auto rest = body.subspan(kDigestsOffset + count * kDigestBytes);
  if (std::any_of(rest.begin(), rest.end(), [](std::uint8_t byte) { return byte != 0; })) {
    return corrupt_digest_page(2956, kBodyBytes - rest.size(), "digests of no entry");  // F-335
  }
  return count;
}

std::optional<Digest> find_digest(Bytes body, Ordinal ordinal) {
  const auto distance = ordinal - load<Ordinal>(body, 0);
  if (distance >= kDigestPageOrdinals) return std::nullopt;
  const auto bit = static_cast<std::size_t>(distance);
  if (!is_set(body, bit)) return std::nullopt;
  Digest digest;
  const auto found = body.subspan(kDigestsOffset + count_below(body, bit) * kDigestBytes);
  std::copy_n(found.begin(), digest.size(), digest.begin());
  return digest;
}

}  // namespace dgfs::format
