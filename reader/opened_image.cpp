// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/opened_image.h"

#include <utility>

namespace dgfs::reader {
namespace {

constexpr std::size_t kFrameShardsMax = 8;

}  // namespace

OpenedImage::OpenedImage(storage::Env& environment, OpenedFiles&& opened,
                         const OpenOptions& options)
    : env(environment),
      index_path(std::move(opened.index_path)),
      volume_zero(std::move(opened.volume_zero)),
      places(std::move(opened.places)),
      source(std::move(opened.first), std::move(opened.open_second), options.warn),
      pages(source, tables, counters, options.page_cache_bytes),
      frames(options.frame_cache_bytes, kFrameShardsMax),
      maps(options.frame_cache_bytes, 1),  // one shard, since one map may take most of it
      names(tables, pages),
      walker(tables, pages, names),
      side_records(source, counters),
      digests(source, counters),
      link_names(source, counters),
      object_names(tables, names, link_names),
      check_contents(options.check_contents) {}

void OpenedImage::attach(IndexTables&& loaded) {
  tables = std::move(loaded);
  volumes.emplace(env, std::move(places), tables.volumes);
  if (volume_zero) volumes->adopt(*volume_zero);
  content.emplace(*volumes, tables.content_dictionaries, counters, frames, maps, check_contents);
  files.emplace(*content, maps, side_records);
}

}  // namespace dgfs::reader
