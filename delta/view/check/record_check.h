// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RecordCheck: checks the rules for single records, each against the objects that it refers to.
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
  RecordCheck(const Moment& moment, const Found& found, StopFlag stop)
      : moment_(moment),
        found_(found),
        stop_(stop),
        live_(moment.layers().live().snapshot("check")) {}

  /// Walks all records. Errors: those of Moment, except for damaged records; kInterrupted.
  /// @param check_object  called for each object that has an attributes record in a store, and for
  ///                      others that have names, a parent or a mark there
  [[nodiscard]] Status check_all(const Object& check_object);

 private:
  /// Whether an object exists. kUnknown: damage hides the records that would tell.
  enum class Presence : std::uint8_t { kHere, kGone, kUnknown };
  struct Known {
    Presence presence = Presence::kGone;
    std::uint32_t mode = 0;
    std::uint32_t flags = 0;
  };
  using Visit = std::function<Status(std::string_view key, const delta::Message& message)>;

  /// Visits all messages of the stores, also removals.
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
  /// Adds an object to those to be checked, even if no store has its attributes.
  [[nodiscard]] Status note(ObjectNumber object);

  const Moment& moment_;
  const Found& found_;
  const StopFlag stop_;
  const delta::Snapshot live_;
  ObjectNumber end_ = 0;           ///< first number that is not reserved
  std::set<ObjectNumber> others_;  ///< to be checked, without attributes in a store
  ObjectNumber known_object_ = 0;  ///< of the last call of known()
  Known known_;
  /// A reported name also makes their counts wrong.
  std::set<ObjectNumber> unjudged_;
  ObjectNumber hiding_object_ = 0;  ///< last reported for hidden extended attributes
  RecordClass stray_record_ = RecordClass::kReserved;  ///< last reported; once for each object
  ObjectNumber stray_object_ = 0;
};

}  // namespace dgfs::view
