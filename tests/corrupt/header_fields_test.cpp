// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sets every fixed field of the format to every value that could hurt: once with the old checksum,
// which must find it, and once with checksums made to fit, so that checks of bounds must find it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "format/coding.h"
#include "format/limits.h"
#include "format/page/header.h"
#include "tests/corrupt/prober.h"
#include "tests/corrupt/sample_image.h"
#include "tests/support/format_fields.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::kPageBytes;
using format::SectionKind;

constexpr const FieldTable& (*kTables[])() = {
    superblock_fields, section_row_fields, volume_header_fields, sealed_block_fields, page_fields};

// A field added to the format without a row here would go untested.
TEST(FormatFields, AreAllOfTheirStructures) {
  for (const auto& table : kTables) {
    std::size_t end = 0;
    for (const auto& row : table().rows) {
      EXPECT_EQ(row.offset, end) << table().name << " " << row.name;
      end = row.offset + row.size_bytes;
    }
    EXPECT_EQ(end, table().size_bytes) << table().name;
  }
  const TakenImage taken(sample_image());
  const auto index = taken.index();
  EXPECT_EQ(format::load<std::uint32_t>(index, 12), superblock_fields().size_bytes);
  EXPECT_EQ(format::load<std::uint32_t>(sample_image(), 12), volume_header_fields().size_bytes);
  EXPECT_EQ(format::kSealedBlockHeaderBytes, sealed_block_fields().size_bytes);
  EXPECT_EQ(format::kPageHeaderBytes, page_fields().size_bytes);
}

// Calls `use` with a copy of `sound` for all fields and values of in_corpus_share().
void for_each_value(const FieldTable& table, const Buffer& sound, std::size_t at,
                    const std::function<void(const FieldRow&, Buffer, const std::string&)>& use) {
  std::size_t count = 0;
  for (const auto& row : table.rows) {
    const auto step = std::min<std::size_t>(row.size_bytes, row.size_bytes > 8 ? 1 : 8);
    const auto first = at + row.offset;
    const auto last = row.size_bytes > 8 ? first + row.size_bytes - 1 : first;
    for (auto place = first; place <= last; place += step) {
      for (const auto value : hostile_values(load_field(sound, place, step), step)) {
        if (!in_corpus_share(++count)) continue;
        auto damaged = sound;
        store_field(damaged, place, step, value);
        use(row, std::move(damaged),
            std::string(table.name) + " at " + std::to_string(at) + ", " + std::string(row.name) +
                " = " + std::to_string(value));
      }
    }
  }
}

// The errors that a field may cause if the checksums fit. A value may also do no harm.
using Codes = std::set<std::uint16_t>;
struct FieldDesign {
  std::string_view table;
  std::string_view field;
  Codes codes;
};

const Codes& designed_codes(std::string_view table, std::string_view field) {
  static const FieldDesign kDesigns[] = {
      {"superblock", "magic", {2541}},
      {"superblock", "version_major", {2543, 2544}},
      {"superblock", "header_bytes", {2546}},
      {"superblock", "compat", {2572, 2969, 3066}},
      {"superblock", "incompat", {2545, 2570, 2687, 3025, 3026, 3044, 3071}},
      {"superblock", "uuid", {3100}},
      {"superblock", "index_bytes", {2571}},
      {"superblock", "namespace_entries", {2569, 2570, 3015}},
      {"superblock", "link_entries", {2569, 3015}},
      {"superblock", "next_inode", {2570, 3017}},
      {"superblock", "section_count", {2547, 2565, 2567}},
      {"superblock", "reserved", {2560}},
      {"section row", "kind", {2500, 2503, 2565, 2568, 2960, 2968, 2969, 3002, 3085, 3150, 3250}},
      {"section row", "reserved", {2566}},
      {"section row", "offset", {2561, 2563}},
      {"section row", "length", {2500, 2501, 2561, 2562, 2563, 2564, 2968, 2969, 3002, 3150, 3250}},
      {"volume header", "magic", {3105}},
      {"volume header", "version_major", {2543, 2544}},
      {"volume header", "header_bytes", {2546}},
      {"volume header", "incompat", {2545}},
      {"volume header", "uuid", {3100}},
      {"volume header", "number", {3103}},
      {"volume header", "reserved", {2600}},
      {"volume header", "data_end", {2602, 3083, 3150}},
      {"volume header", "index_offset", {2603}},
      {"volume header", "index_bytes", {2603}},
      {"volume header", "file_bytes", {2601}},
      {"sealed block", "stored_bytes", {2501, 2506, 2522}},
      {"sealed block", "decoded_bytes", {2502, 2506, 2523, 2524}},
      {"sealed block", "kind", {2503}},
      {"sealed block", "codec", {2504, 2506}},
      {"sealed block", "reserved", {2505}},
      {"page", "magic", {2131}},
      {"page", "codec", {2139, 2145, 2911, 2931, 2940}},
      {"page",
       "flags",
       {2133, 2915, 2916, 2917, 2918, 2919, 2920, 2940, 3083, 3084, 3085, 3089, 3905}},
      {"page", "model_id", {2146, 2931}},
      {"page", "attribute_table", {2147}},
      {"page", "entry_count", {2134, 3040}},
      {"page", "decoded_bytes", {2135, 2143, 2144, 2910, 2918, 2921}},
      {"page", "payload_bytes", {2136, 2138, 2139, 2911}},
      {"page", "reserved", {2137}},
  };
  static const Codes kNone;
  for (const auto& design : kDesigns) {
    if (design.table == table && design.field == field) return design.codes;
  }
  return kNone;
}

void expect_codes(const Codes& codes, const Findings& findings, const std::string& what) {
  for (const auto& error : findings.errors) {
    EXPECT_TRUE(codes.contains(error.code())) << what << ": " << findings.text();
  }
}

void expect_designed(const FieldTable& table, const FieldRow& row, const Findings& findings,
                     const std::string& what) {
  const auto& codes = designed_codes(table.name, row.name);
  EXPECT_EQ(codes.empty(), row.verdict != Verdict::kBounds) << row.name;
  expect_codes(codes, findings, what);
}

class HeaderFields : public ::testing::TestWithParam<BaseImage> {
 protected:
  ImageFiles files_ = GetParam().files();
  const Buffer& sound_ = files_.image;
  TakenImage taken_{sound_};
  std::size_t index_at_ = static_cast<std::size_t>(taken_.header.index_offset);
  format::Superblock places_ = taken_.superblock;
  Prober prober_{files_};

  Findings probe(Buffer image, const std::string& what, Promise promise = Promise::kTruth) {
    return prober_.probe({std::move(image), {}}, promise, what);
  }
  // Puts every value into the header of a volume: into one of its two pages, then into both.
  void try_volume_header(
      const Buffer& sound,
      const std::function<Findings(Buffer volume, const std::string& what)>& probe_volume,
      const std::function<bool(const Findings& both)>& is_refused, const Codes* codes = nullptr);
};

TEST_P(HeaderFields, OfTheSuperblock) {
  for_each_value(
      superblock_fields(), sound_, index_at_,
      [&](const FieldRow& row, Buffer image, const std::string& what) {
        const auto findings = probe(image, what + ", wrong checksum");
        EXPECT_TRUE(findings.has(row.name == "magic" ? 2541 : 2542)) << what << findings.text();
        reseal_header_page(image, index_at_);
        // Only the list tells the names of an object without numbers for them.
        const auto promise = row.name == "compat" ? Promise::kSense : Promise::kTruth;
        expect_designed(superblock_fields(), row, probe(std::move(image), what, promise), what);
      });
}

TEST_P(HeaderFields, OfTheSectionTable) {
  const auto rows = format::load<std::uint32_t>(sound_, index_at_ + 144);
  ASSERT_GE(rows, 6U);
  for (std::size_t i = 0; i < rows; ++i) {
    for_each_value(section_row_fields(), sound_, index_at_ + 152 + 24 * i,
                   [&](const FieldRow& row, Buffer image, const std::string& what) {
                     EXPECT_TRUE(probe(image, what + ", wrong checksum").has(2542)) << what;
                     reseal_header_page(image, index_at_);
                     expect_designed(section_row_fields(), row, probe(std::move(image), what),
                                     what);
                   });
  }
}

void HeaderFields::try_volume_header(
    const Buffer& sound,
    const std::function<Findings(Buffer volume, const std::string& what)>& probe_volume,
    const std::function<bool(const Findings& both)>& is_refused, const Codes* codes) {
  const auto last = sound.size() - kPageBytes;
  for_each_value(
      volume_header_fields(), sound, 0,
      [&](const FieldRow& row, Buffer volume, const std::string& what) {
        const auto one = probe_volume(volume, what + ", wrong checksum, first page only");
        EXPECT_LE(one.errors.size(), 1U) << what << one.text();
        std::copy_n(volume.begin(), kPageBytes, volume.begin() + static_cast<long>(last));
        const auto both = probe_volume(volume, what + ", wrong checksum, both pages");
        EXPECT_TRUE(is_refused(both)) << what << both.text();
        reseal_header_page(volume, 0);
        reseal_header_page(volume, last);
        const auto fits = probe_volume(std::move(volume), what);
        expect_codes(codes != nullptr ? *codes : designed_codes("volume header", row.name), fits,
                     what);
      });
}

TEST_P(HeaderFields, OfTheVolumeHeader) {
  try_volume_header(
      sound_, [&](Buffer image, const std::string& what) { return probe(std::move(image), what); },
      [](const Findings& both) { return both.has(2542) || both.has(3105); });
}

// A further volume with a damaged header counts as missing: only its contents are lost.
TEST_P(HeaderFields, OfFurtherVolumes) {
  for (const auto& [name, bytes] : files_.volumes) {
    const auto probe_volume = [&, &name = name](Buffer volume, const std::string& what) {
      auto files = files_;
      files.volumes[name] = std::move(volume);
      const auto findings = prober_.probe(files, Promise::kTruth, name + ", " + what);
      EXPECT_EQ(findings.walked, places_.namespace_entries) << what;
      return findings;
    };
    const Codes codes = {3071, 3083, 3150};
    try_volume_header(
        bytes, probe_volume, [](const Findings& both) { return both.has(3071); }, &codes);
  }
}

TEST_P(HeaderFields, OfSealedBlocks) {
  for (const auto& place : places_.sections) {
    if (place.length_bytes == 0 || !has_blocks(place.kind)) continue;
    const auto at = index_at_ + static_cast<std::size_t>(place.offset_bytes);
    // The reader loads the other sections only when it needs them.
    const bool is_loaded =
        place.kind != SectionKind::kPageRoot && place.kind != SectionKind::kDigestTable &&
        place.kind != SectionKind::kLinkNames && place.kind != SectionKind::kLinkTable &&
        place.kind != SectionKind::kState;
    for_each_value(sealed_block_fields(), sound_, at,
                   [&](const FieldRow& row, Buffer image, const std::string& what) {
                     const auto left = probe(image, what + ", wrong checksum");
                     EXPECT_EQ(left.errors.size(), 1U) << what << left.text();
                     EXPECT_TRUE(!is_loaded || left.answers == 0) << what;
                     if (row.verdict == Verdict::kChecksum) return;
                     reseal_block(image, at, place.kind);
                     const auto fits = probe(std::move(image), what);
                     EXPECT_FALSE(fits.errors.empty()) << what;
                     expect_designed(sealed_block_fields(), row, fits, what);
                   });
  }
}

TEST_P(HeaderFields, OfPages) {
  const auto at = index_at_ + kPageBytes;
  for_each_value(page_fields(), sound_, at,
                 [&](const FieldRow&, Buffer image, const std::string& what) {
                   const auto left = probe(image, what + ", wrong checksum");
                   EXPECT_TRUE(left.has(2131) || left.has(2132)) << what << left.text();
                 });
  const auto pages = taken_.pages();
  for (std::size_t page = 0; page < pages.size() / kPageBytes; ++page) {
    for_each_value(page_fields(), pages, page * kPageBytes,
                   [&](const FieldRow& row, Buffer damaged, const std::string& what) {
                     if (row.verdict == Verdict::kChecksum) return;
                     taken_.pages() = std::move(damaged);
                     taken_.reseal_page(page);
                     // Without its gaps a page gives its files other places.
                     const auto promise = row.name == "flags" ? Promise::kSense : Promise::kTruth;
                     const auto findings = probe(taken_.image(), what, promise);
                     expect_designed(page_fields(), row, findings, what);
                   });
    taken_ = TakenImage(sound_);
  }
}

INSTANTIATE_TEST_SUITE_P(Base, HeaderFields, ::testing::ValuesIn(kBaseImages),
                         [](const auto& base) { return std::string(base.param.name); });

}  // namespace
}  // namespace dgfs::test
