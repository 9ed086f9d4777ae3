// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// OpenListings: streams of names that are read while random operations go on, and held against the
// promises of a Listing.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "delta/view/listing.h"
#include "tests/delta/view/model/view_operations.h"

namespace dgfs::test {

/// A few streams over directories of a view. A name that was there all the time comes once, and in
/// order; one that was never there does not come; and places that nobody knows are refused. Each
/// promise that is broken adds a failure. For one thread.
class OpenListings {
 public:
  /// @param operations  what changes the tree; must outlive this
  explicit OpenListings(const ViewOperations& operations) : operations_(operations) {}

  /// To be called after each operation: names may have come or gone.
  void note_changes();
  /// Reads a reply, goes back, goes on with another handle, begins or ends a stream, or asks for a
  /// place that nobody knows.
  /// @param choice  decides which and where; the same does the same
  void act(std::uint64_t choice);
  /// Ends all streams, before the view is closed.
  void close();
  /// Once the view is open again: it must not know the places of before.
  void expect_forgotten();

  /// Names that came in replies.
  [[nodiscard]] std::uint64_t names_read() const { return names_read_; }

 private:
  /// Places of a stream in order: the begin, ".", "..", and the names.
  struct Place {
    enum class Rank : std::uint8_t { kBegin, kSelf, kParent, kName };
    Rank rank = Rank::kBegin;
    std::string name;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// A cookie, and what is known of it.
  struct Given {
    view::ListingCookie cookie = 0;
    Place place;  ///< of its name
  };
  struct Stream {
    ModelId directory = 0;
    std::unique_ptr<view::Listing> listing;
    std::uint64_t handle = 0;        ///< number of `listing`
    view::ListingCookie cookie = 0;  ///< goes on there
    Place at;                        ///< what comes is behind it
    Place complete;                  ///< what is behind it must come; not before `at`
    std::set<Place> stayed;          ///< were there all the time
    std::map<std::string, std::set<std::pair<ModelId, std::uint32_t>>> ever;  ///< object, type
    std::vector<Given> given;                                                 ///< the last ones
  };
  class Choice;

  [[nodiscard]] static Place place_of(std::string_view name);
  /// Null: it has ended.
  [[nodiscard]] const ModelObject* directory_of(const Stream& stream) const;
  [[nodiscard]] bool is_removed(const Stream& stream) const;
  [[nodiscard]] std::set<Place> places_of(const Stream& stream) const;
  void add_to_ever(Stream& stream) const;

  void open(Choice& choice);
  /// False: there is no such directory any more.
  [[nodiscard]] bool open_handle(Stream& stream);
  static void rewind(Stream& stream);
  void begin_again(Stream& stream) const;
  void read(Stream& stream, std::size_t count, bool wants_attributes);
  void take_name(Stream& stream, const view::ListingName& name) const;
  void expect_was_there(const Stream& stream, const view::ListingName& name) const;
  void expect_nothing_left_out(const Stream& stream, const std::optional<Place>& before) const;
  void go_back(Stream& stream, Choice& choice) const;
  void expect_refused(const Stream& stream, view::ListingCookie cookie, const char* why) const;
  void ask_for_unknown_place(Stream& stream, Choice& choice);

  const ViewOperations& operations_;
  std::vector<Stream> streams_;
  std::uint64_t next_handle_ = 1;
  std::uint64_t names_read_ = 0;
  std::vector<std::pair<ModelId, view::ListingCookie>> of_before_;  ///< directory and cookie
};

}  // namespace dgfs::test
