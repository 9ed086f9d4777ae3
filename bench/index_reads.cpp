// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_index_reads: the measured half of bench/index_reads. Opens an index and counts the reads of
// its block device, starting with cold caches, for each of these:
//
//   open        load the tables that stay in memory
//   lookup      look up random paths, with all caches dropped before each
//   lookups     look up the same paths one after another, keeping the caches
//   list        list every directory of the tree, as `ls -R` of a mount does
//   walk        walk everything below the root in order, as `dgfs find` does
//   verify      verify every page and section
//
// Prints one JSON object. The counts include reads of the device by other processes, so nothing
// else should read from it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/cached_file.h"
#include "format/entry/mode.h"
#include "reader/image.h"
#include "storage/forwarding_env.h"
#include "storage/mix.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

struct Options {
  std::string index_path;
  bool random = false;  ///< tell the system that the index is read at random
  std::uint64_t seed = 0;
  std::size_t lookups = 1000;
};

/// Tells the system that files are read at random, so that it does not read ahead.
class RandomAccessEnv final : public storage::ForwardingEnv {
 public:
  using storage::ForwardingEnv::ForwardingEnv;
  Result<std::unique_ptr<storage::File>> open(const std::string& path,
                                              storage::OpenOptions options) override {
    DGFS_TRY(file, base().open(path, options));
    file->advise(storage::Access::kRandom, 0, 0);
    return std::move(file);
  }
};

class IndexReads {
 public:
  explicit IndexReads(const Options& options)
      : options_(options),
        posix_(storage::make_posix_env()),
        random_access_(*posix_),
        file_(options.index_path) {}

  Status run() {
    DGFS_CHECK(draw());
    DGFS_CHECK(count_open());
    DGFS_CHECK(
        count("lookup", 0, [&](const reader::Image& image) { return look_up(image, true); }));
    DGFS_CHECK(count("lookups", [&](const reader::Image& image) { return look_up(image, false); }));
    DGFS_CHECK(count("list", [](const reader::Image& image) { return list_all(image); }));
    DGFS_CHECK(count("walk", [](const reader::Image& image) {
      return image.walk("", [](std::string_view, const reader::Node&) { return true; });
    }));
    DGFS_CHECK(count("verify", [](const reader::Image& image) {
      // The volumes do not exist and are not needed.
      return image.verify_index([](const Error& error) { report(error); },
                                [](format::VolumeNumber) { return false; });
    }));
    fmt::print("{{{}}}\n", json_);
    return ok();
  }

  static void report(const Error& error) { fmt::print(stderr, "{}\n", error.message()); }

 private:
  using Task = std::function<Status(const reader::Image&)>;

  Status draw() {
    DGFS_TRY(image, reader::Image::open(*posix_, options_.index_path));
    const auto entries = image->superblock().namespace_entries;
    std::set<std::uint64_t> chosen;
    for (std::uint64_t i = 0; chosen.size() < std::min<std::uint64_t>(options_.lookups, entries);) {
      chosen.insert(storage::mix(options_.seed, i++) % entries);
    }
    std::uint64_t ordinal = 0;
    DGFS_CHECK(image->walk("", [&](std::string_view path, const reader::Node&) {
      if (chosen.contains(ordinal++)) paths_.emplace_back(path);
      return true;
    }));
    for (std::size_t i = paths_.size(); i > 1; --i) {
      std::swap(paths_[i - 1], paths_[storage::mix(~options_.seed, i) % i]);
    }
    return ok();
  }

  Status look_up(const reader::Image& image, bool each_cold) const {
    for (const auto& path : paths_) {
      if (each_cold) file_.drop();
      DGFS_TRY(node, image.lookup(path));
      static_cast<void>(node);
    }
    return ok();
  }

  static Status list_all(const reader::Image& image) {
    DGFS_TRY(root, image.lookup(""));
    for (std::vector<reader::InodeNumber> left{root.inode}; !left.empty();) {
      const auto directory = left.back();
      left.pop_back();
      const auto before = static_cast<std::ptrdiff_t>(left.size());
      DGFS_CHECK(
          image.list_nodes(directory, 0, [&](const reader::ListedName& name, const reader::Node&) {
            if (format::is_directory(name.mode)) left.push_back(name.inode);
            return true;
          }));
      std::reverse(left.begin() + before, left.end());
    }
    return ok();
  }

  Result<std::unique_ptr<const reader::Image>> open(std::size_t page_cache_bytes) {
    reader::OpenOptions options;
    options.page_cache_bytes = page_cache_bytes;
    auto& env = options_.random ? static_cast<storage::Env&>(random_access_) : *posix_;
    return reader::Image::open(env, options_.index_path, options);
  }

  Status count_open() {
    file_.drop();
    const auto before = file_.device_reads();
    DGFS_TRY(image, open(0));
    static_cast<void>(image);
    note("open", before);
    return ok();
  }

  Status count(const char* name, const Task& task) {
    return count(name, reader::OpenOptions().page_cache_bytes, task);
  }

  Status count(const char* name, std::size_t page_cache_bytes, const Task& task) {
    DGFS_TRY(image, open(page_cache_bytes));
    file_.drop();
    const auto before = file_.device_reads();
    DGFS_CHECK(task(*image));
    note(name, before);
    return ok();
  }

  void note(const char* name, const DeviceReads& before) {
    const auto after = file_.device_reads();
    json_ += fmt::format(R"({}"{}": {{"reads": {}, "bytes": {}}})", json_.empty() ? "" : ", ", name,
                         after.count - before.count, after.bytes - before.bytes);
  }

  Options options_;
  std::unique_ptr<storage::Env> posix_;
  RandomAccessEnv random_access_;
  CachedFile file_;
  std::vector<std::string> paths_;
  std::string json_;
};

int run(int argc, char** argv) {
  Options options;
  CLI::App app("What an index's device is asked for", "dgfs_index_reads");
  app.add_option("INDEX", options.index_path)->required()->check(CLI::ExistingFile);
  app.add_flag("--random", options.random, "open it with POSIX_FADV_RANDOM");
  app.add_option("--seed", options.seed, "which paths")->required();
  app.add_option("--lookups", options.lookups)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto status = IndexReads(options).run();
  if (!status) IndexReads::report(status.assume_error());
  return status ? 0 : 1;
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) { return dgfs::bench::run(argc, argv); }
