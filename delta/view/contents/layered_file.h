// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LayeredFile: one file in stores and image at one moment.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/snapshot/stacked_value.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// For one thread. It looks the file up in the image only when bytes of the image are needed.
class LayeredFile {
 public:
  /// @param moment  must outlive it
  LayeredFile(const Moment& moment, ObjectNumber object) : moment_(moment), object_(object) {}

  [[nodiscard]] ObjectNumber object() const { return object_; }
  [[nodiscard]] const Chunks& chunks() const { return moment_.layers().chunks(); }
  /// The messages of the stores for a chunk. Errors: those of StackSnapshot::value.
  [[nodiscard]] Result<delta::StackedValue> chunk(std::uint64_t number) const {
    return moment_.stores().value(chunk_key(object_, number));
  }
  /// Zeros behind the end of the file in the image. Errors: those of the image.
  [[nodiscard]] Status read_image(std::uint64_t offset_bytes, MutableBytes out);
  /// Announces to the disk that the bytes will be read. Errors: those of the image's index.
  [[nodiscard]] Status announce_image(std::uint64_t offset_bytes, std::uint64_t length_bytes);

 private:
  [[nodiscard]] const reader::Image& image() const { return moment_.layers().bottom().image(); }
  [[nodiscard]] Status find_node();

  const Moment& moment_;
  const ObjectNumber object_;
  bool is_known_ = false;
  std::optional<reader::Node> node_;  ///< none: the image has no such file
};

}  // namespace dgfs::view
