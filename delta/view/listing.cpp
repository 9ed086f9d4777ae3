// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/listing.h"

#include <algorithm>
#include <utility>

#include "delta/view/directory_walk.h"
#include "delta/view/memory_guard.h"

namespace dgfs::view {
namespace {

constexpr unsigned kSerialBits = 32;

std::uint32_t tag_of(ListingCookie cookie) {
  return static_cast<std::uint32_t>(cookie >> kSerialBits);
}

Error unknown_place(std::uint16_t code) {
  return {ErrorKind::kInvalidArgument, code, "a place in a listing that nobody remembers"};
}

// Names that a directory has of itself: no other name is before them.
constexpr std::string_view kSelf = ".";
constexpr std::string_view kParent = "..";

}  // namespace

Result<std::string> ListingPlaces::name_before(ListingCookie cookie) const {
  const std::lock_guard lock(mutex_);
  const auto serial = static_cast<std::uint32_t>(cookie);
  if (replies_.empty() || serial < replies_.front().first_serial || serial >= next_serial_) {
    return unknown_place(7381);
  }
  const auto at = serial - replies_.back().first_serial;
  if (serial >= replies_.back().first_serial) return names_[at];
  const auto behind = std::ranges::upper_bound(replies_, serial, {}, &Reply::first_serial);
  return std::prev(behind)->after;
}

void ListingPlaces::begin_reply(std::string after) {
  const std::lock_guard lock(mutex_);
  begun_after_ = std::move(after);
}

ListingCookie ListingPlaces::next_cookie() const {
  const std::lock_guard lock(mutex_);
  return ListingCookie{tag_} << kSerialBits | next_serial_;
}

void ListingPlaces::add(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (begun_after_) {
    replies_.push_back({next_serial_, *std::move(begun_after_)});
    begun_after_.reset();
    if (replies_.size() > kRepliesMax) replies_.pop_front();
    names_.clear();
  }
  names_.emplace_back(name);
  ++next_serial_;
}

std::size_t ListingPlaces::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = sizeof *this;
  for (const Reply& reply : replies_) bytes += sizeof reply + reply.after.size();
  for (const std::string& name : names_) bytes += sizeof name + name.size();
  return bytes;
}

std::shared_ptr<ListingPlaces> Listings::begin(ObjectNumber directory) {
  const std::lock_guard lock(mutex_);
  do {
    next_tag_ = (next_tag_ + 1) & kTagsMask;
  } while (next_tag_ == 0 || streams_.contains(next_tag_));
  auto places = std::make_shared<ListingPlaces>(directory, next_tag_);
  streams_.emplace(next_tag_, places);
  return places;
}

// One for which there is no memory is forgotten at once.
void Listings::end(const std::shared_ptr<ListingPlaces>& places) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    ended_.push_back(places);
  } catch (const std::bad_alloc&) {
    streams_.erase(places->tag());
    return;
  }
  ended_bytes_ += places->memory_bytes();
  while (ended_.size() > kEndedMax || ended_bytes_ > kEndedBytesMax) forget_oldest();
}

void Listings::forget_oldest() noexcept {
  ended_bytes_ -= ended_.front()->memory_bytes();
  streams_.erase(ended_.front()->tag());
  ended_.pop_front();
}

Result<std::shared_ptr<ListingPlaces>> Listings::find(ObjectNumber directory,
                                                      ListingCookie cookie) const {
  const std::lock_guard lock(mutex_);
  const auto stream = streams_.find(tag_of(cookie));
  if (stream == streams_.end() || stream->second->directory() != directory) {
    return unknown_place(7382);
  }
  return stream->second;
}

// One call of read().
struct Listing::Reply {
  const Moment& moment;
  ListingPlaces& places;
  bool wants_attributes;
  const std::function<bool(const ListingName&)>& visit;

  // False: it is full.
  [[nodiscard]] Result<bool> add(std::string_view name, ObjectNumber object, std::uint32_t type,
                                 const reader::Node* node) {
    std::optional<AttributesRecord> record;
    if (wants_attributes) {
      DGFS_TRY(found, moment.record(object, node));
      if (!found) {
        return Error(ErrorKind::kCorrupt, 7383, "a name leads to no object").in_section("delta");
      }
      record = std::move(found);
    }
    return give({name, object, type, places.next_cookie(), record ? &record->attributes : nullptr});
  }

 private:
  bool give(const ListingName& name) {
    if (!visit(name)) return false;
    places.add(name.name);
    return true;
  }
};

Status Listing::read(ListingCookie cookie, bool wants_attributes,
                     const std::function<bool(const ListingName&)>& visit) {
  const std::lock_guard reading(reading_);
  return whole_or_refused([&] { return read_on(cookie, wants_attributes, visit); });
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
  // Not even "..": its parent may have ended.
  if (record.attributes.link_count == 0) return ok();
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
  DGFS_CHECK(walk.seek(after));
  if (walk.is_at_name() && !after.empty() && walk.name() == after) {
    DGFS_CHECK(walk.next());
  }
  while (walk.is_at_name()) {
    const auto* node = walk.node() ? &*walk.node() : nullptr;
    DGFS_TRY(goes_on, reply.add(walk.name(), walk.dentry().object, walk.dentry().type, node));
    if (!goes_on) return ok();
    DGFS_CHECK(walk.next());
  }
  return ok();
}

}  // namespace dgfs::view
