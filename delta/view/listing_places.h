// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Places in listings: how a cookie says behind which name a listing goes on. A cookie is made from
// the name, and is found again in the order of names, whatever was listed, made or removed since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "delta/view/object.h"

namespace dgfs::view {

/// A place in a listing of a directory, behind a listed name; 0: the start. Below 2^63.
using ListingCookie = std::uint64_t;

inline constexpr ListingCookie kBehindSelf = 1;    ///< behind "."
inline constexpr ListingCookie kBehindParent = 2;  ///< behind ".."

/// The content of a cookie. Codes (name_code.h) say where the name stands in the order of names. A
/// value.
///
///   no anchor      01, code as seen from before all names: 54 bits
///   an anchor      10, number of the anchor: 16 bits, code as seen from it: 45 bits
///   is an anchor   11, hash of the name: 61 bits
struct ListingPlace {
  static constexpr unsigned kCodeBits = 54;
  static constexpr unsigned kAnchoredCodeBits = 45;

  enum class Kind : std::uint8_t { kNoAnchor = 1, kAnchored = 2, kIsAnchor = 3 };
  Kind kind = Kind::kNoAnchor;
  std::uint32_t anchor = 0;  ///< the number, of kAnchored and kIsAnchor
  std::uint64_t code = 0;    ///< of kIsAnchor: the hash

  /// Any number above kBehindParent. nullopt: no cookie.
  [[nodiscard]] static std::optional<ListingPlace> of(ListingCookie cookie);
  [[nodiscard]] ListingCookie cookie() const;
};

/// A number of 61 bits for a name of a directory.
[[nodiscard]] std::uint64_t name_hash(ObjectNumber directory, std::string_view name) noexcept;
/// The number that a name gets as an anchor, unless another anchor of the directory has it.
[[nodiscard]] std::uint32_t anchor_of(std::uint64_t name_hash);

/// The anchors of all listings of a view: names from which others are seen, where codes as seen
/// from before all names do not tell these apart. Bounded: it forgets the oldest. Thread-safe.
class ListingPlaces {
 public:
  /// Bounds the memory of anchors. A large directory whose names begin alike has one for some ten
  /// thousand names.
  static constexpr std::size_t kAnchorBytesMax = std::size_t{4} << 20;

  /// Bounds the memory of given names: the last 8,000 or so.
  static constexpr std::size_t kGivenBytesMax = std::size_t{1} << 20;

  /// Makes a name an anchor of a directory, and returns its number. Throws std::bad_alloc, and has
  /// no effect then.
  [[nodiscard]] std::uint32_t add_anchor(ObjectNumber directory, std::string_view name);
  /// The same with a number from a cookie. Nothing if another anchor has the number by now.
  void restore_anchor(ObjectNumber directory, std::uint32_t number, std::string_view name);
  /// The anchor of a place. nullopt: it is unknown, or forgotten.
  [[nodiscard]] std::optional<std::string> anchor(ObjectNumber directory,
                                                  const ListingPlace& place) const;

  /// Gives a name a cookie, and remembers it for a while: another name may have the same code
  /// later. Returns false if another name has the cookie. Throws std::bad_alloc, and has no effect
  /// then.
  [[nodiscard]] bool give(ObjectNumber directory, ListingCookie cookie, std::string_view name);
  /// The name that has a cookie. nullopt: forgotten.
  [[nodiscard]] std::optional<std::string> given(ObjectNumber directory,
                                                 ListingCookie cookie) const;

  /// Of anchors and given names.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// Number of an anchor, or a cookie.
  struct Key {
    ObjectNumber directory = 0;
    std::uint64_t number = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    [[nodiscard]] std::size_t operator()(const Key& key) const {
      return (key.directory * 0x9E3779B97F4A7C15U) ^ key.number;
    }
  };
  /// Roughly the memory of an anchor besides the bytes of its name.
  static constexpr std::size_t kNameBytes = 128;
  [[nodiscard]] static std::size_t bytes_of(std::string_view name) {
    return kNameBytes + name.size();
  }
  /// Forgets its oldest names above a bound.
  struct Names {
    std::unordered_map<Key, std::string, KeyHash> names;
    std::deque<Key> ages;  ///< from the oldest to the newest
    std::size_t bytes = 0;

    void insert(const Key& key, std::string_view name, std::size_t bytes_max);
  };

  mutable std::mutex mutex_;  ///< innermost; guards the members below
  Names anchors_;
  Names given_;
};

}  // namespace dgfs::view
