// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RepairWriter: writes records into a tree that may break any rule.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "delta/store/run/batch.h"
#include "delta/view/check/object_facts.h"

namespace dgfs::view {

/// For one thread, which is the only writer. Errors of all calls: those of Store::apply() and
/// Moment.
class RepairWriter {
 public:
  RepairWriter(GenerationRef layers, const Time& now) : layers_(std::move(layers)), now_(now) {}

  [[nodiscard]] const Generation& layers() const { return *layers_; }
  [[nodiscard]] const Time& now() const { return now_; }
  /// The present state.
  [[nodiscard]] Moment moment() const { return Moment(layers_); }

  [[nodiscard]] Status apply(delta::Batch batch);
  [[nodiscard]] Status put(std::string key, std::string value);
  [[nodiscard]] Status remove(std::string key);
  [[nodiscard]] Status remove_range(delta::KeyRange range);

  /// Puts a name, the object's record of it, and a directory's parent.
  void put_name(delta::Batch& batch, const NamePlace& place, ObjectNumber object,
                std::uint32_t mode) const;
  /// Adds one to the counts of an existing directory; wrong counts stay wrong.
  static void count_name(delta::Batch& batch, ObjectNumber directory, std::uint32_t mode);
  /// Drops a name, and the object's record of it.
  [[nodiscard]] Status drop_name(const NamePlace& place, ObjectNumber object);
  /// Puts the attributes that the image has of an object; false: the image has no such object.
  [[nodiscard]] Result<bool> restore(ObjectNumber object);
  /// Counts again, and sets the counts of objects that exist and can be read.
  [[nodiscard]] Status recount(std::initializer_list<ObjectNumber> objects);

 private:
  const GenerationRef layers_;
  const Time now_;
};

}  // namespace dgfs::view
