// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/file.h"

namespace dgfs::update {

/// Bytes and holes of a file, wherever it is.
class Content {
 public:
  virtual ~Content() = default;
  Content() = default;
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;

  /// As storage::File::read_at().
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset_bytes,
                                                 MutableBytes out) const = 0;
  /// The first data that ends behind an offset; an empty segment if only a hole follows.
  [[nodiscard]] virtual Result<storage::DataSegment> next_data(
      std::uint64_t offset_bytes) const = 0;
};

/// The content of a file of a view, or of parts of one.
template <class Reads, class Seeks>
class ViewContent : public Content {
 public:
  /// Both must outlive it.
  ViewContent(const Reads& reads, const Seeks& seeks, std::uint64_t object)
      : reads_(reads), seeks_(seeks), object_(object) {}

  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset_bytes,
                                         MutableBytes out) const override {
    return reads_.read(object_, offset_bytes, out);
  }
  [[nodiscard]] Result<storage::DataSegment> next_data(std::uint64_t offset_bytes) const override {
    const auto begin = seeks_.next_data(object_, offset_bytes);
    if (!begin && begin.error().kind() == ErrorKind::kNoData) {
      return storage::DataSegment{offset_bytes, offset_bytes};
    }
    if (!begin) return begin.error();
    DGFS_TRY(end, seeks_.next_hole(object_, begin.value()));
    return storage::DataSegment{begin.value(), end};
  }

 private:
  const Reads& reads_;
  const Seeks& seeks_;
  const std::uint64_t object_;
};

}  // namespace dgfs::update
