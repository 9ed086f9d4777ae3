// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The columns of ls before the name: as wide as the widest entry of a listing needs.
#pragma once

#include <string>

#include "reader/image.h"
#include "tools/ls/security_marks.h"
#include "tools/text/block_unit.h"
#include "tools/text/time_text.h"
#include "tools/text/user_names.h"

namespace dgfs::tools {

struct LongListingOptions {
  BlockUnit blocks_in;  ///< the space taken, and totals
  BlockUnit sizes_in = {.bytes = 1, .letters = ""};
  bool numeric = false;  ///< ids instead of names
  bool inode = false;    ///< the number first
  bool blocks = false;   ///< then the space taken
  bool context = false;  ///< then, in long formats after the group
  bool owner = true;
  bool group = true;
  bool author = false;                              ///< the owner once more, after the group
  Time reader::Node::*time = &reader::Node::mtime;  ///< which one is shown; null: "?"
  TimeStyle time_style;
  Time now;  ///< decides which times are recent
};

/// Of one listing: widen() for each entry, then the columns of each.
class LongListing {
 public:
  /// Both must outlive the object.
  LongListing(const LongListingOptions& options, UserNames& users)
      : options_(options), users_(users) {}

  void widen(const reader::Node& node, const SecurityMarks& marks);
  /// For an entry of which nothing is known but its type.
  void widen_unknown();

  /// Inode number and space, where asked for, each with a space after it; for all formats.
  [[nodiscard]] std::string numbers(const reader::Node& node) const;
  /// The same unaligned.
  [[nodiscard]] std::string plain_numbers(const reader::Node& node) const;
  /// Both for an unknown entry: question marks.
  [[nodiscard]] std::string unknown_numbers(bool aligned) const;
  /// The security context, where asked for, with a space after it; for formats that are not long.
  [[nodiscard]] std::string context(const SecurityMarks& marks, bool aligned) const;
  std::size_t append_unknown(std::string& line, std::uint32_t mode) const;
  /// Adds mode to time, with a space at the end. Returns the bytes after owner and group, or all
  /// that `line` holds where neither is shown: where ls takes the name to begin when it reckons
  /// whether it may wrap.
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
