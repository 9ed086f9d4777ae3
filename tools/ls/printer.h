// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Prints one listing of dgfs ls in any of its formats.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/session.h"
#include "tools/ls/entry.h"
#include "tools/ls/long_listing.h"
#include "tools/ls/name.h"
#include "tools/ls/security_marks.h"

namespace dgfs::tools {

/// Not thread-safe. The arguments must outlive it.
class LsPrinter {
 public:
  LsPrinter(const Session& session, const reader::Image& image, const LsOptions& options);

  /// @param directory  directory of the entries, as the user would write it; empty for operands
  /// @param entries    sorted
  /// @param measured   entries that are not printed but widen the columns
  void print(const std::string& directory, const std::vector<LsEntry>& entries,
             const std::vector<LsEntry>& measured = {});
  /// Prints "sub/dir:", and a blank line before it unless it is the first output.
  void print_header(const std::string& directory);
  /// Prints "total 1234": the space that the entries take.
  void print_total(const std::vector<LsEntry>& entries);
  /// Whether link targets must be looked up.
  [[nodiscard]] bool needs_targets() const { return names_.needs_targets(); }
  /// Whether a complaint was printed.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void complain(const std::string& path, const Error& error);
  void print_json(const std::string& directory, const std::vector<LsEntry>& entries) const;
  [[nodiscard]] SecurityMarks marks_of(const LsEntry& entry) const;
  [[nodiscard]] std::string_view indicator(std::uint32_t mode) const;
  [[nodiscard]] bool indents(const std::vector<LsEntry>& entries) const;
  std::string long_line(const std::string& directory, const LsEntry& entry,
                        const LongListing& listing, const SecurityMarks& marks);
  std::string arrow_and_target(const std::string& directory, const LsEntry& entry,
                               std::size_t column);
  [[nodiscard]] std::string numbers_of(const LsEntry& entry, const LongListing& listing,
                                       const SecurityMarks& marks) const;
  std::string cells_text(const std::string& directory, const std::vector<LsEntry>& entries,
                         const LongListing& listing, const std::vector<SecurityMarks>& marks);

  const Session& session_;
  const reader::Image& image_;
  const LsOptions& options_;
  LsNames names_;
  UserNames users_;
  bool printed_ = false;  // whether there is output above
  bool failed_ = false;
};

}  // namespace dgfs::tools
