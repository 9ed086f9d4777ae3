// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// OpenListings: reads streams of names while random operations go on, and checks the promises of a
// Listing.
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

/// A few streams over directories of a view. A name that stayed all the time must come once and in
/// order, also if the view is opened again meanwhile. A name that never existed must not come. Each
/// broken promise adds a failure. For one thread.
class OpenListings {
 public:
  /// @param operations  changes the tree; must outlive this
  explicit OpenListings(const ViewOperations& operations) : operations_(operations) {}

  /// Call it after each operation: names may have come or gone.
  void note_changes();
  /// Reads a reply, goes back, continues with another handle, begins or ends a stream, or asks for
  /// any number as a place.
  /// @param choice  decides which and where; the same choice does the same
  void act(std::uint64_t choice);
  /// Closes all handles, before the view is closed.
  void close();
  /// Call it once the view is open again: the streams go on where they were.
  void go_on();

  /// The number of names that came in replies.
  [[nodiscard]] std::uint64_t names_read() const { return names_read_; }

 private:
  /// A place of a stream; places are ordered: the begin, ".", "..", and the names.
  struct Place {
    enum class Rank : std::uint8_t { kBegin, kSelf, kParent, kName };
    Rank rank = Rank::kBegin;
    std::string name;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// A cookie that the view gave, with the test's knowledge of it.
  struct Given {
    view::ListingCookie cookie = 0;
    Place place;  ///< place of the name
  };
  struct Stream {
    ModelId directory = 0;
    std::unique_ptr<view::Listing> listing;
    std::uint64_t handle = 0;        ///< the number of `listing`
    view::ListingCookie cookie = 0;  ///< where the stream continues
    Place at;                        ///< the next names come after it
    Place complete;                  ///< all names after it must come; not before `at`
    std::set<Place> stayed;          ///< names that stayed all the time
    /// Name to its objects and types so far.
    std::map<std::string, std::set<std::pair<ModelId, std::uint32_t>>> ever;
    std::vector<Given> given;  ///< the last cookies
    bool has_read = true;      ///< since the view was opened
  };
  class Choice;

  [[nodiscard]] static Place place_of(std::string_view name);
  /// Null: the directory has ended.
  [[nodiscard]] const ModelObject* directory_of(const Stream& stream) const;
  [[nodiscard]] bool is_removed(const Stream& stream) const;
  [[nodiscard]] bool has_lost_anchor(const Stream& stream) const;
  /// Whether a view that was opened again cannot find the place of the stream any more.
  [[nodiscard]] bool has_lost_place(const Stream& stream) const;
  [[nodiscard]] std::set<Place> places_of(const Stream& stream) const;
  void add_to_ever(Stream& stream) const;

  void open(Choice& choice);
  /// Returns false if the directory has ended.
  [[nodiscard]] bool open_handle(Stream& stream);
  static void rewind(Stream& stream);
  void begin_again(Stream& stream) const;
  void read(Stream& stream, std::size_t count, bool wants_attributes);
  void take_name(Stream& stream, const view::ListingName& name) const;
  void expect_was_there(const Stream& stream, const view::ListingName& name) const;
  void expect_nothing_left_out(const Stream& stream, const std::optional<Place>& before) const;
  void go_back(Stream& stream, Choice& choice) const;
  void ask_for_any_place(Stream& stream, Choice& choice) const;

  const ViewOperations& operations_;
  std::vector<Stream> streams_;
  std::uint64_t next_handle_ = 1;
  std::uint64_t names_read_ = 0;
};

}  // namespace dgfs::test
