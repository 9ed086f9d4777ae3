// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RunBuilder: makes a run of points as they come.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "delta/store/run/run.h"

namespace dgfs::delta {

/// For one thread. Keys come in strictly rising order and have kKeyBytesMax at most, which is not
/// checked.
class RunBuilder {
 public:
  RunBuilder();

  /// So much is to come, about.
  /// @param bytes  of keys and short values
  void reserve(std::size_t points, std::size_t bytes);
  /// All points of these, about.
  void reserve_for(const std::vector<RunPart>& parts);

  void add(std::string_view key, Message message);
  void add(const Point& point);
  void add_put(std::string_view key, std::string_view value);
  /// @param edits  of a patch without large pieces, as patch_codec.h has them
  void add_patch(std::string_view key, Bytes edits);
  /// @param kind  kDelete or kErase
  void add_removal(std::string_view key, MessageKind kind);
  /// A removal, an erasure or a put, not boxed, of a key that begins as the last one does.
  /// @param shared  bytes of the last key, at most all
  void add_next(std::size_t shared, std::string_view rest, MessageKind kind,
                std::string_view value);
  /// Points of another run, at once.
  /// @param end  at most run.size()
  void add(const Run& run, std::size_t begin, std::size_t end);

  /// Empty if there is none. Until more comes.
  [[nodiscard]] std::string_view last_key() const;
  [[nodiscard]] bool empty() const;
  /// What a run of what has come takes, without range tombstones. O(1).
  [[nodiscard]] std::size_t size_bytes() const {
    return run_->items_.size() * Point::kBytes + run_->bytes_.size() + boxed_bytes_;
  }

  /// It has nothing then, and takes no more.
  /// @param tombstones  older than the points; cover no key of a patch or a removal
  [[nodiscard]] RunRef take(RangeTombstones tombstones = {});

 private:
  void add_boxed(std::string_view key, Message message);
  void add_bytes(std::string_view key, MessageKind kind, std::string_view value);

  std::shared_ptr<Run> run_;
  std::size_t boxed_bytes_ = 0;
  Buffer patch_;  ///< while it is added
};

/// Says nothing.
[[nodiscard]] RunRef empty_run();

}  // namespace dgfs::delta
