// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random batches over few keys, and a model of a store, made of a std::map.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "delta/store/run/batch.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// The contents of a store, computed in the plain way.
class StoreModel {
 public:
  explicit StoreModel(std::map<std::string, std::string> values = {})
      : values_(std::move(values)) {}

  void apply(const delta::Batch& batch) {
    for (const auto& operation : batch.operations()) apply(operation);
  }

  [[nodiscard]] const std::map<std::string, std::string>& values() const { return values_; }

 private:
  void apply(const delta::Operation& operation) {
    if (const auto* range = std::get_if<delta::RangeDelete>(&operation)) {
      std::erase_if(values_, [&](const auto& each) { return range->range.contains(each.first); });
      return;
    }
    const auto& [key, message] = std::get<delta::PointChange>(operation);
    switch (message.kind) {
      case delta::MessageKind::kPut:
        values_[key] = *message.value;
        break;
      case delta::MessageKind::kDelete:
      case delta::MessageKind::kErase:
        values_.erase(key);
        break;
      case delta::MessageKind::kPatch:
        message.patch.apply_to(values_[key]);
        break;
    }
  }

  std::map<std::string, std::string> values_;
};

/// Shape of random operations. A value.
struct BatchShape {
  std::uint64_t keys = 200;
  std::size_t value_bytes_max = 40;
  std::uint64_t operations_max = 4;
  bool has_ranges = true;  ///< whether some operations remove a range
  bool may_erase = true;   ///< whether erasures may come: nothing lies below the store
};

inline std::string random_key(Random& random, const BatchShape& shape) {
  const auto number = random.below(shape.keys);
  return "key" + std::to_string(number) + std::string(number % 5, 'x');
}

inline delta::FieldOperation random_operation(Random& random) {
  return static_cast<delta::FieldOperation>(1 + random.below(5));
}

inline delta::Batch random_batch(Random& random, const BatchShape& shape) {
  const auto text = [&](std::size_t bytes_max) {
    const auto bytes = random.bytes(random.below(bytes_max));
    return std::string(bytes.begin(), bytes.end());
  };
  delta::Batch batch;
  for (auto count = 1 + random.below(shape.operations_max); count > 0; --count) {
    const auto key = random_key(random, shape);
    const auto kind = random.below(8);
    switch (kind == 3 && !shape.has_ranges ? 4 : kind) {
      case 0:
        shape.may_erase&& random.one_in(2) ? batch.erase(key) : batch.remove(key);
        break;
      case 1:
        if (random.one_in(3)) {
          batch.zero(key, random.below(shape.value_bytes_max), random.below(20));
        } else {
          batch.patch(key, random.below(shape.value_bytes_max), text(10));
        }
        break;
      case 2:
        if (random.one_in(4)) {
          batch.set_field(key, random.below(16), random.below(1000));
        } else {
          batch.change_field(key, {random.below(16), random_operation(random), random.below(1000)});
        }
        break;
      case 3: {
        delta::KeyRange range{key, random_key(random, shape)};
        if (random.one_in(30)) range.end.reset();
        if (random.one_in(2) && range.end && *range.end < range.begin) {
          std::swap(range.begin, *range.end);
        }
        batch.remove_range(range);
        break;
      }
      default:
        batch.put(key, text(shape.value_bytes_max));
    }
  }
  return batch;
}

}  // namespace dgfs::test
