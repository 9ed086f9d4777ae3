// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// make_seeds FOLDER GOLDEN: writes the seed corpora of the fuzz targets, FOLDER/TARGET/NAME, from
// the encoders' output and from real images. The build runs it, so that seeds follow the format.
#include <cstdio>
#include <filesystem>

#include "format/coding.h"
#include "format/column/entry_columns.h"
#include "format/content/extent.h"
#include "format/content/seek_table.h"
#include "format/header/section.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/model.h"
#include "format/page/directory.h"
#include "format/page/root.h"
#include "format/section/digest_page.h"
#include "format/section/digest_table.h"
#include "format/section/directory_table.h"
#include "format/section/inode_runs.h"
#include "format/section/sparse_map.h"
#include "format/section/volume_origins.h"
#include "format/section/xattr_set.h"
#include "format/zstd/payload.h"
#include "tests/fuzz/fuzz_tables.h"
#include "tests/fuzz/image_seeds.h"
#include "tests/fuzz/seed_corpus.h"
#include "tests/fuzz/store_seeds.h"
#include "tests/support/entry_generator.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

constexpr std::uint8_t kFirst = 0;
constexpr std::uint8_t kSecond = 1;
constexpr std::uint8_t kThird = 2;
constexpr std::uint8_t kFourth = 3;
constexpr std::uint8_t kFifth = 4;

/// A small tree, or link records, with attribute combinations of fuzz_attributes() only.
std::vector<format::Entry> entries(std::uint64_t seed, bool links) {
  EntryGenerator generator(seed);
  EntryOptions options;
  options.entry_count = 12 + 10 * seed;
  options.special_percent = options.link_percent = options.feature_percent = 15;
  options.wild_names = seed % 2 == 0;
  auto made =
      links ? generator.link_records(options.entry_count, options) : generator.tree(options);
  for (auto& entry : made) {
    if (entry.link_inode != 0) continue;
    entry.mode = format::type_of(entry.mode) | 0640;
    entry.uid = entry.gid = entry.uid % 2 == 0 ? 0 : 1000;
  }
  return made;
}

/// The same entries with gaps, small ones and some that nearly fill the bound of their sum.
std::vector<format::Entry> with_gaps(std::vector<format::Entry> made, std::uint64_t seed) {
  EntryGenerator generator(seed);
  std::uint64_t far_gaps = 2;
  for (auto& entry : made) {
    const bool is_in_sum =
        entry.stored_bytes != 0 && !entry.address && entry.fragment_offset.value_or(0) == 0;
    if (!is_in_sum || !generator.chance(40)) continue;
    const bool is_far = far_gaps != 0 && generator.chance(20);
    entry.gap_bytes = is_far ? std::uint64_t{1} << (60 + far_gaps--) : 1 + generator.below(5000);
    if (is_far) entry.gap_bytes -= 1 + generator.below(1 << 20);
  }
  return made;
}

void add_pages(const std::filesystem::path& folder) {
  SeedCorpus corpus(folder, "page");
  auto table = fuzz_attributes();
  const auto model = format::Model::empty();
  const format::PageContext context{model.get(), &table};
  const FuzzDictionaries dictionaries;
  const format::PageContext token_context{dictionaries.model(kFuzzTokenModel), &table};
  const format::PageContext of_contexts{dictionaries.model(kFuzzContextModel), &table};
  const auto add_page = [&](std::uint8_t codec, std::span<const format::Entry> made,
                            const format::PageContext& with) {
    auto guess = made.size();
    const auto page = format::fill_page(*format::find_page_codec(codec), made, with, guess).value();
    const auto header = format::read_page_header(page.bytes).value();
    corpus.add(Bytes(page.bytes).subspan(format::kPageHeaderBytes, header.payload_bytes), kFirst,
               header.codec, header.flags, header.model_id, header.attribute_table,
               header.entry_count, header.decoded_bytes);
  };
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto made = entries(seed, seed % 4 == 3);
    add_page(format::kColumnCodec, made, context);
    if (seed % 4 != 3) add_page(format::kTokenCodec, made, token_context);
    if (seed % 4 != 3) add_page(format::kTokenCodec, made, of_contexts);
    const auto columns = format::encode_columns(made, 0, table).value().value();
    corpus.add(columns.bytes, kSecond, static_cast<std::uint16_t>(made.size()));
    if (seed % 4 == 3) continue;
    const auto far_apart = with_gaps(made, seed);
    add_page(format::kTokenCodec, far_apart, token_context);
    add_page(format::kTokenCodec, far_apart, of_contexts);
  }
}

void add_page_blocks(const std::filesystem::path& folder) {
  SeedCorpus corpus(folder, "page_block");
  for (const std::size_t count : {0u, 1u, 20u}) {
    std::vector<format::PageRecord> records;
    for (std::size_t i = 0; i < count; ++i) {
      format::PageRecord record;
      record.prefix = "some/directory" + std::to_string(10 + i / 4);
      record.separator = std::string(1 + i % 4, 'a');
      record.first_ordinal = i * 600;
      record.entry_count = 600;
      record.volume = static_cast<format::VolumeNumber>(i / 9);
      record.first_data_offset = 4096 + i * 100'000;
      record.checksum = i * 0x9e3779b97f4a7c15;
      record.zone = i + 1 == count ? format::kLinkZone : 0;
      records.push_back(record);
    }
    corpus.add(format::encode_page_block(records));
  }
}

template <class Encode>
Buffer encoded(Encode encode) {
  Buffer out;
  encode(out);
  return out;
}

format::Superblock superblock() {
  format::Superblock made;
  made.index_bytes = 5 * format::kPageBytes;
  made.namespace_entries = 300;
  made.link_entries = 1;
  made.next_inode = 301;
  std::uint64_t offset = 3 * format::kPageBytes;
  for (const auto kind :
       {SectionKind::kPages, SectionKind::kPageDirectory, SectionKind::kDirectoryTable,
        SectionKind::kAttributeTables, SectionKind::kInodeRuns, SectionKind::kVolumes}) {
    const bool is_pages = kind == SectionKind::kPages;
    auto& place = made.sections[static_cast<std::size_t>(kind)];
    place = {kind, is_pages ? format::kPageBytes : offset, is_pages ? 2 * format::kPageBytes : 100};
    offset += is_pages ? 0 : 104;
  }
  return made;
}

format::VolumeHeader volume_header() {
  format::VolumeHeader made;
  made.data_end = 5000;
  made.index_offset = 2 * format::kPageBytes;
  made.index_bytes = 5 * format::kPageBytes;
  made.file_bytes = 8 * format::kPageBytes;
  return made;
}

void add_tables(SeedCorpus& corpus) {
  corpus.add(encoded([](Buffer& out) {
               format::encode_directory_list(out, 3, std::vector<std::uint64_t>{0, 2});
               format::encode_directory_list(out, 1, {});
               format::encode_directory_list(out, 0, {});
             }),
             std::uint8_t{2}, std::uint16_t{5});
  corpus.add(encoded([](Buffer& out) {
               format::InodeRuns::make({{1, 0, 4}, {20, 4, 3}, {10, 7, 2}}, 9).value().encode(out);
             }),
             std::uint8_t{3}, std::uint16_t{9});
  const Buffer first = encoded([](Buffer& out) {
    format::InodeRuns::make({{1, 0, 4}, {0, 4, 3}}, 7, format::Numbering::kSplit)
        .value()
        .encode(out);
  });
  const Buffer second = {2, 90, 1, 0, 1};  // two runs: number 90, and a name without a number
  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  corpus.add(both, std::uint8_t{17}, std::uint16_t{9}, static_cast<std::uint16_t>(first.size()));
  corpus.add(encoded([](Buffer& out) {
               format::encode_volume_table({{0, 9000, "a.dgfs"}, {7, 4096, ""}}, out);
             }),
             std::uint8_t{4});
  corpus.add(encoded([](Buffer& out) { fuzz_attributes().encode(out); }), std::uint8_t{5});
  format::VolumeOrigin origin{1, {}, 0, 0x1122334455667788, 5000, false};
  std::vector<format::VolumeOrigin> origins;
  for (const auto number : std::initializer_list<format::VolumeNumber>{1, 2, 65535}) {
    origin.number = number;
    origin.own_number = static_cast<format::VolumeNumber>(number / 2);
    origin.image.fill(static_cast<std::uint8_t>(number));
    origin.is_of_merge = number == 2;
    origins.push_back(origin);
    corpus.add(encoded([&](Buffer& out) { format::encode_volume_origins(origins, out); }),
               std::uint8_t{16});
  }
  corpus.add(Buffer(16, 's'), std::uint8_t{18});
}

void add_side_records(SeedCorpus& corpus) {
  format::SparseMap map;
  map.add(0, 4096);
  map.add(1 << 20, 100);
  corpus.add(encoded([&](Buffer& out) { map.encode(out); }), std::uint8_t{6},
             std::uint64_t{1} << 21);
  corpus.add(encoded([](Buffer& out) {
               format::encode_xattr_set({{"user.a", Buffer(5, 'v')}, {"user.b", {}}}, out);
             }),
             std::uint8_t{7});
}

void add_digests(SeedCorpus& corpus) {
  const std::vector<format::Ordinal> firsts = {1, 130, 70'000};
  corpus.add(encoded([&](Buffer& out) {
               format::encode_digest_table(format::DigestAlgorithm::kSha256, firsts, 0, out);
             }),
             std::uint8_t{12}, static_cast<std::uint16_t>(firsts.size()), std::uint64_t{1} << 20);
  format::DigestPageFiller filler;
  for (format::Ordinal i = 0; i < format::kDigestPageDigests; ++i) filler.add(7 + i * 9, {1});
  corpus.add(Bytes(filler.take(0)).subspan(format::kRecordChecksumBytes), std::uint8_t{13},
             std::uint16_t{1900});
}

void add_sections(const std::filesystem::path& folder) {
  SeedCorpus corpus(folder, "sections");
  for (const std::size_t bytes : {0u, 10u, 3000u}) {
    corpus.add(encoded([&](Buffer& out) {
                 format::seal_block(SectionKind::kVolumes, Buffer(bytes, 'b'), out);
               }),
               std::uint8_t{0}, static_cast<std::uint8_t>(SectionKind::kVolumes));
  }
  corpus.add(Buffer(20, 'r'), std::uint8_t{1}, std::uint64_t{28});
  add_tables(corpus);
  add_side_records(corpus);
  corpus.add(encoded([](Buffer& out) {
               format::encode_page_root(
                   {{0, "", 0, 0, 512, 0, 9000}, {0, "b", 512, 512, 3, 9000, 99}}, out);
             }),
             std::uint8_t{8});
  add_digests(corpus);
  corpus.add(format::encode_superblock(superblock()), std::uint8_t{9});
  corpus.add(format::encode_volume_header(volume_header()), std::uint8_t{10});
}

void add_extents(const std::filesystem::path& folder) {
  SeedCorpus corpus(folder, "extent");
  for (const std::size_t bytes : {1u, 3000u}) {
    Buffer content(bytes);
    for (std::size_t i = 0; i < bytes; ++i) content[i] = static_cast<std::uint8_t>(i % 7 * i);
    Buffer raw;
    Buffer packed;
    format::append_raw_extent(content, raw);
    if (!format::append_zstd_extent(content, 3, packed)) std::abort();
    const auto length = static_cast<std::uint32_t>(bytes - 1);
    corpus.add(raw, kFirst, std::uint8_t{0}, std::uint8_t{0}, length);
    corpus.add(packed, kFirst, std::uint8_t{1}, std::uint8_t{0}, length);
  }
  constexpr std::size_t kLongBytes = 400'000;
  Buffer long_extent;
  if (!format::append_zstd_extent(Buffer(kLongBytes, 'z'), 3, long_extent)) std::abort();
  const auto table =
      format::seek_table_bytes(format::frame_count(format::ExtentCodec::kZstd, kLongBytes));
  corpus.add(Bytes(long_extent).last(static_cast<std::size_t>(table)), kSecond,
             static_cast<std::uint32_t>(kLongBytes),
             static_cast<std::uint32_t>(long_extent.size()));

  const auto& dictionary = fuzz_content_dictionaries().all().at(kFuzzDictionary);
  const auto content = fuzz_sample(7);
  Buffer named;
  if (!format::append_zstd_extent(content, 3, named, &dictionary)) std::abort();
  const auto length = static_cast<std::uint32_t>(content.size() - 1);
  corpus.add(named, kThird, std::uint8_t{1}, std::uint8_t{0}, length);
  corpus.add(named, kFifth);
  auto both = encoded([&](Buffer& out) { format::encode_content_dictionary(dictionary, out); });
  const auto dictionary_bytes = static_cast<std::uint16_t>(both.size());
  format::Encoder encoder(both);
  encoder.fixed(std::uint8_t{1});
  encoder.fixed(std::uint8_t{0});
  encoder.fixed(length);
  encoder.raw(named);
  corpus.add(both, kFourth, dictionary_bytes);
}

void add_keys(const std::filesystem::path& folder) {
  using namespace std::string_view_literals;
  SeedCorpus corpus(folder, "key");
  for (const auto key : {"\0"sv, "\0name"sv, "a\0bb\0\0name"sv, "a/b/../c"sv, "//x/./y/"sv}) {
    corpus.add(as_bytes(key));
  }
}

void add_models(const std::filesystem::path& folder) {
  SeedCorpus corpus(folder, "model");
  std::vector<Buffer> samples;
  for (std::size_t i = 0; i < 200; ++i) samples.push_back(fuzz_sample(i));
  const auto model = format::Model::train(1, samples, 1024).value();
  const auto payload = format::compress_payload(samples[7], {}, *model, 3).value();
  auto bytes = payload;
  bytes.insert(bytes.end(), model->bytes().begin(), model->bytes().end());
  corpus.add(bytes, static_cast<std::uint16_t>(payload.size()), std::uint16_t{100});
  corpus.add(format::encode_token_model(some_token_model(1, 2)), std::uint32_t{0});
  corpus.add(format::encode_token_model(some_token_model(1, 2, true)), std::uint32_t{0});
}

/// text_fuzz: a byte that picks the parser, and text.
void add_texts(const std::filesystem::path& folder) {
  SeedCorpus corpus(folder, "text");
  const auto add = [&](std::uint8_t parser, std::initializer_list<std::string_view> texts) {
    for (const auto text : texts) corpus.add(as_bytes(text), parser);
  };
  add(0, {"ro\nallow_other\nuid=1000\ngid=4294967294\numask=022\noffset=4K\ncheck=all",
          "index=/some/where\nvolume=/a\nvolume=/b,c\nmax_read=65536\nfsname=x\nnoprefetch\n"
          "page_cache=1G",
          "suid\ndev\nnoexec\nsloppy\nunknown=1\nx-systemd.automount\n_netdev", "rw\nremount"});
  add(1, {"/i\n/mnt\n-o\nrw,suid,uid=7\n-s\n-n", "/i\n/mnt\n-f\n-v\n-t\nfuse.dgfs", "-h"});
  add(2, {"-name\n*.[ch]\n-o\n!\n-type\nf,d\n-size\n+3k", "d\n-maxdepth\n2\n-ls\n-o\n-print0",
          "(\n-mtime\n-3.5\n-newermt\n2001-02-03 04:05:06\n)\n-prune\n,\n-true\n-quit",
          "-printf\n%10p %-5s %TY-%Tm %04m %l\\n\\0\\101\n-perm\n/u+s,g=rw\n-uid\n+7",
          "-ipath\n*D*\n-a\n-links\n1\n-empty\n-daystart\n-mmin\n5\n-samefile\nd/one",
          "--json\n-inum\n2\n-depth\n-xtype\nl\n-lname\nd*", "--help"});
  add(3, {"# rules\n+ *.c\n- /d/**/x\n!\nd/***\n*\n", "; none\n[!a-c]?[[:digit:]]/\n\\*\n**\r\n",
          "[z-a]\n[\n[[:none:]]\n***\n/\n//\n"});
  add(4, {"d/one\n./d//../e/\n/\n\r\nempty\n", "d\n\ne/f", "."});
  add(5, {"4K",
          "18446744073709551615",
          "1.5G",
          "7Ei",
          "+12",
          "-3.25",
          "0x10",
          "17179869184G",
          "2001-02-03 04:05:06.789",
          "now",
          "yesterday",
          "2026-11-22T10:00:00Z",
          "@1700000000",
          "zstd:19",
          "none",
          "u+rwx,go-w",
          "07777",
          "=u",
          "+3c",
          "1b",
          "root",
          "%-10n %Y %x %%\\n",
          "+%Y-%m-%d\n%H:%M",
          "long-iso"});
}

}  // namespace
}  // namespace dgfs::test

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FOLDER GOLDEN\n", argv[0]);
    return 2;
  }
  const dgfs::test::OwnSeeds own_seeds;  // each build makes the same files
  const std::filesystem::path folder(argv[1]);
  std::filesystem::remove_all(folder);
  dgfs::test::add_pages(folder);
  dgfs::test::add_page_blocks(folder);
  dgfs::test::add_sections(folder);
  dgfs::test::add_extents(folder);
  dgfs::test::add_keys(folder);
  dgfs::test::add_models(folder);
  dgfs::test::add_texts(folder);
  dgfs::test::add_store_seeds(folder);
  dgfs::test::add_manifest_seeds(folder);
  dgfs::test::add_filter_seeds(folder);
  const auto images = dgfs::test::seed_images(argv[2]);
  dgfs::test::add_image_seeds(folder, images);
  for (const auto& image : images) dgfs::test::add_piece_seeds(folder, image);
  return 0;
}
