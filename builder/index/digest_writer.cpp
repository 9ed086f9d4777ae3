// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/digest_writer.h"

#include <algorithm>

#include "format/coding.h"
#include "format/header/section.h"
#include "format/section/digest_table.h"

namespace dgfs::builder {
namespace {

// A gap usually takes up to two bytes, so a block gets the usual size of section blocks.
constexpr std::size_t kTableBlockPages = format::kSectionBlockBytes / 2;

}  // namespace

Status DigestWriter::add(format::Ordinal ordinal, const format::Digest& digest) {
  if (!page_.has_room_for(ordinal)) {
    DGFS_CHECK(end_page());
  }
  page_.add(ordinal, digest);
  return ok();
}

Status DigestWriter::add_link(std::uint64_t number, const format::Digest& digest) {
  Buffer record;
  format::Encoder encoder(record);
  encoder.fixed(number);
  encoder.raw(digest);
  return links_.append(record);
}

Status DigestWriter::finish(format::Ordinal first_link) {
  SpoolCursor cursor(links_, 0, links_.size_bytes());
  while (!cursor.at_end()) {
    DGFS_TRY(record, cursor.take(sizeof(std::uint64_t) + format::kDigestBytes));
    format::Digest digest;
    std::copy_n(record.begin() + sizeof(std::uint64_t), digest.size(), digest.begin());
    DGFS_CHECK(add(first_link + format::load<std::uint64_t>(record, 0), digest));
  }
  if (!page_.empty()) {
    DGFS_CHECK(end_page());
  }
  return firsts_.empty() ? Status(ok()) : end_block();
}

Status DigestWriter::end_page() {
  firsts_.push_back(page_.first());
  DGFS_CHECK(pages_.append(page_.take(page_count_++)));
  return firsts_.size() == kTableBlockPages ? end_block() : Status(ok());
}

Status DigestWriter::end_block() {
  Buffer body;
  format::encode_digest_table(algorithm_, firsts_, before_, body);
  Buffer block;
  format::seal_block(format::SectionKind::kDigestTable, body, block);
  before_ = firsts_.back();
  firsts_.clear();
  return table_.append(block);
}

}  // namespace dgfs::builder
