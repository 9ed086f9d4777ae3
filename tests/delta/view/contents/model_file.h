// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ModelFile: the contents of a file of a view in the simplest form: all of its bytes, and for each
// chunk whether it is known to be data or a hole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dgfs::test {

/// A stretch of a file. A value.
struct ModelHole {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class ModelFile {
 public:
  /// @param image  the contents in the image
  /// @param hole   the hole of the file in the image
  ModelFile(std::uint64_t chunk_bytes, std::string image, ModelHole hole = {})
      : chunk_bytes_(chunk_bytes),
        image_bytes_(image.size()),
        image_hole_(hole),
        bytes_(std::move(image)) {}

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  void write(std::uint64_t offset, std::string_view bytes);
  void resize(std::uint64_t size);
  void zero(std::uint64_t offset, std::uint64_t length, bool grows);

  /// As View::next_data(); nullopt: kNoData.
  [[nodiscard]] std::optional<std::uint64_t> next_data(std::uint64_t offset) const;
  [[nodiscard]] std::optional<std::uint64_t> next_hole(std::uint64_t offset) const;

 private:
  [[nodiscard]] bool is_data(std::uint64_t offset) const;
  void set(std::uint64_t begin, std::uint64_t end, bool is_data);

  std::uint64_t chunk_bytes_;
  std::uint64_t image_bytes_;
  ModelHole image_hole_;
  std::string bytes_;
  std::map<std::uint64_t, bool> is_data_;  ///< by chunk; other chunks are as in the image
  /// Chunks from this one on are holes, unless is_data_ says otherwise.
  std::uint64_t gone_from_ = UINT64_MAX;
};

}  // namespace dgfs::test
