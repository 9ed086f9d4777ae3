// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Index pages: kPageBytes bytes that hold as many consecutive entries as fit once compressed.
// A page is position-independent: keys are relative to a prefix, data addresses to a first
// offset, ordinals to a first ordinal, and all three stand in the page directory, not here. So a
// merge moves a page, or gives it another prefix, without decoding it.
//
// The header (magic, codec, counts, ids, checksum) is the same for every codec; the payload is
// the codec's business.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "format/attribute_table.h"
#include "format/entry.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/page_sizes.h"

namespace dgfs::format {

/// Offset | size | field. Little-endian.
struct PageHeader {
  std::uint64_t checksum = 0;         //  0 | 8 | checksum64 of bytes [8, kPageBytes)
  std::uint32_t magic = 0;            //  8 | 4 | "DGPG"
  std::uint8_t codec = 0;             // 12 | 1 | page codec id
  std::uint8_t flags = 0;             // 13 | 1 | zero
  std::uint16_t model_id = 0;         // 14 | 2 |
  std::uint16_t attribute_table = 0;  // 16 | 2 | table id
  std::uint16_t entry_count = 0;      // 18 | 2 | 1 to kPageEntriesMax
  std::uint32_t decoded_bytes = 0;    // 20 | 4 | of the payload once decompressed
  std::uint16_t payload_bytes = 0;    // 24 | 2 | at most kPagePayloadBytesMax; zeros follow it
  std::uint16_t reserved = 0;         // 26 | 2 | zero
};
inline constexpr std::size_t kPageHeaderBytes = 28;
inline constexpr std::size_t kPagePayloadBytesMax = kPageBytes - kPageHeaderBytes;

/// Checks magic, checksum, reserved bytes and bounds. `page` must be kPageBytes long.
/// Errors: kCorrupt.
[[nodiscard]] Result<PageHeader> read_page_header(Bytes page);

/// A page of `header` (magic, payload length and checksum are filled in) and `payload`, at most
/// kPagePayloadBytesMax bytes.
[[nodiscard]] Buffer make_page(const PageHeader& header, Bytes payload);

/// A page opened for searching. Immutable, thread-safe.
class DecodedPage {
 public:
  virtual ~DecodedPage() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Key of entry i relative to the page's prefix; lives as long as the page.
  [[nodiscard]] virtual std::string_view key(std::size_t index) const = 0;
  /// Index of the first entry whose relative key is not less than `key`; size() if none.
  [[nodiscard]] std::size_t lower_bound(std::string_view key) const;
  /// All of entry i, key relative.
  [[nodiscard]] virtual Entry entry(std::size_t index) const = 0;
  /// Mode of entry i without building the entry (listing needs only the type).
  [[nodiscard]] virtual std::uint32_t mode(std::size_t index) const = 0;
  /// link_inode of entry i, 0 for most.
  [[nodiscard]] virtual InodeNumber link_inode(std::size_t index) const = 0;
  /// Running sum of the entries before i: what is to be added to the page's first offset
  /// (extent_offset()). index = size() gives the page's total.
  [[nodiscard]] virtual std::uint64_t data_offset(std::size_t index) const = 0;
  /// For the cache's budget.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

/// One entry of a page with its place. A value.
struct PageEntry {
  std::size_t index = 0;
  Entry entry;                    ///< key relative to the page's prefix
  std::uint64_t data_offset = 0;  ///< as DecodedPage::data_offset(index)
};

/// Some entries of a page that stand side by side. A value.
struct PageSlice {
  std::shared_ptr<const DecodedPage> rows;
  std::size_t first_index = 0;  ///< in the page, of row 0
};

/// A page opened for single lookups, at the least cost that its codec allows; slice() and decode()
/// are for who wants many of its entries. Immutable, thread-safe. Model and attribute table must
/// outlive it.
///
/// A codec need not have checked what it did not have to look at: every method checks what it
/// decodes. Errors of all: kCorrupt with an offset in the payload.
class Page {
 public:
  virtual ~Page() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Relative key of entry 0; lives as long as the page.
  [[nodiscard]] virtual std::string_view first_key() const = 0;
  /// The entry with this relative key, if there is one.
  [[nodiscard]] virtual Result<std::optional<PageEntry>> find(std::string_view key) const = 0;
  /// Entry `index`, which must be below size().
  [[nodiscard]] virtual Result<PageEntry> entry(std::size_t index) const = 0;
  /// At least the entries [begin, end), which must not be empty.
  [[nodiscard]] virtual Result<PageSlice> slice(std::size_t begin, std::size_t end) const = 0;
  /// All entries, everything checked.
  [[nodiscard]] virtual Result<std::shared_ptr<const DecodedPage>> decode() const = 0;
  /// Whether all entries are decoded and checked already.
  [[nodiscard]] virtual bool is_decoded() const = 0;
  /// For the cache's budget.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

/// What fill() is given beside the entries.
struct PageContext {
  const Model* model = nullptr;          ///< never null
  AttributeTable* attributes = nullptr;  ///< must already hold the entries' combinations
  int level = 0;                         ///< effort, meaning is the codec's; 0 = its default
  /// Length of the page's prefix: the first bytes of every key, which the codec leaves out.
  std::size_t prefix_bytes = 0;
};

/// One finished page and what its page-directory record needs.
struct EncodedPage {
  Buffer bytes;           ///< kPageBytes
  std::string prefix;     ///< common to all keys in the page
  std::string first_key;  ///< full
  std::string last_key;   ///< full
  std::size_t entry_count = 0;
  std::uint64_t data_bytes = 0;  ///< DecodedPage::data_offset(entry_count)
  std::uint64_t checksum = 0;    ///< as in its header
};

/// The page of `entries`, all of them: for codecs. `header` needs codec, model, table and
/// decoded_bytes.
[[nodiscard]] EncodedPage make_encoded_page(PageHeader header, Bytes payload,
                                            std::span<const Entry> entries,
                                            std::size_t prefix_bytes);

class PageCodec {
 public:
  virtual ~PageCodec() = default;
  [[nodiscard]] virtual std::uint8_t id() const = 0;
  /// What fill_page() does, in this codec.
  [[nodiscard]] virtual Result<EncodedPage> fill(std::span<const Entry> entries,
                                                 const PageContext& context,
                                                 std::size_t& guess) const = 0;
  /// Errors: kCorrupt with the offset in the payload (decoded, if it is compressed as a whole).
  [[nodiscard]] virtual Result<std::shared_ptr<const Page>> open(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const = 0;
  /// What each column takes of a payload that open() takes, in an order that is the same for all
  /// pages. A codec that does not say has one column, "payload". Errors: as open().
  [[nodiscard]] virtual Result<std::vector<ColumnSize>> column_sizes(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const;
};

inline constexpr std::uint8_t kColumnCodec = 1;  ///< columns + zstd (format/column_codec.h)
inline constexpr std::uint8_t kTokenCodec = 2;   ///< blocks of prefix codes (format/token_codec.h)

/// The codec with this id, or nullptr.
[[nodiscard]] const PageCodec* find_page_codec(std::uint8_t id);

/// Makes one page from a prefix of `entries` (full keys, strictly rising, at least one): as many
/// as fit, within a percent or so (the search is cut short). `guess` is the count to try first and
/// is updated to help the next call. Deterministic. `entry_count` of the result says how many were
/// taken. All taken entries belong to one zone (the caller sees to that) and must be in
/// context.attributes.
[[nodiscard]] Result<EncodedPage> fill_page(const PageCodec& codec, std::span<const Entry> entries,
                                            const PageContext& context, std::size_t& guess);

/// The models and attribute tables of one index, by id.
class PageDictionaries {
 public:
  virtual ~PageDictionaries() = default;
  /// nullptr where the index has none of that id.
  [[nodiscard]] virtual const Model* model(std::uint16_t id) const = 0;
  [[nodiscard]] virtual const AttributeTable* attribute_table(std::uint16_t id) const = 0;
};

/// Checks the header and opens a page of any known codec. Model and table of `dictionaries` must
/// outlive the page. Errors: kCorrupt (checksum, bounds, unknown model or table), kUnsupported
/// (unknown codec).
[[nodiscard]] Result<std::shared_ptr<const Page>> open_page(Bytes page,
                                                            const PageDictionaries& dictionaries);
/// Likewise, of a page of which read_page_header() gave `header`: it is not checked again.
[[nodiscard]] Result<std::shared_ptr<const Page>> open_page(const PageHeader& header, Bytes page,
                                                            const PageDictionaries& dictionaries);

/// open_page(), and then decode(): nothing of the page is left unchecked.
[[nodiscard]] Result<std::shared_ptr<const DecodedPage>> decode_page(
    Bytes page, const PageDictionaries& dictionaries);

/// What a page is filled with. Costs some times what decode_page() costs. Errors: as decode_page().
[[nodiscard]] Result<PageSizes> measure_page(Bytes page, const PageDictionaries& dictionaries);

}  // namespace dgfs::format
