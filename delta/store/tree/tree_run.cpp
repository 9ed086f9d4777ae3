// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/tree_run.h"

namespace dgfs::delta {

bool TreeRun::may_say(std::string_view key, std::uint64_t hash) const {
  if (about_.filter.may_have(hash)) return true;
  if (!about_.has_tombstones) return false;
  return is_in_memory() || pages_.empty() || pages_.has_tombstones(pages_.find(key));
}

Place TreeRun::place_of(std::size_t page) const {
  const auto at = pages_[page];
  return {place()->offset_bytes + at.offset_bytes, at.length_bytes, at.checksum};
}

Result<KnownRange> TreeRun::load_part(const KeyEnd& key, bool before,
                                      const BlockSource& source) const {
  const KeyRange all{"", std::nullopt};
  auto whole = in_memory(source);
  if (!whole && !pages_.empty()) {
    DGFS_TRY(part, load_page(page_of(key, before), source));
    note_read();
    return part;
  }
  if (!whole) {
    DGFS_TRY(loaded, load(source));
    whole = std::move(loaded);
  }
  note_read();
  return KnownRange{std::move(whole), all};
}

std::optional<Extent> TreeRun::unread_part(const KeyEnd& key, bool before) const {
  if (is_in_memory()) return std::nullopt;
  if (pages_.empty()) return place()->extent();
  const auto page = page_of(key, before);
  const std::lock_guard lock(page_lock_);
  if (page < read_pages_.size() && !read_pages_[page].expired()) return std::nullopt;
  return place_of(page).extent();
}

Result<KnownRange> TreeRun::load_page(std::size_t page, const BlockSource& source) const {
  const Place place = place_of(page);
  {
    const std::lock_guard lock(page_lock_);
    read_pages_.resize(pages_.size());
    if (auto run = read_pages_[page].lock()) {
      source.cache->touch(place.offset_bytes);
      return KnownRange{std::move(run), pages_.range(page)};
    }
  }
  // No lock is held while reading, as in Stored::load.
  DGFS_TRY(stored, source.file->read(place));
  auto run = unpack_page(stored, size_bytes());
  if (!run) return source.file->at_place(run.error(), place.offset_bytes);
  const std::lock_guard lock(page_lock_);
  read_pages_[page] = run.value();
  source.cache->insert(place.offset_bytes, run.value(), run.value()->size_bytes());
  return KnownRange{std::move(run).value(), pages_.range(page)};
}

void TreeRun::set_place(const Place& place, RunPages pages, const BlockSource& source) const {
  pages_ = std::move(pages);
  Stored::set_place(place, source);
}

}  // namespace dgfs::delta
