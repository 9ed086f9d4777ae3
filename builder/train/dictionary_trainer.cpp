// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/dictionary_trainer.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "builder/scan/directory_cursor.h"
#include "builder/scan/source_file.h"
#include "builder/train/file_class.h"
#include "format/entry/mode.h"
#include "format/zstd/frame.h"

namespace dgfs::builder {
namespace {

// Larger files gain little, because their own content repeats what a dictionary has.
constexpr std::uint64_t kFileBytesMax = std::uint64_t{64} << 10;
// In a larger tree, only so many entries are read, behind the sample points.
constexpr std::uint64_t kEntriesMax = std::uint64_t{1} << 20;
// Bound of the classes that are counted; a class that comes later is ignored.
constexpr std::size_t kCountedClassesMax = 4096;
// With the two classes by content there are 16, and all samples together take 30 MiB.
constexpr std::size_t kNamedClassesMax = 14;
// Least content of a class, and its least share of all small files (one in 256): with less, a
// dictionary takes as much as it saves.
constexpr std::uint64_t kClassContentBytesMin = std::uint64_t{256} << 10;
constexpr std::uint64_t kClassShareMin = 256;
constexpr std::uint64_t kSampleBytesMax = std::uint64_t{2} << 20;
constexpr std::uint64_t kSampleFileBytesMax = std::uint64_t{16} << 10;
constexpr std::size_t kSampleFilesMin = 8;
// Content that a class must have for each byte of its dictionary, which stands in both copies of
// the index.
constexpr std::uint64_t kContentPerDictionaryByte = 16;
constexpr std::size_t kDictionaryBytesMin = 1024;
// Tries on so many samples, at a fast level, whether a dictionary pays.
constexpr std::size_t kTriedSamplesMax = 64;
constexpr int kDictionaryTrialLevel = 3;

// The files of one class.
struct FileClass {
  std::uint64_t content_bytes = 0;
  std::uint64_t seen_bytes = 0;   ///< of these, passed while samples are taken
  std::uint64_t taken_bytes = 0;  ///< of the samples
  std::vector<Buffer> samples;

  // Whether the next file of this class becomes a sample. Spreads samples evenly over the tree.
  bool takes(std::uint64_t file_bytes) {
    seen_bytes += file_bytes;
    return taken_bytes < std::min(content_bytes, kSampleBytesMax) * seen_bytes / content_bytes;
  }
  void add(Buffer sample) {
    taken_bytes += sample.size();
    samples.push_back(std::move(sample));
  }
};
using FileClasses = std::map<std::string, FileClass, std::less<>>;

class DictionaryTrainer {
 public:
  DictionaryTrainer(const storage::Directory& root, const TreeSpool& tree,
                    const TrainerOptions& options, StopFlag stop)
      : tree_(tree), options_(options), stop_(stop), cursor_(root, options.open_levels) {}

  Result<DictionarySet> train() {
    DictionarySet dictionaries;
    if (options_.dictionary_bytes_max < kDictionaryBytesMin) return dictionaries;
    DGFS_CHECK(count_classes());
    DGFS_CHECK(take_samples());
    for (auto& [label, files] : named_) {
      DGFS_CHECK(train_one(label, files, dictionaries));
    }
    const auto all = other_.taken_bytes;
    for (auto& [label, files] : by_content_) {
      // The samples tell the share of each class by content in the files without a class by name.
      files.content_bytes = all == 0 ? 0 : other_.content_bytes * files.taken_bytes / all;
      DGFS_CHECK(train_one(label, files, dictionaries));
    }
    return dictionaries;
  }

 private:
  // Calls `visit(entry, prefix)` for small files with content.
  template <class Visit>
  Status each_file(Visit visit) {
    if (tree_.entry_count() <= kEntriesMax) {
      TreeReader reader(tree_);
      return each_file(reader, tree_.entry_count(), visit);
    }
    for (const SamplePoint& point : tree_.sample_points()) {
      TreeReader reader(tree_, point);
      DGFS_CHECK(each_file(reader, kEntriesMax / TreeSpool::kSamplePointsMax, visit));
    }
    return ok();
  }
  template <class Visit>
  Status each_file(TreeReader& reader, std::uint64_t entries, Visit visit) {
    while (entries > 0) {
      DGFS_TRY(record, reader.next());
      if (!record) break;
      if (record_kind(*record) == RecordKind::kDirectory) {
        DGFS_CHECK(stop_.check());
        continue;
      }
      --entries;
      DGFS_TRY(entry, decode_entry_record(*record));
      if (!entry.has_content() || entry.is_omitted() || entry.size_bytes > kFileBytesMax) continue;
      DGFS_CHECK(visit(entry, reader.prefix()));
    }
    return ok();
  }

  Status count_classes() {
    FileClasses counted;
    std::uint64_t all_bytes = 0;
    DGFS_CHECK(each_file([&](const ScannedEntry& entry, const std::string&) -> Status {
      all_bytes += entry.size_bytes;
      const std::string label = class_of_name(entry.name);
      auto found = counted.find(label);
      if (found == counted.end()) {
        if (label.empty() || counted.size() >= kCountedClassesMax) return ok();
        found = counted.emplace(label, FileClass()).first;
      }
      found->second.content_bytes += entry.size_bytes;
      return ok();
    }));
    std::vector<std::pair<std::uint64_t, std::string>> by_size;
    const auto bytes_min = std::max(kClassContentBytesMin, all_bytes / kClassShareMin);
    for (const auto& [label, files] : counted) {
      if (files.content_bytes >= bytes_min) by_size.emplace_back(files.content_bytes, label);
    }
    std::sort(by_size.begin(), by_size.end(), std::greater<>());
    if (by_size.size() > kNamedClassesMax) by_size.resize(kNamedClassesMax);
    other_.content_bytes = all_bytes;
    for (const auto& [bytes, label] : by_size) {
      named_[label].content_bytes = bytes;
      other_.content_bytes -= bytes;
    }
    return ok();
  }

  Status take_samples() {
    return each_file([&](const ScannedEntry& entry, const std::string& prefix) -> Status {
      const auto found = named_.find(class_of_name(entry.name));
      FileClass& files = found == named_.end() ? other_ : found->second;
      if (!files.takes(entry.size_bytes)) return ok();
      DGFS_CHECK(stop_.check());
      Buffer sample = read_sample(entry, prefix);
      if (sample.empty()) return ok();
      if (&files != &other_) {
        files.add(std::move(sample));
      } else {
        other_.taken_bytes += sample.size();
        by_content_[std::string(class_of_content(sample))].add(std::move(sample));
      }
      return ok();
    });
  }

  // The beginning of a file; empty if it cannot be read.
  Buffer read_sample(const ScannedEntry& entry, const std::string& prefix) {
    const auto directory = cursor_.enter(prefix);
    if (!directory) return {};
    const auto file = SourceFile::open(*directory.value(), entry);
    if (!file) return {};
    Buffer sample(static_cast<std::size_t>(std::min(entry.size_bytes, kSampleFileBytesMax)));
    return file.value().read_content(0, sample) ? sample : Buffer();
  }

  Status train_one(const std::string& label, FileClass& files, DictionarySet& dictionaries) {
    DGFS_CHECK(stop_.check());
    const auto capacity = static_cast<std::size_t>(std::min<std::uint64_t>(
        std::min(options_.dictionary_bytes_max, format::kContentDictionaryBytesMax),
        files.content_bytes / kContentPerDictionaryByte));
    const auto samples = std::exchange(files.samples, {});
    if (samples.size() < kSampleFilesMin || capacity < kDictionaryBytesMin) return ok();
    auto trained = format::ZstdDictionary::train(samples, capacity);
    if (!trained) return ok();
    DGFS_TRY(pays, saves(*trained, samples, files.content_bytes));
    return pays ? dictionaries.add(label, *std::move(trained)) : ok();
  }

  // Whether the dictionary saves more than its two copies take.
  Result<bool> saves(const Buffer& trained, const std::vector<Buffer>& samples,
                     std::uint64_t content_bytes) {
    DGFS_TRY(dictionary, format::make_content_dictionary(1, {}, trained));
    format::ZstdCompressor compressor;
    std::uint64_t tried_bytes = 0;
    std::uint64_t plain_bytes = 0;
    std::uint64_t stored_bytes = 0;
    const std::size_t stride = samples.size() / kTriedSamplesMax + 1;
    Buffer room(kSampleFileBytesMax);
    for (std::size_t i = 0; i < samples.size(); i += stride) {
      const Buffer& sample = samples[i];
      const auto out = MutableBytes(room).first(sample.size());
      DGFS_TRY(plain, compressor.compress(sample, kDictionaryTrialLevel, nullptr, out));
      DGFS_TRY(stored, compressor.compress(sample, kDictionaryTrialLevel, &dictionary, out));
      tried_bytes += sample.size();
      plain_bytes += plain.value_or(sample.size());
      stored_bytes += stored.value_or(sample.size());
    }
    if (stored_bytes >= plain_bytes) return false;
    const double saved = static_cast<double>(plain_bytes - stored_bytes) /
                         static_cast<double>(tried_bytes) * static_cast<double>(content_bytes);
    return saved > 2.0 * static_cast<double>(trained.size());
  }

  const TreeSpool& tree_;
  TrainerOptions options_;
  StopFlag stop_;
  DirectoryCursor cursor_;
  FileClasses named_;
  FileClass other_;  ///< files without a class by name
  FileClasses by_content_;
};

}  // namespace

Result<DictionarySet> train_dictionaries(const storage::Directory& root, const TreeSpool& tree,
                                         const TrainerOptions& options, StopFlag stop) {
  return DictionaryTrainer(root, tree, options, stop).train();
}

}  // namespace dgfs::builder
