// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RecordCheck: the rules that records keep one by one, each against what it speaks of.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/view/check/namespace_finding.h"
#include "delta/view/check/object_facts.h"

namespace dgfs::view {

/// For one thread.
class RecordCheck {
 public:
  using Found = std::function<void(const Finding&)>;
  using Object = std::function<Status(ObjectNumber)>;

  /// Both must outlive it.
  RecordCheck(const Moment& moment, const Found& found)
      : moment_(moment), found_(found), live_(moment.layers().live().snapshot("check")) {}

  /// Walks all records. Errors: those of Moment, but for damaged records.
  /// @param check_object  is called of each object whose attributes a store has, and of others
  ///                      whose names, parent or mark it has
  [[nodiscard]] Status check_all(const Object& check_object);

 private:
  /// Whether there is an object, as far as the records of it can be read.
  enum class Presence : std::uint8_t { kHere, kGone, kUnknown };
  struct Known {
    Presence presence = Presence::kGone;
    std::uint32_t mode = 0;
    std::uint32_t flags = 0;
  };
  using Visit = std::function<Status(std::string_view key, const delta::Message& message)>;

  /// Visits all that a store says, also that there is no such record.
  [[nodiscard]] Status walk(RecordClass record, const Visit& visit);
  [[nodiscard]] Result<Known> known(ObjectNumber object);
  void tell(Rule rule, RecordClass record, ObjectNumber object, std::string text,
            std::optional<NamePlace> place = std::nullopt) const {
    found_({rule, record, object, std::move(place), std::nullopt, std::move(text)});
  }
  void tell_stray(RecordClass record, ObjectNumber object);

  [[nodiscard]] Status check_attributes(ObjectNumber object, const delta::Message& message,
                                        const Object& check_object);
  [[nodiscard]] Status check_unless_told(ObjectNumber object, const Object& check_object) const {
    return unjudged_.contains(object) ? ok() : check_object(object);
  }
  [[nodiscard]] Status check_gone(ObjectNumber object);
  [[nodiscard]] Status check_dentry(const NamePlace& place, const delta::Message& message);
  [[nodiscard]] Status check_leads(const NamePlace& place, const Dentry& dentry);
  [[nodiscard]] Status check_hidden(const NamePlace& place);
  [[nodiscard]] Status check_covers(const NamePlace& place, const delta::Message& message);
  [[nodiscard]] Status check_name(ObjectNumber object, std::string_view rest);
  [[nodiscard]] Status check_parent(ObjectNumber object, const delta::Message& message);
  [[nodiscard]] Status check_target(ObjectNumber object, const delta::Message& message);
  [[nodiscard]] Status check_xattr(ObjectNumber object);
  [[nodiscard]] Status check_chunks();
  [[nodiscard]] Status check_reserved(std::string_view key, const delta::Message& message);
  /// It is to be checked, even where no record of its attributes is.
  [[nodiscard]] Status note(ObjectNumber object);

  const Moment& moment_;
  const Found& found_;
  const delta::Snapshot live_;
  ObjectNumber end_ = 0;           ///< of reserved numbers
  std::set<ObjectNumber> others_;  ///< to be checked, without attributes of a store
  ObjectNumber known_object_ = 0;  ///< the last that was asked for
  Known known_;
  std::set<ObjectNumber> unjudged_;  ///< what was told of a name makes their counts wrong, too
  ObjectNumber hiding_object_ = 0;   ///< told last that it does not show its xattrs
  RecordClass stray_record_ = RecordClass::kReserved;  ///< told last: once for each object
  ObjectNumber stray_object_ = 0;
};

}  // namespace dgfs::view
