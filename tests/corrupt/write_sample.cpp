// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// write_sample FOLDER: a damaged image of each sort, FOLDER/WHAT.dgfs, for tests of the commands
// and of a live mount. write_sample --sound FOLDER: the sound ones that they are made from.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "format/directory_table.h"
#include "format/limits.h"
#include "tests/corrupt/lies.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using format::kPageBytes;
using format::SectionKind;
using namespace std::string_literals;

class Sample {
 public:
  explicit Sample(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
  }

  void write(const std::string& what, Bytes image) { write_file(what + ".dgfs", image); }
  void write(const std::string& what, const ImageFiles& files) {
    write(what, files.image);
    for (const auto& [name, bytes] : files.volumes) write_file(name, bytes);
  }
  // A changed byte, checksums left as they were.
  void flipped(const std::string& what, std::uint64_t at, Buffer image = sample_image()) {
    image[static_cast<std::size_t>(at)] ^= 0x40;
    write(what, image);
  }
  void cut(const std::string& what, std::uint64_t length_bytes) {
    write(what, Bytes(sample_image()).first(static_cast<std::size_t>(length_bytes)));
  }
  // Another body where the section has its blocks, checksums right.
  void lying(const std::string& what, SectionKind kind, const Buffer& body) {
    TakenImage taken(sample_image());
    taken.bodies(kind) = {body};
    write(what, taken.image());
  }
  void assembled(const std::string& what, const std::function<void(ImageAssembler&)>& lie) {
    ImageAssembler assembler;
    assembler.add_directory("d");
    assembler.add_file("d/file", as_bytes("content"));
    lie(assembler);
    const auto memory = storage::make_memory_env(1);
    assembler.write(*memory, "/i", "", true);
    write(what, read_file(*memory, "/i"));
  }

 private:
  void write_file(const std::string& name, Bytes bytes) {
    std::ofstream file(folder_ / name, std::ios::binary);
    file.write(as_text(bytes).data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::filesystem::path folder_;
};

void write_flipped(Sample& sample, const TakenImage& taken) {
  const auto index_at = taken.header.index_offset;
  sample.flipped("superblock-magic", index_at);
  sample.flipped("superblock-field", index_at + 64);
  sample.flipped("contents", kPageBytes + 100);
  for (const auto& place : taken.superblock.sections) {
    if (place.length_bytes == 0) continue;
    const std::string name = format::section_name(place.kind);
    sample.flipped(
        name, index_at + place.offset_bytes + std::min<std::uint64_t>(place.length_bytes - 1, 26));
  }
  sample.cut("cut-in-header", 100);
  sample.cut("cut-in-data", taken.header.data_end - 1);
  sample.cut("cut-in-index", index_at + kPageBytes + 1);
  sample.cut("cut-before-last-header", sample_image().size() - kPageBytes);
}

// Of images with tokens, compressed extents and several pages.
void write_flipped_others(Sample& sample) {
  const TakenImage tokens(token_image());
  const TakenImage assembled(assembled_image());
  const auto page_of = [](const TakenImage& taken, std::uint64_t number) {
    const auto& pages = taken.superblock.section(SectionKind::kPages);
    return taken.header.index_offset + pages.offset_bytes + number * kPageBytes;
  };
  sample.flipped("token-page-head", page_of(tokens, 0) + 20, token_image());
  sample.flipped("token-page-end", page_of(tokens, 0) + kPageBytes - 1, token_image());
  sample.flipped("token-contents", kPageBytes + 100, token_image());
  sample.flipped("page-amid-others", page_of(assembled, 2) + 100, assembled_image());
  sample.flipped("page-last", page_of(assembled, 4) + 100, assembled_image());
  sample.flipped("frame-compressed", assembled.header.data_end - 8, assembled_image());
  sample.flipped("first-header", 40);
}

void write_lying(Sample& sample, const TakenImage& taken) {
  const auto n = taken.superblock.namespace_entries;
  sample.lying("children-beyond", SectionKind::kDirectoryTable, varints({kHuge, 0}));
  sample.lying("children-of-all", SectionKind::kDirectoryTable, varints({n - 1, 0}));
  sample.lying("inodes-overlap", SectionKind::kInodeRuns, varints({2, 1, 3, 2, n - 3}));
  sample.lying("volume-missing", SectionKind::kVolumes, varints({0}));
  sample.lying("volume-short", SectionKind::kVolumes, varints({1, 0, 5000, 0}));
}

void write_assembled(Sample& sample) {
  for (const auto& [what, key] : {std::pair("name-up", "\0.."s), std::pair("name-out", "\0../e"s),
                                  std::pair("name-empty", "e\0\0"s)}) {
    sample.assembled(what, [&](auto& assembler) { assembler.add("e", 0100644).key = key; });
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
  // Contents of a volume that is nowhere.
  sample.assembled("volume-absent", [](auto& assembler) {
    assembler.more_volumes[1] = "/elsewhere";
    auto& entry = assembler.add("e", 0100644);
    entry.size_bytes = 7;
    entry.stored_bytes = 15;
    entry.address = assembler.place(1, Buffer(15, 'e'));
  });
}

void write_damaged(Sample& sample) {
  const TakenImage taken(sample_image());
  write_flipped(sample, taken);
  write_flipped_others(sample);
  write_lying(sample, taken);
  write_assembled(sample);
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
