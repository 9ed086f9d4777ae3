// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/check/index_check.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "reader/index/compare.h"
#include "reader/index/digests.h"
#include "reader/index/link_names.h"
#include "reader/index/loaded_page.h"
#include "reader/index/page_store.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

// Lookups trust the type in a page and do not search the directory table, so verify compares both.
Status check_kinds(const LoadedPage& page, const format::DecodedPage& rows,
                   const IndexTables& tables) {
  if (page.record.zone == format::kLinkZone) return ok();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool in_table = tables.directories.children(page.ordinal(i)).has_value();
    if (format::is_directory(rows.mode(i)) == in_table) continue;  // F-053
    return Error(
        ErrorKind::kCorrupt, 3042,
        fmt::format("entry {}: pages and directory table disagree on what is a directory", i));
  }
  return ok();
}

// F-050, F-102: keys and directory table must agree on whether two neighbours are in one directory.
Status check_directories(const LoadedPage& page, const format::DecodedPage& rows,
                         const IndexTables& tables) {
  if (page.record.zone == format::kLinkZone) return ok();
  std::string before;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto key = page.full_key(rows.key(i));
    key.resize(key.size() - format::name_of_key(key).size());
    const auto ordinal = page.ordinal(i);
    const bool is_first = i == 0 || ordinal == 1;  // the root has no parent
    const bool by_table =
        !is_first && tables.directories.parent(ordinal) == tables.directories.parent(ordinal - 1);
    if (!is_first && by_table != (key == before)) {
      return Error(ErrorKind::kCorrupt, 3043,
                   fmt::format("entry {}: pages and directory table disagree on its directory", i));
    }
    before = std::move(key);
  }
  return ok();
}

void add_links(const LoadedPage& page, const format::DecodedPage& rows,
               std::vector<LinkName>& links) {
  if (page.record.zone == format::kLinkZone) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const auto link = rows.link_inode(i)) links.push_back({link, page.ordinal(i)});
  }
}

// Runs all checks on one page of one copy. Adds its names of multiply linked objects to `links`.
Status check_page(const IndexCopy& copy, const IndexTables& tables, std::size_t number,
                  CounterCells& counters, std::vector<LinkName>& links) {
  DGFS_TRY(page, read_checked_page(copy, tables, number, counters));
  const auto check = [&]() -> Status {
    DGFS_TRY(rows, page.page->decode());
    DGFS_CHECK(slice_of(page, 0, page.size(), tables));
    add_links(page, *rows, links);
    DGFS_CHECK(check_kinds(page, *rows, tables));
    return check_directories(page, *rows, tables);
  };
  const auto checked = check();
  if (checked) return ok();
  const auto& error = checked.assume_error();
  return placed(Error(error.kind(), error.code(), error.text()), copy.path(), "pages",
                copy.page_offset(number));
}

}  // namespace

Status check_index(
    const IndexSource& source, const IndexTables& tables, CounterCells& counters,
    const std::function<void(const Error&)>& damaged,
    const std::function<bool(std::uint64_t bytes, std::uint64_t bytes_total)>& goes_on) {
  const auto* const second = source.second();
  const std::uint64_t copies = second != nullptr ? 2 : 1;
  const auto bytes_total = copies * tables.pages.size() * format::kPageBytes;
  std::uint64_t bytes = 0;
  bool sound = true;
  const auto tell = [&](const Error& error) {
    sound = false;
    damaged(error);
  };
  const auto check_copy = [&](const IndexCopy& copy) -> Status {
    check_tables(copy, tell);
    std::vector<LinkName> links;  // 16 bytes each
    bool all_pages = true;
    for (std::size_t page = 0; page < tables.pages.size(); ++page) {
      const auto checked = check_page(copy, tables, page, counters, links);
      if (!checked) tell(checked.assume_error());
      all_pages = all_pages && checked;
      bytes += format::kPageBytes;
      if (goes_on && !goes_on(bytes, bytes_total)) {
        return Error(ErrorKind::kInterrupted, 3270, "interrupted");
      }
    }
    Digests::check(copy, tell);
    LinkNames::check(copy, all_pages ? &links : nullptr, tell);
    const auto unused = copy.check_unused();
    if (!unused) tell(unused.assume_error());
    return ok();
  };
  DGFS_CHECK(check_copy(source.first()));
  if (second != nullptr) {
    DGFS_CHECK(check_copy(*second));
  }
  if (second != nullptr && sound) compare_copies(source.first(), *second, damaged);
  if (const auto error = source.second_error()) damaged(*error);
  return ok();
}

}  // namespace dgfs::reader
