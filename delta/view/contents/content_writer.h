// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ContentWriter: operations that change bytes of files. They read nothing, except append(), and
// except for objects without a name.
#pragma once

#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/view/contents/chunks.h"
#include "delta/view/contents/composed_chunks.h"
#include "delta/view/writer.h"

namespace dgfs::view {

/// As of View. Thread-safe.
class ContentWriter {
 public:
  /// All must outlive it.
  ContentWriter(Writer& writer, const Generations& generations, ComposedChunks& composed)
      : writer_(writer),
        generations_(generations),
        composed_(composed),
        chunks_(generations.current()->chunks()) {}

  [[nodiscard]] Result<std::size_t> write(ObjectNumber object, std::uint64_t offset_bytes,
                                          Bytes bytes);
  [[nodiscard]] Result<Appended> append(ObjectNumber object, Bytes bytes);
  [[nodiscard]] Status zero(ObjectNumber object, std::uint64_t offset_bytes,
                            std::uint64_t length_bytes, ZeroMode mode);

 private:
  /// Notes the chunks before it changes them. False: it changes nothing.
  using Edit = std::function<Result<bool>(Change&, ComposedChunks::Writing&)>;

  [[nodiscard]] Status change_content(ObjectNumber object, const Edit& edit);
  [[nodiscard]] Status change_further(ObjectNumber object, bool is_first, const Edit& edit);
  [[nodiscard]] std::size_t part_of(std::uint64_t offset_bytes, std::size_t wanted_bytes) const;
  void put_bytes(Change& change, ObjectNumber object, std::uint64_t offset_bytes,
                 Bytes bytes) const;

  Writer& writer_;
  const Generations& generations_;
  ComposedChunks& composed_;
  const Chunks chunks_;
};

/// Drops all bytes behind a size, in whatever layer they are.
/// @param bytes  roughly, that are there
void drop_behind(Change& change, const Chunks& chunks, ObjectNumber object,
                 std::uint64_t size_bytes, std::uint64_t bytes);

}  // namespace dgfs::view
