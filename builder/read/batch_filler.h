// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Batch filler: puts the content of its files into a batch. Where the content comes from is all
// that implementations differ in; the tree, its order and the index do not depend on it.
#pragma once

#include <functional>
#include <memory>

#include "builder/read/batch.h"

namespace dgfs::builder {

/// Each reading thread has one. Not thread-safe.
class BatchFiller {
 public:
  virtual ~BatchFiller() = default;
  BatchFiller() = default;
  BatchFiller(const BatchFiller&) = delete;
  BatchFiller& operator=(const BatchFiller&) = delete;

  /// Sets data and checksums of a batch: an extent for each item that needs_reading(), in their
  /// order. What is wrong with a file is noted in its item; Batch::failure ends the build.
  virtual void fill(Batch& batch) = 0;
};

/// Called by each reading thread as it starts. Thread-safe.
using BatchFillerMaker = std::function<std::unique_ptr<BatchFiller>()>;

}  // namespace dgfs::builder
