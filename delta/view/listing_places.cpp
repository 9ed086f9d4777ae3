// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/listing_places.h"

#include <iterator>
#include <new>
#include <utility>

namespace dgfs::view {
namespace {

constexpr unsigned kSerialBits = 32;

std::uint32_t tag_of(ListingCookie cookie) {
  return static_cast<std::uint32_t>(cookie >> kSerialBits);
}

Error unknown_place(std::uint16_t code) {
  return {ErrorKind::kInvalidArgument, code, "a place in a listing that is no longer known"};
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
  const auto& [first, reply] = *std::prev(behind);
  if (reply.names.empty()) return reply.after;
  std::size_t begin = 0;
  for (auto at = first; at != serial; ++at) begin = reply.names.find('\0', begin) + 1;
  return reply.names.substr(begin, reply.names.find('\0', begin) - begin);
}

void ListingPlaces::begin_reply(std::string after) {
  Replies begun;
  begun[0].after = std::move(after);
  const std::lock_guard lock(mutex_);
  begun_ = std::move(begun);
}

ListingPlaces::Reply& ListingPlaces::growing() noexcept {
  return begun_.empty() ? std::prev(replies_.end())->second : begun_.begin()->second;
}

ListingCookie ListingPlaces::prepare(std::string_view name) {
  const std::lock_guard lock(mutex_);
  prepared_ = name;
  auto& names = growing().names;
  names.reserve(names.size() + name.size() + 1);
  return ListingCookie{tag_} << kSerialBits | next_serial_;
}

void ListingPlaces::add_prepared() noexcept {
  const std::lock_guard lock(mutex_);
  auto& names = growing().names;
  names += prepared_;
  names += '\0';
  names_bytes_ += prepared_.size() + 1;
  *all_names_bytes_ += prepared_.size() + 1;
  if (!begun_.empty()) {
    auto reply = begun_.extract(begun_.begin());
    reply.key() = next_serial_;
    replies_bytes_ += bytes_of(reply.mapped());
    replies_.insert(replies_.end(), std::move(reply));
    forget_old();
  }
  ++next_serial_;
}

// The last reply keeps its names.
void ListingPlaces::forget_old() noexcept {
  const auto last = std::prev(replies_.end());
  const auto names_bytes_max = *all_names_bytes_ > kAllNamesBytesMax ? 0 : kNamesBytesMax;
  auto named = replies_.lower_bound(first_named_);
  for (; names_bytes_ > names_bytes_max && named != last; ++named) forget_names(named->second);
  first_named_ = named->first;
  while (replies_bytes_ > kRepliesBytesMax && replies_.begin() != last) {
    auto& oldest = replies_.begin()->second;
    forget_names(oldest);
    replies_bytes_ -= bytes_of(oldest);
    replies_.erase(replies_.begin());
  }
}

void ListingPlaces::forget_names(Reply& reply) noexcept {
  names_bytes_ -= reply.names.size();
  *all_names_bytes_ -= reply.names.size();
  std::string().swap(reply.names);
}

std::size_t ListingPlaces::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return sizeof *this + replies_bytes_ + names_bytes_;
}

std::shared_ptr<ListingPlaces> Listings::begin(ObjectNumber directory) {
  const std::lock_guard lock(mutex_);
  do {
    next_tag_ = (next_tag_ + 1) & kTagsMask;
  } while (next_tag_ == 0 || streams_.contains(next_tag_));
  auto places = std::make_shared<ListingPlaces>(directory, next_tag_, last_begin_, names_bytes_);
  streams_.emplace(next_tag_, places);
  return places;
}

// A stream for which there is no memory is forgotten at once.
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
