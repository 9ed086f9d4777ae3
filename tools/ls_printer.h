// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Prints one listing of dgfs ls in any of its formats.
#pragma once

#include <string>
#include <vector>

#include "tools/color.h"
#include "tools/columns.h"
#include "tools/command.h"
#include "tools/ls_entry.h"

namespace dgfs::tools {

/// Not thread-safe. The arguments must outlive it.
class LsPrinter {
 public:
  LsPrinter(const Session& session, const reader::Image& image, const LsOptions& options);

  /// @param directory  where the entries lie, as the user would write it; empty for operands
  /// @param entries    sorted
  /// @param measured   not printed, but columns are as wide as if they were
  void print(const std::string& directory, const std::vector<LsEntry>& entries,
             const std::vector<LsEntry>& measured = {});
  /// "sub/dir:", and a blank line before it where something stands above.
  void print_header(const std::string& directory);
  /// "total 1234": what the entries take.
  void print_total(const std::vector<LsEntry>& entries);
  /// Whether targets of links are to be looked up.
  [[nodiscard]] bool needs_targets() const;
  /// Whether a complaint was printed.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void complain(const std::string& path, const Error& error);
  void print_json(const std::string& directory, const std::vector<LsEntry>& entries) const;
  [[nodiscard]] bool has_xattr(const LsEntry& entry, std::string_view prefix) const;
  [[nodiscard]] std::string pad(const LsEntry& entry) const;
  [[nodiscard]] std::optional<std::string_view> color_of(const LsEntry& entry) const;
  [[nodiscard]] std::optional<std::string_view> color_of_target(const LsEntry& entry,
                                                                std::string_view target) const;
  /// Where a text begins and how much is counted to it, as ls reckons it: behind one that may wrap,
  /// the rest of the line is cleared from colours that bleed into it.
  struct WrapPlace {
    std::size_t column = 0;
    std::size_t padding_bytes = 0;
  };
  [[nodiscard]] std::string colored(const std::string& text, std::optional<std::string_view> code,
                                    WrapPlace place);
  [[nodiscard]] std::string_view indicator(std::uint32_t mode) const;
  std::string long_line(const std::string& directory, const LsEntry& entry,
                        const LongListing& listing, bool has_acl);
  std::string arrow_and_target(const std::string& path, const LsEntry& entry, WrapPlace place);
  [[nodiscard]] std::string numbers_of(const LsEntry& entry, const LongListing& listing) const;
  Cell cell_of(const LsEntry& entry, const LongListing& listing);

  const Session& session_;
  const reader::Image& image_;
  const LsOptions& options_;
  NameColors colors_;
  bool has_acls_;
  UserNames users_;
  bool printed_ = false;  // something stands above
  bool used_color_ = false;
  bool some_quoted_ = false;  // unquoted names of this listing are indented
  bool failed_ = false;
};

}  // namespace dgfs::tools
