// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/dictionary_trainer.h"

#include <algorithm>
#include <cassert>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "builder/scan/directory_cursor.h"
#include "builder/scan/source_file.h"
#include "builder/train/class_samples.h"
#include "builder/train/file_class.h"
#include "format/content/extent.h"
#include "format/zstd/frame.h"

namespace dgfs::builder {
namespace {

// A larger file has frames with a seek table, which name no dictionary (F-306).
constexpr std::uint64_t kFileBytesMax = format::kZstdFrameBytes;
// Bound of the classes that are counted; a class that comes later is ignored.
constexpr std::size_t kCountedClassesMax = 4096;
// With the two classes by content there are 16. All samples together take 4 MiB for each, and 4 MiB
// for the run that is in training.
constexpr std::size_t kNamedClassesMax = 14;
// Least content of a class, and its least share of all small files (one in 256): with less, a
// dictionary takes as much as it saves.
constexpr std::uint64_t kClassContentBytesMin = std::uint64_t{256} << 10;
constexpr std::uint64_t kClassShareMin = 256;
// All classes together have at most so many runs beyond their first, because a reader holds all
// dictionaries.
constexpr std::uint64_t kRunsMax = 32;
static_assert(kRunsMax + kNamedClassesMax + 2 <= format::kContentDictionariesMax);
// The beginnings of many files tell more than longer parts of few.
constexpr std::uint64_t kSampleFileBytesMax = std::uint64_t{4} << 10;
constexpr std::size_t kSampleFilesMin = 8;
// Content that a run must have for each byte of its dictionary, which stands in both copies of the
// index.
constexpr std::uint64_t kContentPerDictionaryByte = 16;
constexpr std::size_t kDictionaryBytesMin = 1024;
// Tries at a fast level whether a dictionary pays.
constexpr int kDictionaryTrialLevel = 3;

// Whether the dictionary saves more than its two copies take, at the beginnings of files alone.
Result<bool> saves(const Buffer& trained, const RunSamples& run) {
  DGFS_TRY(dictionary, format::make_content_dictionary(1, {}, trained));
  format::ZstdCompressor compressor;
  std::uint64_t plain_bytes = 0;
  std::uint64_t stored_bytes = 0;
  Buffer room(kSampleFileBytesMax);
  Bytes left(run.tried.joined);
  for (const auto bytes : run.tried.lengths) {
    const auto sample = left.first(bytes);
    left = left.subspan(bytes);
    const auto out = MutableBytes(room).first(bytes);
    DGFS_TRY(plain, compressor.compress(sample, kDictionaryTrialLevel, nullptr, out));
    DGFS_TRY(stored, compressor.compress(sample, kDictionaryTrialLevel, &dictionary, out));
    plain_bytes += plain.value_or(bytes);
    stored_bytes += stored.value_or(bytes);
  }
  if (stored_bytes >= plain_bytes) return false;
  const double saved = static_cast<double>(plain_bytes - stored_bytes) /
                       static_cast<double>(run.tried.lengths.size()) *
                       static_cast<double>(run.file_count);
  Buffer packed;  // as in the index
  DGFS_CHECK(compressor.append(trained, kDictionaryTrialLevel, packed));
  return saved > 2.0 * static_cast<double>(packed.size());
}

// The dictionary of a run; nullopt if none pays.
Result<std::optional<Buffer>> train_run(const RunSamples& run, const TrainerOptions& options) {
  const auto capacity = static_cast<std::size_t>(std::min<std::uint64_t>(
      std::min(options.dictionary_bytes_max, format::kContentDictionaryBytesMax),
      run.content_bytes / kContentPerDictionaryByte));
  if (run.count() < kSampleFilesMin || capacity < kDictionaryBytesMin) {
    return std::optional<Buffer>();
  }
  DGFS_TRY(trained, format::ZstdDictionary::train_for_contents(
                        run.trained.joined, run.trained.lengths, capacity, options.level));
  if (!trained) return trained;
  DGFS_TRY(pays, saves(*trained, run));
  return pays ? std::move(trained) : std::nullopt;
}

class DictionaryTrainer {
 public:
  DictionaryTrainer(const storage::Directory& root, const TreeSpool& tree,
                    const TrainerOptions& options, StopFlag stop)
      : tree_(tree), options_(options), stop_(stop), cursor_(root, options.open_levels) {}

  Result<DictionarySet> train() {
    if (options_.dictionary_bytes_max < kDictionaryBytesMin) return DictionarySet();
    DGFS_CHECK(count_classes());
    DGFS_CHECK(take_samples());
    for (auto& [label, files] : named_) {
      DGFS_CHECK(begin_run(label, files.take_run()));
    }
    // The samples tell the share of each class by content in the files without a class by name.
    const auto others = other_.take_run();
    std::uint64_t samples = 0;
    for (const auto& [label, run] : by_content_) samples += run.count();
    for (auto& [label, run] : by_content_) {
      run.file_count = others.file_count * run.count() / samples;
      run.content_bytes = others.content_bytes / samples * run.count();
      DGFS_CHECK(begin_run(label, std::move(run)));
    }
    DGFS_CHECK(finish_run());
    return std::move(dictionaries_);
  }

 private:
  // A run whose dictionary another thread makes.
  struct Pending {
    std::string label;
    std::uint64_t begin = 0;
    std::future<Result<std::optional<Buffer>>> dictionary;
  };

  // Calls `visit(entry, prefix, position)` for small files with content.
  template <class Visit>
  Status each_file(Visit visit) {
    if (tree_.entry_count() <= options_.entries_max) {
      TreeReader reader(tree_);
      return each_file(reader, 0, tree_.entry_count(), visit);
    }
    for (const SamplePoint& point : tree_.sample_points()) {
      TreeReader reader(tree_, point);
      DGFS_CHECK(each_file(reader, point.position,
                           options_.entries_max / TreeSpool::kSamplePointsMax, visit));
    }
    return ok();
  }
  template <class Visit>
  Status each_file(TreeReader& reader, std::uint64_t position, std::uint64_t entries, Visit visit) {
    for (const auto end = position + entries; position < end;) {
      DGFS_TRY(record, reader.next());
      if (!record) break;
      if (record_kind(*record) == RecordKind::kDirectory) {
        DGFS_CHECK(stop_.check());
        continue;
      }
      const auto at = position++;
      DGFS_TRY(entry, decode_entry_record(*record));
      if (!entry.has_content() || entry.is_omitted() || entry.size_bytes > kFileBytesMax) continue;
      DGFS_CHECK(visit(entry, reader.prefix(), at));
    }
    return ok();
  }

  Status count_classes() {
    std::map<std::string, std::uint64_t, std::less<>> counted;
    std::uint64_t all_bytes = 0;
    DGFS_CHECK(
        each_file([&](const ScannedEntry& entry, const std::string&, std::uint64_t) -> Status {
          all_bytes += entry.size_bytes;
          const std::string label = class_of_name(entry.name);
          auto found = counted.find(label);
          if (found == counted.end()) {
            if (label.empty() || counted.size() >= kCountedClassesMax) return ok();
            found = counted.emplace(label, 0).first;
          }
          found->second += entry.size_bytes;
          return ok();
        }));
    std::vector<std::pair<std::uint64_t, std::string>> by_size;
    const auto bytes_min = std::max(kClassContentBytesMin, all_bytes / kClassShareMin);
    for (const auto& [label, bytes] : counted) {
      if (bytes >= bytes_min) by_size.emplace_back(bytes, label);
    }
    std::sort(by_size.begin(), by_size.end(), std::greater<>());
    if (by_size.size() > kNamedClassesMax) by_size.resize(kNamedClassesMax);
    const auto run_bytes = std::max(options_.run_bytes_min, all_bytes / kRunsMax);
    auto other_bytes = all_bytes;
    for (const auto& [bytes, label] : by_size) {
      named_.emplace(label, ClassSamples(bytes, std::max<std::uint64_t>(bytes / run_bytes, 1)));
      other_bytes -= bytes;
    }
    other_ = ClassSamples(other_bytes);
    return ok();
  }

  Status take_samples() {
    return each_file([&](const ScannedEntry& entry, const std::string& prefix,
                         std::uint64_t position) -> Status {
      const auto found = named_.find(class_of_name(entry.name));
      ClassSamples& files = found == named_.end() ? other_ : found->second;
      if (files.run_ends()) {
        assert(found != named_.end());  // other_ has one run
        DGFS_CHECK(begin_run(found->first, files.take_run()));
      }
      if (!files.pass(position, entry.size_bytes)) return ok();
      DGFS_CHECK(stop_.check());
      const Buffer sample = read_sample(entry, prefix);
      if (sample.empty()) return ok();
      if (&files == &other_) {
        other_.note(sample.size());
        by_content_[std::string(class_of_content(sample))].add(sample);
      } else {
        files.add(sample);
      }
      return ok();
    });
  }

  // The beginning of a file; empty if it cannot be read.
  Buffer read_sample(const ScannedEntry& entry, const std::string& prefix) {
    const auto directory = cursor_.enter(prefix);
    if (!directory) return {};
    const auto file = SourceFile::open(*directory.value(), entry.name);
    if (!file) return {};
    Buffer sample(static_cast<std::size_t>(std::min(entry.size_bytes, kSampleFileBytesMax)));
    return file.value().read_content(0, sample) ? sample : Buffer();
  }

  // Lets another thread train, while this one reads the samples of the next run.
  Status begin_run(const std::string& label, RunSamples samples) {
    DGFS_CHECK(finish_run());
    DGFS_CHECK(stop_.check());
    const auto begin = samples.begin;
    // finish_run() trains if the system grants no thread.
    pending_ = Pending{label, begin,
                       std::async(std::launch::async | std::launch::deferred,
                                  [samples = std::move(samples), options = options_] {
                                    return train_run(samples, options);
                                  })};
    return ok();
  }

  Status finish_run() {
    if (!pending_) return ok();
    auto run = *std::exchange(pending_, std::nullopt);
    DGFS_TRY(dictionary, run.dictionary.get());
    return dictionary ? dictionaries_.add(run.label, run.begin, *std::move(dictionary)) : ok();
  }

  const TreeSpool& tree_;
  TrainerOptions options_;
  StopFlag stop_;
  DirectoryCursor cursor_;
  std::map<std::string, ClassSamples, std::less<>> named_;
  ClassSamples other_;                            ///< files without a class by name
  std::map<std::string, RunSamples> by_content_;  ///< samples of other_
  std::optional<Pending> pending_;
  DictionarySet dictionaries_;
};

}  // namespace

Result<DictionarySet> train_dictionaries(const storage::Directory& root, const TreeSpool& tree,
                                         const TrainerOptions& options, StopFlag stop) {
  return DictionaryTrainer(root, tree, options, stop).train();
}

}  // namespace dgfs::builder
