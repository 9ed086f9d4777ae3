// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/listing_places.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace dgfs::view {
namespace {

constexpr unsigned kSerialBits = 32;
constexpr std::size_t kFirstNames = 16;

std::uint32_t tag_of(ListingCookie cookie) {
  return static_cast<std::uint32_t>(cookie >> kSerialBits);
}

Error unknown_place(std::uint16_t code) {
  return {ErrorKind::kInvalidArgument, code, "a place in a listing that nobody remembers"};
}

}  // namespace

bool ListingPlaces::is_full() const {
  const std::lock_guard lock(mutex_);
  return next_serial_ > last_begin_;
}

Result<std::string> ListingPlaces::name_before(ListingCookie cookie) const {
  const std::lock_guard lock(mutex_);
  const auto serial = static_cast<std::uint32_t>(cookie);
  const auto behind = replies_.upper_bound(serial);
  if (behind == replies_.begin() || serial >= next_serial_) return unknown_place(7381);
  const auto& [first, after] = *std::prev(behind);
  return behind == replies_.end() ? names_[serial - first] : after;
}

void ListingPlaces::begin_reply(std::string after) {
  Replies begun;
  begun.emplace(0, std::move(after));
  const std::lock_guard lock(mutex_);
  begun_ = std::move(begun);
}

ListingCookie ListingPlaces::prepare(std::string_view name) {
  const std::lock_guard lock(mutex_);
  prepared_ = name;
  const auto names = begun_.empty() ? names_.size() : 0;
  if (names == names_.capacity()) names_.reserve(std::max(kFirstNames, 2 * names));
  return ListingCookie{tag_} << kSerialBits | next_serial_;
}

void ListingPlaces::add_prepared() noexcept {
  const std::lock_guard lock(mutex_);
  if (!begun_.empty()) {
    auto reply = begun_.extract(begun_.begin());
    reply.key() = next_serial_;
    replies_bytes_ += bytes_of(reply.mapped());
    replies_.insert(replies_.end(), std::move(reply));
    while (replies_bytes_ > kRepliesBytesMax) forget_oldest();
    names_.clear();
  }
  names_.push_back(std::move(prepared_));
  ++next_serial_;
}

void ListingPlaces::forget_oldest() noexcept {
  replies_bytes_ -= bytes_of(replies_.begin()->second);
  replies_.erase(replies_.begin());
}

std::size_t ListingPlaces::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  auto bytes = sizeof *this + replies_bytes_ + names_.capacity() * sizeof names_.front();
  for (const std::string& name : names_) bytes += name.size();
  return bytes;
}

std::shared_ptr<ListingPlaces> Listings::begin(ObjectNumber directory) {
  const std::lock_guard lock(mutex_);
  do {
    next_tag_ = (next_tag_ + 1) & kTagsMask;
  } while (next_tag_ == 0 || streams_.contains(next_tag_));
  auto places = std::make_shared<ListingPlaces>(directory, next_tag_, last_begin_);
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

}  // namespace dgfs::view
