// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/listing_places.h"

#include <utility>

#include "base/bytes.h"
#include "format/checksum.h"

namespace dgfs::view {
namespace {

constexpr unsigned kKindShift = 61;
constexpr unsigned kHashBits = 61;
constexpr unsigned kAnchorBits = 16;
static_assert(kAnchorBits + ListingPlace::kAnchoredCodeBits <= kKindShift);
// Memory bounds anchors to half of the numbers, so a free one is near.
static_assert(ListingPlaces::kAnchorBytesMax / 128 <= std::size_t{1} << (kAnchorBits - 1));

constexpr std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

std::optional<ListingPlace> ListingPlace::of(ListingCookie cookie) {
  const auto rest = low_bits(cookie, kKindShift);
  switch (cookie >> kKindShift) {
    case static_cast<ListingCookie>(Kind::kNoAnchor):
      return ListingPlace{Kind::kNoAnchor, 0, low_bits(rest, kCodeBits)};
    case static_cast<ListingCookie>(Kind::kAnchored):
      return ListingPlace{Kind::kAnchored, static_cast<std::uint32_t>(rest >> kAnchoredCodeBits),
                          low_bits(rest, kAnchoredCodeBits)};
    case static_cast<ListingCookie>(Kind::kIsAnchor):
      return ListingPlace{Kind::kIsAnchor, anchor_of(rest), rest};
    default:
      return std::nullopt;
  }
}

ListingCookie ListingPlace::cookie() const {
  const auto number = kind == Kind::kAnchored ? ListingCookie{anchor} << kAnchoredCodeBits : 0;
  return static_cast<ListingCookie>(kind) << kKindShift | number | code;
}

std::uint64_t name_hash(ObjectNumber directory, std::string_view name) noexcept {
  return low_bits(format::checksum64(as_bytes(name), directory), kHashBits);
}

std::uint32_t anchor_of(std::uint64_t name_hash) {
  return static_cast<std::uint32_t>(name_hash >> (kHashBits - kAnchorBits));
}

std::uint32_t ListingPlaces::add_anchor(ObjectNumber directory, std::string_view name) {
  auto number = anchor_of(name_hash(directory, name));
  const std::lock_guard lock(mutex_);
  for (;; number = static_cast<std::uint32_t>(low_bits(number + 1, kAnchorBits))) {
    const auto found = anchors_.names.find({directory, number});
    if (found == anchors_.names.end()) break;
    if (found->second == name) return number;
  }
  anchors_.insert({directory, number}, name, kAnchorBytesMax);
  return number;
}

void ListingPlaces::restore_anchor(ObjectNumber directory, std::uint32_t number,
                                   std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (!anchors_.names.contains({directory, number}))
    anchors_.insert({directory, number}, name, kAnchorBytesMax);
}

void ListingPlaces::Names::insert(const Key& key, std::string_view name, std::size_t bytes_max) {
  std::string kept(name);
  ages.push_back(key);
  try {
    names.emplace(key, std::move(kept));
  } catch (...) {
    ages.pop_back();
    throw;
  }
  bytes += bytes_of(name);
  while (bytes > bytes_max) {
    const auto oldest = names.find(ages.front());
    bytes -= bytes_of(oldest->second);
    names.erase(oldest);
    ages.pop_front();
  }
}

// An anchor whose number was taken has one of the next.
std::optional<std::string> ListingPlaces::anchor(ObjectNumber directory,
                                                 const ListingPlace& place) const {
  const bool is_exact = place.kind == ListingPlace::Kind::kIsAnchor;
  const std::lock_guard lock(mutex_);
  for (auto number = place.anchor;;
       number = static_cast<std::uint32_t>(low_bits(number + 1, kAnchorBits))) {
    const auto found = anchors_.names.find({directory, number});
    if (found == anchors_.names.end()) return std::nullopt;
    if (!is_exact || name_hash(directory, found->second) == place.code) return found->second;
  }
}

bool ListingPlaces::give(ObjectNumber directory, ListingCookie cookie, std::string_view name) {
  const Key key{directory, cookie};
  const std::lock_guard lock(mutex_);
  const auto found = given_.names.find(key);
  if (found != given_.names.end()) return found->second == name;
  given_.insert(key, name, kGivenBytesMax);
  return true;
}

std::optional<std::string> ListingPlaces::given(ObjectNumber directory,
                                                ListingCookie cookie) const {
  const std::lock_guard lock(mutex_);
  const auto found = given_.names.find({directory, cookie});
  return found == given_.names.end() ? std::nullopt : std::optional(found->second);
}

std::size_t ListingPlaces::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return anchors_.bytes + given_.bytes;
}

}  // namespace dgfs::view
