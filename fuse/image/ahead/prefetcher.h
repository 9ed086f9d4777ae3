// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Prefetcher: fetches files before they are asked for. Those read in the order of their directory
// are put into the kernel's page cache, so that who reads them waits for no request. Those read in
// any order are asked of the device when they are looked up: it reads while the kernel is told
// about the lookup and comes back with the read.
#pragma once

#include <mutex>

#include "base/result.h"
#include "fuse/image/ahead/file_sequences.h"
#include "fuse/image/ahead/read_forecast.h"
#include "fuse/statistics/request_counters.h"
#include "reader/image.h"

struct fuse_session;

namespace dgfs::fuse {

/// Thread-safe. Everything brought was checked as any read is; what fails to be brought is left for
/// its reader to ask for, and to be told why.
class Prefetcher {
 public:
  /// Both must outlive it.
  Prefetcher(const reader::Image& image, RequestCounters& counters)
      : image_(image), counters_(counters) {}

  /// From now on files are brought; before that, nothing happens.
  /// @param session  served by two threads at least: who brings a file may have to wait for one
  /// that
  ///                 somebody is just asking for, and so for another thread's answer
  void start(fuse_session* session) { session_ = session; }

  /// Told that these numbers of names of one directory were listed with their attributes.
  void saw_listing(const InodeRange& names);
  /// Told that a name was looked up, before that is answered. Cost: below a microsecond where the
  /// file is not thought to be read, 10 to 20 where it is.
  void saw_lookup(const reader::Node& node);
  /// Told that a file is read from its begin, before that is answered: what is brought before the
  /// answer, its reader cannot be faster to ask for. Cost: below a microsecond where nothing is to
  /// be brought.
  void saw_read(format::InodeNumber inode);

 private:
  void bring(InodeRange range);
  [[nodiscard]] bool bring(const reader::Node& file);

  const reader::Image& image_;
  RequestCounters& counters_;
  fuse_session* session_ = nullptr;
  std::mutex mutex_;
  FileSequences sequences_;  // guarded by mutex_
  ReadForecast forecast_;    // likewise
  /// Held by the one thread that brings files: two could wait for each other's answers.
  std::mutex bringing_;
};

}  // namespace dgfs::fuse
