// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/listing.h"

#include <optional>
#include <string>
#include <utility>

#include "delta/view/directory_walk.h"
#include "delta/view/memory_guard.h"

namespace dgfs::view {
namespace {

// The names that each directory has by itself; they are listed first.
constexpr std::string_view kSelf = ".";
constexpr std::string_view kParent = "..";

}  // namespace

// One call of read().
struct Listing::Reply {
  const Moment& moment;
  ListingPlaces& places;
  bool wants_attributes;
  const std::function<bool(const ListingName&)>& visit;

  // False: `visit` wants no more names.
  [[nodiscard]] Result<bool> add(std::string_view name, ObjectNumber object, std::uint32_t type,
                                 const reader::Node* node) {
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
    // The visitor has the name as soon as it is called, so nothing may fail afterwards.
    const auto cookie = places.prepare(name);
    if (!visit({name, object, type, cookie, record ? &record->attributes : nullptr,
                lost ? &*lost : nullptr})) {
      return false;
    }
    places.add_prepared();
    return true;
  }
};

Status Listing::read(ListingCookie cookie, bool wants_attributes,
                     const std::function<bool(const ListingName&)>& visit) {
  const std::lock_guard reading(reading_);
  return whole_or_refused([&] { return read_on(cookie, wants_attributes, visit); });
}

// Earlier cookies then belong to an ended stream.
void Listing::begin_anew() {
  auto places = listings_.begin(places_->directory());
  listings_.end(std::exchange(places_, std::move(places)));
}

Status Listing::read_on(ListingCookie cookie, bool wants_attributes,
                        const std::function<bool(const ListingName&)>& visit) {
  const auto directory = places_->directory();
  std::string after;
  if (cookie != 0) {
    DGFS_TRY(stream, listings_.find(directory, cookie));
    DGFS_TRY(name, stream->name_before(cookie));
    after = std::move(name);
  }
  const Moment moment(layers_);
  DGFS_TRY(record, moment.needed_record(directory));
  // Not even "..": the parent may have ended.
  if (record.attributes.link_count == 0) return ok();
  if (places_->is_full()) begin_anew();
  places_->begin_reply(after);
  Reply reply{moment, *places_, wants_attributes, visit};
  if (after.empty()) {
    DGFS_TRY(goes_on, reply.add(kSelf, directory, format::kTypeDirectory, nullptr));
    if (!goes_on) return ok();
  }
  if (after.empty() || after == kSelf) {
    DGFS_TRY(parent, moment.parent(directory));
    DGFS_TRY(goes_on, reply.add(kParent, parent, format::kTypeDirectory, nullptr));
    if (!goes_on) return ok();
  }
  if (after == kSelf || after == kParent) after.clear();
  DGFS_TRY(walk, DirectoryWalk::make(moment, directory, wants_attributes));
  DGFS_CHECK(walk.seek_behind(after));
  while (walk.is_at_name()) {
    const auto* node = walk.node() ? &*walk.node() : nullptr;
    DGFS_TRY(goes_on, reply.add(walk.name(), walk.dentry().object, walk.dentry().type, node));
    if (!goes_on) return ok();
    DGFS_CHECK(walk.next());
  }
  return ok();
}

}  // namespace dgfs::view
