// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/data_seek.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "delta/view/contents/content_reader.h"

namespace dgfs::view {
namespace {

enum class Source : std::uint8_t {
  kStore,  ///< some store has data or zeros
  kNone,   ///< the old data was removed
  kImage,  ///< no store has a message
};

// Consecutive chunks with the same source.
struct Stretch {
  Source source = Source::kImage;
  std::uint64_t end = 0;  ///< the first chunk behind it
};

// Walks over the messages of the stores for the chunks of one object.
class ChunkWalk {
 public:
  ChunkWalk(const Moment& moment, ObjectNumber object, std::uint64_t end)
      : object_(object),
        end_(end),
        cursor_(moment.stores().cursor(chunk_keys(object, 0, std::nullopt))) {}

  // The stretch that begins at a chunk before the end. Call it with rising chunks.
  [[nodiscard]] Result<Stretch> at(std::uint64_t chunk) {
    DGFS_CHECK(move_to(chunk));
    if (!cursor_.is_at_place()) return Stretch{Source::kImage, end_};
    DGFS_TRY(place, place_of(cursor_.key()));
    if (place > chunk) return Stretch{Source::kImage, std::min(place, end_)};
    if (cursor_.has_message()) {
      const auto kind = cursor_.kind();
      const bool is_gone =
          kind == delta::MessageKind::kDelete || kind == delta::MessageKind::kErase;
      return Stretch{is_gone ? Source::kNone : Source::kStore, chunk + 1};
    }
    if (cursor_.covered_until() == nullptr) return Stretch{Source::kImage, chunk + 1};
    return covered(*cursor_.covered_until());
  }

 private:
  // Moves to the first place from a chunk on. Usually that is the next place, unless a range
  // tombstone covers the chunks between.
  [[nodiscard]] Status move_to(std::uint64_t chunk) {
    if (std::exchange(has_moved_, true) && cursor_.is_at_place()) {
      DGFS_TRY(place, place_of(cursor_.key()));
      if (place >= chunk) return ok();
      if (cursor_.covered_until() == nullptr) {
        DGFS_CHECK(cursor_.next());
        if (!cursor_.is_at_place()) return ok();
        DGFS_TRY(next, place_of(cursor_.key()));
        if (next >= chunk) return ok();
      }
    }
    return cursor_.seek(chunk_key(object_, chunk));
  }
  // Up to the next chunk with a message, or to the end of the range tombstone.
  [[nodiscard]] Result<Stretch> covered(delta::KeyEnd cover) {
    auto end = end_;
    if (cover && delta::is_before(*cover, chunk_keys(object_, 0, std::nullopt).end)) {
      DGFS_TRY(place, place_of(*cover));
      end = std::min(end, place);
    }
    DGFS_CHECK(cursor_.next());
    if (!cursor_.is_at_place()) return Stretch{Source::kNone, end};
    DGFS_TRY(next, place_of(cursor_.key()));
    return Stretch{Source::kNone, std::min(end, next)};
  }
  // A range tombstone may begin or end between the keys of two chunks: where a run was cut, its
  // bound may be shorter or longer than these keys.
  [[nodiscard]] Result<std::uint64_t> place_of(std::string_view key) const {
    auto rest = std::string(rest_of(key));
    const bool is_behind = rest.size() > kNumberValueBytes;
    rest.resize(kNumberValueBytes, '\0');
    return *chunk_of(rest) + (is_behind ? 1 : 0);
  }

  const ObjectNumber object_;
  const std::uint64_t end_;
  delta::StackCursor cursor_;
  bool has_moved_ = false;
};

// Data and holes of an object in the image.
class ImageHoles {
 public:
  [[nodiscard]] static Result<ImageHoles> open(const ImageBottom& bottom, ObjectNumber object) {
    DGFS_TRY(node, bottom.node(object));
    if (node && !format::is_regular(node->mode)) node.reset();
    return ImageHoles(bottom, std::move(node));
  }
  // The first byte of data, or of a hole, in a range; the end of the range if there is none. Behind
  // the end of the file there is a hole.
  [[nodiscard]] Result<std::uint64_t> find(bool is_data, std::uint64_t begin,
                                           std::uint64_t end) const {
    if (!node_ || begin >= node_->size_bytes) return is_data ? end : begin;
    const auto& image = bottom_->image();
    auto found = is_data ? image.next_data(*node_, begin) : image.next_hole(*node_, begin);
    if (found) return std::min(found.value(), end);
    // No data follows.
    if (is_data && found.error().kind() == ErrorKind::kInvalidArgument) return end;
    return std::move(found).error();
  }

 private:
  ImageHoles(const ImageBottom& bottom, std::optional<reader::Node> node)
      : bottom_(&bottom), node_(std::move(node)) {}

  const ImageBottom* bottom_;
  std::optional<reader::Node> node_;  ///< none: no such object, or not a file
};

Error no_data() {
  return Error(ErrorKind::kNoData, 7414,
               "neither data nor a hole of that kind from this offset on");
}

// nullopt: none before the end of the file.
Result<std::optional<std::uint64_t>> find(const Moment& moment, const Chunks& chunks,
                                          ObjectNumber object, bool is_data,
                                          std::uint64_t offset_bytes, std::uint64_t size_bytes) {
  ChunkWalk walk(moment, object, chunks.count(size_bytes));
  DGFS_TRY(image, ImageHoles::open(moment.layers().bottom(), object));
  while (offset_bytes < size_bytes) {
    DGFS_TRY(stretch, walk.at(chunks.number(offset_bytes)));
    const auto end = std::min(size_bytes, chunks.begin_of(stretch.end));
    if (stretch.source == Source::kImage) {
      DGFS_TRY(found, image.find(is_data, offset_bytes, end));
      if (found < end) return std::optional(found);
    } else if ((stretch.source == Source::kStore) == is_data) {
      return std::optional(offset_bytes);
    }
    offset_bytes = end;
  }
  return std::optional<std::uint64_t>();
}

Result<std::uint64_t> size_of(const Moment& moment, ObjectNumber object,
                              std::uint64_t offset_bytes) {
  DGFS_TRY(record, moment.needed_record(object));
  DGFS_CHECK(check_is_regular(record.attributes.mode));
  if (offset_bytes >= record.attributes.size_bytes) return no_data();
  return record.attributes.size_bytes;
}

}  // namespace

Result<std::uint64_t> DataSeek::next_data(ObjectNumber object, std::uint64_t offset_bytes) const {
  const Moment moment(generations_.current());
  DGFS_TRY(size, size_of(moment, object, offset_bytes));
  DGFS_TRY(found, find(moment, chunks_, object, true, offset_bytes, size));
  if (!found) return no_data();
  return *found;
}

Result<std::uint64_t> DataSeek::next_hole(ObjectNumber object, std::uint64_t offset_bytes) const {
  const Moment moment(generations_.current());
  DGFS_TRY(size, size_of(moment, object, offset_bytes));
  DGFS_TRY(found, find(moment, chunks_, object, false, offset_bytes, size));
  return found.value_or(size);
}

}  // namespace dgfs::view
