// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/content_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "delta/view/contents/composition.h"

namespace dgfs::view {

namespace {

// A store that has no records of an object now has never had any, so this was already true when the
// call began. Does not notice an object of the image that has ended without a record, unless a
// merge has kept it for programs that used it then: while they do, it has one.
Result<std::optional<std::size_t>> read_untouched(const Generation& layers, ObjectNumber object,
                                                  std::uint64_t offset_bytes, MutableBytes out) {
  if (!layers.bottom().may_have(object) || !layers.is_untouched(RecordClass::kAttributes, object)) {
    return std::optional<std::size_t>();
  }
  DGFS_TRY(node, layers.bottom().node(object));
  if (!node || node->link_count == 0) return std::optional<std::size_t>();
  DGFS_CHECK(check_is_regular(node->mode));
  DGFS_TRY(count, layers.bottom().image().read(*node, offset_bytes, out));
  return std::optional(count);
}

}  // namespace

Status check_is_regular(std::uint32_t mode) {
  if (format::is_regular(mode)) return ok();
  if (format::is_directory(mode)) return Error(ErrorKind::kIsDirectory, 7410, "a directory");
  return Error(ErrorKind::kInvalidArgument, 7411, "no file with contents");
}

Result<std::size_t> ContentReader::read(ObjectNumber object, std::uint64_t offset_bytes,
                                        MutableBytes out) const {
  DGFS_TRY(untouched, read_untouched(*generations_.current(), object, offset_bytes, out));
  if (untouched) return *untouched;
  // The generation comes after the ticket: otherwise a write to the store of the next generation
  // could end between the two, and chunks of the older one would be kept.
  const auto ticket = composed_.begin(object);
  const Moment moment(generations_.current());
  DGFS_TRY(record, moment.needed_record(object));
  DGFS_CHECK(check_is_regular(record.attributes.mode));
  const auto size = record.attributes.size_bytes;
  if (offset_bytes >= size) return std::size_t{0};
  out =
      out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size - offset_bytes)));
  LayeredFile file(moment, object);
  if (moment.layers().is_untouched(RecordClass::kChunk, object)) {
    DGFS_CHECK(file.read_image(offset_bytes, out));
    return out.size();
  }
  if (out.empty()) return std::size_t{0};
  // The next bytes are on their way before they are asked for. They go to the page cache of the
  // file that stores them, so they are never older than a write.
  auto ahead = sequences_.note(object, offset_bytes, out.size());
  ahead.end_bytes = std::min(ahead.end_bytes, size);
  if (!ahead.empty()) {  // errors are reported by the read itself
    static_cast<void>(announce(file, ahead.begin_bytes, ahead.end_bytes));
  }
  DGFS_CHECK(Composition(file, composed_, ticket, ahead.goes_on).make(offset_bytes, out));
  return out.size();
}

}  // namespace dgfs::view
