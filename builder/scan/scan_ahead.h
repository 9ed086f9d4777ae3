// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Scanning ahead: threads that list the next directories of the scan. A cold disk then gets many
// requests at once, and cores share the work if the cache is warm. Neither a queue of tasks nor a
// read pool (read/read_pool.h) would do, because each listed directory changes the order of the
// next ones, and the scan itself lists a directory that no thread has begun.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "builder/scan/entry_reader.h"
#include "builder/stop.h"

namespace dgfs::builder {

/// A directory of the source with its entries.
struct ListedDirectory {
  std::string path;                  ///< for error messages
  storage::FileStatus status;        ///< of the listed directory
  std::optional<Error> error;        ///< set if it could not be listed
  std::vector<SourceEntry> entries;  ///< sorted by name (memcmp)
};

struct AheadOptions {
  unsigned threads = 0;                             ///< 0: no listing ahead
  std::size_t memory_bytes = std::size_t{8} << 20;  ///< for directories not yet taken, approximate
  /// If set, directories on other devices are not entered.
  std::optional<std::uint64_t> device;
};

/// Only the thread of the scan calls add() and take(); it visits directories in rising order of
/// their prefixes. A prefix of path keys ("a 00 b 00") names a directory.
class ScanAhead {
 public:
  /// @param root, entries  must outlive this
  ScanAhead(const storage::Directory& root, const EntryReader& entries, const AheadOptions& options,
            StopFlag stop);
  /// Waits until the threads have ended their current work.
  ~ScanAhead();
  ScanAhead(const ScanAhead&) = delete;
  ScanAhead& operator=(const ScanAhead&) = delete;

  /// Starts the threads. If the system grants none, take() always returns nullopt.
  void start();
  /// Announces a directory that the scan will visit. Ignored if there is no room.
  void add(std::string prefix);
  /// The directory, if a thread has begun to list it; waits until that is done. nullopt: the caller
  /// must list it, because no thread has begun or because it is large. Forgets all directories
  /// before it.
  [[nodiscard]] std::optional<ListedDirectory> take(const std::string& prefix);

  /// Bound of the names in a directory. A larger one is left to the scan, which holds only some
  /// names in memory.
  static constexpr std::size_t kNamesMax = 4096;
  /// Bound of the directories that are known but not begun.
  static constexpr std::size_t kWaitingMax = 4096;
  /// Bound of their prefixes together, each of up to 64 KiB.
  static constexpr std::size_t kWaitingBytesMax = std::size_t{1} << 20;

 private:
  /// A directory that a thread has begun.
  struct Begun {
    bool done = false;
    std::size_t bytes = 0;
    std::optional<ListedDirectory> directory;  ///< nullopt: left to the scan
  };

  using Waiting = std::set<std::string>;

  void work();
  [[nodiscard]] std::optional<std::string> begin();
  [[nodiscard]] bool add_waiting(std::string prefix);
  void erase_waiting(Waiting::const_iterator begin, Waiting::const_iterator end);
  void end(const std::string& prefix, std::optional<ListedDirectory> directory);
  void forget_before(const std::string& prefix);
  void add_children(const std::string& prefix, const std::vector<SourceEntry>& entries);

  const storage::Directory& root_;
  const EntryReader& entries_;
  AheadOptions options_;
  StopFlag stop_;

  std::mutex mutex_;  ///< guards the members below
  std::condition_variable work_;
  std::condition_variable done_;
  Waiting waiting_;
  std::size_t waiting_bytes_ = 0;
  std::map<std::string, Begun> begun_;
  std::string taken_;           ///< prefix of the last take()
  std::size_t held_bytes_ = 0;  ///< memory of begun_
  bool cancelled_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace dgfs::builder
