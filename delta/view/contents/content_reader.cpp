// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/content_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace dgfs::view {

// What a read knows of its file. The image is asked when the first byte of it is wanted.
class ContentReader::File {
 public:
  File(const Moment& moment, ObjectNumber object, const ComposedChunks::Ticket& ticket)
      : moment_(moment), object_(object), ticket_(ticket) {}

  [[nodiscard]] ObjectNumber object() const { return object_; }
  [[nodiscard]] const ComposedChunks::Ticket& ticket() const { return ticket_; }
  [[nodiscard]] Result<delta::StackedValue> chunk(std::uint64_t number) const {
    return moment_.stores().value(chunk_key(object_, number));
  }
  // Zeros behind its end.
  [[nodiscard]] Status read_image(std::uint64_t offset_bytes, MutableBytes out) {
    DGFS_CHECK(find_node());
    std::size_t count = 0;
    if (node_ && offset_bytes < node_->size_bytes) {
      DGFS_TRY(read, image().read(*node_, offset_bytes, out));
      count = read;
    }
    std::ranges::fill(out.subspan(count), std::uint8_t{0});
    return ok();
  }
  [[nodiscard]] Status announce_image(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    DGFS_CHECK(find_node());
    if (node_) image().announce_part(*node_, offset_bytes, length_bytes);
    return ok();
  }

 private:
  [[nodiscard]] const reader::Image& image() const { return moment_.layers().bottom().image(); }
  [[nodiscard]] Status find_node() {
    if (is_known_) return ok();
    DGFS_TRY(node, moment_.layers().bottom().node(object_));
    if (node && format::is_regular(node->mode)) node_ = std::move(node);
    is_known_ = true;
    return ok();
  }

  const Moment& moment_;
  const ObjectNumber object_;
  const ComposedChunks::Ticket ticket_;
  bool is_known_ = false;
  std::optional<reader::Node> node_;  ///< none: the image has no such file
};

Status check_is_regular(std::uint32_t mode) {
  if (format::is_regular(mode)) return ok();
  if (format::is_directory(mode)) return Error(ErrorKind::kIsDirectory, 7410, "a directory");
  return Error(ErrorKind::kInvalidArgument, 7411, "no file with contents");
}

Result<std::size_t> ContentReader::read(ObjectNumber object, std::uint64_t offset_bytes,
                                        MutableBytes out) const {
  DGFS_TRY(untouched, read_untouched(object, offset_bytes, out));
  if (untouched) return *untouched;
  const auto ticket = composed_.begin(object);
  const Moment moment(layers_);
  DGFS_TRY(record, moment.needed_record(object));
  DGFS_CHECK(check_is_regular(record.attributes.mode));
  const auto size = record.attributes.size_bytes;
  if (offset_bytes >= size) return std::size_t{0};
  out =
      out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size - offset_bytes)));
  File file(moment, object, ticket);
  if (layers_.is_untouched(RecordClass::kChunk, object)) {
    DGFS_CHECK(file.read_image(offset_bytes, out));
    return out.size();
  }
  if (out.empty()) return std::size_t{0};
  // What is read next is under way when it is asked for. It waits in the page cache of its own
  // file, so that it is never older than a write.
  auto ahead = sequences_.note(object, offset_bytes, out.size());
  ahead.end_bytes = std::min(ahead.end_bytes, size);
  static_cast<void>(announce(file, ahead));  // whoever reads it is told what is wrong with it
  for (const ChunkPart& part : chunks_.parts(offset_bytes, out.size())) {
    DGFS_CHECK(read_part(file, part,
                         out.subspan(static_cast<std::size_t>(part.skip_bytes),
                                     static_cast<std::size_t>(part.length_bytes))));
  }
  return out.size();
}

// A store that says nothing of an object has never said anything: so it was when the call began. An
// object of the image that has ended without a record is not told from one that has not.
Result<std::optional<std::size_t>> ContentReader::read_untouched(ObjectNumber object,
                                                                 std::uint64_t offset_bytes,
                                                                 MutableBytes out) const {
  if (!layers_.bottom().may_have(object) ||
      !layers_.is_untouched(RecordClass::kAttributes, object)) {
    return std::optional<std::size_t>();
  }
  DGFS_TRY(node, layers_.bottom().node(object));
  if (!node) return std::optional<std::size_t>();
  DGFS_CHECK(check_is_regular(node->mode));
  DGFS_TRY(count, layers_.bottom().image().read(*node, offset_bytes, out));
  return std::optional(count);
}

Status ContentReader::announce(File& file, const Sequences::Range& range) const {
  if (range.empty()) return ok();
  for (const ChunkPart& part :
       chunks_.parts(range.begin_bytes, range.end_bytes - range.begin_bytes)) {
    DGFS_TRY(value, file.chunk(part.chunk));
    const delta::ValueRange within{part.begin_bytes, part.begin_bytes + part.length_bytes};
    value.announce(within);
    if (!value.is_over_bottom()) continue;
    const auto below = value.from_base(within);
    DGFS_CHECK(file.announce_image(chunks_.begin_of(part.chunk) + below.begin_bytes,
                                   below.end_bytes - below.begin_bytes));
  }
  return ok();
}

// A chunk is put together as a whole where most of it is wanted, or where it is asked for again.
Status ContentReader::read_part(File& file, const ChunkPart& part, MutableBytes out) const {
  const auto within = static_cast<std::size_t>(part.begin_bytes);
  if (const auto composed = composed_.find(file.ticket(), file.object(), part.chunk)) {
    std::ranges::copy(Bytes(*composed).subspan(within, out.size()), out.begin());
    return ok();
  }
  const auto begin = chunks_.begin_of(part.chunk);
  const auto bottom = [&](std::uint64_t at, MutableBytes bytes) {
    return file.read_image(begin + at, bytes);
  };
  DGFS_TRY(value, file.chunk(part.chunk));
  const bool is_wanted = 2 * part.length_bytes >= chunks_.chunk_bytes();
  if (!value.is_patched() || (!is_wanted && !composed_.is_asked_again(file.object(), part.chunk))) {
    return value.read(part.begin_bytes, out, bottom);
  }
  const auto whole = std::make_shared<Buffer>(static_cast<std::size_t>(chunks_.chunk_bytes()));
  DGFS_CHECK(value.read(0, *whole, bottom));
  std::ranges::copy(Bytes(*whole).subspan(within, out.size()), out.begin());
  composed_.keep(file.ticket(), file.object(), part.chunk, whole);
  return ok();
}

}  // namespace dgfs::view
