// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadManyPlan: which files to read next, in rounds, so that looking up goes on while the device
// reads what was looked up before, and memory does not grow with the number of files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reader/index/namespace.h"
#include "reader/node.h"

namespace dgfs::reader {

/// A file that was asked for, or why there is none. A value.
struct PlannedFile {
  std::size_t index = 0;  ///< in what was asked for
  Node node;
  std::optional<Error> error;  ///< instead of the node
};

/// For one thread at a time.
class ReadManyPlan {
 public:
  virtual ~ReadManyPlan() = default;
  ReadManyPlan() = default;
  ReadManyPlan(const ReadManyPlan&) = delete;
  ReadManyPlan& operator=(const ReadManyPlan&) = delete;

  /// The next files, by their place in the data; none once all are told.
  [[nodiscard]] virtual std::vector<PlannedFile> next() = 0;
};

/// Files by path: sorted by key, so that each index page is asked for once, and announced to the
/// device before they are needed. All arguments must outlive the result.
[[nodiscard]] std::unique_ptr<ReadManyPlan> plan_paths(const IndexTables& tables,
                                                       const PageStore& pages,
                                                       const Namespace& names,
                                                       std::span<const std::string> paths);
/// Files by node. `nodes` must outlive the result.
[[nodiscard]] std::unique_ptr<ReadManyPlan> plan_nodes(std::span<const Node> nodes);

}  // namespace dgfs::reader
