// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/opened_image.h"

#include <utility>

namespace dgfs::reader {

OpenedImage::OpenedImage(storage::Env& environment, OpenedFiles&& opened,
                         const OpenOptions& options)
    : env(environment),
      index_path(std::move(opened.index_path)),
      volume_zero(std::move(opened.volume_zero)),
      places(std::move(opened.places)),
      source(std::move(opened.first), std::move(opened.open_second), options.warn),
      caches(options.caches
                 ? options.caches
                 : make_image_caches(options.page_cache_bytes, options.frame_cache_bytes)),
      pages(source, tables, counters, caches->pages),
      names(tables, pages),
      walker(tables, pages, names),
      side_records(source, counters),
      digests(source, counters),
      link_names(source, counters),
      object_names(tables, names, link_names),
      check_contents(options.check_contents) {}

OpenedImage::~OpenedImage() {
  if (caches.use_count() > 1) caches->drop(numbers);  // else the caches are destroyed as a whole
}

void OpenedImage::attach(IndexTables&& loaded) {
  tables = std::move(loaded);
  volumes.emplace(env, std::move(places), tables.volumes, tables.origins);
  if (volume_zero) volumes->adopt(*volume_zero);
  numbers = caches->reserve(tables.pages.size());
  pages.number_from(numbers.first);
  const ContentCaches parts = {caches->frames, caches->maps, numbers.first};
  content.emplace(*volumes, tables.content_dictionaries, counters, parts, check_contents);
  files.emplace(*content, parts, side_records);
}

}  // namespace dgfs::reader
