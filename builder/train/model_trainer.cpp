// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/model_trainer.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "builder/spool/completed_entry.h"
#include "builder/train/token_trainer.h"
#include "format/column/codec.h"
#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::builder {
namespace {

using ModelPointer = std::shared_ptr<const format::Model>;
using Entries = std::vector<format::Entry>;

constexpr std::uint16_t kModelId = 1;  // 0 is the empty model
// A smaller tree has so few pages that no dictionary pays for itself.
constexpr std::uint64_t kTreeEntriesMin = 4096;
// About the entries of a page, so that the samples look like the data to compress.
constexpr std::size_t kTrainEntries = 600;
// More entries than fit into a page, with or without a model.
constexpr std::size_t kMeasureEntries = 1800;
constexpr std::size_t kMeasuredPages = 4;
// A dictionary with one byte for two entries has about 7 % of the size of its pages.
constexpr std::uint64_t kEntriesPerModelByte = 2;
// Entries to train a token model on: half of the tree, because names repeat less than columns, up
// to a bound that keeps time and memory small.
constexpr std::uint64_t kTokenEntriesMax = std::uint64_t{1} << 17;
// Bound of the text of these entries, without the parts that keys share with the key before. Long
// names that do not repeat teach little, and each byte takes about 100 bytes of memory while tokens
// are sought.
constexpr std::size_t kTokenTextBytesMax = std::size_t{1} << 20;
// Expected results for contents: with compression, one file in kFilesForOneRaw stays raw and others
// shrink by kExpectedRatio; two files in kFilesForTwoShared are shared, with 64 KiB between them
// for each file.
constexpr std::uint64_t kFilesForOneRaw = 8;
constexpr std::uint64_t kExpectedRatio = 4;
constexpr std::uint64_t kFilesForTwoShared = 128;
constexpr unsigned kAddressShift = 16;
// Bound of the keys of a sample. Usual keys take less, but a path may have 64 KiB.
constexpr std::size_t kSampleKeyBytesMax = std::size_t{1} << 20;

class ModelTrainer {
 public:
  ModelTrainer(const TreeSpool& tree, const BuildOptions& options, StopFlag stop)
      : tree_(tree), options_(options), stop_(stop) {}

  Result<ModelPointer> train(std::size_t capacity_bytes);
  Result<ModelPointer> train_tokens();
  /// Whether the pages of the tree shrink by more than the size of the model.
  Result<bool> pays(const ModelPointer& model);

 private:
  /// Reads up to `count` entries, and about `text_bytes` of text.
  Result<Entries> read_sample(const SamplePoint& point, std::size_t count,
                              std::size_t text_bytes = std::numeric_limits<std::size_t>::max());
  void expect_extent(format::Entry& entry);
  [[nodiscard]] bool expect_fragment(format::Entry& entry);
  Result<Buffer> columns(const Entries& entries);
  Result<double> mean_page_entries(const ModelPointer& model, const std::vector<Entries>& samples);

  const TreeSpool& tree_;
  const BuildOptions& options_;
  StopFlag stop_;
  std::uint64_t files_ = 0;          ///< files with content so far
  std::uint64_t fragments_end_ = 0;  ///< end of content in the expected fragment frame
  std::uint64_t next_address_ = 0;   ///< of the files that are expected to be shared
  format::AttributeTable attributes_{0};
  const format::ColumnCodec codec_;
};

Result<Entries> ModelTrainer::read_sample(const SamplePoint& point, std::size_t count,
                                          std::size_t text_bytes) {
  DGFS_CHECK(stop_.check());
  TreeReader reader(tree_, point);
  Entries entries;
  std::size_t read_bytes = 0;
  std::size_t key_bytes = 0;
  while (entries.size() < count && read_bytes < text_bytes && key_bytes < kSampleKeyBytesMax) {
    DGFS_TRY(record, reader.next());
    if (!record) break;
    if (record_kind(*record) == RecordKind::kDirectory) continue;
    DGFS_TRY(scanned, decode_entry_record(*record));
    if (scanned.is_omitted() || scanned.is_nameless() ||
        scanned.target.size() > format::kInlineTargetBytesMax) {
      continue;
    }
    // The final attribute tables number combinations differently, but the most common ones come
    // early in both.
    if (!attributes_.intern({scanned.mode, scanned.uid, scanned.gid})) continue;
    complete_entry(reader.prefix(), scanned, entries.emplace_back());
    const auto& key = entries.back().key;
    const std::size_t last = entries.size() - 1;
    key_bytes += key.size();
    read_bytes +=
        key.size() - (last == 0 ? 0 : format::shared_prefix_bytes(entries[last - 1].key, key));
  }
  return entries;
}

// Codec and sharing of contents are known only when they are read. Without examples in the sample,
// the model would have no short codes for them. So this assumes that most files shrink, and that a
// few are shared, in pairs.
void ModelTrainer::expect_extent(format::Entry& entry) {
  if (!format::is_regular(entry.mode) || entry.size_bytes == 0) return;
  const auto number = files_++;
  if (expect_fragment(entry)) return;
  if (options_.compression && number % kFilesForOneRaw != 0) {
    entry.codec = format::ExtentCodec::kZstd;
    entry.stored_bytes = format::kChecksumBytes + entry.size_bytes / kExpectedRatio;
  }
  if (options_.dedup && number % kFilesForTwoShared < 2) {
    if (number % kFilesForTwoShared == 0) next_address_ += number << kAddressShift;
    entry.address = format::DataAddress{0, format::kPageBytes + next_address_};
    next_address_ += entry.stored_bytes;
  }
}

// Assumes that fragment frames are full.
bool ModelTrainer::expect_fragment(format::Entry& entry) {
  const auto fragment_frame_bytes =
      options_.compression ? options_.compression->fragment_frame_bytes : 0;
  if (entry.size_bytes > fragment_frame_bytes / 4 || entry.link_count != 0) {
    fragments_end_ = 0;
    return false;
  }
  if (fragments_end_ + entry.size_bytes > fragment_frame_bytes) fragments_end_ = 0;
  entry.codec = format::ExtentCodec::kZstd;
  entry.stored_bytes = format::kChecksumBytes + fragment_frame_bytes / kExpectedRatio;
  entry.fragment_offset = static_cast<std::uint32_t>(fragments_end_);
  fragments_end_ += entry.size_bytes;
  return true;
}

Result<Buffer> ModelTrainer::columns(const Entries& entries) {
  const std::size_t prefix = format::shared_prefix_bytes(entries.front().key, entries.back().key);
  const auto model = format::Model::empty();
  return codec_.columns(entries,
                        {.model = model.get(), .attributes = &attributes_, .prefix_bytes = prefix});
}

// Trains on every other sample; pays() measures on the others.
Result<ModelPointer> ModelTrainer::train(std::size_t capacity_bytes) {
  const auto& points = tree_.sample_points();
  std::vector<Buffer> payloads;
  for (std::size_t i = 0; i < points.size(); i += 2) {
    DGFS_TRY(entries, read_sample(points[i], kTrainEntries));
    if (entries.empty()) continue;
    auto payload = columns(entries);
    if (payload) payloads.push_back(std::move(payload).value());  // fails if too long for a page
  }
  if (payloads.empty()) return format::Model::empty();
  return format::Model::train(kModelId, payloads, capacity_bytes);
}

Result<ModelPointer> ModelTrainer::train_tokens() {
  TokenTrainer trainer;
  const auto& points = tree_.sample_points();
  const auto wanted = std::min(tree_.entry_count(), kTokenEntriesMax);
  const auto of_each = static_cast<std::size_t>(wanted / points.size() + 1);
  for (const auto& point : points) {
    DGFS_TRY(entries, read_sample(point, of_each, kTokenTextBytesMax / points.size()));
    for (format::Entry& entry : entries) expect_extent(entry);
    if (!entries.empty()) trainer.add(entries, attributes_);
  }
  const Buffer model = trainer.train(tree_.entry_count(), stop_);
  DGFS_CHECK(stop_.check());
  return format::Model::make(kModelId, format::ModelKind::kContextTokens, model);
}

Result<double> ModelTrainer::mean_page_entries(const ModelPointer& model,
                                               const std::vector<Entries>& samples) {
  std::size_t total = 0;
  std::size_t guess = kTrainEntries;
  for (const Entries& entries : samples) {
    DGFS_CHECK(stop_.check());
    const format::PageContext context{.model = model.get(), .attributes = &attributes_};
    DGFS_TRY(page, format::fill_page(codec_, entries, context, guess));
    total += page.entry_count;
  }
  return static_cast<double>(total) / static_cast<double>(samples.size());
}

Result<bool> ModelTrainer::pays(const ModelPointer& model) {
  const auto& points = tree_.sample_points();
  const std::size_t step = std::max<std::size_t>(2, points.size() / kMeasuredPages / 2 * 2);
  std::vector<Entries> samples;
  for (std::size_t i = 1; i < points.size(); i += step) {
    DGFS_TRY(entries, read_sample(points[i], kMeasureEntries));
    if (!entries.empty()) samples.push_back(std::move(entries));
  }
  if (samples.empty()) return false;
  DGFS_TRY(without, mean_page_entries(format::Model::empty(), samples));
  DGFS_TRY(with, mean_page_entries(model, samples));
  const auto entries = static_cast<double>(tree_.entry_count());
  const double saved_pages = entries / without - entries / with;
  return saved_pages * double{format::kPageBytes} > static_cast<double>(model->bytes().size());
}

}  // namespace

Result<ModelPointer> train_model(const TreeSpool& tree, const BuildOptions& options,
                                 StopFlag stop) {
  if (options.model_bytes_max == 0) return format::Model::empty();
  ModelTrainer trainer(tree, options, stop);
  if (tree.entry_count() >= options.token_entries_min) return trainer.train_tokens();
  const auto capacity = static_cast<std::size_t>(
      std::min<std::uint64_t>({options.model_bytes_max, format::kModelBytesMax,
                               tree.entry_count() / kEntriesPerModelByte}));
  if (capacity == 0 || tree.entry_count() < kTreeEntriesMin) return format::Model::empty();
  DGFS_TRY(model, trainer.train(capacity));
  if (model->kind() == format::ModelKind::kEmpty) return model;
  DGFS_TRY(pays, trainer.pays(model));
  return pays ? model : format::Model::empty();
}

}  // namespace dgfs::builder
