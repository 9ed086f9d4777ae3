// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// WholePage: a page with all entries decoded.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "format/page/page.h"

namespace dgfs::format {

/// Immutable, thread-safe. No method fails.
class WholePage final : public Page {
 public:
  /// @param rows  all entries of the page, checked
  explicit WholePage(std::shared_ptr<const DecodedPage> rows) : rows_(std::move(rows)) {}

  [[nodiscard]] std::size_t size() const override { return rows_->size(); }
  [[nodiscard]] std::string_view first_key() const override { return rows_->key(0); }
  /// Cost: a binary search.
  [[nodiscard]] Result<std::optional<PageEntry>> find(std::string_view key) const override {
    const auto index = rows_->lower_bound(key);
    if (index == rows_->size() || rows_->key(index) != key) return std::nullopt;
    return std::optional(at(index));
  }
  [[nodiscard]] Result<PageEntry> entry(std::size_t index) const override { return at(index); }
  /// Always the whole page.
  [[nodiscard]] Result<PageSlice> slice(std::size_t /*begin*/, std::size_t /*end*/) const override {
    return PageSlice{rows_, 0};
  }
  [[nodiscard]] Result<std::shared_ptr<const DecodedPage>> decode() const override { return rows_; }
  [[nodiscard]] bool is_decoded() const override { return true; }
  [[nodiscard]] std::size_t memory_bytes() const override {
    return sizeof *this + rows_->memory_bytes();
  }

 private:
  [[nodiscard]] PageEntry at(std::size_t index) const {
    return {index, rows_->entry(index), rows_->data_offset(index)};
  }

  std::shared_ptr<const DecodedPage> rows_;
};

}  // namespace dgfs::format
