// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/link_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/header/feature.h"
#include "format/header/section.h"
#include "reader/index/section_blocks.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

using format::LinkTable;
using format::SectionKind;

constexpr auto kLinkSection = SectionKind::kLinkNames;

bool lists_link_names(const IndexCopy& copy) {  // F-340
  return (copy.superblock().compat & format::feature::kCompatLinkNames) != 0;
}

Error bad_links_at(const IndexCopy& copy, std::uint64_t offset_bytes, Error error) {
  return placed(error, copy.path(), format::section_name(kLinkSection),
                copy.section_offset(kLinkSection) + offset_bytes);
}

Result<LinkTable> load_link_table(const HealingCopy& index) {
  const auto& copy = index.copy;
  constexpr auto kKind = SectionKind::kLinkTable;
  const auto& superblock = copy.superblock();
  LinkTable::Loader loader(superblock.section(kLinkSection).length_bytes, superblock.next_inode,
                           superblock.namespace_entries);
  DGFS_CHECK(for_each_block(index, kKind, [&](Bytes body) { return loader.add(body); }));
  return placed_result(std::move(loader).finish(), copy.path(), format::section_name(kKind),
                       copy.section_offset(kKind));  // F-340
}

/// Calls `visit` for the objects of a block, which is read into `bytes`. One read.
Status visit_names_in(const IndexCopy& copy, const LinkTable& table, std::size_t block,
                      Buffer& bytes, const format::VisitLinkNames& visit) {
  const auto place = table.place(block);
  bytes.resize(static_cast<std::size_t>(place.length_bytes));
  DGFS_CHECK(copy.read_section(kLinkSection, place.offset_bytes, bytes));
  const auto opened = format::open_block(kLinkSection, bytes);
  if (!opened) return bad_links_at(copy, place.offset_bytes, opened.assume_error());
  if (opened.assume_value().consumed_bytes != bytes.size()) {
    return bad_links_at(copy, place.offset_bytes,
                        Error(ErrorKind::kCorrupt, 3900, "block is shorter than its table says"));
  }
  const auto visited =
      format::visit_link_block(opened.assume_value().body, table.bounds(block), visit);
  if (visited) return ok();
  // Drops the offset in the body: it is none in the file, because the body may be compressed.
  const auto& error = visited.assume_error();
  return bad_links_at(copy, place.offset_bytes, Error(error.kind(), error.code(), error.text()));
}

// Compares the lists of a copy with the names of the tree, name by name.
class ListComparison {
 public:
  explicit ListComparison(std::vector<LinkName>& names) : names_(names) {
    std::sort(names_.begin(), names_.end());
  }

  void see(InodeNumber inode, std::span<const Ordinal> names) {
    for (const auto name : names) {
      if (differing_) return;
      const bool is_behind = at_ == names_.size();
      if (is_behind || names_[at_] != LinkName{inode, name}) {
        differing_ = is_behind ? inode : std::min(inode, names_[at_].inode);
        return;
      }
      ++at_;
    }
  }
  /// An object with different names in the lists and in the tree, if there is one.
  [[nodiscard]] std::optional<InodeNumber> differing() const {
    if (differing_ || at_ == names_.size()) return differing_;
    return names_[at_].inode;
  }

 private:
  std::vector<LinkName>& names_;
  std::size_t at_ = 0;
  std::optional<InodeNumber> differing_;
};

}  // namespace

bool LinkNames::are_listed() const { return lists_link_names(source_.first()); }

Result<LinkNames::TablePointer> LinkNames::table() const {
  // Reads under the lock: other threads need the same table and would read it again.
  const std::lock_guard lock(mutex_);
  if (table_ == nullptr) {
    DGFS_TRY(loaded, source_.load(counters_, load_link_table));
    table_ = std::make_shared<const LinkTable>(std::move(loaded));
  }
  return table_;
}

Result<std::vector<Ordinal>> LinkNames::of(InodeNumber inode) const {
  DGFS_TRY(loaded, table());
  return source_.read(counters_, [&](const IndexCopy& copy) { return read(copy, *loaded, inode); });
}

Result<std::vector<Ordinal>> LinkNames::read(const IndexCopy& copy, const LinkTable& table,
                                             InodeNumber inode) const {
  std::vector<Ordinal> all;
  Buffer bytes;
  const auto range = table.find(inode);
  for (auto block = range.begin; block < range.end; ++block) {
    const auto place = table.place(block);
    CounterCells::add(counters_.side_reads);
    CounterCells::add(counters_.side_read_bytes, place.length_bytes);
    bool rises = true;
    DGFS_CHECK(visit_names_in(copy, table, block, bytes, [&](InodeNumber of, auto names) {
      if (of != inode) return;
      rises = all.empty() || names.front() > all.back();
      all.insert(all.end(), names.begin(), names.end());
    }));
    if (!rises) {  // F-344
      return bad_links_at(
          copy, place.offset_bytes,
          Error(ErrorKind::kCorrupt, 3901, "names do not rise from block to block"));
    }
  }
  return all;
}

std::size_t LinkNames::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return table_ == nullptr ? 0 : table_->memory_bytes();
}

void LinkNames::check(const IndexCopy& copy, std::vector<LinkName>* names,
                      const std::function<void(const Error&)>& damaged) {
  if (!lists_link_names(copy)) return;
  const auto table = load_link_table(copy);
  if (!table) return damaged(table.assume_error());
  std::optional<ListComparison> comparison;
  if (names != nullptr) comparison.emplace(*names);
  Buffer bytes;
  bool all_read = true;
  for (std::size_t block = 0; block < table.assume_value().block_count(); ++block) {
    const auto visited = visit_names_in(copy, table.assume_value(), block, bytes,
                                        [&](InodeNumber inode, auto of_object) {
                                          if (comparison) comparison->see(inode, of_object);
                                        });
    if (visited) continue;
    all_read = false;
    damaged(visited.assume_error());
  }
  const auto differing = comparison && all_read ? comparison->differing() : std::nullopt;
  if (!differing) return;
  damaged(
      bad_links_at(copy, 0,
                   Error(ErrorKind::kCorrupt, 3902,  // F-341
                         fmt::format("not the names that the tree has of inode {}", *differing))));
}

}  // namespace dgfs::reader
