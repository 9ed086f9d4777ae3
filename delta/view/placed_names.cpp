// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/placed_names.h"

#include <utility>

#include "delta/view/name_code.h"

namespace dgfs::view {
namespace {

using Kind = ListingPlace::Kind;

// More names than a directory of a hundred million has for one number of an anchor.
constexpr std::size_t kPossibleMax = 4096;

std::uint64_t code_of(std::string_view name) {
  return code_of_name("", name, ListingPlace::kCodeBits);
}

std::uint64_t code_behind(std::string_view anchor, std::string_view name) {
  return code_of_name(anchor, name, ListingPlace::kAnchoredCodeBits);
}

Error unknown_place(std::uint16_t code) {
  return {ErrorKind::kInvalidArgument, code, "a place in a listing that is not known"};
}

}  // namespace

Status PlacedNames::begin() { return walk_.seek(""); }

// Moves the walk to the first name with this code or a higher one.
Status PlacedNames::seek_code(std::string_view from, std::uint64_t code, unsigned bits) {
  DGFS_CHECK(walk_.seek(begin_of_code(from, code, bits)));
  while (walk_.is_at_name() && code_of_name(from, walk_.name(), bits) < code) {
    DGFS_CHECK(walk_.next());
  }
  return ok();
}

// Names with the code of the cookie may have been made after it was given, on both sides of its
// name.
Status PlacedNames::go_behind_code(ListingCookie cookie, std::string_view from, std::uint64_t code,
                                   unsigned bits) {
  DGFS_CHECK(seek_code(from, code, bits));
  if (!walk_.is_at_name() || code_of_name(from, walk_.name(), bits) != code) return ok();
  if (const auto name = places_.given(directory_, cookie)) return walk_.seek_behind(*name);
  return seek_code(from, code + 1, bits);
}

Status PlacedNames::go_behind(ListingCookie cookie) {
  const auto place = ListingPlace::of(cookie);
  if (!place) return unknown_place(7480);
  if (place->kind == Kind::kNoAnchor) {
    return go_behind_code(cookie, "", place->code, ListingPlace::kCodeBits);
  }
  DGFS_TRY(anchor, find_anchor(*place));
  anchor_ = Anchor{place->anchor, std::move(anchor)};
  if (place->kind == Kind::kIsAnchor) {
    anchor_->number = places_.add_anchor(directory_, anchor_->name);
    return walk_.seek_behind(anchor_->name);
  }
  return go_behind_code(cookie, anchor_->name, place->code, ListingPlace::kAnchoredCodeBits);
}

// After the view was opened again, or very many anchors were made, names of the directory tell
// which one was the anchor: its number fits, and the name of the cookie is there, as seen from it.
Result<std::string> PlacedNames::find_anchor(const ListingPlace& place) {
  if (auto name = places_.anchor(directory_, place)) return *std::move(name);
  DGFS_TRY(possible, possible_anchors(place));
  std::vector<std::string> found;
  for (auto& name : possible) {
    bool is_it = place.kind == Kind::kIsAnchor;
    if (!is_it) {
      DGFS_TRY(is_there, is_name_there(name, place.code));
      is_it = is_there;
    }
    if (is_it) found.push_back(std::move(name));
  }
  if (found.size() != 1) return unknown_place(7481);
  if (place.kind == Kind::kAnchored) {
    places_.restore_anchor(directory_, place.anchor, found.front());
  }
  return std::move(found.front());
}

Result<std::vector<std::string>> PlacedNames::possible_anchors(const ListingPlace& place) {
  const bool is_exact = place.kind == Kind::kIsAnchor;
  std::vector<std::string> names;
  DGFS_CHECK(walk_.seek(""));
  while (walk_.is_at_name() && names.size() < kPossibleMax) {
    const auto hash = name_hash(directory_, walk_.name());
    if (is_exact ? hash == place.code : anchor_of(hash) == place.anchor) {
      names.emplace_back(walk_.name());
    }
    DGFS_CHECK(walk_.next());
  }
  return names;
}

Result<bool> PlacedNames::is_name_there(std::string_view anchor, std::uint64_t code) {
  DGFS_CHECK(seek_code(anchor, code, ListingPlace::kAnchoredCodeBits));
  return walk_.is_at_name() && code_behind(anchor, walk_.name()) == code;
}

void PlacedNames::load(PlacedName& into) {
  into.name = walk_.name();
  into.dentry = walk_.dentry();
  into.node = walk_.node();
  into.code = code_of(into.name);
  ++count_;
  auto moved = walk_.next();
  if (!moved) failed_ = std::move(moved).error();
}

// After an error the walk may stand behind names that it could not read.
bool PlacedNames::has_more() const { return !failed_ && walk_.is_at_name(); }

bool PlacedNames::has_next() {
  if (count_ == 1 && has_more()) load(names_[1]);
  return count_ == 2;
}

Result<const PlacedName*> PlacedNames::name() {
  if (count_ == 0 && has_more()) load(names_[0]);
  if (count_ != 0) return &names_[0];
  if (failed_) return *failed_;
  return nullptr;
}

// Whether the name can have the cookie. Short names are coded completely: no other one can have
// their code.
bool PlacedNames::gives(ListingCookie cookie) {
  constexpr std::size_t kShortName = 4;
  const auto& name = names_[0].name;
  return name.size() <= kShortName || places_.give(directory_, cookie, name);
}

// A cookie without an anchor is best, because it stays valid when the view is opened again.
ListingCookie PlacedNames::cookie() {
  const auto& at = names_[0];
  const bool has_behind = has_next();
  const auto& behind = names_[1];
  if (!has_behind || behind.code != at.code) {
    const auto cookie = ListingPlace{Kind::kNoAnchor, 0, at.code}.cookie();
    if (gives(cookie)) return cookie;
  }
  if (anchor_) {
    const auto code = code_behind(anchor_->name, at.name);
    if (code != 0 && (!has_behind || code != code_behind(anchor_->name, behind.name))) {
      const auto cookie = ListingPlace{Kind::kAnchored, anchor_->number, code}.cookie();
      if (gives(cookie)) return cookie;
    }
  }
  anchor_ = Anchor{places_.add_anchor(directory_, at.name), at.name};
  return ListingPlace{Kind::kIsAnchor, 0, name_hash(directory_, at.name)}.cookie();
}

void PlacedNames::next() {
  if (count_ == 2) std::swap(names_[0], names_[1]);
  if (count_ != 0) --count_;
}

}  // namespace dgfs::view
