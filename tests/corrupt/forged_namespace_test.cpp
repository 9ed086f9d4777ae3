// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Impossible trees: names that lead elsewhere, links to nothing, extents where none are,
// directories that list entries of others. All checksums are right.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "format/entry/key.h"
#include "format/section/directory_table.h"
#include "tests/corrupt/forged_bodies.h"
#include "tests/corrupt/forged_images.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using format::SectionKind;
using namespace std::string_literals;

class ForgedNamespace : public ::testing::Test {
 protected:
  static Buffer assemble(ImageAssembler& assembler) {
    const auto memory = storage::make_memory_env(1);
    assembler.write(*memory, "/i", "", true);
    return read_file(*memory, "/i");
  }
  // A tree with a file "a" and a directory "d", changed by `lie`.
  static Buffer image_of(const std::function<void(ImageAssembler&)>& lie) {
    ImageAssembler assembler;
    assembler.add_file("a", as_bytes("content"));
    assembler.add_directory("d");
    lie(assembler);
    return assemble(assembler);
  }
  Findings probe(const Buffer& image, const std::string& what) {
    return prober_.probe({image, {}}, Promise::kSense, what);
  }
  void expect_lie(const char* what, const Designed& designed,
                  const std::function<void(ImageAssembler&)>& lie) {
    expect_error(probe(image_of(lie), what), designed, what);
  }

  Prober prober_{{image_of([](ImageAssembler&) {}), {}}};
};

TEST_F(ForgedNamespace, NamesThatAreNone) {
  const std::vector<std::pair<const char*, std::string>> keys = {
      {"..", "\0.."s},
      {".", "\0."s},
      {"../evil", "\0../evil"s},
      {"a slash", "\0x/y"s},
      {"only a slash", "\0/"s},
      {"an empty name", "x\0\0"s},
      {"no name", "x\0"s},
      {"no directory part", "x"s},
      {"a zero", "\0x\0y"s},
      {"256 bytes", "\0"s + std::string(256, 'n')},
      {"below ..", "..\0\0x"s},
      {"below .", ".\0\0x"s},
      {"below a slash", "/\0\0evil"s},
      {"below nothing", "\0\0x"s},
      {"three zeros", "x\0\0\0y"s}};
  for (const auto& [what, key] : keys) {
    const auto findings = probe(image_of([&key = key](ImageAssembler& assembler) {
                                  assembler.add("e", 0100644).key = key;
                                }),
                                what);
    // The error is that of the entry's key, or that of the prefix that all keys of the page share.
    EXPECT_TRUE(findings.has(3030) || findings.has(3031) || findings.has(2640) ||
                findings.has(2646))
        << what << findings.text();
  }
}

TEST_F(ForgedNamespace, HardLinks) {
  const Designed kNone = {3060, "pages"};
  const auto name = [](ImageAssembler& assembler, std::uint64_t inode) {
    assembler.add("l", 0100000).link_inode = inode;
    assembler.names().back().mtime = {};
  };
  expect_lie("to nothing", kNone, [&](auto& assembler) { name(assembler, 99); });
  expect_lie("to itself", kNone, [&](auto& assembler) { name(assembler, 4); });
  expect_lie("to a file", kNone, [&](auto& assembler) { name(assembler, 2); });
  expect_lie("to the last number", kNone, [&](auto& assembler) { name(assembler, kHuge); });
  expect_lie("to another type", {3061, "pages"}, [&](auto& assembler) {
    name(assembler, 4);
    assembler.add_link_record(4, 0010644, 2);
  });
  expect_lie("to the number of the root", {3068, "pages"}, [&](auto& assembler) {
    name(assembler, 1);
    assembler.add_link_record(1, 0100644, 2);
  });
  expect_lie("to the number of a directory", {3068, "pages"}, [&](auto& assembler) {
    name(assembler, 3);
    assembler.add_link_record(3, 0100644, 2);
  });
  expect_lie("to a record that is a directory", {3064, "pages"}, [&](auto& assembler) {
    name(assembler, 4);
    assembler.add_link_record(4, 0040755, 2);
  });
}

TEST_F(ForgedNamespace, ALinkRecordThatIsALink) {
  const auto findings = probe(image_of(add_circular_link), "a record that leads to itself");
  expect_error(findings, {3044, "pages"}, "a record that leads to itself");
}

TEST_F(ForgedNamespace, ExtentsThatAreElsewhere) {
  const auto at = [](std::uint16_t volume, std::uint64_t offset) {
    return [volume, offset](ImageAssembler& assembler) {
      auto& entry = assembler.add("e", 0100644);
      entry.size_bytes = 7;
      entry.stored_bytes = 15;
      entry.address = format::DataAddress{volume, offset};
    };
  };
  expect_lie("in the header", {3083, "contents"}, at(0, 0));
  expect_lie("across the header's end", {3083, "contents"}, at(0, 4095));
  expect_lie("across the end of the data", {3083, "contents"}, at(0, 4097));
  expect_lie("behind the data", {3083, "contents"}, at(0, 1 << 20));
  expect_lie("at the end of all files", {3083, "contents"}, at(0, kHalf - 16));
  expect_lie("in a volume that is not", {3070, "volumes"}, at(9, 4096));
  expect_lie("in the last volume", {3070, "volumes"}, at(65535, 4096));
}

TEST_F(ForgedNamespace, SizesThatTheExtentsDoNotHave) {
  const auto sized = [](std::uint64_t size, std::uint64_t stored, format::ExtentCodec codec) {
    return [=](ImageAssembler& assembler) {
      auto& entry = assembler.add("e", 0100644);
      entry.size_bytes = size;
      entry.stored_bytes = stored;
      entry.codec = codec;
      entry.address = format::DataAddress{0, 4096};
    };
  };
  constexpr auto kRaw = format::ExtentCodec::kRaw;
  constexpr auto kZstd = format::ExtentCodec::kZstd;
  for (const std::uint64_t size : {1ULL, 8ULL, 65536ULL, 1ULL << 40, (1ULL << 63) - 1}) {
    expect_lie("raw, of another length", {3080, "contents"}, sized(size, 15, kRaw));
  }
  expect_lie("a frame of nothing", {3082, "contents"}, sized(1, 8, kZstd));
  for (const std::uint64_t size : {131073ULL, 1ULL << 37}) {
    expect_lie("more frames than bytes", {3082, "contents"}, sized(size, 15, kZstd));
  }
  // F-305. A file with holes may have any length; the table of its frames may not.
  for (const std::uint64_t size : {(1ULL << 37) + 1, (1ULL << 63) - 1}) {
    expect_lie("more frames than a table may have", {3088, "contents"},
               sized(size, size - 10000, kZstd));
  }
  expect_lie("no frame at all", {3085, "contents"}, sized(7, 15, kZstd));
}

TEST_F(ForgedNamespace, ExtentsThatAreTheSameAreOnlyRead) {
  const auto image = image_of([](ImageAssembler& assembler) {
    for (const auto* name : {"e", "f", "g"}) {
      auto& entry = assembler.add(name, 0100644);
      entry.size_bytes = 7;
      entry.stored_bytes = 15;
      entry.address = format::DataAddress{0, 4096};
    }
  });
  EXPECT_TRUE(probe(image, "files that share an extent").errors.empty());
}

// The contents of one file hold the extent of another: both checksums can be right.
TEST_F(ForgedNamespace, ExtentsThatOverlapAreOnlyRead) {
  const auto overlapping = overlapping_image();
  EXPECT_EQ(probe(overlapping, "an extent within another").walked, 3U);
  const auto memory = storage::make_memory_env(1);
  write_file(*memory, "/t", overlapping);
  const auto opened = value_of(reader::Image::open(*memory, "/t"));
  Buffer content(13);
  EXPECT_EQ(value_of(opened->read(value_of(opened->lookup("inner")), 0, content)), 13U);
  EXPECT_EQ(as_text(content), "inner content");
  EXPECT_EQ(value_of(opened->read(value_of(opened->lookup("outer")), 200, content)), 13U);
  EXPECT_EQ(as_text(content), std::string(13, 'o'));
  const auto image = image_of([](ImageAssembler& assembler) {
    auto& entry = assembler.add("e", 0100644);
    entry.size_bytes = 6;
    entry.stored_bytes = 14;
    entry.address = format::DataAddress{0, 4097};
  });
  expect_error(probe(image, "an extent that begins within another"), {3084, "contents"}, "overlap");
}

// A page whose names repeat or fall: the reader gives no entry of it.
TEST_F(ForgedNamespace, NamesThatDoNotRise) {
  for (const auto* second : {"aaa", "aa0", "000"}) {
    SCOPED_TRACE(second);
    expect_error(probe(unsorted_image(second), second), {2163, "pages"}, second);
  }
}

// With two entries "x" in one listing, extractors of other formats wrote outside the destination.
TEST_F(ForgedNamespace, ADirectoryThatHoldsTheNamesOfOthers) {
  ImageAssembler assembler;
  assembler.add_directory("a");
  assembler.add_directory("b");
  assembler.add_file("a/x", as_bytes("1"));
  assembler.add_file("b/x", as_bytes("2"));
  TakenImage taken(assemble(assembler));
  Buffer lists;
  format::encode_directory_list(lists, 2, std::vector<std::uint64_t>{0, 1});
  format::encode_directory_list(lists, 2, {});
  format::encode_directory_list(lists, 0, {});
  taken.bodies(SectionKind::kDirectoryTable) = {lists};
  expect_error(probe(taken.image(), "a list with a name of another"), {3069, "pages"}, "list");
  const auto memory = storage::make_memory_env(1);
  write_file(*memory, "/t", taken.image());
  const auto image = value_of(reader::Image::open(*memory, "/t"));
  const auto inode = value_of(image->lookup("a")).inode;
  const auto listed = image->list(inode, 0, [](const auto&) { return true; });
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code(), 3069);
  std::vector<std::uint16_t> codes;
  expect_ok(image->verify_index([&](const Error& error) { codes.push_back(error.code()); }));
  EXPECT_EQ(codes, std::vector<std::uint16_t>{3043});
}

TEST_F(ForgedNamespace, AFileWithEntriesBelow) {
  const auto findings = probe(image_of([](ImageAssembler& assembler) {
                                assembler.add("l", 0120777).target = "/jail";
                                assembler.names().back().size_bytes = 5;
                                assembler.add("l/evil", 0100644);
                              }),
                              "below a symlink");
  EXPECT_FALSE(findings.errors.empty());
}

TEST_F(ForgedNamespace, TreesThatAreVeryDeep) {
  ImageAssembler assembler;
  std::string path = "d";
  for (int level = 1; level < 1000; ++level) {
    assembler.add_directory(path);
    path += "/d";
  }
  const auto image = assemble(assembler);
  const auto findings = probe(image, "1000 levels");
  EXPECT_EQ(findings.walked, 1000U);
  for (const auto& error : findings.errors) {
    EXPECT_NE(error.kind(), ErrorKind::kCorrupt) << error.message();
  }
}

}  // namespace
}  // namespace dgfs::test
