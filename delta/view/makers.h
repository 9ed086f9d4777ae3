// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makers: operations that make objects and names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/view/access_rules.h"
#include "delta/view/object_numbers.h"
#include "delta/view/writer.h"

namespace dgfs::view {

/// As of View. Thread-safe.
class Makers {
 public:
  /// Both must outlive it.
  Makers(Writer& writer, ObjectNumbers& numbers) : writer_(writer), numbers_(numbers) {}

  /// What to make. A value.
  struct Wish {
    std::uint32_t mode = 0;  ///< type and permissions
    std::uint64_t rdev = 0;
    std::string_view target;  ///< of a symlink
  };
  [[nodiscard]] Result<Entry> make(ObjectNumber directory, std::string_view name, const Wish& wish,
                                   const Credentials& who);
  [[nodiscard]] Result<Entry> make_unnamed(ObjectNumber directory, std::uint32_t permissions,
                                           const Credentials& who);
  [[nodiscard]] Result<Entry> link(ObjectNumber object, ObjectNumber directory,
                                   std::string_view name);

  /// Puts all records of a new object without a name into a change that holds the directory's lock.
  /// @param parent  record of the directory
  [[nodiscard]] static Result<AttributesRecord> put_new(Change& change, ObjectNumber number,
                                                        ObjectNumber directory,
                                                        const AttributesRecord& parent,
                                                        const Wish& wish, const Credentials& who);

 private:
  [[nodiscard]] Result<std::optional<Entry>> make_in(Change& change, ObjectNumber number,
                                                     const NamePlace& place, const Wish& wish,
                                                     const Credentials& who);
  [[nodiscard]] static Result<std::optional<Entry>> link_in(Change& change, ObjectNumber object,
                                                            const NamePlace& place);

  Writer& writer_;
  ObjectNumbers& numbers_;
};

/// The state of a name that does not exist, completed by Moment::look_below(). Errors: kExists.
[[nodiscard]] Result<NameState> free_name(const Moment& moment, const NamePlace& place);

}  // namespace dgfs::view
