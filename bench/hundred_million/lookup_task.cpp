// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/hundred_million/lookup_task.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "bench/cached_file.h"
#include "bench/hundred_million/data_offsets.h"
#include "format/content/extent.h"
#include "reader/image.h"
#include "storage/mix.h"
#include "storage/posix/env.h"
#include "storage/testing/counting_env.h"

namespace dgfs::bench {
namespace {

using Clock = std::chrono::steady_clock;
// Size of a cache for all pages, over the length of the index. Decoded pages may take half of it.
constexpr std::size_t kPageMemoryFactor = 4;

using ImagePointer = std::unique_ptr<const reader::Image>;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A file, and the expected answer of an index.
struct Question {
  std::string path;
  std::uint64_t size_bytes = 0;
  Time mtime;
  std::uint64_t data_offset = 0;
};

class Questions {
 public:
  Questions(const TreePlan& plan, std::uint64_t seed) : tree_(plan), offsets_(tree_), seed_(seed) {}

  std::vector<Question> draw(std::size_t count) {
    std::vector<Question> questions(count);
    for (auto& question : questions) {
      const auto file = storage::mix(seed_, drawn_++) % tree_.file_count();
      question.path = tree_.path_of_file(file);
      question.size_bytes = tree_.size_of_file(file);
      question.mtime = tree_.time_of({kFileLevel, file});
      question.data_offset = offsets_.of_file(file);
    }
    return questions;
  }

 private:
  GeneratedTree tree_;
  DataOffsets offsets_;
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

bool is_right(const Question& question, const reader::Node& node) {
  return node.size_bytes == question.size_bytes && node.mtime == question.mtime &&
         node.data.offset_bytes == question.data_offset &&
         node.stored_bytes == format::raw_extent_bytes(question.size_bytes);
}

class LookupTask {
 public:
  LookupTask(const TreePlan& tree, const LookupPlan& plan)
      : plan_(plan),
        questions_(tree, plan.lookup_seed),
        posix_(storage::make_posix_env()),
        counting_(storage::make_counting_env(*posix_)),
        file_(plan.index_path) {}

  Result<LookupResult> run() {
    DGFS_CHECK(time_opens());
    DGFS_CHECK(look_up_cold());
    file_.load();
    DGFS_TRY(unkept, look_up_warm(0));
    DGFS_TRY(kept, look_up_warm(reader::OpenOptions().page_cache_bytes));
    result_.warm_unkept_per_second = unkept;
    result_.warm_default_per_second = kept;
    DGFS_TRY(whole, look_up_warm(std::filesystem::file_size(plan_.index_path) * kPageMemoryFactor));
    result_.warm_whole_per_second = whole;
    return std::move(result_);
  }

 private:
  Result<ImagePointer> open(storage::Env& env, std::size_t page_cache_bytes = 0) {
    reader::OpenOptions options;
    options.page_cache_bytes = page_cache_bytes;
    return reader::Image::open(env, plan_.index_path, options);
  }

  Status time_opens() {
    for (std::size_t i = 0; i < plan_.opens; ++i) {
      for (auto* const times : {&result_.open_cold_ms, &result_.open_warm_ms}) {
        if (times == &result_.open_cold_ms) file_.drop();
        const auto begin = Clock::now();
        DGFS_TRY(image, open(*counting_));
        times->push_back(seconds_since(begin) * 1e3);
        result_.resident_bytes = image->resident_bytes();
      }
    }
    return ok();
  }

  // The pages that were read are dropped from the page cache, so that the next lookup finds none.
  Status look_up_cold() {
    DGFS_TRY(image, open(*counting_));
    const auto questions = questions_.draw(plan_.cold_lookups);
    counting_->reset();
    file_.drop();
    const auto device_before = file_.device_reads();
    for (const auto& question : questions) {
      const auto begin = Clock::now();
      DGFS_TRY(node, image->lookup(question.path));
      result_.cold_us.push_back(seconds_since(begin) * 1e6);
      if (!is_right(question, node)) ++result_.wrong;
      file_.drop();
    }
    const auto device_after = file_.device_reads();
    result_.cold_device_reads = device_after.count - device_before.count;
    result_.cold_device_read_bytes = device_after.bytes - device_before.bytes;
    const auto counts = counting_->counts(plan_.index_path);
    result_.cold_env_reads = counts.reads;
    result_.cold_env_read_bytes = counts.read_bytes;
    return ok();
  }

  // Drawing and comparing are not timed; questions come in parts that fit into memory. Reads are
  // not counted here, because counting takes a lock and a search by path for each.
  Result<double> look_up_warm(std::size_t page_cache_bytes) {
    constexpr std::size_t kPart = 10000;
    DGFS_TRY(image, open(*posix_, page_cache_bytes));
    double seconds = 0;
    std::size_t done = 0;
    for (std::vector<reader::Node> nodes; done < plan_.warm_lookups; done += kPart) {
      const auto questions = questions_.draw(kPart);
      nodes.resize(kPart);
      const auto begin = Clock::now();
      for (std::size_t i = 0; i < kPart; ++i) {
        DGFS_TRY(node, image->lookup(questions[i].path));
        nodes[i] = std::move(node);
      }
      seconds += seconds_since(begin);
      for (std::size_t i = 0; i < kPart; ++i) {
        if (!is_right(questions[i], nodes[i])) ++result_.wrong;
      }
    }
    return static_cast<double>(done) / seconds;
  }

  LookupPlan plan_;
  Questions questions_;
  std::unique_ptr<storage::Env> posix_;
  std::unique_ptr<storage::CountingEnv> counting_;
  CachedFile file_;
  LookupResult result_;
};

}  // namespace

Result<LookupResult> look_up(const TreePlan& tree, const LookupPlan& plan) {
  return LookupTask(tree, plan).run();
}

}  // namespace dgfs::bench
