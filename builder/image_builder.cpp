// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/image_builder.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "builder/pack/packer.h"
#include "builder/publish/output_paths.h"
#include "builder/publish/publisher.h"
#include "builder/read/content_reader.h"
#include "builder/read/read_pool.h"
#include "builder/scan/largest_contents.h"
#include "builder/train/dictionary_trainer.h"
#include "builder/train/model_trainer.h"
#include "format/header/index_path.h"
#include "format/limits.h"
#include "format/section/digest_hasher.h"

namespace dgfs::builder {
namespace {

using format::kStoredFrameBytes;

constexpr std::size_t kBatchFramesMax = kBatchBytesMax / kStoredFrameBytes;
constexpr std::size_t kBatchFramesMin = 2;
// A compressed extent with its seek table must fit.
constexpr std::size_t kPackedBatchFramesMin = 5;
constexpr std::size_t kSortBytesMax = std::size_t{64} << 20;
constexpr std::size_t kSortBytesMin = std::size_t{1} << 20;
constexpr std::size_t kNameBytesMax = std::size_t{8} << 20;
constexpr std::size_t kNameBytesMin = std::size_t{1} << 18;
constexpr std::size_t kFinishedBatchesMax = 16;
constexpr std::size_t kScanAheadBytesMax = std::size_t{8} << 20;
// More than the records of the batches that are read while the model is trained.
constexpr std::size_t kHeldBytesMax = std::size_t{16} << 20;
constexpr unsigned kThreadsMax = 256;
// Enough threads to hide the time for opening files on solid state disks; waiting threads cost
// nearly nothing.
constexpr unsigned kThreadsWanted = 32;
// Compression keeps the processors busy, and takes memory for contents twice.
constexpr unsigned kPackingThreadsWanted = 16;
constexpr unsigned kScanThreadsMax = 16;
// A quarter is for the batch being filled, and a quarter for a batch that waits to be written.
constexpr std::size_t kMemoryBytesPerThread = std::size_t{2} << 20;
// Directories kept open by all readers together. By default a process may open 1024 files.
constexpr std::size_t kOpenDirectoriesMax = 512;
// Buffers of several volumes share a sixteenth of the memory.
constexpr std::size_t kWriteBytesMin = std::size_t{64} << 10;
constexpr std::size_t kLargestReported = 10;

Result<std::int64_t> parse_epoch(const std::string& text) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && stop == end && !text.empty()) return seconds;
  return Error(ErrorKind::kInvalidArgument, 4090,
               "SOURCE_DATE_EPOCH is not a number of seconds: " + text);
}

std::vector<std::string> volume_paths(const BuildOptions& options) {
  std::vector<std::string> paths = {options.image_path};
  paths.insert(paths.end(), options.volume_paths.begin(), options.volume_paths.end());
  return paths;
}

std::string default_index_path(const BuildOptions& options) {
  return format::default_index_path(options.image_path);
}

// "14.2 GB"
std::string space_text(std::uint64_t bytes) {
  const bool is_large = bytes >= 1'000'000'000;
  const auto tenths = bytes / (is_large ? 100'000'000 : 100'000);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
         (is_large ? " GB" : " MB");
}

}  // namespace

ImageBuilder::ImageBuilder(storage::Env& env, const BuildOptions& options,
                           const BuildSource& source, BatchFillerMaker make_filler)
    : env_(env),
      options_(options),
      make_filler_(std::move(make_filler)),
      stop_(options.stop),
      budget_(divide(options, env)),
      index_path_(options.index_path.value_or(default_index_path(options))),
      losses_(options.keep_going),
      progress_(env, options.progress),
      root_(source.root),
      kept_(source.kept),
      volumes_(env, volume_paths(options)) {}

// Three eighths are for batches, a quarter for sorting, an eighth for the content table, and the
// rest for buffers of spools and the index. With compression, zstd's contexts and dictionaries take
// a third of the share of batches.
ImageBuilder::Budget ImageBuilder::divide(const BuildOptions& options, const storage::Env& env) {
  Budget budget;
  const std::size_t memory_bytes = std::max(options.memory_bytes, kMemoryBytesMin);
  const unsigned usual = options.compression ? kPackingThreadsWanted : kThreadsWanted;
  const unsigned wanted = options.jobs == 0 ? std::max(usual, env.processor_count()) : options.jobs;
  const auto affordable = static_cast<unsigned>(
      std::min<std::size_t>(memory_bytes / kMemoryBytesPerThread, kThreadsMax));
  budget.threads = std::clamp(wanted, 1U, affordable);
  budget.scan_threads = budget.threads == 1 ? 0 : std::min(budget.threads, kScanThreadsMax);
  // One batch for each reader, one being written, and some finished ones, because batches take
  // different times.
  const std::size_t threads = budget.threads;
  const std::size_t batches = threads + std::min(threads + 2, kFinishedBatchesMax);
  const std::size_t batch_memory_bytes = memory_bytes / 8 * (options.compression ? 2 : 3);
  const std::size_t frames = batch_memory_bytes / batches / kStoredFrameBytes;
  const std::size_t frames_min = options.compression ? kPackedBatchFramesMin : kBatchFramesMin;
  budget.batch_bytes = std::clamp(frames, frames_min, kBatchFramesMax) * kStoredFrameBytes;
  budget.batches = std::clamp(batch_memory_bytes / budget.batch_bytes, threads + 1, batches);
  budget.sort_bytes = std::clamp(memory_bytes / 4, kSortBytesMin, kSortBytesMax);
  budget.name_bytes = std::clamp(memory_bytes / 16, kNameBytesMin, kNameBytesMax);
  budget.ahead_bytes = std::min(memory_bytes / 32, kScanAheadBytesMax);
  budget.held_bytes = std::min(memory_bytes / 16, kHeldBytesMax);
  const std::size_t volumes = 1 + options.volume_paths.size();
  budget.write_bytes =
      volumes == 1 ? AppendFile::kWriteBytes
                   : std::clamp(memory_bytes / 16 / volumes / kWriteBytesMin * kWriteBytesMin,
                                kWriteBytesMin, AppendFile::kWriteBytes);
  budget.table_bytes = memory_bytes / 8;
  budget.known_bytes = memory_bytes / 32;
  return budget;
}

Result<BuildReport> ImageBuilder::run() {
  const std::uint64_t begin_ns = env_.monotonic_ns();
  progress_.begin(Phase::kScanning);
  DGFS_CHECK(check_options());
  DGFS_CHECK(open_outputs());
  DGFS_CHECK(scan());
  if (options_.dry_run) {
    DGFS_TRY(largest, largest_contents(*tree_, kLargestReported, stop_));
    report_.largest = std::move(largest);
    report_.elapsed_ns = env_.monotonic_ns() - begin_ns;
    return std::move(report_);
  }
  DGFS_CHECK(pack());
  progress_.begin(Phase::kSyncing);
  DGFS_CHECK(stop_.check());
  DGFS_CHECK(publish_outputs());
  report_.elapsed_ns = env_.monotonic_ns() - begin_ns;
  report_.loss_count = losses_.count();
  report_.part_loss_count = losses_.part_count();
  report_.losses = std::move(losses_).take();
  return std::move(report_);
}

Status ImageBuilder::check_options() {
  if (!options_.trailing_index && !has_index_file()) {
    return Error(ErrorKind::kInvalidArgument, 4091, "an image needs an index, in it or beside it");
  }
  if (options_.compression && options_.compression->fragment_frame_bytes != 0 &&
      (options_.compression->fragment_frame_bytes < kFragmentFrameBytesMin ||
       options_.compression->fragment_frame_bytes > format::kFragmentFrameBytesMax)) {
    return Error(ErrorKind::kInvalidArgument, 4112, "there are no fragment frames of that size");
  }
  if (options_.compression && (options_.compression->level < format::kZstdLevelMin ||
                               options_.compression->level > format::kZstdLevelMax)) {
    return Error(ErrorKind::kInvalidArgument, 4093, "there is no such level of compression");
  }
  if (options_.digest) {
    DGFS_CHECK(format::DigestHasher::make(*options_.digest));  // fails before any work is done
  }
  if (options_.volume_paths.size() > std::numeric_limits<format::VolumeNumber>::max()) {
    return Error(ErrorKind::kInvalidArgument, 4094, "an image has at most 65536 volumes");
  }
  if (options_.created_seconds) {
    created_seconds_ = *options_.created_seconds;
    created_given_ = true;
  } else if (const auto epoch = env_.variable("SOURCE_DATE_EPOCH"); epoch && !epoch->empty()) {
    DGFS_TRY(seconds, parse_epoch(*epoch));
    created_seconds_ = seconds;
    created_given_ = true;
  }
  if (options_.clamp_times && !created_given_) {
    return Error(ErrorKind::kInvalidArgument, 4221,
                 "times can be clamped only if the time of the image is given");
  }
  return ok();
}

Status ImageBuilder::open_outputs() {
  if (root_ == nullptr) {
    DGFS_TRY(root, env_.open_directory(options_.source));
    opened_ = std::move(root);
    root_ = opened_.get();
  }
  DGFS_CHECK(volumes_.open());
  const std::string image_directory = storage::parent_path(options_.image_path);
  DGFS_TRY(index, env_.create_unnamed(has_index_file() ? storage::parent_path(index_path_)
                                                       : image_directory));
  index_file_ = std::move(index);
  spool_place_ = {&env_, image_directory};
  return check_outputs();
}

Status ImageBuilder::check_outputs() {
  std::vector<std::string> paths = volumes_.paths();
  // No volume may have the path at which readers look for an index.
  if (has_index_file()) paths.push_back(index_path_);
  if (!options_.volume_paths.empty() && index_path_ != default_index_path(options_)) {
    paths.push_back(default_index_path(options_));
  }
  DGFS_CHECK(check_distinct(env_, paths));
  paths = volumes_.paths();
  if (has_index_file()) paths.push_back(index_path_);
  for (const std::string& path : paths) {
    DGFS_CHECK(check_output_path(env_, path));
  }
  DGFS_CHECK(lock_outputs(paths));
  for (std::size_t i = 0; i < paths.size(); ++i) {
    DGFS_TRY(there, check_output_path(env_, paths[i]));
    if (!there) continue;
    outputs_.replaced.push_back(identity_of(*there));
    const auto role = i == 0                 ? OutputRole::kImage
                      : i < volumes_.count() ? OutputRole::kVolume
                                             : OutputRole::kIndex;
    DGFS_CHECK(check_replaced(env_, paths[i], role, options_.image_path, options_.force));
  }
  return ok();
}

// The locks are held until all is published. Without them, two builds to one output could mix their
// files.
Status ImageBuilder::lock_outputs(const std::vector<std::string>& paths) {
  DGFS_TRY(locks, storage::lock_names(env_, paths));
  locks_ = std::move(locks);
  for (const auto& lock : locks_) {
    if (const auto& file = lock->file_status()) outputs_.locks.push_back(identity_of(*file));
  }
  return ok();
}

Status ImageBuilder::scan_source() {
  const ScanSinks sinks{*tree_, *links_, losses_, progress_};
  if (kept_ != nullptr) {
    plan_.emplace(*kept_);
    DGFS_TRY(totals, plan_->scan(sinks, spool_place_));
    totals_ = std::move(totals);
    plan_->add_to(report_);
    return ok();
  }
  Scanner scanner(*root_, options_, entry_rules(), outputs_, sinks,
                  {spool_place_, budget_.name_bytes},
                  {budget_.scan_threads, budget_.ahead_bytes, std::nullopt});
  DGFS_TRY(totals, scanner.run());
  totals_ = std::move(totals);
  return ok();
}

Status ImageBuilder::scan() {
  tree_ = std::make_unique<TreeSpool>(spool_place_);
  links_ = std::make_unique<LinkSorter>(spool_place_, budget_.sort_bytes);
  DGFS_CHECK(scan_source());
  report_.packed_files = totals_.contents;
  report_.packed_bytes = totals_.packed_bytes;
  report_.replaced_in_source = totals_.outputs;
  if (!created_given_) created_seconds_ = totals_.newest_mtime.seconds;
  progress_.state().entries = 0;
  progress_.state().entries_total = totals_.entries;
  progress_.state().content_bytes_total = totals_.content_bytes;
  return ok();
}

Status ImageBuilder::pack() {
  progress_.begin(Phase::kPacking);
  if (options_.digest && options_.long_holes && totals_.long_holes.files != 0) {
    options_.long_holes(totals_.long_holes);
  }
  DGFS_CHECK(keeps_volumes() ? adopt_dictionaries() : train_dictionaries());
  if (options_.compression) {
    packer_.emplace(options_.compression->level, dictionaries_,
                    std::min(budget_.threads, env_.processor_count() + 1), stop_);
  } else {
    DGFS_CHECK(reserve_image());
  }
  IndexWriter index(*index_file_, spool_place_, stop_);
  DGFS_CHECK(pack_tree(volumes_.begin(budget_.write_bytes), index));
  progress_.begin(Phase::kIndexing);
  report_.pages = index.page_count();
  report_.index_bytes = report_.superblock.index_bytes;
  report_.sockets_and_such = report_.superblock.other_files;
  return finish_volumes();
}

// If there is too little space for all contents, there may still be enough for the different ones.
// That is not to be hoped for if most contents are kept. Then other files on the disk may be in
// use, and an attempt, which takes all that is free for a moment, would leave them none.
Status ImageBuilder::reserve_image() {
  const bool is_beside_others = keeps_volumes() && volumes_.count() == 1;
  const auto free =
      is_beside_others ? volumes_.file(0).free_bytes() : Result<std::uint64_t>(UINT64_MAX);
  if (!free || free.assume_value() >= totals_.extent_bytes) {
    auto reserved = volumes_.reserve(totals_.extent_bytes);
    const bool is_full = !reserved && reserved.error().kind() == ErrorKind::kNoSpace;
    const bool may_fit = is_full && !keeps_volumes() && finds_duplicates();
    return may_fit ? Status(ok()) : reserved;
  }
  return Error(ErrorKind::kNoSpace, 4225,
               options_.image_path + " needs " + space_text(totals_.extent_bytes) + ", and " +
                   space_text(free.assume_value()) + " are free");
}

Status ImageBuilder::pack_tree(AppendFiles& volumes, IndexWriter& index) {
  DGFS_TRY(links, std::move(*links_).finish());
  BatchMaker maker(*root_, *tree_, std::move(links), budget_.batch_bytes, stop_, file_rules(),
                   packer_ ? &*packer_ : nullptr);
  maker.spread(volumes.size(), options_.volume_groups.value_or(group_limits(
                                   volumes.size(), totals_.contents, totals_.extent_bytes)));
  if (options_.compression) maker.join(options_.compression->fragment_frame_bytes);
  if (options_.digest) {
    maker.want_digests(*options_.digest, &progress_.hashed_zeros());
    index.keep_digests(*options_.digest);
  }
  // Compressing an equal content twice takes far longer than reading it, so readers skip contents
  // that are known.
  std::optional<KnownContents> known;
  if (finds_duplicates() && packer_) known.emplace(totals_.contents, budget_.known_bytes);
  PoolOptions pool_options;
  pool_options.threads = budget_.threads;
  pool_options.batches = budget_.batches;
  ReadPool pool(maker, make_filler_ ? make_filler_ : content_readers(known ? &*known : nullptr),
                pool_options);
  DGFS_CHECK(pool.start());
  std::optional<Deduplicator> dedup;
  if (finds_duplicates()) {
    dedup.emplace(volumes, dictionaries_.all(),
                  ContentTable(spool_place_, totals_.contents, budget_.table_bytes),
                  known ? PutOff{&*known, &*packer_} : PutOff{});
  }
  DataWriter data(pool, volumes, dedup ? &*dedup : nullptr, budget_.held_bytes,
                  {file_rules(), stop_, options_.digest, &progress_.hashed_zeros()});
  DGFS_CHECK(data.start());
  // Trains the model while other threads read and write contents.
  DGFS_TRY(model, train_model(*tree_, options_, stop_));
  DGFS_CHECK(index.begin(std::move(model)));
  Packer packer({data, index, losses_, progress_, plan_.has_value(), plan_ && plan_->keeps_any()});
  DGFS_CHECK(packer.run());
  report_.kept_files = packer.kept_files();
  report_.hard_links = packer.further_names();
  report_.shared_files = packer.shared_files();
  report_.shared_bytes = packer.shared_bytes();
  IndexFacts found = facts(data.frames());
  if (plan_) plan_->add_to(found);
  DGFS_TRY(superblock, index.finish(found));
  report_.superblock = superblock;
  return ok();
}

IndexFacts ImageBuilder::facts(const ContentHash& frames) const {
  IndexFacts facts;
  facts.uuid = options_.uuid;
  facts.frames = frames;
  facts.created_seconds = created_seconds_;
  facts.incomplete = losses_.count() + losses_.part_count() != 0;
  facts.dictionaries = &dictionaries_.all();
  facts.volumes = volumes_.records();
  // An index with the default name finds the image by that name and needs no hint.
  if (index_path_ == default_index_path(options_)) facts.volumes.front().hint.clear();
  return facts;
}

// Trains before anything is packed, because the first files need the dictionaries too.
Status ImageBuilder::train_dictionaries() {
  if (!options_.compression) return ok();
  TrainerOptions options;
  options.dictionary_bytes_max = options_.compression->dictionary_bytes_max;
  options.level = options_.compression->level;
  DGFS_TRY(trained, builder::train_dictionaries(*root_, *tree_, options, stop_));
  dictionaries_ = std::move(trained);
  return ok();
}

// Kept frames name the dictionaries by their ids. Nobody knows which neighbours a dictionary was
// trained for, so those with one label share the tree evenly, in their order.
Status ImageBuilder::adopt_dictionaries() {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [id, dictionary] : kept_->dictionaries().all()) ++counts[dictionary.label];
  std::map<std::string, std::uint64_t> adopted;
  for (const auto& [id, dictionary] : kept_->dictionaries().all()) {
    const auto number = adopted[dictionary.label]++;
    const auto begin = totals_.entries / counts[dictionary.label] * number + number;
    DGFS_CHECK(dictionaries_.adopt(dictionary, begin));
  }
  return ok();
}

EntryRules ImageBuilder::entry_rules() const {
  std::optional<Time> newest;
  if (options_.clamp_times) newest = Time{created_seconds_, 0};
  return {options_, newest};
}

FileRules ImageBuilder::file_rules() const {
  return {entry_rules(), options_.xattrs, options_.keep_going};
}

BatchFillerMaker ImageBuilder::content_readers(const KnownContents* known) {
  ReaderOptions options;
  options.data_bytes = budget_.batch_bytes;
  options.rules = file_rules();
  options.packer = packer_ ? &*packer_ : nullptr;
  options.fingerprints = finds_duplicates();
  options.known = known;
  options.digest = options_.digest;
  options.hashed_zeros = &progress_.hashed_zeros();
  options.open_levels = std::clamp<std::size_t>(kOpenDirectoriesMax / budget_.threads, 2, 16);
  return [this, options] { return std::make_unique<ContentReader>(*root_, options, stop_); };
}

Status ImageBuilder::finish_volumes() {
  const storage::File* index = options_.trailing_index ? index_file_.get() : nullptr;
  DGFS_TRY(file_bytes, volumes_.finish(report_.superblock, index, stop_));
  report_.image_bytes = file_bytes.front();
  report_.volume_bytes.assign(file_bytes.begin() + 1, file_bytes.end());
  return ok();
}

Status ImageBuilder::publish_outputs() {
  Publication publication;
  publication.image = {&volumes_.file(0), options_.image_path};
  for (std::size_t i = 1; i < volumes_.count(); ++i) {
    publication.volumes.push_back({&volumes_.file(i), volumes_.paths()[i]});
  }
  publication.force = options_.force;
  publication.mode = options_.file_mode;
  publication.default_index_path = default_index_path(options_);
  if (has_index_file()) {
    publication.index = index_file_.get();
    publication.index_path = index_path_;
  }
  return publish(env_, publication);
}

}  // namespace dgfs::builder
