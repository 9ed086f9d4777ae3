// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// OpenedImage: the parts that do the work of an Image.
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

/// Not movable, because the parts refer to one another.
struct OpenedImage {
  /// The environment must outlive it. Usable after attach().
  OpenedImage(storage::Env& environment, OpenedFiles&& files, const OpenOptions& options);
  OpenedImage(const OpenedImage&) = delete;
  OpenedImage& operator=(const OpenedImage&) = delete;
  ~OpenedImage();

  /// Takes the tables that were loaded from `source`, and makes the parts that read contents.
  /// Called once.
  void attach(IndexTables&& loaded);

  storage::Env& env;
  std::string index_path;
  std::optional<FoundVolume> volume_zero;
  VolumePlaces places;  ///< until attach()
  CounterCells counters;
  IndexSource source;
  IndexTables tables;
  std::shared_ptr<ImageCaches> caches;  ///< may be shared with other images
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
