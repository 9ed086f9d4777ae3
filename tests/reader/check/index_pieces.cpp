// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/reader/check/index_pieces.h"

#include <algorithm>

#include "format/content/extent.h"
#include "format/header/superblock.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

void add_pages(const format::SectionPlace& place, std::vector<IndexPiece>& pieces) {
  for (std::size_t at = 0; at < place.length_bytes; at += format::kPageBytes) {
    pieces.push_back({place.kind, place.offset_bytes + at, format::kPageBytes});
  }
}

void add_blocks(const Buffer& index, const format::SectionPlace& place,
                std::vector<IndexPiece>& pieces) {
  const Bytes section = Bytes(index).subspan(place.offset_bytes, place.length_bytes);
  for (std::size_t at = 0; at < section.size();) {
    const auto block = value_of(format::open_block(place.kind, section.subspan(at)));
    pieces.push_back({place.kind, place.offset_bytes + at, block.consumed_bytes});
    at += block.consumed_bytes;
  }
}

// A class with enough bytes for a dictionary, in files that fit into fragment frames; and a text of
// two frames, twice.
void add_compressible(PackedTree& tree) {
  constexpr std::uint32_t kFiles = 100;
  constexpr std::size_t kFileBytes = 2700;
  tree.directory("texts");
  for (std::uint32_t i = 0; i < kFiles; ++i) {
    auto content = pattern(900, 11);
    const auto own = pattern(60, 100 + i);
    content.insert(content.end(), own.begin(), own.end());
    content.resize(kFileBytes, '.');
    tree.file("texts/" + std::to_string(i) + ".log", content);
  }
  auto frames = pattern(500, 5);
  frames.resize(format::kZstdFrameBytes + 1000, 'f');
  tree.file("frames", frames);
  tree.file("texts/frames too", frames);
}

}  // namespace

bool IndexPiece::is_records() const {
  return kind == SectionKind::kLongTargets || kind == SectionKind::kXattrs ||
         kind == SectionKind::kSparseMaps;
}

std::string IndexPiece::name() const {
  const std::string what = kind == SectionKind::kNone ? "superblock" : format::section_name(kind);
  return what + " at " + std::to_string(offset);
}

std::vector<IndexPiece> pieces_of(const Buffer& index) {
  const auto superblock =
      value_of(format::decode_superblock(Bytes(index).first(format::kPageBytes)));
  std::vector<IndexPiece> pieces = {{SectionKind::kNone, 0, format::kPageBytes}};
  for (const auto& place : superblock.sections) {
    if (place.length_bytes == 0) continue;
    const IndexPiece whole{place.kind, place.offset_bytes, place.length_bytes};
    if (place.kind == SectionKind::kPages || place.kind == SectionKind::kDigests) {
      add_pages(place, pieces);
    } else if (whole.is_records()) {
      pieces.push_back(whole);
    } else {
      add_blocks(index, place, pieces);
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return pieces;
}

std::vector<format::PageRecord> records_of(const Buffer& index) {
  std::vector<format::PageRecord> records;
  for (const auto& piece : pieces_of(index)) {
    if (piece.kind != SectionKind::kPageDirectory) continue;
    const auto block =
        value_of(format::open_block(piece.kind, Bytes(index).subspan(piece.offset, piece.length)));
    for (auto& record : value_of(format::decode_page_block(block.body))) {
      records.push_back(std::move(record));
    }
  }
  return records;
}

void pack_piece_tree(PackedTree& tree, const builder::BuildOptions& options) {
  tree.file("linked", "the content of two names");
  tree.link("linked", "other name");
  tree.symlink("long", std::string(300, 'y'));
  const auto root = value_of(tree.memory().open_directory("/tree"));
  expect_ok(root->set_xattr("linked", "user.note", as_bytes("kept")));
  expect_ok(root->set_xattr("long", "user.other", as_bytes("kept as well")));
  const auto sparse = value_of(root->create_file("sparse", 0644));
  expect_ok(sparse->write_at(100'000, as_bytes("behind a hole")));
  for (unsigned d = 0; d < 40; ++d) {
    const auto directory = "directory " + std::to_string(d * 7919 % 1000);
    tree.directory(directory);
    for (unsigned f = 0; f < 40; ++f) {
      const auto seed = d * 100 + f;
      const auto name = std::to_string(seed * 2654435761U) + "." + std::to_string(seed);
      tree.file(directory + "/" + name, pattern(seed % 90, seed));
    }
  }
  tree.file("large", pattern(200'000, 9));
  if (options.compression) add_compressible(tree);
  auto with_digests = options;
  with_digests.digest = format::DigestAlgorithm::kSha256;
  tree.pack(with_digests);
}

}  // namespace dgfs::test
