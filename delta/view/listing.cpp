// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/listing.h"

#include <optional>
#include <string>
#include <utility>

#include "delta/view/directory_walk.h"
#include "delta/view/memory_guard.h"
#include "delta/view/placed_names.h"

namespace dgfs::view {
namespace {

// The names that each directory has by itself; they are listed first.
constexpr std::string_view kSelf = ".";
constexpr std::string_view kParent = "..";

}  // namespace

// One call of read().
struct Listing::Reply {
  const Moment& moment;
  bool wants_attributes;
  const std::function<bool(const ListingName&)>& visit;

  // False: `visit` wants no more names.
  [[nodiscard]] Result<bool> add(std::string_view name, ObjectNumber object, std::uint32_t type,
                                 const reader::Node* node, ListingCookie cookie) {
    std::optional<AttributesRecord> record;
    std::optional<Error> lost;
    if (wants_attributes) {
      auto found = moment.record(object, node);
      if (!found && found.error().kind() == ErrorKind::kLimit) return std::move(found).error();
      if (!found) {
        lost = std::move(found).error();
      } else if (!found.value()) {
        lost = Error(ErrorKind::kCorrupt, 7383, "a name leads to no object").in_section("delta");
      } else {
        record = std::move(found).value();
      }
    }
    return visit({name, object, type, cookie, record ? &record->attributes : nullptr,
                  lost ? &*lost : nullptr});
  }
};

Status Listing::read(ListingCookie cookie, bool wants_attributes,
                     const std::function<bool(const ListingName&)>& visit) {
  return whole_or_refused([&] { return read_on(cookie, wants_attributes, visit); });
}

Status Listing::read_on(ListingCookie cookie, bool wants_attributes,
                        const std::function<bool(const ListingName&)>& visit) {
  const Moment moment(generations_.current());
  DGFS_TRY(record, moment.needed_record(directory_));
  // Not even "..": the parent may have ended.
  if (record.attributes.link_count == 0) return ok();
  Reply reply{moment, wants_attributes, visit};
  if (cookie < kBehindSelf) {
    DGFS_TRY(goes_on, reply.add(kSelf, directory_, format::kTypeDirectory, nullptr, kBehindSelf));
    if (!goes_on) return ok();
  }
  if (cookie < kBehindParent) {
    DGFS_TRY(parent, moment.parent(directory_));
    DGFS_TRY(goes_on, reply.add(kParent, parent, format::kTypeDirectory, nullptr, kBehindParent));
    if (!goes_on) return ok();
  }
  DGFS_TRY(walk, DirectoryWalk::make(moment, directory_, wants_attributes));
  PlacedNames names(walk, directory_, places_);
  DGFS_CHECK(cookie <= kBehindParent ? names.begin() : names.go_behind(cookie));
  for (;; names.next()) {
    DGFS_TRY(name, names.name());
    if (name == nullptr) return ok();
    DGFS_TRY(goes_on, reply.add(name->name, name->dentry.object, name->dentry.type,
                                name->node ? &*name->node : nullptr, names.cookie()));
    if (!goes_on) return ok();
  }
}

}  // namespace dgfs::view
