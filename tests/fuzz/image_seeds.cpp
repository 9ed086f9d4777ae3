// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/fuzz/image_seeds.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "format/coding.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/zstd/payload.h"
#include "tests/corrupt/sample_image.h"
#include "tests/fuzz/fuzz_tables.h"
#include "tests/fuzz/image_recipe.h"
#include "tests/fuzz/seed_corpus.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::kPageBytes;
using format::SectionKind;

// An image of 16,000 entries takes some ten times as long as others: extracting 200 mutations of
// tokens.img took 4.1 s, of fragments.img 0.36 s.
constexpr std::uint64_t kEntriesMax = 2000;
// For each volume: contents are large compared with the index, and all their bytes are alike to a
// decoder.
constexpr std::size_t kDataBytes = 6000;

Buffer read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Buffer{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The volumes of other images, which are golden images, too.
void add_foreign_volumes(const std::filesystem::path& folder, SeedImage& image) {
  TakenImage taken(image.image);
  for (const auto& body : taken.bodies(SectionKind::kVolumeOrigins)) {
    const auto origins = format::decode_volume_origins(body).value();
    for (const auto& origin : origins) {
      for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        auto bytes = read_all(entry.path());
        if (is_volume(bytes, origin)) image.volumes.push_back(std::move(bytes));
      }
    }
  }
}

SeedImage golden_image(const std::filesystem::path& path) {
  SeedImage made{path.stem().string(), read_all(path), {}};
  add_foreign_volumes(path.parent_path(), made);
  for (int number = 1;; ++number) {
    auto volume = path;
    volume.replace_extension(std::to_string(number));
    if (!std::filesystem::exists(volume)) return made;
    made.volumes.push_back(read_all(volume));
  }
}

SeedImage base_image(const BaseImage& base) {
  auto files = base.files();
  SeedImage made{base.name, std::move(files.image), {}};
  for (auto& [name, bytes] : files.volumes) made.volumes.push_back(std::move(bytes));
  return made;
}

/// Seeds of single decoders. Each begins with a byte for the decoder, as in sections_fuzz.cpp.
class Pieces {
 public:
  Pieces(const std::filesystem::path& folder, const SeedImage& image)
      : taken_(image.image),
        page_(folder, "page", image.name),
        page_block_(folder, "page_block", image.name),
        sections_(folder, "sections", image.name),
        model_(folder, "model", image.name) {}

  void add_pages() {
    for (std::size_t at = 0; at < taken_.pages().size(); at += kPageBytes) {
      const auto page = Bytes(taken_.pages()).subspan(at, kPageBytes);
      const auto header = format::read_page_header(page).value();
      add_page(header, page.subspan(format::kPageHeaderBytes, header.payload_bytes));
    }
  }
  void add_models() {
    for (const auto& body : taken_.bodies(SectionKind::kModels)) {  // id u16, kind u8, bytes
      const auto model = Bytes(body).subspan(3);
      if (body[2] >= static_cast<std::uint8_t>(format::ModelKind::kTokens)) {
        model_.add(model, std::uint32_t{0});
      } else {
        add_dictionary(format::load<std::uint16_t>(body, 0), model);
      }
    }
  }
  void add_sections() {
    const auto& superblock = taken_.superblock;
    const auto names = static_cast<std::uint16_t>(superblock.namespace_entries);
    const auto entry_end = superblock.namespace_entries + superblock.link_entries;
    const auto digest_pages =
        static_cast<std::uint16_t>(taken_.raw(SectionKind::kDigests).size() / kPageBytes);
    for (const auto& body : taken_.bodies(SectionKind::kPageDirectory)) page_block_.add(body);
    add_bodies(SectionKind::kDirectoryTable, std::uint8_t{2}, names);
    add_bodies(SectionKind::kInodeRuns, std::uint8_t{3}, names);
    add_bodies(SectionKind::kVolumes, std::uint8_t{4});
    add_bodies(SectionKind::kAttributeTables, std::uint8_t{5});
    add_bodies(SectionKind::kPageRoot, std::uint8_t{8});
    add_bodies(SectionKind::kDictionaries, std::uint8_t{11});
    add_bodies(SectionKind::kDigestTable, std::uint8_t{12}, digest_pages, entry_end << 2);
    add_bodies(SectionKind::kVolumeOrigins, std::uint8_t{16});
    add_split_inodes(names);
    add_bodies(SectionKind::kState, std::uint8_t{18});
    add_links(static_cast<std::uint32_t>(superblock.namespace_entries),
              static_cast<std::uint32_t>(superblock.next_inode));
  }
  void add_records() {
    add_bodies_of(SectionKind::kSparseMaps, std::uint8_t{6}, std::uint64_t{1} << 40);
    add_bodies_of(SectionKind::kXattrs, std::uint8_t{7});
    add_bodies_of(SectionKind::kDigests, std::uint8_t{13}, std::uint16_t{1900});
    const auto index = taken_.index();
    sections_.add(Bytes(index).first(kPageBytes), std::uint8_t{9});
    sections_.add(format::encode_volume_header(taken_.header), std::uint8_t{10});
  }

 private:
  /// The first block of numbers, and the next one, if there is one.
  void add_split_inodes(std::uint16_t names) {
    const auto& bodies = taken_.bodies(SectionKind::kInodeRuns);
    auto both = bodies.front();
    const auto length = static_cast<std::uint16_t>(both.size());
    if (bodies.size() > 1) both.insert(both.end(), bodies[1].begin(), bodies[1].end());
    sections_.add(both, std::uint8_t{17}, names, length);
  }
  void add_links(std::uint32_t names, std::uint32_t inode_end) {
    const auto section = taken_.superblock.section(SectionKind::kLinkNames);
    add_bodies(SectionKind::kLinkTable, std::uint8_t{14},
               static_cast<std::uint32_t>(section.length_bytes), inode_end);
    for (const auto& body : taken_.bodies(SectionKind::kLinkNames)) {
      format::Decoder decoder(body);
      const auto first = static_cast<std::uint32_t>(decoder.varint().value());
      sections_.add(body, std::uint8_t{15}, first, inode_end - first - 1, names - 1);
    }
  }
  /// Adds a page, with the models and the table that the target has.
  void add_page(const format::PageHeader& header, Bytes payload) {
    const bool is_columns = header.codec == format::kColumnCodec;
    const std::uint16_t model = is_columns ? 0 : kFuzzContextModel;
    page_.add(payload, std::uint8_t{0}, header.codec, header.flags, model, std::uint16_t{0},
              header.entry_count, header.decoded_bytes);
    if (!is_columns) return;
    const auto columns =
        format::decompress_payload(payload, header.decoded_bytes, *format::Model::empty());
    if (columns) page_.add(columns.value(), std::uint8_t{1}, header.entry_count);
  }
  /// Adds a dictionary, with the first payload that it decompresses.
  void add_dictionary(std::uint16_t id, Bytes dictionary) {
    for (std::size_t at = 0; at < taken_.pages().size(); at += kPageBytes) {
      const auto page = Bytes(taken_.pages()).subspan(at, kPageBytes);
      const auto header = format::read_page_header(page).value();
      if (header.model_id != id) continue;
      const auto payload = page.subspan(format::kPageHeaderBytes, header.payload_bytes);
      Buffer both(payload.begin(), payload.end());
      both.insert(both.end(), dictionary.begin(), dictionary.end());
      return model_.add(both, header.payload_bytes,
                        static_cast<std::uint16_t>(header.decoded_bytes));
    }
  }
  template <class... Ints>
  void add_bodies(SectionKind kind, Ints... front) {
    for (const auto& body : taken_.bodies(kind)) sections_.add(body, front...);
  }
  template <class... Ints>
  void add_bodies_of(SectionKind kind, Ints... front) {
    for (const auto& body : record_bodies(kind, taken_.raw(kind))) sections_.add(body, front...);
  }

  TakenImage taken_;
  SeedCorpus page_;
  SeedCorpus page_block_;
  SeedCorpus sections_;
  SeedCorpus model_;
};

}  // namespace

std::vector<SeedImage> seed_images(const std::filesystem::path& golden) {
  std::vector<SeedImage> images;
  for (const auto& entry : std::filesystem::directory_iterator(golden)) {
    if (entry.path().extension() != ".img") continue;
    auto image = golden_image(entry.path());
    if (TakenImage(image.image).superblock.namespace_entries > kEntriesMax) continue;
    images.push_back(std::move(image));
  }
  for (const auto& base : kBaseImages) images.push_back(base_image(base));
  return images;
}

void add_image_seeds(const std::filesystem::path& folder, const std::vector<SeedImage>& images) {
  // As in image_fuzz.cpp: walk, extract; with a second copy walk, salvage, mend.
  constexpr std::uint8_t kUses[] = {0, 1, 4 + 0, 4 + 2, 4 + 3};
  constexpr std::uint32_t kDamagedPlaces = 0x2345'0123;
  for (const auto& image : images) {
    SeedCorpus corpus(folder, "image", image.name);
    const auto recipe = recipe_of(image.image, image.volumes, kDataBytes);
    for (const auto use : kUses) corpus.add(recipe, use, kDamagedPlaces);
  }
}

void add_piece_seeds(const std::filesystem::path& folder, const SeedImage& image) {
  Pieces pieces(folder, image);
  pieces.add_pages();
  pieces.add_models();
  pieces.add_sections();
  pieces.add_records();
}

}  // namespace dgfs::test
