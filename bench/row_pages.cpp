// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/row_pages.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/limits.h"

namespace dgfs::bench {
namespace {

using format::Entry;

constexpr std::size_t kRestartRows = 16;
// A page of DGFS without its header, so that both kinds have the same space.
constexpr std::size_t kRowPageBytes = 4096 - 32;
constexpr int kLevel = 15;  // as for the column codec
constexpr int kTrials = 5;

struct Row {
  std::string key;
  std::uint64_t size_bytes = 0;
};

// Reads rows, beginning at a restart.
class RowCursor {
 public:
  explicit RowCursor(Bytes rows) : decoder_(rows) {}

  bool next() {
    if (decoder_.at_end()) return false;
    if (rows_++ % kRestartRows == 0) mtime_ = 0;
    row_.key.resize(number());
    const auto suffix = decoder_.raw(number()).value();
    row_.key.append(suffix.begin(), suffix.end());
    number();  // attributes
    row_.size_bytes = number();
    mtime_ += decoder_.signed_varint().value();
    number();  // nanoseconds
    if (const auto bytes = number(); bytes > 0) decoder_.skip(bytes);
    number();  // device
    return true;
  }
  [[nodiscard]] const Row& row() const { return row_; }

 private:
  std::uint64_t number() { return decoder_.varint().value(); }

  format::Decoder decoder_;
  Row row_;
  std::int64_t mtime_ = 0;
  std::size_t rows_ = 0;
};

Buffer decompressed(Bytes page, std::size_t row_bytes) {
  thread_local ZSTD_DCtx* const context = ZSTD_createDCtx();
  Buffer rows(row_bytes);
  const auto bytes =
      ZSTD_decompressDCtx(context, rows.data(), rows.size(), page.data(), page.size());
  if (bytes != row_bytes) fmt::print(stderr, "A PAGE OF ROWS IS DAMAGED\n");
  return rows;
}

// The rows from a restart on. Each restart takes four bytes at the end of the page.
Bytes rows_from(Bytes rows, std::size_t restart) {
  const auto restarts = format::load<std::uint32_t>(rows, rows.size() - 4);
  const auto table = rows.size() - 4 - 4 * std::size_t{restarts};
  const auto begin = format::load<std::uint32_t>(rows, table + 4 * restart);
  return rows.subspan(begin, table - begin);
}

}  // namespace

RowPages::RowPages(std::span<const Entry> entries, const format::AttributeTable& attributes)
    : entries_(entries), attributes_(attributes) {
  std::size_t guess = 300;
  auto* const context = ZSTD_createCCtx();
  for (std::size_t at = 0; at < entries.size();) {
    Page best;
    std::size_t best_count = 0;
    std::size_t too_many = entries.size() - at + 1;
    for (int trial = 0; trial < kTrials || best_count == 0; ++trial) {
      const auto count = std::clamp<std::size_t>(guess, best_count + 1, too_many - 1);
      const auto plain = rows(entries.subspan(at, count));
      Buffer bytes(ZSTD_compressBound(plain.size()));
      bytes.resize(ZSTD_compressCCtx(context, bytes.data(), bytes.size(), plain.data(),
                                     plain.size(), kLevel));
      const auto fill = static_cast<double>(bytes.size()) / static_cast<double>(kRowPageBytes);
      guess = std::max<std::size_t>(1, static_cast<std::size_t>(0.994 * count / fill));
      if (fill <= 1) {
        best = {at, std::move(bytes), plain.size()};
        best_count = count;
      } else {
        too_many = count;
      }
      if (best_count + 1 >= too_many || (fill <= 1 && fill > 0.985)) break;
    }
    pages_.push_back(std::move(best));
    at += best_count;
  }
  ZSTD_freeCCtx(context);
}

Buffer RowPages::rows(std::span<const Entry> entries) const {
  Buffer out;
  std::vector<std::uint32_t> restarts;
  format::Encoder encoder(out);
  std::string_view before;
  std::int64_t mtime = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (i % kRestartRows == 0) {
      restarts.push_back(static_cast<std::uint32_t>(out.size()));
      before = {};
      mtime = 0;
    }
    const auto shared =
        static_cast<std::size_t>(std::ranges::mismatch(before, entry.key).in1 - before.begin());
    encoder.varint(shared);
    encoder.string(std::string_view(entry.key).substr(shared));
    encoder.varint(*attributes_.find({entry.mode, entry.uid, entry.gid}));
    encoder.varint(entry.size_bytes);
    encoder.signed_varint(entry.mtime.seconds - mtime);
    encoder.varint(entry.mtime.nanoseconds);
    encoder.string(entry.target);
    encoder.varint(entry.rdev);
    before = entry.key;
    mtime = entry.mtime.seconds;
  }
  for (const auto restart : restarts) encoder.fixed(restart);
  encoder.fixed(static_cast<std::uint32_t>(restarts.size()));
  return out;
}

std::int64_t RowPages::find(std::size_t entry) const {
  const auto page = std::ranges::upper_bound(pages_, entry, {}, &Page::first) - 1;
  static_cast<void>(format::checksum64(page->bytes, 0));  // as the reader checks a page of DGFS
  const auto rows = decompressed(page->bytes, page->row_bytes);
  const std::string_view key = entries_[entry].key;
  // Finds the last restart whose key is not above the searched one.
  std::size_t low = 0;
  std::size_t high = format::load<std::uint32_t>(rows, rows.size() - 4);
  while (low + 1 < high) {
    const auto middle = (low + high) / 2;
    RowCursor cursor(rows_from(rows, middle));
    cursor.next();
    (cursor.row().key <= key ? low : high) = middle;
  }
  RowCursor cursor(rows_from(rows, low));
  while (cursor.next() && cursor.row().key <= key) {
    if (cursor.row().key == key) return static_cast<std::int64_t>(cursor.row().size_bytes);
  }
  return -1;
}

std::size_t RowPages::list() const {
  std::size_t key_bytes = 0;
  for (const Page& page : pages_) {
    const auto rows = decompressed(page.bytes, page.row_bytes);
    RowCursor cursor(rows_from(rows, 0));
    while (cursor.next()) key_bytes += cursor.row().key.size();
  }
  return key_bytes;
}

}  // namespace dgfs::bench
