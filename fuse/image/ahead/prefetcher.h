// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Prefetcher: fetches files before they are requested. If files are read in the order of their
// directory, it puts the next ones into the kernel's page cache, so that their readers wait for no
// request. If files are read in any order, it asks the device for a file when it is looked up: the
// device reads while the kernel gets the answer to the lookup and sends the read.
#pragma once

#include <mutex>

#include "base/result.h"
#include "fuse/image/ahead/file_sequences.h"
#include "fuse/image/ahead/read_forecast.h"
#include "fuse/read_through.h"
#include "fuse/statistics/request_counters.h"
#include "reader/image.h"

struct fuse_session;

namespace dgfs::fuse {

/// Thread-safe. Prefetched contents are checked like those of any read. If a file cannot be
/// prefetched, its reader requests it later and gets the error.
class Prefetcher {
 public:
  /// All must outlive the object. `reads` learns which contents were prefetched.
  Prefetcher(const reader::Image& image, RequestCounters& counters, ReadThrough& reads)
      : image_(image), counters_(counters), reads_(reads) {}

  /// Starts prefetching; before this call the other functions do nothing.
  /// @param session  must be served by two or more threads: a thread that prefetches a file may
  ///                 have to wait for a request for that file, and so for another thread's answer
  void start(fuse_session* session) { session_ = session; }

  /// Notes that these numbers of names of one directory were listed with their attributes.
  void saw_listing(const InodeRange& names);
  /// Call it before a lookup is answered. Cost: below a microsecond if no read is expected, else 10
  /// to 20.
  void saw_lookup(const reader::Node& node);
  /// Call it before a read from the beginning of a file is answered: until then, its reader cannot
  /// request the files that are prefetched meanwhile. Cost: below a microsecond if nothing is
  /// prefetched.
  void saw_read(format::InodeNumber inode);

 private:
  void bring(InodeRange range);
  [[nodiscard]] bool bring(const reader::Node& file);

  const reader::Image& image_;
  RequestCounters& counters_;
  ReadThrough& reads_;
  fuse_session* session_ = nullptr;
  std::mutex mutex_;
  FileSequences sequences_;  // guarded by mutex_
  ReadForecast forecast_;    // guarded by mutex_
  /// Held by the one thread that prefetches: two could wait for each other's answers.
  std::mutex bringing_;
};

}  // namespace dgfs::fuse
