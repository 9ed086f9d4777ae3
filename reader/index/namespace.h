// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Namespace: names and inode numbers to nodes, out of index pages and tables in memory.
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

/// Thread-safe. Methods are those of Image of the same name.
class Namespace {
 public:
  Namespace(const IndexTables& tables, const PageStore& pages) : tables_(tables), pages_(pages) {}

  [[nodiscard]] Result<Node> lookup(std::string_view path) const;
  [[nodiscard]] Result<Node> lookup(InodeNumber directory, std::string_view name) const;
  [[nodiscard]] Result<Node> by_inode(InodeNumber inode) const;
  [[nodiscard]] Result<InodeNumber> parent(InodeNumber inode) const;
  [[nodiscard]] Result<std::string> path_of(InodeNumber inode) const;

  /// The directory with this key, whatever becomes of its own entry.
  [[nodiscard]] Result<Node> lost_directory(std::string_view key) const;

  /// Visits the entries of a directory from 0-based `first_position` on: entry `index` of `range`.
  /// What is in a page that cannot be read is told to `lost`, if there is one.
  using VisitEntry = std::function<Result<bool>(std::uint64_t position, std::string_view name,
                                                const EntryRange& range, std::size_t index)>;
  using Lose = std::function<bool(const LostNames&)>;
  [[nodiscard]] Status list(InodeNumber directory, std::uint64_t first_position,
                            const VisitEntry& visit, const Lose& lost) const;

  // For whoever pulls names; positions are 0-based places among those of the directory.

  /// The names of a directory. No read. Errors: kNotFound, kNotDirectory.
  [[nodiscard]] Result<format::ChildRange> children(InodeNumber directory) const;
  /// Some entries from a position on, of one page, checked to be of one directory.
  /// @param position  below range.count
  /// @param common    what the keys of the names begin with; set by the first call for a directory
  /// Errors: those of list(), with how many names are lost.
  [[nodiscard]] Result<EntryRange> names_from(const format::ChildRange& range,
                                              std::uint64_t position,
                                              std::optional<std::string>& common) const;
  /// Position of the first name that is not before `name`; range.count if there is none. One page
  /// read. Errors: likewise.
  [[nodiscard]] Result<std::uint64_t> position_of(const format::ChildRange& range,
                                                  std::string_view name) const;
  /// The first position in the page that has `name`, if any has. No read.
  [[nodiscard]] std::uint64_t position_of_page(const format::ChildRange& range,
                                               std::string_view name) const;
  /// The first position behind the page of a position. No read.
  [[nodiscard]] std::uint64_t position_behind_page(const format::ChildRange& range,
                                                   std::uint64_t position) const;

  /// `error` with what it costs that the page cannot be read.
  [[nodiscard]] Error losing_page(const Error& error, std::size_t page) const;

  /// The entry with this path key. One page read at most.
  [[nodiscard]] Result<FoundEntry> find_key(std::string_view key) const;
  /// All attributes of an entry; one page read more for a hard link.
  [[nodiscard]] Result<Node> resolve(const FoundEntry& entry) const;
  /// Inode number of an entry, from tables in memory.
  /// @param link_inode  as the entry says
  [[nodiscard]] InodeNumber inode_of(const LoadedPage& page, std::size_t index,
                                     InodeNumber link_inode) const;
  /// A name of the tree. One page read at most. @param ordinal  below those of link records
  [[nodiscard]] Result<FoundEntry> at_ordinal(Ordinal ordinal) const;
  /// kCorrupt, at the place of the entry's page.
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
