// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/store_check.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "delta/store/copied_store.h"
#include "format/coding.h"
#include "storage/file_mode.h"

namespace dgfs::delta {
namespace {

constexpr const char* kSuperblockFile = "/store";
constexpr const char* kBlockFile = "/blocks";
constexpr const char* kValueFile = "/extents";
constexpr std::array<const char*, 5> kFilesOfStore = {kSuperblockFile, kBlockFile, kValueFile,
                                                      "/log.0", "/log.1"};
// The same in all versions, so that the version can be reported.
constexpr std::size_t kVersionAt = 8;

using File = std::unique_ptr<storage::File>;

Result<File> open_superblocks(storage::Env& env, const std::string& directory) {
  DGFS_TRY(status, env.status(directory));
  if (!storage::is_type(status.mode, storage::kTypeDirectory)) {
    return Error(ErrorKind::kNotDirectory, 7085, "is not a directory").in_file(directory);
  }
  auto file = env.open(directory + kSuperblockFile);
  if (!file && file.error().kind() == ErrorKind::kNotFound) {
    return Error(ErrorKind::kNotFound, 7086, "no store is here: the file \"store\" is missing")
        .in_file(directory);
  }
  return file;
}

Status lock(storage::File& superblocks, const std::string& directory) {
  auto locked = superblocks.lock_shared();
  if (locked || locked.error().kind() != ErrorKind::kBusy) return locked;
  return Error(ErrorKind::kBusy, 7087,
               "the store is in use by " + storage::holders_text(superblocks))
      .in_file(directory);
}

Error without_superblock(const Error& error, const storage::File& file) {
  if (error.kind() != ErrorKind::kCorrupt) return error;
  return Error(ErrorKind::kCorrupt, 7091,
               "no superblock is whole: this is not a store, or it is damaged")
      .in_file(file.path());
}

class Check {
 public:
  Check(storage::Env& env, const std::string& directory, const StoreCheckOptions& options)
      : env_(env), directory_(directory), options_(options), damage_(options.damaged) {}

  Result<StoreReport> run() {
    DGFS_TRY(superblocks, open_superblocks(env_, directory_));
    if (options_.locks) {
      DGFS_CHECK(lock(*superblocks, directory_));
    }
    DGFS_CHECK(check_superblocks(*superblocks));
    DGFS_CHECK(check_origin());
    note_files();
    DGFS_CHECK(check_blocks());
    report_.damaged_places = damage_.places();
    return std::move(report_);
  }

 private:
  Status check_superblocks(const storage::File& file) {
    const auto read = read_superblock(file);
    if (!read) return without_superblock(read.error(), file);
    const Superblock& newest = read.value();
    report_.superblock = newest;
    std::optional<Superblock> other;
    for (const std::uint64_t slot : {0U, 1U}) {
      Buffer bytes(kSuperblockBytes);
      DGFS_TRY(count, file.read_at(slot * kSuperblockBytes, bytes));
      bytes.resize(count);
      const auto found = decode_superblock(bytes);
      if (!found) {
        const bool is_blank =
            std::all_of(bytes.begin(), bytes.end(), [](auto b) { return b == 0; });
        // The first checkpoint leaves the other slot as it is.
        if (!is_blank || newest.checkpoint > 1) ++report_.torn_superblocks;
        continue;
      }
      ++report_.whole_superblocks;
      report_.version = format::load<std::uint32_t>(bytes, kVersionAt);
      if (found.value() != newest) other = found.value();
      if (found.value().checkpoint % 2 != slot) {
        DGFS_CHECK(tell_superblock(7088, "a superblock is in the wrong place", slot));
      }
    }
    if (other && (other->store != newest.store || other->checkpoint + 1 != newest.checkpoint)) {
      DGFS_CHECK(tell_superblock(7089, "a superblock is not from the previous checkpoint",
                                 other->checkpoint % 2));
    }
    return ok();
  }

  // A store that lacks a file is damaged, wherever it comes from.
  Status check_origin() {
    if (options_.accepts_torn_copy) return ok();
    const auto origin = read_origin(env_, directory_, report_.superblock);
    if (!origin && origin.error().kind() == ErrorKind::kChanged) return origin.error();
    return ok();
  }

  Status tell_superblock(std::uint16_t code, const char* text, std::uint64_t slot) {
    return damage_.add(Error(ErrorKind::kCorrupt, code, text)
                           .in_file(directory_ + kSuperblockFile)
                           .in_section("superblock")
                           .at_offset(slot * kSuperblockBytes));
  }

  void note_files() {
    for (const char* name : kFilesOfStore) {
      const auto path = directory_ + name;
      const auto status = env_.status(path);
      if (!status) continue;
      report_.files.push_back({path, status.value().size_bytes, status.value().allocated_bytes});
    }
  }

  Status check_blocks() {
    std::uint64_t total_bytes = 0;
    if (options_.progress && options_.reads_runs) {
      Damage untold([](const Error& /*error*/) {});
      DGFS_TRY(values, open_values(untold));
      DGFS_TRY(nodes, walk(false, 0, values, untold));
      total_bytes = nodes.total_bytes();
    }
    DGFS_TRY(values, open_values(damage_));
    DGFS_TRY(found, walk(options_.reads_runs, total_bytes, values, damage_));
    static_cast<TreeReport&>(report_) = found;
    return check_log(values);
  }

  Result<ValueCheck> open_values(Damage& damage) {
    auto file = env_.open(directory_ + kValueFile);
    if (file) return ValueCheck::make(std::move(file).value(), damage);
    DGFS_CHECK(damage.add(std::move(file).error()));
    return ValueCheck::make(nullptr, damage);
  }

  Result<TreeReport> walk(bool reads_runs, std::uint64_t total_bytes, ValueCheck& values,
                          Damage& damage) {
    auto file = env_.open(directory_ + kBlockFile);
    if (!file) {
      DGFS_CHECK(damage.add(std::move(file).error()));
      return TreeReport();
    }
    const Superblock& superblock = report_.superblock;
    const TreeWalk how{reads_runs, superblock.filter, superblock.space,
                       superblock.parameters.born_object,
                       [&](const TreeReport& so_far, std::uint64_t read_bytes) {
                         if (options_.progress) {
                           options_.progress({so_far.nodes, read_bytes, total_bytes});
                         }
                         return options_.stop == nullptr || !*options_.stop;
                       }};
    return check_tree(std::move(file).value(), report_.superblock.root, how, values, damage);
  }

  // Groups that are not in the tree also refer to large values.
  Status check_log(ValueCheck& values) {
    const Superblock& superblock = report_.superblock;
    report_.log_sequence = superblock.sequence;
    if (superblock.sealed) {  // it has no log
      report_.free_value_bytes = values.free_bytes();
      return ok();
    }
    auto log = Log::open(env_, directory_, superblock.parameters.segment_bytes, superblock.store,
                         storage::OpenOptions::Mode::kRead);
    if (!log) return damage_.add(std::move(log).error());
    LogPosition begin = superblock.log;
    begin.is_end = false;  // so that all of the log is read
    auto replayed = log.value()->replay(begin, [&](const Run& run, std::uint64_t sequence) {
      report_.log_sequence = std::max(report_.log_sequence, sequence);
      if (sequence <= superblock.sequence) return Status(ok());
      ++report_.log_groups;
      auto marked = values.mark(run.values());
      return marked && options_.reads_runs ? values.read(run) : marked;
    });
    report_.free_value_bytes = values.free_bytes();
    report_.log_generation = log.value()->segment_begin().generation;
    report_.log_used_bytes = log.value()->used_bytes();
    return replayed ? Status(ok()) : damage_.add(std::move(replayed).error());
  }

  storage::Env& env_;
  const std::string& directory_;
  const StoreCheckOptions& options_;
  Damage damage_;
  StoreReport report_;
};

}  // namespace

Result<StoreReport> check_store(storage::Env& env, const std::string& directory,
                                const StoreCheckOptions& options) {
  return Check(env, directory, options).run();
}

}  // namespace dgfs::delta
