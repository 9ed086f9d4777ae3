// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// OpenedImage: the parts that an Image hands its calls to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reader/content/content.h"
#include "reader/content/file_contents.h"
#include "reader/counter_cells.h"
#include "reader/index/digests.h"
#include "reader/index/link_names.h"
#include "reader/index/namespace.h"
#include "reader/index/object_names.h"
#include "reader/index/page_store.h"
#include "reader/index/side_records.h"
#include "reader/index/source.h"
#include "reader/index/tables.h"
#include "reader/index/walker.h"
#include "reader/opened_caches.h"
#include "reader/opener.h"
#include "reader/volume/volumes.h"

namespace dgfs::reader {

/// Parts refer to one another, so it stays where it was made.
struct OpenedImage {
  /// The environment must outlive it. It is of use once attach() was called.
  OpenedImage(storage::Env& environment, OpenedFiles&& files, const OpenOptions& options);
  OpenedImage(const OpenedImage&) = delete;
  OpenedImage& operator=(const OpenedImage&) = delete;
  ~OpenedImage();

  /// Takes what was read with `source`, and opens the way to contents in the volumes that it names.
  /// Once.
  void attach(IndexTables&& loaded);

  storage::Env& env;
  std::string index_path;
  std::optional<FoundVolume> volume_zero;
  VolumePlaces places;  ///< until attach()
  CounterCells counters;
  IndexSource source;
  IndexTables tables;
  std::shared_ptr<ImageCaches> caches;  ///< other images may have them, too
  CacheNumbers numbers;                 ///< set by attach()
  PageStore pages;
  Namespace names;
  Walker walker;
  SideRecords side_records;
  Digests digests;
  LinkNames link_names;
  ObjectNames object_names;
  bool check_contents;
  // Set by attach().
  std::optional<Volumes> volumes;
  std::optional<Content> content;
  std::optional<FileContents> files;
};

}  // namespace dgfs::reader
