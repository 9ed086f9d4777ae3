// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The columns of ls before the name. Each is as wide as the widest entry of the listing needs.
#pragma once

#include <string>

#include "reader/image.h"
#include "tools/ls/security_marks.h"
#include "tools/text/block_unit.h"
#include "tools/text/time_text.h"
#include "tools/text/user_names.h"

namespace dgfs::tools {

struct LongListingOptions {
  BlockUnit blocks_in;  ///< unit of the space taken, and of totals
  BlockUnit sizes_in = {.bytes = 1, .letters = ""};
  bool numeric = false;  ///< print ids instead of names
  bool inode = false;    ///< print the inode number first
  bool blocks = false;   ///< then print the space taken
  bool context = false;  ///< then the security context; in long formats after the group
  bool owner = true;
  bool group = true;
  bool author = false;                              ///< print the owner again after the group
  Time reader::Node::*time = &reader::Node::mtime;  ///< the time to print; null: "?"
  TimeStyle time_style;
  Time now;  ///< decides which times count as recent
};

/// The columns of one listing: call widen() for each entry, then print the columns of each.
class LongListing {
 public:
  /// Both must outlive the object.
  LongListing(const LongListingOptions& options, UserNames& users)
      : options_(options), users_(users) {}

  void widen(const reader::Node& node, const SecurityMarks& marks);
  /// For an entry with a known type but no attributes.
  void widen_unknown();

  /// Inode number and space taken, if requested, each followed by a space; for all formats.
  [[nodiscard]] std::string numbers(const reader::Node& node) const;
  /// The same without alignment.
  [[nodiscard]] std::string plain_numbers(const reader::Node& node) const;
  /// The same for an unknown entry: question marks.
  [[nodiscard]] std::string unknown_numbers(bool aligned) const;
  /// The security context, if requested, followed by a space; for formats that are not long.
  [[nodiscard]] std::string context(const SecurityMarks& marks, bool aligned) const;
  std::size_t append_unknown(std::string& line, std::uint32_t mode) const;
  /// Appends the columns from mode to time, each followed by a space. Returns the bytes after owner
  /// and group, or the length of `line` if neither is printed: ls takes this for the beginning of
  /// the name when it computes whether the name wraps.
  std::size_t append_attributes(std::string& line, const reader::Node& node,
                                const SecurityMarks& marks) const;

 private:
  struct Widths {
    std::size_t inode = 0, blocks = 0, links = 0, owner = 0, group = 0, author = 0, context = 0;
    std::size_t size = 0;
    std::size_t major = 0, minor = 0;
    bool any_sign = false;
  };
  struct Name {
    std::string text;
    bool is_number = false;
  };
  Name owner_of(const reader::Node& node) const;
  Name group_of(const reader::Node& node) const;
  [[nodiscard]] bool has_names() const;
  [[nodiscard]] std::string unknown_time() const;
  [[nodiscard]] std::string time_text(const reader::Node& node) const;
  void append_size(std::string& line, const reader::Node& node) const;

  const LongListingOptions& options_;
  UserNames& users_;
  Widths widths_;
};

}  // namespace dgfs::tools
