// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Batch filler: puts the content of its files into a batch. Implementations differ only in the
// source of the content; the tree, its order and the index do not depend on it.
#pragma once

#include <functional>
#include <memory>

#include "builder/read/batch.h"

namespace dgfs::builder {

/// Each reading thread has its own. Not thread-safe.
class BatchFiller {
 public:
  virtual ~BatchFiller() = default;
  BatchFiller() = default;
  BatchFiller(const BatchFiller&) = delete;
  BatchFiller& operator=(const BatchFiller&) = delete;

  /// Sets data and checksums of a batch: an extent for each item that needs_reading(), in order.
  /// Notes the error of a file in its item; Batch::failure ends the build.
  virtual void fill(Batch& batch) = 0;
};

/// Each reading thread calls it at its start. Thread-safe.
using BatchFillerMaker = std::function<std::unique_ptr<BatchFiller>()>;

}  // namespace dgfs::builder
