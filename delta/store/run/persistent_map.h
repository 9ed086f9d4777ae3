// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PersistentMap: an ordered map of byte strings. A copy costs O(1): both maps share all nodes. A
// change copies those nodes on its way that another map shares, and changes the other nodes in
// place. (An AVL tree with path copying: Driscoll, Sarnak, Sleator, Tarjan, "Making Data Structures
// Persistent", 1989; reference counts as in Blelloch, Ferizovic, Sun, "Just Join for Parallel
// Ordered Sets", 2016.)
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/container/string.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "delta/store/run/range_tombstones.h"

namespace dgfs::delta {

/// A value. Each copy may have one writer or any number of readers; copies are independent of each
/// other, also across threads. A change that throws std::bad_alloc has no effect, except erase(),
/// which leaves the map empty.
template <class Value>
class PersistentMap {
  class Node;
  using Ref = boost::intrusive_ptr<Node>;

 public:
  /// A key with its value. Lives as long as a map that has it is not changed.
  class Entry {
   public:
    [[nodiscard]] std::string_view key() const { return {key_.data(), key_.size()}; }
    [[nodiscard]] const Value& value() const { return value_; }

   protected:
    Entry(std::string_view key, Value value)
        : key_(key.data(), key.size()), value_(std::move(value)) {}

    // Up to 22 bytes lie in the node, which a search reads anyway.
    boost::container::string key_;
    Value value_;
  };

  [[nodiscard]] bool empty() const { return !root_; }

  /// The most entries that a search reads: 1.44 log2(n).
  [[nodiscard]] std::size_t height() const { return static_cast<std::size_t>(height_of(root_)); }

  // These return null if there is no such entry. O(log n).

  [[nodiscard]] const Entry* find(std::string_view key) const {
    const Entry* at = lower_bound(key);
    return at != nullptr && at->key() == key ? at : nullptr;
  }
  /// The first entry that is not below `key`.
  [[nodiscard]] const Entry* lower_bound(std::string_view key) const {
    const Node* best = nullptr;
    for (const Node* at = root_.get(); at != nullptr;) {
      const auto order = at->key() <=> key;
      if (order == 0) return at;
      if (order > 0) best = at;
      at = (order > 0 ? at->left : at->right).get();
    }
    return best;
  }
  /// The last entry that is not above `key`.
  [[nodiscard]] const Entry* last_until(std::string_view key) const {
    const Node* best = nullptr;
    for (const Node* at = root_.get(); at != nullptr;) {
      const bool is_above = at->key() > key;
      if (!is_above) best = at;
      at = (is_above ? at->left : at->right).get();
    }
    return best;
  }
  /// The last entry before `end`.
  [[nodiscard]] const Entry* last_before(const KeyEnd& end) const {
    const Node* best = nullptr;
    for (const Node* at = root_.get(); at != nullptr;) {
      const bool lies_before = is_before(at->key(), end);
      if (lies_before) best = at;
      at = (lies_before ? at->right : at->left).get();
    }
    return best;
  }

  /// Calls `visit(entry)` for all entries from `begin` on, in order, until it returns false.
  /// Cost: O(log n), plus a step for each.
  template <class Visit>
  void visit_from(std::string_view begin, Visit visit) const {
    visit_from(root_.get(), begin, visit);
  }
  /// The same for all entries before `end`, in reverse order.
  template <class Visit>
  void visit_before(const KeyEnd& end, Visit visit) const {
    visit_before(root_.get(), end, visit);
  }

  /// The value of a key that is in the map, to be changed before the next change of the map. O(log
  /// n).
  [[nodiscard]] Value& find_to_change(std::string_view key) {
    Ref* at = &root_;
    while (true) {
      own(*at);
      const auto order = key <=> (*at)->key();
      if (order == 0) return (*at)->value_to_change();
      at = order < 0 ? &(*at)->left : &(*at)->right;
    }
  }
  /// Whether another map shares the entry of a key that is in the map, so that a change copies it.
  /// O(log n).
  [[nodiscard]] bool is_shared(std::string_view key) const {
    for (const Node* at = root_.get(); at != nullptr;) {
      if (at->is_shared()) return true;
      const auto order = key <=> at->key();
      if (order == 0) break;
      at = (order < 0 ? at->left : at->right).get();
    }
    return false;
  }
  /// Inserts a key that is not in the map. O(log n).
  void insert(std::string_view key, Value value) {
    Ref node(new Node(key, std::move(value)));
    std::array<Ref*, kHeightMax> way{};
    std::size_t depth = 0;
    Ref* at = &root_;
    while (*at) {
      own(*at);
      way[depth++] = at;
      at = key < (*at)->key() ? &(*at)->left : &(*at)->right;
    }
    *at = std::move(node);
    // Above a subtree whose height has not changed, nothing changes.
    while (depth-- > 0) {
      const int before = (*way[depth])->height;
      balance(*way[depth]);
      if ((*way[depth])->height == before) break;
    }
  }
  /// Removes a key that is in the map. O(log n).
  void erase(std::string_view key) { root_ = without(std::move(root_), key); }

 private:
  /// Above the height of an AVL tree of as many nodes as a 64-bit address space holds.
  static constexpr std::size_t kHeightMax = 96;

  // A search reads these; before the key they are usually in the same cache line.
  struct Links {
    Links() = default;
    Links(const Links& other) : left(other.left), right(other.right), height(other.height) {}
    Links& operator=(const Links&) = delete;

    Ref left;
    Ref right;
    int height = 1;
    mutable std::atomic<std::uint32_t> references{0};
  };
  class Node : public Links, public Entry {
   public:
    Node(std::string_view key, Value value) : Entry(key, std::move(value)) {}

    [[nodiscard]] Value& value_to_change() { return this->value_; }
    [[nodiscard]] bool is_shared() const {
      return this->references.load(std::memory_order_acquire) > 1;
    }

   private:
    friend void intrusive_ptr_add_ref(const Node* node) {
      node->references.fetch_add(1, std::memory_order_relaxed);
    }
    friend void intrusive_ptr_release(const Node* node) {
      if (node->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node;
    }
  };

  template <class Visit>
  static bool visit_from(const Node* at, std::string_view begin, Visit& visit) {
    for (; at != nullptr; at = at->right.get()) {
      if (at->key() < begin) continue;
      if (!visit_from(at->left.get(), begin, visit) || !visit(*at)) return false;
    }
    return true;
  }
  template <class Visit>
  static bool visit_before(const Node* at, const KeyEnd& end, Visit& visit) {
    for (; at != nullptr; at = at->left.get()) {
      if (!is_before(at->key(), end)) continue;
      if (!visit_before(at->right.get(), end, visit) || !visit(*at)) return false;
    }
    return true;
  }

  // Replaces a node that may be shared by a copy.
  static void own(Ref& node) {
    if (node->is_shared()) node = Ref(new Node(*node));
  }
  static int height_of(const Ref& node) { return node ? node->height : 0; }
  static void update(Node& node) {
    node.height = 1 + std::max(height_of(node.left), height_of(node.right));
  }
  // The child at `side` of an owned node becomes the root; the tree gets lower on that side.
  static void rotate(Ref& root, Ref Node::*side, Ref Node::*other) {
    own((*root).*side);
    Ref top = std::move((*root).*side);
    (*root).*side = std::move((*top).*other);
    update(*root);
    (*top).*other = std::move(root);
    update(*top);
    root = std::move(top);
  }
  static void lower(Ref& root, Ref Node::*side, Ref Node::*other) {
    own((*root).*side);
    Ref& child = (*root).*side;
    if (height_of((*child).*other) > height_of((*child).*side)) rotate(child, other, side);
    rotate(root, side, other);
  }
  // `root` is owned, and the heights of its subtrees differ by at most two.
  static void balance(Ref& root) {
    const int excess = height_of(root->left) - height_of(root->right);
    if (excess > 1) {
      lower(root, &Node::left, &Node::right);
    } else if (excess < -1) {
      lower(root, &Node::right, &Node::left);
    } else {
      update(*root);
    }
  }
  static Ref without(Ref at, std::string_view key) {
    own(at);
    const auto order = key <=> at->key();
    if (order == 0) return joined(std::move(at->left), std::move(at->right));
    Ref& side = order < 0 ? at->left : at->right;
    side = without(std::move(side), key);
    balance(at);
    return at;
  }
  // Joins the subtrees of a removed node.
  static Ref joined(Ref left, Ref right) {
    if (!right) return left;
    Ref first;
    right = without_first(std::move(right), first);
    first->left = std::move(left);
    first->right = std::move(right);
    balance(first);
    return first;
  }
  static Ref without_first(Ref at, Ref& first) {
    own(at);
    if (!at->left) {
      Ref rest = std::move(at->right);
      first = std::move(at);
      return rest;
    }
    at->left = without_first(std::move(at->left), first);
    balance(at);
    return at;
  }

  Ref root_;
};

}  // namespace dgfs::delta
