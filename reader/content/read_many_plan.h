// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadManyPlan: gives the files to read next, in rounds. Lookups of one round run while the device
// reads the files of the round before, and memory does not grow with the number of files.
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

/// A file to read, or the error of its lookup. A value.
struct PlannedFile {
  std::size_t index = 0;  ///< of the path or node that was asked for
  Node node;
  std::optional<Error> error;  ///< set if there is no node
};

/// For one thread at a time.
class ReadManyPlan {
 public:
  virtual ~ReadManyPlan() = default;
  ReadManyPlan() = default;
  ReadManyPlan(const ReadManyPlan&) = delete;
  ReadManyPlan& operator=(const ReadManyPlan&) = delete;

  /// The next files, sorted by the place of their contents; empty after the last round.
  [[nodiscard]] virtual std::vector<PlannedFile> next() = 0;
};

/// Plans files by path. Looks them up in key order, so that each index page is read once, and
/// announces the pages before they are needed. All arguments must outlive the result.
[[nodiscard]] std::unique_ptr<ReadManyPlan> plan_paths(const IndexTables& tables,
                                                       const PageStore& pages,
                                                       const Namespace& names,
                                                       std::span<const std::string> paths);
/// Plans files by node. `nodes` must outlive the result.
[[nodiscard]] std::unique_ptr<ReadManyPlan> plan_nodes(std::span<const Node> nodes);

}  // namespace dgfs::reader
