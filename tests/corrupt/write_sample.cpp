// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// write_sample FOLDER: writes a damaged image of each sort, FOLDER/WHAT/t.dgfs, with its further
// volumes beside it, for tests of the commands and of a live mount. write_sample --sound FOLDER:
// writes the sound images from which it makes the damaged ones.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "format/limits.h"
#include "format/section/directory_table.h"
#include "format/section/volume_origins.h"
#include "tests/corrupt/forged_bodies.h"
#include "tests/corrupt/forged_images.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using format::kPageBytes;
using format::SectionKind;
using namespace std::string_literals;

// A damaged image is called BASE-WHAT; its undamaged parts can be compared with BASE. An image that
// only its own bytes describe is called Forged-WHAT.
class Sample {
 public:
  explicit Sample(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void write(const std::string& name, const ImageFiles& files) {
    std::filesystem::create_directories(folder_ / name);
    write_file(name + "/t.dgfs", files.image);
    for (const auto& [volume, bytes] : files.volumes) write_file(name + "/" + volume, bytes);
  }
  void assembled(const std::string& what, const std::function<void(ImageAssembler&)>& lie) {
    ImageAssembler assembler;
    assembler.add_directory("d");
    assembler.add_file("d/file", as_bytes("content"));
    lie(assembler);
    const auto memory = storage::make_memory_env(1);
    assembler.write(*memory, "/i", "", true);
    write("Forged-" + what, {read_file(*memory, "/i"), {}});
  }

 private:
  void write_file(const std::string& name, Bytes bytes) {
    std::ofstream file(folder_ / name, std::ios::binary);
    file.write(as_text(bytes).data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::filesystem::path folder_;
};

// One base image, and ways to damage it.
class Victim {
 public:
  Victim(Sample& sample, const BaseImage& base)
      : sample_(sample), prefix_(std::string(base.name) + "-"), sound_(base.files()) {}

  [[nodiscard]] const TakenImage& taken() const { return taken_; }
  // Changes a byte and leaves the checksums as they are.
  void flipped(const std::string& what, std::uint64_t at) {
    auto files = sound_;
    files.image[static_cast<std::size_t>(at)] ^= 0x40;
    sample_.write(prefix_ + what, files);
  }
  void cut(const std::string& what, std::uint64_t length_bytes) {
    auto files = sound_;
    files.image.resize(static_cast<std::size_t>(length_bytes));
    sample_.write(prefix_ + what, files);
  }
  // Replaces the section's blocks by another body, with right checksums.
  void forged(const std::string& what, SectionKind kind, const Buffer& body) {
    auto changed = taken_;
    changed.bodies(kind) = {body};
    sample_.write(prefix_ + "forged-" + what, {changed.image(), {}, sound_.volumes});
  }
  void flipped_page(const std::string& what, std::uint64_t page, std::uint64_t at) {
    const auto& pages = taken_.superblock.section(SectionKind::kPages);
    flipped(what, taken_.header.index_offset + pages.offset_bytes + page * kPageBytes + at);
  }
  void flip_each_section() {
    const auto index_at = taken_.header.index_offset;
    for (const auto& place : taken_.superblock.sections) {
      if (place.length_bytes == 0) continue;
      flipped(format::section_name(place.kind),
              index_at + place.offset_bytes + std::min<std::uint64_t>(place.length_bytes - 1, 26));
    }
    flipped("superblock-magic", index_at);
    flipped("superblock-field", index_at + 64);
    flipped("contents", kPageBytes + 20);
    flipped("contents-end", taken_.header.data_end - 8);
  }
  void damage_volumes() {
    for (const auto& [name, bytes] : sound_.volumes) {
      auto files = sound_;
      files.volumes[name][kPageBytes + 20] ^= 0x40;
      sample_.write(prefix_ + "contents-of-" + name, files);
      files.volumes[name] = Buffer(bytes.begin(), bytes.begin() + kPageBytes + 20);
      sample_.write(prefix_ + "cut-" + name, files);
      files.volumes.erase(name);
      sample_.write(prefix_ + "without-" + name, files);
    }
  }

 private:
  Sample& sample_;
  std::string prefix_;
  ImageFiles sound_;
  TakenImage taken_{sound_.image};
};

void write_cut(Victim victim) {
  const auto& header = victim.taken().header;
  for (const auto& place : victim.taken().superblock.sections) {
    if (place.length_bytes == 0) continue;
    const auto begin = header.index_offset + place.offset_bytes;
    victim.cut("cut-before-" + std::string(format::section_name(place.kind)), begin);
    victim.cut("cut-in-" + std::string(format::section_name(place.kind)), begin + 1);
  }
  victim.cut("cut-in-header", 100);
  victim.cut("cut-in-data", header.data_end - 1);
  victim.cut("cut-in-index", header.index_offset + kPageBytes + 1);
  victim.cut("cut-before-last-header", header.file_bytes - kPageBytes);
}

void write_forged(Victim victim) {
  const auto n = victim.taken().superblock.namespace_entries;
  victim.forged("children-beyond", SectionKind::kDirectoryTable, varints({kHuge, 0}));
  victim.forged("children-of-all", SectionKind::kDirectoryTable, varints({n - 1, 0}));
  victim.forged("inodes-overlap", SectionKind::kInodeRuns, varints({2, 1, 3, 2, n - 3}));
  victim.forged("volume-missing", SectionKind::kVolumes, varints({0}));
  victim.forged("volume-short", SectionKind::kVolumes, varints({1, 0, 5000, 0}));
}

// What only merged images have, with wrong contents.
void write_forged_merges(Victim victim, const Buffer& sound) {
  TakenImage taken(sound);
  const auto n = taken.superblock.namespace_entries;
  const auto& origins = taken.bodies(SectionKind::kVolumeOrigins).front();
  const auto with_origin = [&](const std::string& what,
                               const std::function<void(format::VolumeOrigin&)>& change) {
    auto rows = value_of(format::decode_volume_origins(origins));
    change(rows.back());
    Buffer body;
    format::encode_volume_origins(rows, body);
    victim.forged("origins-" + what, SectionKind::kVolumeOrigins, body);
  };
  with_origin("number-stranger", [](auto& origin) { origin.number = 9; });
  with_origin("checksum", [](auto& origin) { ++origin.header_checksum; });
  with_origin("dead-bytes", [](auto& origin) { origin.dead_bytes = kHalf - 1; });
  victim.forged("origins-none", SectionKind::kVolumeOrigins, varints({0}));
  victim.forged("numbers-none", SectionKind::kInodeRuns, varints({2, 1, 1, 0, n - 1}));
  victim.forged("numbers-short", SectionKind::kInodeRuns, varints({1, 1, n - 1}));
  victim.forged("state-short", SectionKind::kState, Buffer(15, 7));
}

void write_assembled(Sample& sample) {
  for (const auto& [what, key] : {std::pair("name-up", "\0.."s), std::pair("name-out", "\0../e"s),
                                  std::pair("name-empty", "e\0\0"s)}) {
    sample.assembled(what,
                     [&of_it = key](auto& assembler) { assembler.add("e", 0100644).key = of_it; });
  }
  sample.assembled("link-to-nothing", [](auto& assembler) {
    assembler.add("l", 0100000).link_inode = 99;
    assembler.names().back().mtime = {};
  });
  sample.assembled("link-to-root", [](auto& assembler) {
    assembler.add("l", 0100000).link_inode = 1;
    assembler.names().back().mtime = {};
    assembler.add_link_record(1, 0100644, 2);
  });
  for (const auto& [what, size, offset] :
       {std::tuple("extent-outside", std::uint64_t{7}, std::uint64_t{1} << 40),
        std::tuple("extent-in-header", std::uint64_t{7}, std::uint64_t{8}),
        std::tuple("size-beyond", (std::uint64_t{1} << 63) - 1, std::uint64_t{4096})}) {
    sample.assembled(what, [size = size, offset = offset](auto& assembler) {
      auto& entry = assembler.add("e", 0100644);
      entry.size_bytes = size;
      entry.stored_bytes = 15;
      entry.address = format::DataAddress{0, offset};
    });
  }
  // A file whose contents lie in a volume that does not exist.
  sample.assembled("volume-absent", [](auto& assembler) {
    assembler.more_volumes[1] = "/elsewhere";
    auto& entry = assembler.add("e", 0100644);
    entry.size_bytes = 7;
    entry.stored_bytes = 15;
    entry.address = assembler.place(1, Buffer(15, 'e'));
  });
}

// Images of impossible trees: repeated names, circular links, extents within others, bombs.
void write_impossible(Sample& sample) {
  const auto image = [&](const std::string& what, Buffer bytes) {
    sample.write("Forged-" + what, {std::move(bytes), {}});
  };
  image("name-twice", unsorted_image("aaa"));
  image("names-fall", unsorted_image("000"));
  image("extents-overlap", overlapping_image());
  image("page-bomb", page_bomb_image(silent_frame({}, 1000), 100));
  image("page-bomb-that-boasts", page_bomb_image(boasting_frame({}), 100));
  sample.assembled("link-record-that-is-a-link", add_circular_link);
  sample.assembled("contents-bomb", [](auto& assembler) {
    add_stored_frame(assembler, silent_frame(zstd_magic(), 16000), 100);
  });
}

void write_damaged(Sample& sample) {
  for (const auto& base : kBaseImages) {
    if (base.name == std::string_view("Tiny")) continue;  // same tree as Sample
    Victim victim(sample, base);
    victim.flip_each_section();
    victim.damage_volumes();
    victim.flipped("first-header", 40);
    victim.flipped_page("page-head", 0, 20);
    victim.flipped_page("page-end", 0, kPageBytes - 1);
  }
  const auto& [whole, assembled] = std::pair(kBaseImages[0], kBaseImages[3]);
  Victim many_pages(sample, assembled);
  many_pages.flipped_page("page-amid-others", 2, 100);
  many_pages.flipped_page("page-last", 4, 100);
  write_cut(Victim(sample, whole));
  write_forged(Victim(sample, whole));
  write_forged_merges(Victim(sample, kBaseImages[7]), merged_image().image);
  write_assembled(sample);
  write_impossible(sample);
}

void write_sound(Sample& sample) {
  for (const auto& base : kBaseImages) sample.write(base.name, base.files());
}

}  // namespace
}  // namespace dgfs::test

int main(int argc, char** argv) {
  const bool sound = argc == 3 && std::string_view(argv[1]) == "--sound";
  if (argc != 2 && !sound) {
    std::fprintf(stderr, "usage: %s [--sound] FOLDER\n", argv[0]);
    return 2;
  }
  dgfs::test::Sample sample(argv[argc - 1]);
  if (sound) {
    dgfs::test::write_sound(sample);
  } else {
    dgfs::test::write_damaged(sample);
  }
  return 0;
}
