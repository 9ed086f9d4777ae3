// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Memtable: takes operations as they come and keeps what they say together, one message a key.
#pragma once

#include <boost/container/string.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

#include "delta/store/run/batch.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// One writer, or any number of readers.
class Memtable {
 public:
  /// Cost: O(log n); a range delete further the number of keys and range tombstones that it covers.
  void apply(const Operation& operation);
  void apply(const Batch& batch);

  /// Whether an operation would take out more than some hundreds of keys and range tombstones,
  /// which takes time. O(log n).
  [[nodiscard]] bool is_long(const Operation& operation) const;

  /// What an operation adds to size_bytes(), at most, about.
  [[nodiscard]] static std::size_t bytes_of(const Operation& operation);

  /// As Run::find.
  [[nodiscard]] const Message* find(std::string_view key) const;
  [[nodiscard]] bool empty() const { return points().empty() && tombstones_.empty(); }
  /// What it takes of memory, about.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_ + tombstones_.size_bytes(); }
  /// All that is in it. O(n).
  [[nodiscard]] RunRef run() const;
  /// The same, and leaves it empty.
  [[nodiscard]] RunRef freeze();

 private:
  // Up to 22 bytes lie in it: in the node, which a search looks at in any case.
  using Key = boost::container::string;
  struct Below {
    using is_transparent = void;
    static std::string_view view(const Key& key) { return {key.data(), key.size()}; }
    static std::string_view view(std::string_view key) { return key; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return view(a) < view(b);
    }
  };
  using Points = std::pmr::map<Key, Message, Below>;

  // Nodes and keys come from pools of their own, which go at once.
  struct Pooled {
    std::pmr::unsynchronized_pool_resource memory;
    Points points{&memory};
  };

  [[nodiscard]] const Points& points() const;
  [[nodiscard]] Points& points();
  void put(std::string_view key, Message message);
  void remove(const KeyRange& range);

  std::unique_ptr<Pooled> pooled_;  ///< null: no points
  RangeTombstones tombstones_;
  std::size_t size_bytes_ = 0;  ///< of the points
};

}  // namespace dgfs::delta
