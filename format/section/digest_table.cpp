// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/digest_table.h"

#include <utility>

#include "format/coding.h"
#include "format/header/section.h"

namespace dgfs::format {
namespace {

Error corrupt_digest_table(std::uint16_t code, std::size_t offset, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text)
      .in_section(section_name(SectionKind::kDigestTable))
      .at_offset(offset);
}

}  // namespace

void encode_digest_table(DigestAlgorithm algorithm, std::span<const Ordinal> firsts, Ordinal before,
                         Buffer& out) {
  Encoder encoder(out);
  encoder.fixed(static_cast<std::uint8_t>(algorithm));
  for (const auto first : firsts) encoder.varint(first - std::exchange(before, first));
}

// F-331
Status DigestTable::Loader::check_algorithm(std::uint8_t number) {
  if (number != static_cast<std::uint8_t>(DigestAlgorithm::kSha256)) {
    return Error(ErrorKind::kUnsupported, 2957,
                 "digests of an unknown algorithm, " + std::to_string(number))
        .in_section(section_name(SectionKind::kDigestTable));
  }
  algorithm_ = DigestAlgorithm::kSha256;
  return ok();
}

Status DigestTable::Loader::add(Bytes body) {
  Decoder decoder(body);
  DGFS_TRY(algorithm, in_section(SectionKind::kDigestTable, decoder.fixed<std::uint8_t>()));
  DGFS_CHECK(check_algorithm(algorithm));
  while (!decoder.at_end()) {
    const auto offset = decoder.offset();
    DGFS_TRY(gap, in_section(SectionKind::kDigestTable, decoder.varint()));
    if (gap == 0 || gap >= ordinal_end_ - last_) {  // F-332
      return corrupt_digest_table(2958, offset,
                                  "first entries of digest pages do not rise below the end");
    }
    if (firsts_.size() == pages_) {
      return corrupt_digest_table(2959, offset, "more digest pages than there are");
    }
    last_ += gap;
    firsts_.push_back(last_);
  }
  return ok();
}

Result<DigestTable> DigestTable::Loader::finish() && {
  if (!algorithm_ || firsts_.size() != pages_) {
    return corrupt_digest_table(2960, 0, "fewer digest pages than there are");  // F-332
  }
  firsts_.shrink_to_fit();
  return DigestTable(*algorithm_, std::move(firsts_), ordinal_end_);
}

std::optional<std::size_t> DigestTable::find(Ordinal ordinal) const {
  const auto after = firsts_.upper_bound(ordinal);
  if (after == 0) return std::nullopt;
  return after - 1;
}

DigestRange DigestTable::range(std::size_t page) const {
  return {firsts_[page], page + 1 == firsts_.size() ? ordinal_end_ : firsts_[page + 1]};
}

}  // namespace dgfs::format
