// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RepairWriter: writes records of a tree that is not sound, so that nothing is taken for granted.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/store/run/batch.h"
#include "delta/view/check/object_facts.h"

namespace dgfs::view {

/// For one thread; the only one that writes. Errors of all: those of Store::apply() and Moment.
class RepairWriter {
 public:
  /// @param layers  must outlive it
  RepairWriter(const Layers& layers, const Time& now) : layers_(layers), now_(now) {}

  [[nodiscard]] const Layers& layers() const { return layers_; }
  [[nodiscard]] const Time& now() const { return now_; }
  /// As it is now.
  [[nodiscard]] Moment moment() const { return Moment(layers_); }

  [[nodiscard]] Status apply(delta::Batch batch);
  [[nodiscard]] Status put(std::string key, std::string value);
  [[nodiscard]] Status remove(std::string key);
  [[nodiscard]] Status remove_range(delta::KeyRange range);

  /// A name with its record, and a directory's parent.
  void put_name(delta::Batch& batch, const NamePlace& place, ObjectNumber object,
                std::uint32_t mode) const;
  /// A directory that is there has one name more; what was wrong before stays wrong.
  static void count_name(delta::Batch& batch, ObjectNumber directory, std::uint32_t mode);
  /// A name goes, and the record that an object has of it.
  [[nodiscard]] Status drop_name(const NamePlace& place, ObjectNumber object);
  /// Puts the image's attributes of an object that is in it; false: it is not.
  [[nodiscard]] Result<bool> restore(ObjectNumber object);
  /// Sets what is counted, where objects are there and can be counted.
  [[nodiscard]] Status recount(std::initializer_list<ObjectNumber> objects);

 private:
  const Layers& layers_;
  const Time now_;
};

}  // namespace dgfs::view
