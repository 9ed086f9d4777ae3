// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Run: messages in key order with the range tombstones beneath them. Immutable memtables, buffers
// of nodes and basements are all runs. Within a run all range tombstones are older than all points.
// Of two runs at one place, one is older than all of the other. So neither memory nor disk keeps a
// sequence number for each message.
//
// Keys and short values lie in one piece of memory, so that a run is decoded, merged and cut
// without an allocation for each key.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/run/point.h"
#include "delta/store/run/range_tombstones.h"
#include "format/coding.h"

namespace dgfs::delta {

class RunBuilder;

/// Never changes. Thread-safe. RunBuilder makes it.
class Run {
 public:
  /// The message of the run for a key; nullopt: none. O(log n).
  /// @param key  must outlive the result
  [[nodiscard]] std::optional<Point> find(std::string_view key) const;
  /// Number of the first point whose key is not below `key`; size() if there is none.
  [[nodiscard]] std::size_t lower_bound(std::string_view key) const {
    return lower_bound(key, 0, size());
  }
  /// The same among the points from `begin` on before `end`; `end` if there is none.
  /// @param end  at least `begin`, at most size()
  [[nodiscard]] std::size_t lower_bound(std::string_view key, std::size_t begin,
                                        std::size_t end) const;

  /// Number of points.
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  /// @param at  below size()
  [[nodiscard]] Point point(std::size_t at) const;
  class Points;
  /// In strictly rising order of keys. Lives as long as the run.
  [[nodiscard]] Points points() const;
  /// Messages of boxed points, in order.
  [[nodiscard]] const std::vector<Message>& boxed() const { return boxed_; }
  /// Older than the points. None covers the key of a patch or a removal.
  [[nodiscard]] const RangeTombstones& tombstones() const { return tombstones_; }
  [[nodiscard]] bool empty() const { return items_.empty() && tombstones_.empty(); }
  /// Roughly its memory.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  /// Extents of its large values, which must be bound.
  [[nodiscard]] std::vector<Extent> values() const;

  /// Appends the form of blocks and log groups (run_codec.cpp). Large values must be bound.
  void encode(Buffer& out) const;
  /// Appends some of its points as a run of their own.
  /// @param end        at most size()
  /// @param tombstones  of that run
  void encode_page(std::size_t begin, std::size_t end, const RangeTombstones& tombstones,
                   Buffer& out) const;
  /// Decodes a run, and checks all rules of one. Errors: kCorrupt, with the offset in `bytes`,
  /// except if range tombstones and points contradict each other.
  /// @param size_bytes_max  of the run. Shared prefixes of keys are stored once, so a run may be
  ///                        thousands of times longer in memory than in `bytes`; a run beyond the
  ///                        limit is damaged.
  /// Memory: in the order of size_bytes_max.
  [[nodiscard]] static Result<std::shared_ptr<const Run>> decode(Bytes bytes,
                                                                 std::size_t size_bytes_max);
  /// Decodes the form that run_pages.h describes. Errors: as of decode(); kLimit (out of memory).
  [[nodiscard]] static Result<std::shared_ptr<const Run>> unpack(Bytes stored,
                                                                 std::size_t size_bytes_max);

  friend bool operator==(const Run& a, const Run& b);

 private:
  friend class RunBuilder;

  // The key, followed by the value if there is one.
  struct Item {
    std::uint64_t begin = 0;        // in bytes_
    std::uint32_t value_bytes = 0;  // of a boxed point: its index in boxed_
    std::uint16_t key_bytes = 0;
    MessageKind kind = MessageKind::kDelete;
    bool is_boxed = false;
  };

  Run() = default;
  // Decodes a page, and adds it to those before it.
  // @param pages           roughly, in all
  // @param size_bytes_max  of all pages in memory
  [[nodiscard]] static Status decode_page(Bytes bytes, std::size_t pages,
                                          std::size_t size_bytes_max, RunBuilder& points,
                                          RangeTombstones& tombstones);
  // The decoded run, if its range tombstones cover no key that they must not cover.
  [[nodiscard]] static Result<std::shared_ptr<const Run>> whole(RunBuilder& points,
                                                                RangeTombstones tombstones);
  void encode_points(std::size_t begin, std::size_t end, format::Encoder& encoder) const;
  [[nodiscard]] std::string_view key(const Item& item) const {
    return {bytes_.data() + item.begin, item.key_bytes};
  }
  // Length of the points before a number.
  [[nodiscard]] std::size_t bytes_before(std::size_t at) const {
    return at < items_.size() ? static_cast<std::size_t>(items_[at].begin) : bytes_.size();
  }

  std::vector<Item> items_;
  std::string bytes_;
  std::vector<Message> boxed_;
  RangeTombstones tombstones_;
  std::size_t size_bytes_ = 0;
};

/// An input range. Not a view of the standard library, because clang 14, which builds the fuzzers,
/// does not support those of libstdc++.
class Run::Points {
 public:
  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Point;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const Run& run, std::size_t at) : run_(&run), at_(at) {}
    Point operator*() const { return run_->point(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    void operator++(int) { ++at_; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Run* run_ = nullptr;
    std::size_t at_ = 0;
  };

  explicit Points(const Run& run) : run_(&run) {}
  [[nodiscard]] Iterator begin() const { return {*run_, 0}; }
  [[nodiscard]] Iterator end() const { return {*run_, run_->size()}; }

 private:
  const Run* run_;
};

inline Run::Points Run::points() const { return Points(*this); }

/// Runs never change, so they are shared.
using RunRef = std::shared_ptr<const Run>;

/// A range of keys, and a run with everything known of them. A value.
struct KnownRange {
  RunRef run;
  KeyRange range;
};

/// Points of a run, by number. The run must outlive it.
struct RunPart {
  const Run* run = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;  ///< at least `begin`, at most run->size()
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

}  // namespace dgfs::delta
