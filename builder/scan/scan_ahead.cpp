// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/scan_ahead.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "builder/scan/directory_cursor.h"
#include "format/entry/mode.h"

namespace dgfs::builder {
namespace {

// Open directories of each thread. Levels above the deepest ones change rarely.
constexpr std::size_t kOpenLevels = 8;

// Counts the paths too: one may have 64 KiB, much more than the entries of most directories.
std::size_t bytes_of(const std::string& prefix, const ListedDirectory& directory) {
  std::size_t bytes = sizeof(ListedDirectory) + prefix.size() + directory.path.size();
  for (const SourceEntry& entry : directory.entries) {
    bytes += sizeof(SourceEntry) + entry.name.size() + entry.target.size() + entry.xattrs.size();
  }
  return bytes;
}

// Lists directories, for one thread.
class Lister {
 public:
  Lister(const storage::Directory& root, const EntryReader& entries, StopFlag stop)
      : entries_(entries), stop_(stop), cursor_(root, kOpenLevels) {}

  /// nullopt: the directory is too large, or the build was stopped.
  std::optional<ListedDirectory> list(std::string_view prefix) {
    ListedDirectory listed;
    auto done = list(prefix, listed);
    if (!done) {
      listed.error = std::move(done).error();
      return listed;
    }
    if (!done.value()) return std::nullopt;
    return listed;
  }

 private:
  Result<bool> list(std::string_view prefix, ListedDirectory& listed) {
    DGFS_TRY(directory, cursor_.enter(prefix));
    DGFS_TRY(status, directory->status());
    listed.path = directory->path();
    listed.status = status;
    std::vector<std::string> names;
    DGFS_CHECK(directory->each_name([&](std::string_view name) {
      if (entries_.may_include(prefix, name)) names.emplace_back(name);
      return names.size() <= ScanAhead::kNamesMax;
    }));
    if (names.size() > ScanAhead::kNamesMax) return false;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    ObjectKeys keys(*directory);
    for (const std::string& name : names) {
      if (stop_.is_set()) return false;
      if (auto entry = entries_.read(*directory, prefix, name, keys)) {
        listed.entries.push_back(std::move(*entry));
      }
    }
    return true;
  }

  const EntryReader& entries_;
  StopFlag stop_;
  DirectoryCursor cursor_;
};

}  // namespace

ScanAhead::ScanAhead(const storage::Directory& root, const EntryReader& entries,
                     const AheadOptions& options, StopFlag stop)
    : root_(root), entries_(entries), options_(options), stop_(stop) {}

ScanAhead::~ScanAhead() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ScanAhead::start() {
  try {
    while (threads_.size() < options_.threads) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // go on with the threads that were granted
  }
}

void ScanAhead::add(std::string prefix) {
  const std::lock_guard lock(mutex_);
  if (threads_.empty() || begun_.contains(prefix)) return;
  static_cast<void>(add_waiting(std::move(prefix)));  // without room, the scan lists it itself
}

// Needs the mutex. Returns false if there is no room.
bool ScanAhead::add_waiting(std::string prefix) {
  const auto bytes = prefix.size();
  if (waiting_.size() >= kWaitingMax || waiting_bytes_ + bytes > kWaitingBytesMax) return false;
  if (waiting_.insert(std::move(prefix)).second) {
    waiting_bytes_ += bytes;
    work_.notify_one();
  }
  return true;
}

// Needs the mutex.
void ScanAhead::erase_waiting(Waiting::const_iterator begin, Waiting::const_iterator end) {
  for (auto each = begin; each != end; ++each) waiting_bytes_ -= each->size();
  waiting_.erase(begin, end);
}

std::optional<ListedDirectory> ScanAhead::take(const std::string& prefix) {
  std::unique_lock lock(mutex_);
  taken_ = prefix;
  forget_before(prefix);
  const auto found = begun_.find(prefix);
  if (found == begun_.end()) return std::nullopt;
  done_.wait(lock, [&] { return found->second.done; });
  auto directory = std::move(found->second.directory);
  const bool was_full = held_bytes_ >= options_.memory_bytes;
  held_bytes_ -= found->second.bytes;
  begun_.erase(found);
  if (was_full) work_.notify_all();
  return directory;
}

// Drops waiting directories up to `prefix`, including it, and finished ones before it. A directory
// that a thread is listing stays; end() drops it.
void ScanAhead::forget_before(const std::string& prefix) {
  erase_waiting(waiting_.begin(), waiting_.upper_bound(prefix));
  for (auto each = begun_.begin(); each != begun_.end() && each->first < prefix;) {
    held_bytes_ -= each->second.bytes;
    each = each->second.done ? begun_.erase(each) : std::next(each);
  }
}

void ScanAhead::work() {
  try {
    Lister lister(root_, entries_, stop_);
    while (auto prefix = begin()) {
      std::optional<ListedDirectory> directory;
      try {
        directory = lister.list(*prefix);
      } catch (const std::exception&) {  // out of memory: the scan lists it, or reports the error
      }
      end(*prefix, std::move(directory));
    }
  } catch (const std::exception&) {  // the other threads, or the scan alone, go on
  }
}

// Waits for room, and begins the next directory in order.
std::optional<std::string> ScanAhead::begin() {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [this] {
    return cancelled_ || (!waiting_.empty() && held_bytes_ < options_.memory_bytes);
  });
  if (cancelled_) return std::nullopt;
  std::string prefix = *waiting_.begin();
  begun_.emplace(prefix, Begun{});
  erase_waiting(waiting_.begin(), std::next(waiting_.begin()));
  return prefix;
}

void ScanAhead::end(const std::string& prefix, std::optional<ListedDirectory> directory) {
  const std::size_t bytes = directory ? bytes_of(prefix, *directory) : 0;
  const std::lock_guard lock(mutex_);
  if (prefix < taken_) {
    begun_.erase(prefix);
    return;
  }
  // Sets `done` first: if adding the children fails for lack of memory, take() must not wait for
  // ever.
  Begun& begun = begun_.find(prefix)->second;
  begun.done = true;
  begun.bytes = bytes;
  begun.directory = std::move(directory);
  held_bytes_ += bytes;
  done_.notify_one();
  if (begun.directory && !begun.directory->error) add_children(prefix, begun.directory->entries);
}

// Needs the mutex.
void ScanAhead::add_children(const std::string& prefix, const std::vector<SourceEntry>& entries) {
  for (const SourceEntry& entry : entries) {
    if (entry.error || !format::is_directory(entry.status.mode)) continue;
    if (options_.device && entry.status.device != *options_.device) continue;
    if (!add_waiting(prefix + entry.name + '\0')) break;
  }
}

}  // namespace dgfs::builder
