// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The bodies of sections, and the header pages. Input: a byte that picks the decoder, its
// arguments, the bytes; checksums are made to fit.
#include "format/checksum.h"
#include "format/coding.h"
#include "format/entry/attribute_table.h"
#include "format/header/header_page.h"
#include "format/header/section.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/page/root.h"
#include "format/section/digest_page.h"
#include "format/section/digest_table.h"
#include "format/section/directory_table.h"
#include "format/section/inode_runs.h"
#include "format/section/link_block.h"
#include "format/section/link_table.h"
#include "format/section/sparse_map.h"
#include "format/section/state_id.h"
#include "format/section/volume_origins.h"
#include "format/section/xattr_set.h"
#include "format/zstd/content_dictionary.h"
#include "tests/fuzz/fuzz_input.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

void fuzz_block(FuzzInput input) {
  const auto kind = static_cast<SectionKind>(input.take<std::uint8_t>() % format::kSectionKinds);
  auto block = input.rest();
  if (block.size() < format::kSealedBlockHeaderBytes) return;
  const auto stored = format::load<std::uint32_t>(block, 8);
  const auto left = block.size() - format::kSealedBlockHeaderBytes;
  const auto covered = Bytes(block).subspan(8, 16 + std::min<std::size_t>(stored, left));
  const auto checksum = format::checksum64(covered, static_cast<std::uint64_t>(kind));
  format::store(MutableBytes(block), 0, checksum);
  const auto opened = format::open_block(kind, block);
  if (!opened) return;
  require(opened.value().body.size() <= format::kSectionBlockBytesMax);
  require(opened.value().consumed_bytes <= block.size());
}

void fuzz_record(FuzzInput input) {
  const auto offset = input.take<std::uint64_t>();
  const auto body = input.rest();
  const auto record = format::seal_record(SectionKind::kXattrs, offset, body);
  require(format::open_record(SectionKind::kXattrs, offset, record).has_value());
  (void)format::open_record(SectionKind::kXattrs, offset, body);
}

void fuzz_directories(FuzzInput input) {
  const auto entry_count = input.take<std::uint16_t>();
  format::DirectoryTable::Loader loader(entry_count);
  if (!loader.add(input.rest())) return;
  const auto table = std::move(loader).finish();
  if (!table) return;
  for (format::Ordinal ordinal = 0; ordinal < entry_count; ++ordinal) {
    const auto parent = table.value().parent(ordinal);
    require(parent && *parent <= ordinal);
    const auto siblings = table.value().children(*parent);
    require(siblings && (ordinal == 0 || ordinal - siblings->first < siblings->count));
  }
}

void fuzz_inodes(FuzzInput input) {
  const auto entry_count = input.take<std::uint16_t>();
  const auto runs = format::InodeRuns::decode(input.rest(), entry_count);
  if (!runs) return;
  for (format::Ordinal ordinal = 0; ordinal < entry_count; ++ordinal) {
    const auto inode = runs.value().inode_of(ordinal);
    require(inode && runs.value().ordinal_of(*inode) == ordinal);
  }
}

// Writes the numbers of all entries again.
format::InodeRuns written_again(const format::InodeRuns& runs, format::Ordinal entry_count) {
  format::InodeRunsEncoder encoder;
  format::InodeRuns::Loader loader(entry_count);
  const auto sink = [&](Bytes body) { return loader.add(body); };
  for (format::Ordinal ordinal = 0; ordinal < entry_count; ++ordinal) {
    require(encoder.add(runs.inode_of(ordinal).value_or(0), sink).has_value());
  }
  require(encoder.finish(sink).has_value() && encoder.end_inode() == runs.end_inode());
  return std::move(loader).finish(format::Numbering::kSplit).value();
}

// Two blocks: the length of the first, and both.
void fuzz_split_inodes(FuzzInput input) {
  const auto entry_count = input.take<std::uint16_t>();
  const std::size_t length = input.take<std::uint16_t>();
  const auto both = input.rest();
  const auto first = Bytes(both).first(std::min(length, both.size()));
  format::InodeRuns::Loader loader(entry_count);
  for (const auto body : {first, Bytes(both).subspan(first.size())}) {
    const auto count = loader.count(body);
    const auto added = loader.add(Buffer(body.begin(), body.end()));
    require(count || !added);
    if (!added) return;
    require(count.value() <= entry_count);
  }
  const auto runs = std::move(loader).finish(format::Numbering::kSplit);
  if (!runs) return;
  const auto again = written_again(runs.value(), entry_count);
  for (format::Ordinal ordinal = 0; ordinal < entry_count; ++ordinal) {
    const auto inode = runs.value().inode_of(ordinal);
    require(inode == again.inode_of(ordinal) && inode != format::InodeNumber{0});
    if (!inode) continue;
    require(*inode < runs.value().end_inode());
    require(runs.value().ordinal_of(*inode) == ordinal && again.ordinal_of(*inode) == ordinal);
  }
  require(!runs.value().ordinal_of(0));
}

void fuzz_sparse_map(FuzzInput input) {
  const auto file_bytes = input.take<std::uint64_t>();
  const auto map = format::SparseMap::decode(input.rest(), file_bytes);
  if (!map) return;
  require(map.value().content_bytes() <= file_bytes);
  Buffer again;
  map.value().encode(again);
  require(format::SparseMap::decode(again, file_bytes).value() == map.value());
}

void fuzz_attributes(FuzzInput input) {
  const auto bytes = input.rest();
  const auto table = format::AttributeTable::decode(bytes);
  if (!table) return;
  for (std::size_t i = 0; i < table.value().size(); ++i) {
    require(table.value().find(*table.value().at(i)) == i);
  }
}

void fuzz_volumes(FuzzInput input) {
  const auto volumes = format::decode_volume_table(input.rest());
  if (!volumes) return;
  Buffer again;
  format::encode_volume_table(volumes.value(), again);
  require(format::decode_volume_table(again).value() == volumes.value());
}

void fuzz_volume_origins(FuzzInput input) {
  const auto origins = format::decode_volume_origins(input.rest());
  if (!origins) return;
  format::VolumeNumber last = 0;
  for (const auto& origin : origins.value()) {
    require(origin.number > last);
    last = origin.number;
  }
  require(last != 0);
  Buffer again;
  format::encode_volume_origins(origins.value(), again);
  require(format::decode_volume_origins(again).value() == origins.value());
}

void fuzz_state(FuzzInput input) {
  const auto body = input.rest();
  const auto state = format::decode_state_id(body);
  require(state.has_value() == (body.size() == format::StateId().size()));
  if (!state) return;
  Buffer again;
  format::encode_state_id(state.value(), again);
  require(again == body);
}

void fuzz_xattrs(FuzzInput input) {
  const auto xattrs = format::decode_xattr_set(input.rest());
  if (!xattrs) return;
  Buffer again;
  format::encode_xattr_set(xattrs.value(), again);
  require(format::decode_xattr_set(again).value() == xattrs.value());
}

void fuzz_page_root(FuzzInput input) {
  const auto rows = format::decode_page_root(input.rest());
  if (!rows) return;
  Buffer again;
  format::encode_page_root(rows.value(), again);
  require(format::decode_page_root(again).value() == rows.value());
}

void fuzz_dictionary(FuzzInput input) {
  const auto dictionary = format::decode_content_dictionary(input.rest());
  if (!dictionary) return;
  Buffer again;
  format::encode_content_dictionary(dictionary.value(), again);
  require(format::decode_content_dictionary(again).value().label == dictionary.value().label);
}

void fuzz_digest_table(FuzzInput input) {
  const auto pages = input.take<std::uint16_t>();
  const format::Ordinal end = input.take<std::uint64_t>() >> 2;
  format::DigestTable::Loader loader(pages, end);
  if (!loader.add(input.rest())) return;
  const auto table = std::move(loader).finish();
  if (!table) return;
  require(table.value().page_count() == pages);
  for (std::size_t page = 0; page < pages; ++page) {
    const auto range = table.value().range(page);
    require(range.first < range.end && range.end <= end);
    require(table.value().find(range.first) == page && table.value().find(range.end - 1) == page);
  }
}

void fuzz_digest_page(FuzzInput input) {
  const auto length = input.take<std::uint16_t>();
  auto body = input.rest();
  body.resize(format::kPageBytes - format::kRecordChecksumBytes);
  const auto first = format::load<format::Ordinal>(body, 0);
  if (first > ~format::Ordinal{0} - length) return;
  const auto count = format::check_digest_page(body, {first, first + length});
  if (!count) return;
  std::size_t found = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (format::find_digest(body, first + i)) ++found;
  }
  require(found == count.value() && found != 0);
  require(!format::find_digest(body, first - 1) && !format::find_digest(body, first + length));
}

void fuzz_link_table(FuzzInput input) {
  const auto section_bytes = input.take<std::uint32_t>();
  const auto inode_end = input.take<std::uint32_t>();
  format::LinkTable::Loader loader(section_bytes, inode_end, 1);
  if (!loader.add(input.rest())) return;
  const auto table = std::move(loader).finish();
  if (!table) return;
  std::uint64_t at = 0;
  for (std::size_t block = 0; block < table.value().block_count(); ++block) {
    const auto bounds = table.value().bounds(block);
    require(bounds.first_inode < bounds.inode_end && bounds.inode_end <= inode_end);
    const auto range = table.value().find(bounds.first_inode);
    require(range.begin <= block && block < range.end);
    const auto place = table.value().place(block);
    require(place.offset_bytes == at && place.length_bytes > format::kSealedBlockHeaderBytes);
    at += place.length_bytes;
  }
  require(at == section_bytes);
}

void fuzz_link_block(FuzzInput input) {
  format::LinkBlockBounds bounds;
  bounds.first_inode = input.take<std::uint32_t>();
  bounds.inode_end = bounds.first_inode + 1 + input.take<std::uint32_t>();
  bounds.ordinal_end = 1 + std::uint64_t{input.take<std::uint32_t>()};
  format::LinkBlockFiller filler;
  format::InodeNumber last = 0;
  bool fits = true;
  const auto visited =
      format::visit_link_block(input.rest(), bounds, [&](format::InodeNumber inode, auto names) {
        require(inode > last && inode < bounds.inode_end);
        require(!names.empty() && names.front() > 0 && names.back() < bounds.ordinal_end);
        require(std::is_sorted(names.begin(), names.end()));
        last = inode;
        fits = fits && filler.add(inode, names);
      });
  if (!visited) return;
  require(fits && last != 0 && filler.first_inode() == bounds.first_inode);
  const auto again = filler.take();
  require(format::visit_link_block(again, bounds, [](auto, auto) {}).has_value());
}

/// Makes a header page from the input, padded, with the right checksum.
Buffer header_page(FuzzInput input) {
  auto page = input.rest();
  page.resize(format::kPageBytes);
  const auto covered = Bytes(page).first(format::kHeaderChecksumOffset);
  format::store(MutableBytes(page), format::kHeaderChecksumOffset, format::checksum64(covered));
  return page;
}

void fuzz_superblock(FuzzInput input) {
  const auto superblock = format::decode_superblock(header_page(input));
  if (superblock) require(superblock.value().namespace_entries > 0);
}

void fuzz_volume_header(FuzzInput input) {
  const auto header = format::decode_volume_header(header_page(input));
  if (header) require(header.value().data_end <= header.value().file_bytes);
}

constexpr void (*kTargets[])(FuzzInput) = {
    fuzz_block,         fuzz_record,         fuzz_directories,  fuzz_inodes,      fuzz_volumes,
    fuzz_attributes,    fuzz_sparse_map,     fuzz_xattrs,       fuzz_page_root,   fuzz_superblock,
    fuzz_volume_header, fuzz_dictionary,     fuzz_digest_table, fuzz_digest_page, fuzz_link_table,
    fuzz_link_block,    fuzz_volume_origins, fuzz_split_inodes, fuzz_state};

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  dgfs::test::FuzzInput input({data, size_bytes});
  dgfs::test::kTargets[input.take<std::uint8_t>() % std::size(dgfs::test::kTargets)](input);
  return 0;
}
