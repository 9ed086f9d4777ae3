// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sets every number in the bodies of sections, records and seek tables to every value that could
// hurt, with all checksums made to fit. header_fields_test.cpp does the same with fields at fixed
// places.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/content/extent.h"
#include "format/content/seek_table.h"
#include "format/limits.h"
#include "format/section/xattr_set.h"
#include "tests/corrupt/prober.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/body_fields.h"
#include "tests/support/format_fields.h"
#include "tests/support/image_assembler.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::SectionKind;
using Codes = std::set<std::uint16_t>;

// The errors that a field may cause. A value may also do no harm.
struct Design {
  std::string_view section;
  std::string_view field;
  Codes codes;
  Promise promise = Promise::kTruth;  // kSense: the field alone says what the tree is
};

// Under another class of a context the bits of pages have another meaning, if any.
Codes with_page_codes(Codes codes) {
  codes.insert({2911, 2912, 2913, 2914, 2915, 2916, 2917, 2918, 2919, 2920, 2921, 2922,
                2923, 2924, 2925, 2926, 3031, 3032, 3033, 3045, 3050, 3051, 3060});
  return codes;
}

const Design* designed(std::string_view section, std::string_view field) {
  static const Design kDesigns[] = {
      {"page directory", "count", {2001, 2003, 2004, 2310, 2311}},
      {"page directory", "shared", {2003, 2312, 3031, 3032, 3051, 3060}, Promise::kSense},
      {"page directory", "suffix", {2001, 2003, 2310}},
      {"page directory",
       "separator",
       {2003, 3031, 3032, 3033, 3045, 3050, 3051, 3069},
       Promise::kSense},
      {"page directory", "zone", {2003, 2312, 3011, 3012, 3013}},
      {"page directory", "first ordinal", {2003, 2301}},
      {"page directory", "entry count", {2003, 2310, 3015}},
      {"page directory", "volume", {2003, 3070, 3083, 3084, 3085, 3089}},
      {"page directory", "data offset", {2311, 3083, 3084, 3085, 3089}},
      {"page directory", "checksum", {3040}},
      {"page root", "first_page", {2003, 3018}},
      {"page root", "offset", {2003, 3018}},
      {"page root", "row_count", {2003, 2841}},
      {"page root", "shared", {2003, 3021}},
      {"page root", "rest", {2001, 2003, 2840, 3018, 3021}},
      {"page root", "page_count", {2003, 2840, 3018, 3021}},
      {"page root", "length", {2003, 2840, 3018, 3021}},
      {"page root", "zone_gap", {3021}},
      {"page root", "ordinal_gap", {3021}},
      {"directory table", "child_count", {2641, 2642, 2644, 2646}},
      {"directory table",
       "subdirectory_count",
       {2640, 2642, 2644, 2646, 3042, 3064},
       Promise::kSense},
      {"directory table", "gaps", {2644, 3042, 3064, 3906}, Promise::kSense},
      {"attribute tables", "id", {2147, 3020}},
      {"attribute tables", "count", {2003, 2110}},
      {"attribute tables", "modes", {2111}, Promise::kSense},
      {"attribute tables", "uids", {}, Promise::kSense},
      {"attribute tables", "gids", {}, Promise::kSense},
      {"models", "id", {2121, 2125, 2146}},
      {"models", "kind", {2123, 2901, 2902, 2905, 3016}},
      {"models", "tokens", {2003, 2902, 2903, 2905}},
      {"models", "classes", {2901, 2905, 2909}},
      {"models", "class of context", with_page_codes({2905}), Promise::kSense},
      {"models", "groups", with_page_codes({2901, 2908, 2909}), Promise::kSense},
      {"models", "group of byte", with_page_codes({2909}), Promise::kSense},
      {"models", "start classes", with_page_codes({2909}), Promise::kSense},
      {"models", "row classes", {2900, 2901, 2909, 2938}},
      {"models", "class of row", with_page_codes({2909}), Promise::kSense},
      {"models", "share classes", {2900, 2901, 2909, 2938}},
      {"models", "class of share", with_page_codes({2909}), Promise::kSense},
      {"models", "token lengths", {2900, 2901}},
      {"models", "row lengths", {2900, 2901}},
      {"models", "share lengths", {2900, 2901}},
      {"models", "time lengths", {2900, 2901}},
      {"models", "attribute lengths", {2900, 2901}},
      {"models", "extras lengths", {2900, 2901}},
      {"models", "width lengths", {2900, 2901}},
      {"models", "dictionary magic", {2123}},
      {"models", "dictionary id", {}},
      {"models", "token head", {2902, 2905}},
      {"inode runs", "run_count", {2001, 2004, 2681, 2682, 2685, 2688}},
      {"inode runs",
       "first_inode",
       {2680, 2683, 2684, 2687, 3017, 3046, 3066, 3068, 3904, 3906},
       Promise::kSense},
      {"inode runs", "count", {2681, 2682}},
      {"volumes", "volume_count", {2001, 2004, 2622, 3022}},
      {"volumes", "number", {2003, 2623, 3027, 3070, 3071}},
      {"volumes", "data_end", {2003, 2620, 3083}},
      {"volumes", "hint", {2001, 2003, 2004, 2620}},
      {"xattrs", "attribute_count", {2001, 2004, 2800}},
      {"xattrs", "name", {2001, 2003, 2801}},
      {"xattrs", "value", {2001, 2004, 2802}},
      {"sparse maps", "segment_count", {2001, 2004}},
      {"sparse maps", "gap", {2001, 2004, 2761}, Promise::kSense},
      {"sparse maps", "length", {2001, 2004, 2761, 3080, 3085}},
      {"dictionaries", "id", {2770, 2771}},
      {"dictionaries", "label", {2003, 2771}},
      {"dictionaries", "dictionary magic", {2771}},
      {"dictionaries", "dictionary id", {2771}},
      {"digests", "first_ordinal", {2954}},
      {"digests", "bitmap", {2955, 2956, 3252}, Promise::kSense},
      {"digests", "digests", {2956}, Promise::kSense},
      {"digest table", "algorithm", {2957}},
      {"digest table", "gaps", {2954, 2958, 3252}},
      {"link names", "inode_gap", {2969, 2962, 2963, 2964, 2965, 3902, 3904}},
      {"link names",
       "head",
       {2969, 2001, 2961, 2963, 2964, 2965, 3902, 3904, 3905},
       Promise::kSense},
      {"link names", "distance", {2001, 2963, 2964, 2965, 2969, 3902, 3905}, Promise::kSense},
      {"link names", "name_gap", {2969, 2965, 3902, 3905}, Promise::kSense},
      {"volume origins", "count", {2001, 2003, 2004, 2700, 2701, 2703}},
      {"volume origins", "number", {2003, 2701, 3027}},
      {"volume origins", "image", {3071}},
      {"volume origins", "own_number", {2003, 3071}},
      {"volume origins", "header_checksum", {3071}},
      {"volume origins", "dead_bytes", {2003, 3028}},
      {"volume origins", "is_of_merge", {2003}},
      {"state", "id", {}, Promise::kSense},
      // Only the list tells the names of an object without numbers for them.
      {"link table", "first_gap", {2962, 2967, 3066, 3904}, Promise::kSense},
      {"link table", "length", {2968, 2969}},
      {"seek table", "first magic", {2724}},
      {"seek table", "first length", {2724}},
      {"seek table", "checksum", {2724}},
      {"seek table", "frame checksum", {3085}},
      {"seek table", "second magic", {2724}},
      {"seek table", "second length", {2724}},
      {"seek table", "stored length", {2725, 2726}},
      {"seek table", "content length", {2725}},
      {"seek table", "frames", {2724}},
      {"seek table", "descriptor", {2724}},
      {"seek table", "last magic", {2724}},
  };
  for (const auto& design : kDesigns) {
    if (design.section == section && design.field == field) return &design;
  }
  return nullptr;
}

class BodyFields : public ::testing::TestWithParam<BaseImage> {
 protected:
  ImageFiles files_ = GetParam().files();
  TakenImage taken_{files_.image};
  Prober prober_{files_};
  std::size_t tried_ = 0;

  // Probes an image for each value of a field; `change(value)` puts it into taken_.
  template <class Change>
  void try_values(std::string_view section, const BodyField& field, Change change) {
    const auto* design = designed(section, field.name);
    ASSERT_NE(design, nullptr) << section << ", " << field.name;
    for (const auto value : hostile_values(field.value, field.is_varint ? 8 : field.size_bytes)) {
      change(value);
      const auto what = std::string(section) + ", " + field.name + " at " +
                        std::to_string(field.at) + " = " + std::to_string(value);
      const auto findings = prober_.probe({taken_.image(), {}}, design->promise, what);
      for (const auto& error : findings.errors) {
        // The page root describes the page directory for which it was made.
        const bool root_differs =
            section == "page directory" && (error.code() == 3018 || error.code() == 3021);
        EXPECT_TRUE(root_differs || design->codes.contains(error.code()))
            << what << ": " << findings.text();
      }
      ++tried_;
    }
  }
};

TEST_P(BodyFields, OfSealedBlocks) {
  for (std::size_t i = 1; i < format::kSectionKinds; ++i) {
    const auto kind = static_cast<SectionKind>(i);
    for (auto& body : taken_.bodies(kind)) {
      const auto sound = body;
      for (const auto& field : body_fields(kind, sound)) {
        try_values(format::section_name(kind), field,
                   [&](std::uint64_t v) { body = with_value(sound, field, v); });
      }
      body = sound;
    }
  }
  EXPECT_GT(tried_, 100U);
}

// A page holds the length of a record, so a number that grows pushes bytes out of the record.
class RecordFields : public BodyFields {
 protected:
  void try_record(SectionKind kind, format::SideRef ref) {
    if (ref.length_bytes == 0) return;
    auto& section = taken_.raw(kind);
    const auto sound_section = section;
    const auto record = Bytes(sound_section).subspan(ref.offset_bytes, ref.length_bytes);
    const auto sound = record.subspan(format::kRecordChecksumBytes);
    for (const auto& field : body_fields(kind, sound)) {
      try_values(format::section_name(kind), field, [&](std::uint64_t value) {
        auto body = with_value(sound, field, value);
        body.resize(sound.size());
        const auto sealed = format::seal_record(kind, ref.offset_bytes, body);
        std::copy(sealed.begin(), sealed.end(),
                  section.begin() + static_cast<std::ptrdiff_t>(ref.offset_bytes));
      });
    }
    section = sound_section;
  }
};

TEST_P(RecordFields, OfSideRecordsAndDigests) {
  const auto memory = storage::make_memory_env(1);
  write_file(*memory, "/t", files_.image);
  const auto image = value_of(reader::Image::open(*memory, "/t"));
  ASSERT_TRUE(image->walk("", [&](std::string_view, const reader::Node& node) {
    try_record(SectionKind::kXattrs, node.xattrs);
    try_record(SectionKind::kSparseMaps, node.sparse_map);
    return true;
  }));
  for (std::size_t at = 0; at < taken_.raw(SectionKind::kDigests).size();
       at += format::kPageBytes) {
    try_record(SectionKind::kDigests, {at, static_cast<std::uint32_t>(format::kPageBytes)});
  }
}

TEST_P(BodyFields, OfSeekTables) {
  const auto memory = storage::make_memory_env(1);
  write_file(*memory, "/t", files_.image);
  const auto image = value_of(reader::Image::open(*memory, "/t"));
  ASSERT_TRUE(image->walk("", [&](std::string_view, const reader::Node& node) {
    const bool has_table = node.codec == format::ExtentCodec::kZstd && node.data.volume == 0 &&
                           format::has_seek_table(node.size_bytes);
    if (!has_table) return true;
    const auto frames = format::frame_count(node.codec, node.size_bytes);
    const auto bytes = format::seek_table_bytes(frames);
    const auto at = node.data.offset_bytes + node.stored_bytes - bytes - format::kPageBytes;
    const auto sound_data = taken_.data;
    const auto sound = Bytes(sound_data).subspan(at, bytes);
    for (const auto& field : seek_table_fields(sound, frames)) {
      try_values("seek table", field, [&](std::uint64_t value) {
        auto table = with_value(sound, field, value);
        if (field.name != "checksum") {
          format::store(MutableBytes(table), 8,
                        format::checksum64(Bytes(table).subspan(16), frames));
        }
        std::copy(table.begin(), table.end(),
                  taken_.data.begin() + static_cast<std::ptrdiff_t>(at));
      });
    }
    taken_.data = sound_data;
    return true;
  }));
}

constexpr auto kNameOf = [](const auto& base) { return std::string(base.param.name); };
INSTANTIATE_TEST_SUITE_P(Base, BodyFields, ::testing::ValuesIn(kBaseImages), kNameOf);
INSTANTIATE_TEST_SUITE_P(Base, RecordFields, ::testing::ValuesIn(kBaseImages), kNameOf);

}  // namespace
}  // namespace dgfs::test
