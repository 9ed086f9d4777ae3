// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Pairs of the objects of a view and of its model.
#pragma once

#include <map>
#include <set>

#include "tests/delta/view/model/model_tree.h"

namespace dgfs::test {

/// Numbers of a view and ids of a model. Pairs of ended objects stay, as neither side uses a number
/// twice. A value.
class ObjectPairs {
 public:
  /// For a view and a model of the same image, before any change.
  explicit ObjectPairs(const ModelTree& model) {
    for (const auto& [id, object] : model.objects()) add(id, id);
  }

  /// Whether the view may have given the number to a new object.
  [[nodiscard]] bool is_new(view::ObjectNumber number) const {
    return number != 0 && !given_.contains(number);
  }
  [[nodiscard]] bool has(ModelId id) const { return numbers_.contains(id); }
  void add(view::ObjectNumber number, ModelId id) {
    given_.insert(number);
    ids_[number] = id;
    numbers_[id] = number;
  }
  /// Forgets objects that were made later than `model`, to which the tree has returned. Their
  /// numbers still count as given.
  void return_to(const ModelTree& model) {
    std::erase_if(numbers_, [&](const auto& pair) { return pair.first >= model.next_id(); });
    std::erase_if(ids_, [&](const auto& pair) { return pair.second >= model.next_id(); });
  }

  /// @return  the id itself if the view has no such object
  [[nodiscard]] view::ObjectNumber number_of(ModelId id) const {
    const auto found = numbers_.find(id);
    return found == numbers_.end() ? id : found->second;
  }
  /// @return  0 for 0; the complement if the model has no such object
  [[nodiscard]] ModelId id_of(view::ObjectNumber number) const {
    const auto found = ids_.find(number);
    if (found != ids_.end()) return found->second;
    return number == 0 ? 0 : ~number;
  }

 private:
  std::map<view::ObjectNumber, ModelId> ids_;
  std::map<ModelId, view::ObjectNumber> numbers_;
  std::set<view::ObjectNumber> given_;
};

}  // namespace dgfs::test
