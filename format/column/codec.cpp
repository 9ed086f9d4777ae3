// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/codec.h"

#include <algorithm>
#include <optional>

#include "format/coding.h"
#include "format/column/entry_columns.h"
#include "format/column/page_loader.h"
#include "format/column/reader.h"
#include "format/column/sizes.h"
#include "format/entry/key.h"
#include "format/page/whole_page.h"
#include "format/zstd/payload.h"

namespace dgfs::format {
namespace {

/// A page this full is accepted. Mean fill is then above 98 % at about 2.5 trials a page.
constexpr std::size_t kFullBytes = kPagePayloadBytesMax * 985 / 1000;
/// Interpolation aims at this size, below the limit: a trial that overshoots gains nothing.
constexpr std::size_t kAimBytes = kPagePayloadBytesMax * 994 / 1000;
constexpr int kTrialsMax = 5;

struct Trial {
  std::size_t count = 0;
  std::size_t bytes = 0;
};

class ColumnPageFiller {
 public:
  ColumnPageFiller(const ColumnCodec& codec, std::span<const Entry> entries,
                   const PageContext& context)
      : codec_(codec), entries_(entries), context_(context), end_(entries.size() + 1) {
    end_ = std::min(end_, kPageEntriesMax + 1);
  }

  [[nodiscard]] Status fill(std::size_t guess);
  [[nodiscard]] EncodedPage take();
  [[nodiscard]] std::size_t next_guess() const;

 private:
  [[nodiscard]] Status attempt(std::size_t count);
  [[nodiscard]] bool is_done(int trials) const;
  [[nodiscard]] std::size_t next_count(int trials) const;

  const ColumnCodec& codec_;
  std::span<const Entry> entries_;
  PageContext context_;
  std::size_t end_;                ///< smallest count known not to fit
  bool end_refused_ = false;       ///< a trial refused end_; otherwise there are no more entries
  std::optional<Trial> too_long_;  ///< the trial of end_ entries, if it made a payload
  Trial best_;                     ///< largest count known to fit
  Buffer payload_;                 ///< payload of best_
  std::uint32_t decoded_bytes_ = 0;
  std::size_t prefix_bytes_ = 0;
};

Status ColumnPageFiller::attempt(std::size_t count) {
  context_.prefix_bytes = shared_prefix_bytes(entries_.front().key, entries_[count - 1].key);
  std::uint32_t decoded_bytes = 0;
  DGFS_TRY(payload, codec_.encode(entries_.first(count), context_, decoded_bytes));
  if (!payload || payload->size() > kPagePayloadBytesMax) {
    end_ = count;
    end_refused_ = true;
    too_long_.reset();
    if (payload) too_long_ = Trial{count, payload->size()};
    return ok();
  }
  best_ = {count, payload->size()};
  payload_ = std::move(*payload);
  decoded_bytes_ = decoded_bytes;
  prefix_bytes_ = context_.prefix_bytes;
  return ok();
}

bool ColumnPageFiller::is_done(int trials) const {
  if (best_.count + 1 >= end_) return true;
  return best_.count > 0 && (best_.bytes >= kFullBytes || trials >= kTrialsMax);
}

/// A count between best_ and end_ for which the size should come to kAimBytes. If sizes mislead
/// (nothing fits after kTrialsMax trials), halves the range, which ends soon whatever the data.
std::size_t ColumnPageFiller::next_count(int trials) const {
  std::size_t count = 0;
  if (trials >= kTrialsMax) {
    count = best_.count + (end_ - best_.count) / 2;
  } else if (too_long_) {
    const auto bytes = too_long_->bytes - best_.bytes;
    const auto wanted = std::max(kAimBytes, best_.bytes) - best_.bytes;
    count =
        best_.count + (too_long_->count - best_.count) * wanted / std::max<std::size_t>(bytes, 1);
  } else if (best_.count > 0 && !end_refused_) {
    count = best_.count * kAimBytes / best_.bytes;
  } else {
    count = best_.count + (end_ - best_.count) / 2;
  }
  return std::clamp(count, best_.count + 1, end_ - 1);
}

Status ColumnPageFiller::fill(std::size_t guess) {
  DGFS_CHECK(attempt(std::clamp<std::size_t>(guess, 1, end_ - 1)));
  for (int trials = 1; !is_done(trials); ++trials) {
    DGFS_CHECK(attempt(next_count(trials)));
  }
  if (best_.count > 0) return ok();
  return Error(ErrorKind::kLimit, 2149, "entry does not fit into a page");
}

std::size_t ColumnPageFiller::next_guess() const {
  return std::max<std::size_t>(1, best_.count * kAimBytes / std::max<std::size_t>(best_.bytes, 1));
}

EncodedPage ColumnPageFiller::take() {
  PageHeader header;
  header.codec = codec_.id();
  header.model_id = context_.model->id();
  header.attribute_table = context_.attributes->id();
  header.decoded_bytes = decoded_bytes_;
  return make_encoded_page(header, payload_, entries_.first(best_.count), prefix_bytes_);
}

}  // namespace

Result<Buffer> ColumnCodec::columns(std::span<const Entry> entries,
                                    const PageContext& context) const {
  DGFS_TRY(columns, encode_columns(entries, context.prefix_bytes, *context.attributes));
  if (columns) return std::move(columns->bytes);
  return Error(ErrorKind::kLimit, 2150, "entries exceed what a page may decode to");
}

Result<std::optional<Buffer>> ColumnCodec::encode(std::span<const Entry> entries,
                                                  const PageContext& context,
                                                  std::uint32_t& decoded_bytes) const {
  DGFS_TRY(columns, encode_columns(entries, context.prefix_bytes, *context.attributes));
  if (!columns) return std::nullopt;
  decoded_bytes = static_cast<std::uint32_t>(columns->bytes.size());
  const int level = context.level == 0 ? kDefaultLevel : context.level;
  DGFS_TRY(payload, compress_payload(columns->bytes, columns->block_ends, *context.model, level));
  return std::optional<Buffer>(std::move(payload));
}

Result<std::shared_ptr<const Page>> ColumnCodec::open(const PageHeader& header, Bytes payload,
                                                      const Model& model,
                                                      const AttributeTable& attributes) const {
  if (header.flags != 0) {  // F-119
    return Error(ErrorKind::kCorrupt, 2940, "a page of columns has flags");
  }
  DGFS_TRY(columns, decompress_payload(payload, header.decoded_bytes, model));
  DGFS_TRY(page, decode_columns(columns, header.entry_count, attributes));
  return std::shared_ptr<const Page>(std::make_shared<const WholePage>(std::move(page)));
}

Result<std::vector<ColumnSize>> ColumnCodec::column_sizes(const PageHeader& header, Bytes payload,
                                                          const Model& model,
                                                          const AttributeTable& attributes) const {
  DGFS_TRY(columns, decompress_payload(payload, header.decoded_bytes, model));
  DGFS_TRY(marks, measure_columns(columns, header.entry_count, attributes));
  DGFS_TRY(blocks, payload_blocks(payload, columns.size(), model));
  DGFS_TRY(reader, ColumnReader::open(columns));
  return format::column_sizes(marks, blocks, columns.size(), reader.bit_stream_bytes());
}

Result<EncodedPage> ColumnCodec::fill(std::span<const Entry> entries, const PageContext& context,
                                      std::size_t& guess) const {
  const auto has_gap = [](const Entry& entry) { return entry.gap_bytes != 0; };
  if (std::ranges::any_of(entries, has_gap)) {
    return Error(ErrorKind::kInvalidArgument, 2939, "the column codec holds no gaps");
  }
  ColumnPageFiller filler(*this, entries, context);
  DGFS_CHECK(filler.fill(guess));
  // The last page of a run does not show how many entries fit.
  if (const auto next = filler.next_guess(); next <= entries.size()) guess = next;
  return filler.take();
}

}  // namespace dgfs::format
