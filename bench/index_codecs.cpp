// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_index_codecs TREE...: compares the page codecs on the entries of a tree: bytes per entry,
// and how fast pages are made, searched and listed. Writes no image. A TREE is a directory,
// regular:N (N^3 numbered files of 4 to 12 KiB) or crawl:N (N files with hashed names below long
// host names).
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <random>
#include <string_view>
#include <vector>

#include "bench/row_pages.h"
#include "builder/train/token_trainer.h"
#include "format/column/codec.h"
#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/header/section.h"
#include "format/page/codec.h"
#include "format/page_open.h"

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

/// A regular file of `bytes`, with the attributes of all files in generated trees.
Entry generated_file(std::string_view path, std::uint64_t bytes) {
  Entry entry;
  entry.key = format::key_of_path(path).value();
  entry.mode = format::kTypeRegular | 0644;
  entry.uid = entry.gid = 1000;
  entry.mtime = {1700000000, 0};
  entry.size_bytes = bytes;
  entry.stored_bytes = format::raw_extent_bytes(bytes);
  return entry;
}

Entry generated_directory(std::string_view path) {
  auto entry = generated_file(path, 0);
  entry.mode = format::kTypeDirectory | 0755;
  entry.stored_bytes = 0;
  return entry;
}

/// `count` directories of `count` directories of `count` files.
std::vector<Entry> regular_tree(unsigned count) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::uint64_t> size(4096, 12288);
  std::vector<Entry> entries{generated_directory("")};
  const auto width = fmt::format("{}", count - 1).size();
  for (unsigned i = 0; i < count; ++i) {
    const auto outer = fmt::format("{:0{}}", i, width);
    entries.push_back(generated_directory(outer));
    for (unsigned j = 0; j < count; ++j) {
      const auto inner = fmt::format("{}/{:0{}}", outer, j, width);
      entries.push_back(generated_directory(inner));
      for (unsigned k = 0; k < count; ++k) {
        entries.push_back(generated_file(fmt::format("{}/{:0{}}", inner, k, width), size(random)));
      }
    }
  }
  return entries;
}

/// A tree as a crawler stores pages: hosts that share long beginnings and ends, below them the hash
/// of the address, sizes over several magnitudes, rising times.
std::vector<Entry> crawl_tree(unsigned count) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> size(9.3, 1.3);
  constexpr const char* kSuffixes[] = {"html", "html", "html", "json", "jpg", "png", "css"};
  std::vector<Entry> entries{generated_directory("")};
  constexpr unsigned kFilesOfHost = 400;
  std::int64_t second = 1700000000;
  for (unsigned host = 0; host * kFilesOfHost < count; ++host) {
    const auto directory = fmt::format("www.host-{:06x}.example.org", random() & 0xffffff);
    entries.push_back(generated_directory(directory));
    for (unsigned i = 0; i < kFilesOfHost; ++i) {
      const auto path = fmt::format("{}/{:016x}{:04x}.{}", directory, random(), random() & 0xffff,
                                    kSuffixes[random() % std::size(kSuffixes)]);
      entries.push_back(generated_file(path, static_cast<std::uint64_t>(size(random))));
      second += static_cast<std::int64_t>(random() % 4);
      entries.back().mtime = {second, static_cast<std::uint32_t>(random() % 1000000000)};
    }
  }
  return entries;
}

std::vector<Entry> load(std::string_view tree) {
  const auto number = [&] {
    return static_cast<unsigned>(std::stoul(std::string(tree.substr(tree.find(':') + 1))));
  };
  std::vector<Entry> entries;
  if (tree.starts_with("regular:")) {
    entries = regular_tree(number());
  } else if (tree.starts_with("crawl:")) {
    entries = crawl_tree(number());
  } else {
    return scan(std::filesystem::path(tree));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  return entries;
}

/// Processor time, so that other work on the machine has little effect.
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

constexpr std::size_t kSamples = 64;  // as many as the builder takes

std::vector<format::EncodedPage> fill(const std::vector<Entry>& entries, std::uint8_t codec,
                                      const format::PageContext& context) {
  std::vector<format::EncodedPage> pages;
  std::size_t guess = 500;
  std::span<const Entry> rest(entries);
  while (!rest.empty()) {
    const auto waiting = rest.first(std::min(rest.size(), format::kPageEntriesMax));
    auto page = format::fill_page(*format::find_page_codec(codec), waiting, context, guess);
    if (!page) {
      fmt::print(stderr, "{}\n", page.error().message());
      std::exit(1);
    }
    rest = rest.subspan(page.value().entry_count);
    pages.push_back(std::move(page).value());
  }
  return pages;
}

/// Calls use(run of at most `entries_max` entries) for samples spread over the tree.
template <class Use>
void sample(const std::vector<Entry>& entries, std::size_t entries_max, const Use& use) {
  const auto step = std::max(entries_max, entries.size() / kSamples);
  for (std::size_t at = 0; at < entries.size(); at += step) {
    use(std::span(entries).subspan(at, std::min(entries_max, entries.size() - at)));
  }
}

void train_dictionary(const std::vector<Entry>& entries, Dictionaries& dictionaries) {
  constexpr std::size_t kDictionaryBytes = std::size_t{32} << 10;
  constexpr std::size_t kPageEntries = 600;
  std::vector<Buffer> samples;
  sample(entries, kPageEntries, [&](std::span<const Entry> run) {
    const format::PageContext context{
        .model = dictionaries.model_used.get(),
        .attributes = &dictionaries.table,
        .prefix_bytes = format::shared_prefix_bytes(run.front().key, run.back().key)};
    samples.push_back(format::ColumnCodec().columns(run, context).value());
  });
  dictionaries.model_used = format::Model::train(1, samples, kDictionaryBytes).value();
}

void train_tokens(const std::vector<Entry>& entries, Dictionaries& dictionaries) {
  builder::TokenTrainer trainer;
  const auto of_each = std::min<std::size_t>(entries.size(), 1 << 17) / kSamples + 1;
  sample(entries, of_each,
         [&](std::span<const Entry> run) { trainer.add(run, dictionaries.table); });
  dictionaries.model_used =
      format::Model::make(1, format::ModelKind::kContextTokens, trainer.train(entries.size()))
          .value();
}

/// Looks up entries at random in whole pages that were not decoded before. @return ns per lookup
double time_lookups(const std::vector<Entry>& entries,
                    const std::vector<format::EncodedPage>& pages,
                    const Dictionaries& dictionaries) {
  constexpr int kLookups = 20000;
  std::mt19937_64 random(7);
  std::vector<std::size_t> first_entries;
  std::size_t count = 0;
  for (const auto& page : pages) {
    first_entries.push_back(count);
    count += page.entry_count;
  }
  std::size_t found = 0;
  const auto start = std::clock();
  for (int i = 0; i < kLookups; ++i) {
    const auto entry = random() % entries.size();
    const auto at = std::upper_bound(first_entries.begin(), first_entries.end(), entry) - 1;
    const auto& page = pages[static_cast<std::size_t>(at - first_entries.begin())];
    const auto opened = format::open_page(page.bytes, dictionaries).value();
    const auto key = std::string_view(entries[entry].key).substr(page.prefix.size());
    const auto result = opened->find(key).value();
    if (result && result->entry.size_bytes == entries[entry].size_bytes) ++found;
  }
  const auto seconds = seconds_since(start);
  if (found != kLookups)
    fmt::print(stderr, "{} OF {} LOOKUPS FAILED\n", kLookups - found, kLookups);
  return 1e9 * seconds / kLookups;
}

/// Decodes all pages and touches all keys. @return ns per entry
double time_listing(const std::vector<Entry>& entries,
                    const std::vector<format::EncodedPage>& pages,
                    const Dictionaries& dictionaries) {
  constexpr int kRounds = 5;
  std::size_t key_bytes = 0;
  const auto start = std::clock();
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& page : pages) {
      const auto decoded = format::decode_page(page.bytes, dictionaries).value();
      for (std::size_t i = 0; i < decoded->size(); ++i) key_bytes += decoded->key(i).size();
    }
  }
  const auto seconds = seconds_since(start);
  if (key_bytes == 0) fmt::print(stderr, "NO KEYS\n");
  return 1e9 * seconds / kRounds / static_cast<double>(entries.size());
}

void print_row(std::string_view design, double page_bytes, double model_bytes,
               const std::array<double, 4>& times) {
  fmt::print("  {:<16} {:6.3f} {:6.3f} {:6.3f} {:9.0f} {:9.0f} {:9.2f} {:9.2f}\n", design,
             page_bytes, model_bytes, page_bytes + model_bytes, times[0], times[1], times[2],
             times[3]);
}

void measure_rows(const std::vector<Entry>& entries, const format::AttributeTable& attributes) {
  constexpr int kLookups = 20000;
  const auto count = static_cast<double>(entries.size());
  auto start = std::clock();
  const RowPages pages(entries, attributes);
  const auto made = count / seconds_since(start) / 1e6;
  std::mt19937_64 random(7);
  start = std::clock();
  for (int i = 0; i < kLookups; ++i) {
    const auto entry = random() % entries.size();
    if (pages.find(entry) != static_cast<std::int64_t>(entries[entry].size_bytes)) {
      fmt::print(stderr, "A LOOKUP FAILED\n");
    }
  }
  const auto lookup = 1e9 * seconds_since(start) / kLookups;
  start = std::clock();
  if (pages.list() == 0) fmt::print(stderr, "NO KEYS\n");
  const auto listed = 1e9 * seconds_since(start) / count;
  print_row("rows", static_cast<double>(pages.count() * format::kPageBytes) / count, 0,
            {lookup, listed, made, 0});
}

void measure(std::string_view design, const std::vector<Entry>& entries, std::uint8_t codec,
             Dictionaries& dictionaries, double train_seconds) {
  const auto start = std::clock();
  const auto pages = fill(
      entries, codec, {.model = dictionaries.model_used.get(), .attributes = &dictionaries.table});
  const auto encode_seconds = seconds_since(start);
  Buffer stored_model;
  format::seal_block(format::SectionKind::kModels, dictionaries.model_used->bytes(), stored_model);
  const auto count = static_cast<double>(entries.size());
  const auto page_bytes = static_cast<double>(pages.size() * format::kPageBytes);
  print_row(design, page_bytes / count, static_cast<double>(stored_model.size()) / count,
            {time_lookups(entries, pages, dictionaries), time_listing(entries, pages, dictionaries),
             count / encode_seconds / 1e6, train_seconds});
}

void compare(std::string_view tree) {
  const auto entries = load(tree);
  format::AttributeTable table{1};
  for (const auto& entry : entries) table.intern({entry.mode, entry.uid, entry.gid});
  fmt::print("{}: {} entries\n  {:<16} {:>6} {:>6} {:>6} {:>9} {:>9} {:>9} {:>9}\n", tree,
             entries.size(), "codec", "pages", "model", "B/ent.", "ns/lookup", "ns/listed",
             "M ent./s", "train s");
  measure_rows(entries, table);
  {
    Dictionaries dictionaries;
    dictionaries.table = table;
    measure("columns", entries, format::kColumnCodec, dictionaries, 0);
    const auto start = std::clock();
    train_dictionary(entries, dictionaries);
    measure("columns + dict.", entries, format::kColumnCodec, dictionaries, seconds_since(start));
  }
  Dictionaries dictionaries;
  dictionaries.table = std::move(table);
  const auto start = std::clock();
  train_tokens(entries, dictionaries);
  measure("tokens", entries, format::kTokenCodec, dictionaries, seconds_since(start));
}

int run(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: dgfs_index_codecs DIR|regular:N|crawl:N...\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i) compare(argv[i]);
  return 0;
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) { return dgfs::bench::run(argc, argv); }
