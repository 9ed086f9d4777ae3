// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RunBuilder: makes a run of points that come in order.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "delta/store/run/run.h"

namespace dgfs::delta {

/// For one thread. Keys are strictly rising and at most kKeyBytesMax long, which is not checked.
class RunBuilder {
 public:
  RunBuilder();

  /// Roughly so many points will come.
  /// @param bytes  of keys and short values
  void reserve(std::size_t points, std::size_t bytes);
  /// Room for all points of these parts.
  void reserve_for(const std::vector<RunPart>& parts);

  void add(std::string_view key, Message message);
  void add(const Point& point);
  void add_put(std::string_view key, std::string_view value);
  /// @param edits  of a patch without large pieces, encoded as in patch_codec.h
  void add_patch(std::string_view key, Bytes edits);
  /// @param kind  kDelete or kErase
  void add_removal(std::string_view key, MessageKind kind);
  /// Adds an unboxed removal, erasure or put whose key shares a prefix with the last one.
  /// @param shared  length of that prefix
  void add_next(std::size_t shared, std::string_view rest, MessageKind kind,
                std::string_view value);
  /// Adds points of another run, at once.
  /// @param end  at most run.size()
  void add(const Run& run, std::size_t begin, std::size_t end);

  /// Empty if there is none. Valid until the next point comes.
  [[nodiscard]] std::string_view last_key() const;
  [[nodiscard]] bool empty() const;
  /// The memory of a run of the points so far, without range tombstones. O(1).
  [[nodiscard]] std::size_t size_bytes() const {
    return run_->items_.size() * Point::kBytes + run_->bytes_.size() + boxed_bytes_;
  }

  /// The run. The builder takes no more points.
  /// @param tombstones  older than the points; cover no key of a patch or a removal
  [[nodiscard]] RunRef take(RangeTombstones tombstones = {});

 private:
  void add_boxed(std::string_view key, Message message);
  void add_bytes(std::string_view key, MessageKind kind, std::string_view value);

  std::shared_ptr<Run> run_;
  std::size_t boxed_bytes_ = 0;
  Buffer patch_;  ///< while it is being added
};

/// A run without any message.
[[nodiscard]] RunRef empty_run();

}  // namespace dgfs::delta
