// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_index_size DIR [LEVEL [DICTIONARY_KIB]]: how large the index pages of a tree are, by column,
// and how fast they are made and opened. No image is written.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <vector>

#include "format/coding.h"
#include "format/extent.h"
#include "format/key.h"
#include "format/mode.h"
#include "format/page.h"

namespace dgfs::bench {
namespace {

using format::Entry;

/// The entry of one object; hard links count as separate files here.
Entry entry_of(const std::filesystem::path& path, const std::string& relative) {
  struct stat status = {};
  Entry entry;
  if (lstat(path.c_str(), &status) != 0) return entry;
  entry.key = format::key_of_path(relative).value();
  entry.mode = status.st_mode;
  entry.uid = status.st_uid;
  entry.gid = status.st_gid;
  entry.mtime = {status.st_mtim.tv_sec, static_cast<std::uint32_t>(status.st_mtim.tv_nsec)};
  if (format::is_regular(entry.mode)) {
    entry.size_bytes = static_cast<std::uint64_t>(status.st_size);
    entry.stored_bytes = format::raw_extent_bytes(entry.size_bytes);
  } else if (format::is_symlink(entry.mode)) {
    entry.target = std::filesystem::read_symlink(path).string();
    entry.target.resize(std::min(entry.target.size(), format::kInlineTargetBytesMax));
    entry.size_bytes = entry.target.size();
  } else if (format::is_device(entry.mode)) {
    entry.rdev = status.st_rdev;
  }
  return entry;
}

std::vector<Entry> scan(const std::filesystem::path& root) {
  std::vector<Entry> entries{entry_of(root, "")};
  for (const auto& item : std::filesystem::recursive_directory_iterator(root)) {
    entries.push_back(entry_of(item.path(), item.path().lexically_relative(root).string()));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  return entries;
}

/// Bytes of each zstd block of a payload, its header included; the codec starts one per column
/// group.
void add_blocks(Bytes payload, std::vector<std::size_t>& bytes_by_block) {
  std::size_t at = 2;  // frame header: descriptor and window
  for (std::size_t block = 0; at + 3 <= payload.size(); ++block) {
    const auto header = format::load<std::uint16_t>(payload, at) | payload[at + 2] << 16;
    const bool is_run = ((header >> 1) & 3) == 1;
    const auto bytes = 3 + (is_run ? 1u : static_cast<unsigned>(header) >> 3);
    if (bytes_by_block.size() <= block) bytes_by_block.resize(block + 1);
    bytes_by_block[block] += bytes;
    at += bytes;
    if ((header & 1) != 0) break;
  }
}

/// Processor time, so that other work on the machine does not show.
double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// One model and one table.
class Dictionaries final : public format::PageDictionaries {
 public:
  const format::Model* model(std::uint16_t) const override { return model_used.get(); }
  const format::AttributeTable* attribute_table(std::uint16_t) const override { return &table; }
  std::shared_ptr<const format::Model> model_used = format::Model::empty();
  format::AttributeTable table{1};
};

std::vector<format::EncodedPage> fill(const std::vector<Entry>& entries,
                                      const format::PageContext& context) {
  std::vector<format::EncodedPage> pages;
  std::size_t guess = 500;
  std::span<const Entry> rest(entries);
  while (!rest.empty()) {
    auto page =
        format::fill_page(*format::find_page_codec(format::kColumnCodec), rest, context, guess);
    rest = rest.subspan(page.value().entry_count);
    pages.push_back(std::move(page).value());
  }
  return pages;
}

void train(const std::vector<Entry>& entries, std::size_t capacity_bytes, int level,
           Dictionaries& dictionaries) {
  format::PageContext context{dictionaries.model_used.get(), &dictionaries.table, level};
  std::vector<Buffer> samples;
  std::span<const Entry> rest(entries);
  for (const auto& page : fill(entries, context)) {
    context.prefix_bytes = page.prefix.size();
    samples.push_back(format::find_page_codec(format::kColumnCodec)
                          ->columns(rest.first(page.entry_count), context)
                          .value());
    rest = rest.subspan(page.entry_count);
  }
  dictionaries.model_used = format::Model::train(1, samples, capacity_bytes).value();
}

void measure(const std::vector<Entry>& entries, int level, std::size_t dictionary_bytes) {
  Dictionaries dictionaries;
  for (const auto& entry : entries) {
    dictionaries.table.intern({entry.mode, entry.uid, entry.gid});
  }
  if (dictionary_bytes > 0) train(entries, dictionary_bytes, level, dictionaries);
  auto start = std::clock();
  const auto pages = fill(entries, {dictionaries.model_used.get(), &dictionaries.table, level});
  const auto encode_seconds = seconds_since(start);
  std::size_t payload_bytes = 0;
  std::size_t bounds_bytes = 0;
  std::vector<std::size_t> by_block;
  for (const auto& page : pages) {
    const auto header = format::read_page_header(page.bytes).value();
    payload_bytes += header.payload_bytes;
    bounds_bytes += page.prefix.size();
    add_blocks(Bytes(page.bytes).subspan(format::kPageHeaderBytes, header.payload_bytes), by_block);
  }
  start = std::clock();
  std::size_t found = 0;
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& page : pages)
      found += format::decode_page(page.bytes, dictionaries).value()->size();
  }
  const auto decode_seconds = seconds_since(start) / kRounds;
  const auto count = static_cast<double>(entries.size());
  const auto model_bytes = dictionaries.model_used->bytes().size();
  fmt::print(
      "level {:2} dict {:6}: {} pages, {:.3f} B/entry, with dict {:.3f}; fill {:.2f} %, "
      "prefixes {:.1f} B/page\n",
      level, model_bytes, pages.size(), static_cast<double>(pages.size() * 4096) / count,
      static_cast<double>(pages.size() * 4096 + model_bytes) / count,
      100.0 * static_cast<double>(payload_bytes) /
          static_cast<double>(pages.size() * format::kPagePayloadBytesMax),
      static_cast<double>(bounds_bytes) / static_cast<double>(pages.size()));
  fmt::print("  encode {:.0f} entries/s ({:.2f} ms/page), decode {:.1f} us/page; blocks",
             count / encode_seconds, 1e3 * encode_seconds / static_cast<double>(pages.size()),
             1e6 * decode_seconds / static_cast<double>(pages.size()));
  for (const auto bytes : by_block) fmt::print(" {:.3f}", static_cast<double>(bytes) / count);
  fmt::print("{}\n", found == entries.size() * kRounds ? "" : " ENTRIES LOST");
}

int run(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: dgfs_index_size DIR [LEVEL [DICTIONARY_KIB]]\n");
    return 2;
  }
  const auto entries = scan(argv[1]);
  fmt::print("{} entries\n", entries.size());
  const int level = argc > 2 ? std::stoi(argv[2]) : 0;
  measure(entries, level, argc > 3 ? std::stoul(argv[3]) * 1024 : 0);
  return 0;
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) { return dgfs::bench::run(argc, argv); }
