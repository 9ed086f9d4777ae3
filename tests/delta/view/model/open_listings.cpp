// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/model/open_listings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/printable.h"
#include "delta/view/listing_places.h"
#include "tests/delta/view/model/tree_dump.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kStreamsMax = 4;
constexpr std::size_t kGivenMax = 64;

}  // namespace

// Makes several numbers from one, so that a step can be repeated whatever came before it.
class OpenListings::Choice {
 public:
  explicit Choice(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33U) % bound;
  }
  [[nodiscard]] bool one_in(std::uint64_t times) { return below(times) == 0; }

 private:
  std::uint64_t state_;
};

// The tree as it should be.

OpenListings::Place OpenListings::place_of(std::string_view name) {
  const auto rank = name == "."    ? Place::Rank::kSelf
                    : name == ".." ? Place::Rank::kParent
                                   : Place::Rank::kName;
  return {rank, std::string(name)};
}

const ModelObject* OpenListings::directory_of(const Stream& stream) const {
  const auto& objects = operations_.model().objects();
  const auto found = objects.find(stream.directory);
  return found == objects.end() ? nullptr : &found->second;
}

bool OpenListings::is_removed(const Stream& stream) const {
  const auto* directory = directory_of(stream);
  return directory == nullptr || directory->attributes.link_count == 0;
}

std::set<OpenListings::Place> OpenListings::places_of(const Stream& stream) const {
  if (is_removed(stream)) return {};
  std::set<Place> places = {place_of("."), place_of("..")};
  for (const auto& [name, id] : directory_of(stream)->names) places.insert(place_of(name));
  return places;
}

void OpenListings::add_to_ever(Stream& stream) const {
  stream.ever["."].insert({stream.directory, format::kTypeDirectory});
  if (is_removed(stream)) return;
  const auto& model = operations_.model();
  stream.ever[".."].insert({model.parent_of(stream.directory), format::kTypeDirectory});
  for (const auto& [name, id] : directory_of(stream)->names) {
    stream.ever[name].insert({id, format::type_of(model.objects().at(id).attributes.mode)});
  }
}

void OpenListings::note_changes() {
  for (Stream& stream : streams_) {
    const auto places = places_of(stream);
    std::erase_if(stream.stayed, [&](const Place& place) { return !places.contains(place); });
    add_to_ever(stream);
    if (stream.has_read || !has_lost_place(stream)) continue;
    rewind(stream);
    begin_again(stream);
  }
}

// Streams begin and end.

bool OpenListings::open_handle(Stream& stream) {
  stream.listing = nullptr;  // before the next one, as the view then knows that it has ended
  auto opened = operations_.view().open_listing(operations_.pairs().number_of(stream.directory));
  if (!opened) {
    EXPECT_EQ(opened.error().kind(), ErrorKind::kNotFound);
    EXPECT_EQ(directory_of(stream), nullptr) << "listing #" << stream.directory;
    return false;
  }
  EXPECT_NE(directory_of(stream), nullptr)
      << "listing #" << stream.directory << ", whose directory has ended";
  stream.listing = std::move(opened).value();
  stream.handle = next_handle_++;
  return true;
}

void OpenListings::begin_again(Stream& stream) const {
  stream.stayed = places_of(stream);
  stream.ever.clear();
  add_to_ever(stream);
}

void OpenListings::rewind(Stream& stream) {
  stream.cookie = 0;
  stream.at = stream.complete = {};
}

// Picks, of a few random directories, the one with the most names.
void OpenListings::open(Choice& choice) {
  const auto& model = operations_.model();
  const auto& objects = model.objects();
  ModelId chosen = view::kRoot;
  for (int tries = 0; tries < 3; ++tries) {
    auto at = objects.lower_bound(choice.below(model.next_id()));
    while (at != objects.end() && !format::is_directory(at->second.attributes.mode)) ++at;
    if (at == objects.end()) continue;
    if (tries == 0 || at->second.names.size() > objects.at(chosen).names.size()) chosen = at->first;
  }
  Stream stream;
  stream.directory = chosen;
  if (!open_handle(stream)) return;
  begin_again(stream);
  streams_.push_back(std::move(stream));
}

// Whether the place is seen from an anchor that is no name of the directory any more.
bool OpenListings::has_lost_anchor(const Stream& stream) const {
  const auto place = view::ListingPlace::of(stream.cookie);
  if (!place || place->kind != view::ListingPlace::Kind::kAnchored) return false;
  const auto directory = operations_.pairs().number_of(stream.directory);
  const auto& names = directory_of(stream)->names;
  return std::none_of(names.begin(), names.end(), [&](const auto& name) {
    return view::anchor_of(view::name_hash(directory, name.first)) == place->anchor;
  });
}

bool OpenListings::has_lost_place(const Stream& stream) const {
  const auto place = view::ListingPlace::of(stream.cookie);
  if (!place || place->kind == view::ListingPlace::Kind::kNoAnchor) return false;
  if (directory_of(stream) == nullptr) return false;
  return !places_of(stream).contains(stream.at) || has_lost_anchor(stream);
}

// A place outlives the view if its name still exists, and its anchor, if it has one. The view
// forgets which name had a cookie, so a stream that went back to an old place might miss a name
// that was made there afterwards.
void OpenListings::close() {
  for (Stream& stream : streams_) {
    const auto places = places_of(stream);
    const auto is_gone = [&](const Place& place) { return !places.contains(place); };
    stream.given.clear();
    if (stream.cookie != 0 && (is_gone(stream.at) || has_lost_anchor(stream))) {
      rewind(stream);
      begin_again(stream);
    }
    stream.listing = nullptr;
    stream.has_read = false;
  }
}

void OpenListings::go_on() {
  note_changes();
  std::erase_if(streams_, [&](Stream& stream) { return !open_handle(stream); });
}

// Reading.

void OpenListings::expect_was_there(const Stream& stream, const view::ListingName& name) const {
  EXPECT_FALSE(is_removed(stream))
      << "listing #" << stream.directory << ": a name came from a removed directory";
  const auto& pairs = operations_.pairs();
  const auto found = stream.ever.find(std::string(name.name));
  const bool was_there =
      found != stream.ever.end() && found->second.contains({pairs.id_of(name.object), name.type});
  EXPECT_TRUE(was_there) << "listing #" << stream.directory << ": '" << printable(name.name)
                         << "' was never #" << pairs.id_of(name.object) << " of type 0" << std::oct
                         << name.type << std::dec;
  if (name.attributes == nullptr) return;
  const auto expected = operations_.model().attributes(pairs.id_of(name.object));
  const DumpOptions compared{.has_blocks = operations_.compares_blocks()};
  EXPECT_TRUE(expected &&
              kept(expected.assume_value(), compared) == kept(*name.attributes, compared))
      << "listing #" << stream.directory << ": attributes of '" << printable(name.name) << "'";
}

void OpenListings::expect_nothing_left_out(const Stream& stream,
                                           const std::optional<Place>& before) const {
  const auto left_out = stream.stayed.upper_bound(stream.complete);
  if (left_out == stream.stayed.end() || (before && !(*left_out < *before))) return;
  ADD_FAILURE() << "listing #" << stream.directory << ": '" << printable(left_out->name)
                << "' was missing before '" << (before ? printable(before->name) : "the end")
                << "'";
}

void OpenListings::take_name(Stream& stream, const view::ListingName& name) const {
  const auto place = place_of(name.name);
  EXPECT_LT(stream.at, place) << "listing #" << stream.directory << ": '" << printable(name.name)
                              << "' came behind '" << printable(stream.at.name) << "'";
  expect_was_there(stream, name);
  expect_nothing_left_out(stream, place);
  stream.at = place;
  stream.complete = std::max(stream.complete, place);
  stream.cookie = name.cookie;
}

void OpenListings::read(Stream& stream, std::size_t count, bool wants_attributes) {
  std::size_t taken = 0;
  const Status status =
      stream.listing->read(stream.cookie, wants_attributes, [&](const view::ListingName& name) {
        EXPECT_EQ(name.attributes != nullptr, wants_attributes);
        if (taken == count) return false;
        ++taken;
        take_name(stream, name);
        stream.given.push_back({name.cookie, stream.at});
        return true;
      });
  if (directory_of(stream) == nullptr) {
    EXPECT_TRUE(!status && status.error().kind() == ErrorKind::kNotFound);
    return;
  }
  EXPECT_TRUE(status) << "listing #" << stream.directory << ": " << status.error().message();
  stream.has_read = true;
  if (taken < count) expect_nothing_left_out(stream, std::nullopt);
  names_read_ += taken;
  if (stream.given.size() > kGivenMax) {
    stream.given.erase(stream.given.begin(), stream.given.end() - kGivenMax / 2);
  }
}

void OpenListings::go_back(Stream& stream, Choice& choice) const {
  if (stream.given.empty()) return;
  const Given& given = stream.given.at(choice.below(stream.given.size()));
  stream.cookie = given.cookie;
  stream.at = given.place;
  stream.complete = given.place;
  stream.stayed = places_of(stream);
}

// A number that no listing gave leads to some place, or is refused.
void OpenListings::ask_for_any_place(Stream& stream, Choice& choice) const {
  auto cookie = choice.below(std::uint64_t{1} << 31U) << 32U | choice.below(~std::uint64_t{0});
  cookie &= ~(std::uint64_t{1} << 63U);
  if (choice.one_in(2)) cookie = stream.cookie ^ std::uint64_t{1} << choice.below(63);
  std::size_t count = 0;
  const Status status = stream.listing->read(cookie, false, [&](const view::ListingName& name) {
    expect_was_there(stream, name);
    return ++count < 5;
  });
  if (status || directory_of(stream) == nullptr) return;
  EXPECT_EQ(status.error().kind(), ErrorKind::kInvalidArgument) << status.error().message();
}

void OpenListings::act(std::uint64_t number) {
  Choice choice(number);
  if (streams_.empty() || (streams_.size() < kStreamsMax && choice.one_in(5))) open(choice);
  if (streams_.empty()) return;
  const auto at = choice.below(streams_.size());
  Stream& stream = streams_.at(at);
  const auto chosen = choice.below(20);
  bool goes_on = true;
  if (chosen == 0) {
    goes_on = false;
  } else if (chosen == 1) {
    rewind(stream);
    begin_again(stream);
  } else if (chosen <= 3) {
    go_back(stream, choice);
  } else if (chosen <= 5) {
    goes_on = open_handle(stream);
  } else if (chosen <= 7) {
    ask_for_any_place(stream, choice);
  }
  if (goes_on) read(stream, 1 + choice.below(6), choice.one_in(3));
  if (!goes_on || directory_of(stream) == nullptr) {
    streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace dgfs::test
