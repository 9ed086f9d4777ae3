// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Namespace: finds nodes by names and inode numbers, with index pages and the tables in memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "reader/index/page_store.h"
#include "reader/node.h"

namespace dgfs::reader {

/// An entry and its page. A value.
struct FoundEntry {
  PagePointer page;
  format::PageEntry at;
};

/// Thread-safe. A method with the name of a method of Image has the same contract. References must
/// outlive it.
class Namespace {
 public:
  Namespace(const IndexTables& tables, const PageStore& pages) : tables_(tables), pages_(pages) {}

  [[nodiscard]] Result<Node> lookup(std::string_view path) const;
  [[nodiscard]] Result<Node> lookup(InodeNumber directory, std::string_view name) const;
  [[nodiscard]] Result<Node> by_inode(InodeNumber inode) const;
  [[nodiscard]] Result<InodeNumber> parent(InodeNumber inode) const;
  [[nodiscard]] Result<std::string> path_of(InodeNumber inode) const;

  /// Image::lost_directory() by path key.
  [[nodiscard]] Result<Node> lost_directory(std::string_view key) const;

  /// Gets entry `index` of `range`.
  /// @return false to end the list
  using VisitEntry = std::function<Result<bool>(std::uint64_t position, std::string_view name,
                                                const EntryRange& range, std::size_t index)>;
  using Lose = std::function<bool(const LostNames&)>;
  [[nodiscard]] Status list(InodeNumber directory, std::uint64_t first_position,
                            const VisitEntry& visit, const Lose& lost) const;

  // For a cursor, which pulls names. Positions are 0-based places among the names of the directory.

  /// Child range of a directory. No read. Errors: kNotFound, kNotDirectory.
  [[nodiscard]] Result<format::ChildRange> children(InodeNumber directory) const;
  /// Some entries of one page from a position on, checked to be in one directory.
  /// @param position  below range.count
  /// @param common    common beginning of the keys of the names; the first call for a directory
  ///                  sets it
  /// Errors: those of list(), with the number of lost names.
  [[nodiscard]] Result<EntryRange> names_from(const format::ChildRange& range,
                                              std::uint64_t position,
                                              std::optional<std::string>& common) const;
  /// Position of the first name that is not before `name`; range.count if there is none. One page
  /// read. Errors: those of names_from().
  [[nodiscard]] Result<std::uint64_t> position_of(const format::ChildRange& range,
                                                  std::string_view name) const;
  /// First position in the only page that can have `name`. No read.
  [[nodiscard]] std::uint64_t position_of_page(const format::ChildRange& range,
                                               std::string_view name) const;
  /// First position behind the page with `position`. No read.
  [[nodiscard]] std::uint64_t position_behind_page(const format::ChildRange& range,
                                                   std::uint64_t position) const;

  /// `error` with the number of names lost with the page.
  [[nodiscard]] Error losing_page(const Error& error, std::size_t page) const;

  /// The entry with this path key. At most one page read.
  [[nodiscard]] Result<FoundEntry> find_key(std::string_view key) const;
  /// Node with all attributes of an entry. At most one page read for a hard link, else none.
  [[nodiscard]] Result<Node> resolve(const FoundEntry& entry) const;
  /// Inode number of an entry. No read.
  /// @param link_inode  of the entry; 0: it is not a hard link
  [[nodiscard]] InodeNumber inode_of(const LoadedPage& page, std::size_t index,
                                     InodeNumber link_inode) const;
  /// A name of the tree. At most one page read. `ordinal` must be below those of link records.
  [[nodiscard]] Result<FoundEntry> at_ordinal(Ordinal ordinal) const;
  /// A kCorrupt error, at the place of the entry's page.
  [[nodiscard]] Error bad_entry(std::uint16_t code, const FoundEntry& found,
                                const char* what) const;

 private:
  [[nodiscard]] std::size_t page_number_at(Ordinal ordinal) const;
  [[nodiscard]] Result<EntryRange> range_from(Ordinal first, std::uint64_t count) const;
  [[nodiscard]] Result<EntryRange> listed_range(Ordinal first, std::uint64_t count,
                                                std::optional<std::string>& common) const;
  [[nodiscard]] Status lose_names(const format::ChildRange& range, std::uint64_t position,
                                  std::uint64_t end, const Error& error, const Lose& lost) const;
  [[nodiscard]] std::size_t page_before(std::string_view key) const;
  struct KeyPlace {
    std::string key;
    Ordinal ordinal = 0;
  };
  [[nodiscard]] Result<std::optional<KeyPlace>> first_from(std::size_t page,
                                                           std::string_view key) const;
  [[nodiscard]] Result<Node> bare_directory(Ordinal directory) const;
  [[nodiscard]] Result<std::string> path_by_contents(InodeNumber directory) const;
  [[nodiscard]] Result<Node> link_record(InodeNumber inode) const;
  [[nodiscard]] Result<FoundEntry> found_at(PagePointer page, std::size_t index) const;
  [[nodiscard]] Result<std::optional<FoundEntry>> find_in(PagePointer page,
                                                          std::string_view key) const;
  [[nodiscard]] Result<std::string> directory_part_at(const LoadedPage& page,
                                                      const format::ChildRange& range) const;
  [[nodiscard]] Result<FoundEntry> find_child(const format::ChildRange& range,
                                              std::string_view name) const;
  [[nodiscard]] std::size_t page_of_name(std::size_t first_page, std::size_t last_page,
                                         std::string_view name) const;
  [[nodiscard]] Result<Node> to_node(const FoundEntry& found) const;
  const IndexTables& tables_;
  const PageStore& pages_;
};

}  // namespace dgfs::reader
