// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/digests.h"

#include <utility>

#include "format/header/section.h"
#include "format/limits.h"
#include "reader/index/section_blocks.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

using format::DigestTable;
using format::SectionKind;

bool has_digests(const IndexCopy& copy) {
  const auto& superblock = copy.superblock();
  return superblock.section(SectionKind::kDigests).length_bytes != 0 ||
         superblock.section(SectionKind::kDigestTable).length_bytes != 0;
}

Result<DigestTable> load_table(const HealingCopy& index) {
  const auto& copy = index.copy;
  const auto& superblock = copy.superblock();
  const auto bytes = superblock.section(SectionKind::kDigests).length_bytes;
  if (bytes % format::kPageBytes != 0) {  // F-336
    return placed(Error(ErrorKind::kCorrupt, 3250, "not whole pages"), copy.path(),
                  format::section_name(SectionKind::kDigests),
                  copy.section_offset(SectionKind::kDigests));
  }
  DigestTable::Loader loader(bytes / format::kPageBytes,
                             superblock.namespace_entries + superblock.link_entries);
  DGFS_CHECK(for_each_block(index, SectionKind::kDigestTable,
                            [&](Bytes body) { return loader.add(body); }));
  return placed_result(std::move(loader).finish(), copy.path(),
                       format::section_name(SectionKind::kDigestTable),
                       copy.section_offset(SectionKind::kDigestTable));
}

/// The checked body of a page; points into `record`.
Result<Bytes> read_page(const IndexCopy& copy, const DigestTable& table, std::size_t page,
                        Buffer& record) {
  constexpr auto kKind = SectionKind::kDigests;
  const auto offset = std::uint64_t{page} * format::kPageBytes;
  const auto place = copy.section_offset(kKind) + offset;
  record.resize(format::kPageBytes);
  DGFS_CHECK(copy.read_section(kKind, offset, record));
  const auto* name = format::section_name(kKind);
  DGFS_TRY(body,
           placed_result(format::open_record(kKind, offset, record), copy.path(), name, place));
  DGFS_CHECK(
      placed_result(format::check_digest_page(body, table.range(page)), copy.path(), name, place));
  return body;
}

}  // namespace

Result<Digests::TablePointer> Digests::table() const {
  // Reads under the lock: other threads need the same table and would read it again.
  const std::lock_guard lock(mutex_);
  if (table_ == nullptr && has_digests(source_.first())) {
    DGFS_TRY(loaded, source_.load(counters_, load_table));
    table_ = std::make_shared<const DigestTable>(std::move(loaded));
  }
  return table_;
}

Result<std::optional<format::DigestAlgorithm>> Digests::algorithm() const {
  DGFS_TRY(loaded, table());
  std::optional<format::DigestAlgorithm> algorithm;
  if (loaded != nullptr) algorithm = loaded->algorithm();
  return algorithm;
}

Result<format::Digest> Digests::of(const Node& node) const {
  DGFS_TRY(loaded, table());
  if (loaded == nullptr) {
    return Error(ErrorKind::kNotFound, 3251, "the index keeps no digests");
  }
  const auto ordinal = node.object_ordinal;
  return source_.read(counters_, [&](const IndexCopy& copy) -> Result<format::Digest> {
    if (const auto page = loaded->find(ordinal)) {
      Buffer record;
      CounterCells::add(counters_.side_reads);
      CounterCells::add(counters_.side_read_bytes, format::kPageBytes);
      DGFS_TRY(body, read_page(copy, *loaded, *page, record));
      if (const auto digest = format::find_digest(body, ordinal)) return *digest;
    }
    return placed(Error(ErrorKind::kCorrupt, 3252, "a file without digest"), copy.path(),
                  format::section_name(SectionKind::kDigests),  // F-330
                  copy.section_offset(SectionKind::kDigests));
  });
}

std::size_t Digests::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return table_ == nullptr ? 0 : table_->memory_bytes();
}

void Digests::check(const IndexCopy& copy, const std::function<void(const Error&)>& damaged) {
  if (!has_digests(copy)) return;
  const auto table = load_table(copy);
  if (!table) {
    const auto& error = table.assume_error();
    if (error.kind() != ErrorKind::kUnsupported) damaged(error);
    return;
  }
  Buffer record;
  for (std::size_t page = 0; page < table.assume_value().page_count(); ++page) {
    const auto body = read_page(copy, table.assume_value(), page, record);
    if (!body) damaged(body.assume_error());
  }
}

}  // namespace dgfs::reader
