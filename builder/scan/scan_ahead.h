// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Scanning ahead: threads that list the directories which the scan comes to next, so that a cold
// disk has many questions to answer at once, and the cores share the work where it is warm. It is
// neither a queue of work nor a read pool (read/read_pool.h): what is next changes with each
// directory that is listed, and what the scan comes to first is its own to do.
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
  std::string path;                  ///< for messages
  FileIdentity identity;             ///< of what was listed
  std::optional<Error> error;        ///< it could not be listed
  std::vector<SourceEntry> entries;  ///< by name, memcmp
};

struct AheadOptions {
  unsigned threads = 0;                             ///< 0: nothing is done ahead
  std::size_t memory_bytes = std::size_t{8} << 20;  ///< of directories not yet taken, about
  /// If set: directories on other devices are not entered.
  std::optional<std::uint64_t> device;
};

/// add() and take() are for one thread, the scan's, which visits directories in rising order of
/// their prefixes. Directories are told by prefixes of path keys ("a 00 b 00").
class ScanAhead {
 public:
  /// @param root, entries  must outlive this
  ScanAhead(const storage::Directory& root, const EntryReader& entries, const AheadOptions& options,
            StopFlag stop);
  /// Waits for the threads to end what they are at.
  ~ScanAhead();
  ScanAhead(const ScanAhead&) = delete;
  ScanAhead& operator=(const ScanAhead&) = delete;

  /// Begins. Without threads, where the system gives none, take() never has anything.
  void start();
  /// Tells of a directory that the scan will come to; more than there is room for are forgotten.
  void add(std::string prefix);
  /// The directory, if somebody has begun it; waits until it is done. nullopt: the caller has to
  /// list it, because nobody began or because it is large. Forgets all that come before it.
  [[nodiscard]] std::optional<ListedDirectory> take(const std::string& prefix);

  /// Names of a directory that is left to the scan, which needs memory for some of them only.
  static constexpr std::size_t kNamesMax = 4096;
  /// Directories known but not begun.
  static constexpr std::size_t kWaitingMax = 4096;
  /// Of their prefixes, which may have 64 KiB each.
  static constexpr std::size_t kWaitingBytesMax = std::size_t{1} << 20;

 private:
  /// One that was begun.
  struct Begun {
    bool done = false;
    std::size_t bytes = 0;
    std::optional<ListedDirectory> directory;  ///< none: left to the scan
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

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable work_;
  std::condition_variable done_;
  Waiting waiting_;
  std::size_t waiting_bytes_ = 0;
  std::map<std::string, Begun> begun_;
  std::string taken_;           ///< the last one
  std::size_t held_bytes_ = 0;  ///< of begun_
  bool cancelled_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace dgfs::builder
