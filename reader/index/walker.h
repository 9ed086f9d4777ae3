// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Walker: visits a subtree in key order, page by page.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "reader/index/namespace.h"

namespace dgfs::reader {

class Walker {
 public:
  using Visit = std::function<bool(std::string_view path, const Node& node)>;
  using Damaged = std::function<bool(const Error&)>;

  Walker(const IndexTables& tables, const PageStore& pages, const Namespace& names)
      : tables_(tables), pages_(pages), names_(names) {}

  /// Image::walk.
  [[nodiscard]] Status walk(std::string_view path, const Visit& visit,
                            const Damaged& damaged) const;
  /// Image::walk_nameless.
  [[nodiscard]] Status walk_nameless(const std::function<bool(const Node& node)>& visit,
                                     const Damaged& damaged) const;

 private:
  /// State of a walk.
  struct Course {
    std::string prefix;  ///< common prefix of the keys below the starting point
    const Visit& visit;
    const Damaged& damaged;
    bool ended = false;
  };
  [[nodiscard]] Status walk_below(Ordinal first, Course& course) const;
  [[nodiscard]] Result<Node> visit_start(std::string_view key) const;
  [[nodiscard]] Status visit_page(std::size_t number, Ordinal first, Course& course) const;
  [[nodiscard]] static Status skip(const Error& error, const Course& course);

  const IndexTables& tables_;
  const PageStore& pages_;
  const Namespace& names_;
};

}  // namespace dgfs::reader
