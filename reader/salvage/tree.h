// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SalvageTree: the salvaged entries of an index, with their paths as far as these are known.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "reader/extract/tree.h"
#include "reader/salvage/index.h"

namespace dgfs::reader {

class SalvageTree final : public ExtractTree {
 public:
  /// All references must outlive it.
  SalvageTree(const SalvageIndex& index, bool devices, TellLost tell)
      : index_(index), devices_(devices), tell_(std::move(tell)) {}

  void walk(ExtractLog& log, const MakeParent& make_parent, const Visit& visit) override;
  [[nodiscard]] Result<std::string> directory_path(InodeNumber inode) const override;
  [[nodiscard]] Result<Node> directory_node(InodeNumber inode) const override;

  [[nodiscard]] std::uint64_t lost_pages() const { return lost_pages_; }

 private:
  using Rows = std::shared_ptr<const format::DecodedPage>;
  /// Place of a link record, which is read only when a name needs it.
  struct LinkPlace {
    std::uint64_t page = 0;
    std::uint32_t index = 0;
    bool has_name = false;
  };
  struct Directory {
    std::string path;
    Node node;
  };
  struct Course {
    ExtractLog& log;
    const MakeParent& make_parent;
    const Visit& visit;
  };

  void find_links(ExtractLog& log);
  /// @return false if the page is lost
  bool walk_page(std::uint64_t number, const SalvagedPage& page, Course& course);
  void add_entry(std::uint64_t number, const SalvagedPage& page, const Rows& rows,
                 std::size_t index, Course& course);
  void add_nameless_objects(Course& course);
  void emit(const std::string& path, Node node, Course& course);
  void make_parents(std::string_view path, Course& course);
  [[nodiscard]] Result<std::string> path_of(std::uint64_t number, const SalvagedPage& page,
                                            std::string_view key, std::size_t index);
  [[nodiscard]] Result<Node> node_of(const SalvagedPage& page, const Rows& rows, std::size_t index);
  [[nodiscard]] Result<Node> resolve(const SalvagedPage& page, const Rows& rows, std::size_t index);
  [[nodiscard]] Result<Rows> rows_of_link_page(std::uint64_t number);
  [[nodiscard]] std::string lost_and_found(std::uint64_t number) const;
  void tell_lost_page(std::uint64_t number, const SalvagedPage& page, std::string_view why);
  /// @return number of missing pages
  std::uint64_t tell_missing(std::uint64_t begin, std::uint64_t end);

  const SalvageIndex& index_;
  bool devices_;
  TellLost tell_;
  std::map<InodeNumber, LinkPlace> links_;
  std::vector<LinkPlace> unnumbered_links_;             // their inode numbers are lost
  std::unordered_map<std::uint64_t, Rows> link_pages_;  // at most kLinkPagesKept
  std::vector<Directory> directories_;                  // index: inode number - 1
  std::unordered_set<std::string> made_;                // paths of directories_
  bool has_lost_and_found_ = false;                     // the tree has an entry of that name
  std::uint64_t lost_pages_ = 0;
};

}  // namespace dgfs::reader
