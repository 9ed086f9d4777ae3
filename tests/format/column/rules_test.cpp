// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The rules of page columns, one by one: columns as a forger would write them, and the decoder's
// errors.
#include <gtest/gtest.h>

#include <functional>

#include "format/coding.h"
#include "format/column/page_loader.h"
#include "format/column/writer.h"
#include "format/content/extent.h"
#include "tests/format/page/page_fixtures.h"

namespace dgfs::test {
namespace {

using format::Column;
using format::ColumnPage;
using format::ColumnWriter;

constexpr std::uint8_t kEmptyFile = 0;
constexpr std::uint8_t kSymlink = 66;
constexpr std::uint8_t kLinkName = 72;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

/// Number 0 is for regular files, 1 for symlinks.
format::AttributeTable attributes() {
  format::AttributeTable table(1);
  table.intern({format::kTypeRegular | 0644, 1, 2});
  table.intern({format::kTypeSymlink | 0777, 3, 4});
  return table;
}

Result<std::shared_ptr<const format::DecodedPage>> decode(Bytes columns, std::size_t count) {
  static const auto table = attributes();
  return decode_columns(columns, count, table);
}

void positions(ColumnWriter& out, Column column, std::initializer_list<std::uint64_t> gaps) {
  out.mark(column);
  out.small(gaps.size());
  for (const auto gap : gaps) out.small(gap);
}

/// Entries "a", "b", ... of these kinds; those that are objects get attributes.
void entries(ColumnWriter& out, std::initializer_list<std::uint8_t> kinds) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    out.text(std::string{static_cast<char>('a' + i), '/'});
  }
  for (std::size_t i = 1; i < kinds.size(); ++i) out.small(0);
  for (const auto kind : kinds) out.byte(kind);
  const auto first = *kinds.begin();
  if (first >= kLinkName) return;
  positions(out, Column::kAttributes, {0});
  out.small(first == kSymlink ? 1 : 0);
}

struct Forgery {
  const char* rule;
  const char* message;  ///< a part of the message; null: the columns are sound
  std::size_t count;
  std::function<void(ColumnWriter&)> write;
};

/// A file, and one optional column.
Forgery of_file(const char* rule, const char* message, std::function<void(ColumnWriter&)> write) {
  return {rule, message, 1, [write](ColumnWriter& out) {
            entries(out, {kEmptyFile});
            write(out);
          }};
}

Forgery of_kind(const char* message, std::uint8_t kind) {
  return {"F-150", message, 1, [kind](ColumnWriter& out) { entries(out, {kind}); }};
}

Forgery of_reference(const char* message, std::uint64_t offset, std::uint64_t length) {
  return of_file("F-166", message, [=](ColumnWriter& out) {
    positions(out, Column::kXattrs, {0});
    out.number(format::zigzag(static_cast<std::int64_t>(offset)));
    out.number(length);
  });
}

Forgery of_link_count(const char* message, std::uint64_t count) {
  return of_file("F-165", message, [=](ColumnWriter& out) {
    positions(out, Column::kLinkCounts, {0});
    out.number(count);
  });
}

Forgery of_address(const char* message, std::uint64_t volume, std::uint64_t offset,
                   std::uint64_t stored) {
  return of_file("F-163", message, [=](ColumnWriter& out) {
    positions(out, Column::kStored, {0});
    out.number(stored);
    positions(out, Column::kAddresses, {0});
    out.small(volume);
    out.number(format::zigzag(static_cast<std::int64_t>(offset)));
  });
}

Forgery of_nanoseconds(const char* message, std::uint64_t nanoseconds) {
  return of_file("F-154", message, [=](ColumnWriter& out) {
    positions(out, Column::kTimes, {0});
    out.number(0);
    out.mark(Column::kNanoseconds);
    out.number(nanoseconds);
  });
}

Forgery of_target(const char* message, std::size_t bytes) {
  return {"F-167", message, 1, [bytes](ColumnWriter& out) {
            entries(out, {kSymlink});
            out.text(std::string(bytes, 't') + '\0');
          }};
}

Forgery of_long_target(const char* message, std::uint64_t bytes) {
  return {"F-167", message, 1, [bytes](ColumnWriter& out) {
            entries(out, {kSymlink});
            positions(out, Column::kLongTargets, {0});
            out.number(0);
            out.number(9);
            out.number(bytes);
          }};
}

/// "b", then a key that shares `shared` bytes with it and continues with `suffix`.
Forgery of_second_key(const char* rule, const char* message, std::int64_t shared,
                      const std::string& suffix) {
  return {rule, message, 2, [=](ColumnWriter& out) {
            out.text("b/" + suffix + "/");
            out.small(format::zigzag(shared));
            out.text(std::string(2, '\0'));  // kinds
            positions(out, Column::kAttributes, {0});
            out.small(0);
          }};
}

Forgery of_first_key(const char* message, std::size_t bytes) {
  return {"F-145", message, 1, [bytes](ColumnWriter& out) {
            out.text(std::string(bytes, 'k') + "/");
            out.byte(kEmptyFile);
            positions(out, Column::kAttributes, {0});
            out.small(0);
          }};
}

Forgery of_attribute(const char* message, std::uint64_t number) {
  return {"F-152", message, 1, [number](ColumnWriter& out) {
            out.text("a/");
            out.byte(kEmptyFile);
            positions(out, Column::kAttributes, {0});
            out.small(number);
          }};
}

Forgery of_codec(const char* message, std::uint8_t codec) {
  return of_file("F-160", message, [codec](ColumnWriter& out) {
    positions(out, Column::kCodecs, {0});
    out.byte(codec);
  });
}

std::vector<Forgery> value_forgeries() {
  return {
      of_kind(nullptr, kEmptyFile),
      of_kind("unknown kind", 64),
      of_kind("unknown kind", 71),
      of_kind("unknown kind", 73),
      of_kind("unknown kind", 79),
      of_kind("unknown kind", 80),
      of_kind("unknown kind", 255),
      {"F-151", "without attributes", 1,
       [](ColumnWriter& out) {
         out.text("a/");
         out.byte(kEmptyFile);
       }},
      of_attribute("does not fit", 1),
      of_attribute("does not fit", 2),
      of_nanoseconds(nullptr, 999'999'999),
      of_nanoseconds("nanoseconds", 1'000'000'000),
      of_codec(nullptr, 1),
      of_codec("unknown extent codec", 0),
      of_codec("unknown extent codec", 2),
      {"F-162", "too long", 2,
       [](ColumnWriter& out) {
         entries(out, {kEmptyFile, kEmptyFile});
         positions(out, Column::kStored, {0, 0});
         out.number(format::kFileBytesMax);
         out.number(1);
       }},
      of_address(nullptr, 65535, format::kFileBytesMax - 9, 9),
      of_address("out of bounds", 0, format::kFileBytesMax - 9, 10),
      of_address("out of bounds", 0, 0, format::kFileBytesMax + 1),
      of_address("above its limit", 65536, 4096, 9),
      {"F-164", "link to no inode", 1,
       [](ColumnWriter& out) {
         entries(out, {kLinkName});
         out.number(0);
       }},
      of_link_count(nullptr, 0xffffffff),
      of_link_count("link count", 0),
      of_link_count("link count", std::uint64_t{1} << 32),
      of_reference(nullptr, format::kFileBytesMax - 9, 9),
      of_reference("reference", format::kFileBytesMax - 9, 10),
      of_reference("reference", 0, 0),
      of_reference("reference", 0, std::uint64_t{1} << 32),
      of_target(nullptr, 255),
      of_target("target out of bounds", 256),
      of_target("target out of bounds", 0),
      of_long_target(nullptr, 256),
      of_long_target(nullptr, 4095),
      of_long_target("long target", 255),
      of_long_target("long target", 4096),
  };
}

std::vector<Forgery> layout_forgeries() {
  return {
      of_file("F-134", "longer than 64 bits",
              [](ColumnWriter& out) {
                positions(out, Column::kTimes, {0});
                out.byte(65);
              }),
      of_file("F-134", "longer than 64 bits",
              [](ColumnWriter& out) {
                out.mark(Column::kTimes);
                out.byte(format::kSmallEscape);
                out.number(kMost);
              }),
      of_file("F-136", "follow the last column", [](ColumnWriter& out) { out.byte(0); }),
      of_file("F-136", "follow the last bits", [](ColumnWriter& out) { out.bits(0, 1); }),
      of_file("F-137", "not there",
              [](ColumnWriter& out) { positions(out, Column::kXattrs, {1}); }),
      of_file("F-137", "above its limit",
              [](ColumnWriter& out) {
                positions(out, Column::kXattrs, {0, 0});
              }),
      {"F-137", "not there", 2,
       [](ColumnWriter& out) {  // the second entry is a link name, which has no codec
         entries(out, {kEmptyFile, kLinkName});
         positions(out, Column::kCodecs, {1});
       }},
      of_second_key("F-143", nullptr, 1, "a"),
      of_second_key("F-143", "longer than the key before", 2, "a"),
      of_second_key("F-143", "longer than the key before", -1, "a"),
      of_second_key("F-144", nullptr, 0, "c"),
      of_second_key("F-144", "do not rise", 0, "a"),
      of_second_key("F-144", "do not rise", 0, "bc"),
      of_second_key("F-144", "do not rise", 1, ""),
      of_first_key(nullptr, 65535),
      of_first_key("too long", 65536),
  };
}

void expect_verdict(const Forgery& forgery) {
  SCOPED_TRACE(std::string(forgery.rule) + (forgery.message ? forgery.message : " holds"));
  ColumnWriter writer;
  forgery.write(writer);
  const auto page = decode(std::move(writer).finish(), forgery.count);
  if (forgery.message == nullptr) {
    EXPECT_TRUE(page) << page.error().message();
    return;
  }
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().kind(), ErrorKind::kCorrupt);
  EXPECT_NE(page.error().text().find(forgery.message), std::string::npos) << page.error().text();
}

TEST(ColumnRules, BoundTheLayout) {  // F-134 to F-145
  for (const auto& forgery : layout_forgeries()) expect_verdict(forgery);
}

TEST(ColumnRules, BoundTheValues) {  // F-150 to F-167
  for (const auto& forgery : value_forgeries()) expect_verdict(forgery);
}

TEST(ColumnRules, BoundTheHead) {  // F-132, F-133
  ColumnWriter writer;
  entries(writer, {kEmptyFile});
  const auto good = std::move(writer).finish();
  ASSERT_TRUE(decode(good, 1));
  auto unknown_column = good;
  unknown_column[1] |= 0x40;
  EXPECT_EQ(decode(unknown_column, 1).error().code(), 2161);
  auto long_bits = good;
  long_bits[4] = static_cast<std::uint8_t>(good.size() - format::kColumnHeadBytes + 1);
  EXPECT_EQ(decode(long_bits, 1).error().code(), 2162);
}

TEST(ColumnRules, BitsAreUsedFromTheLowestUp) {  // F-135
  ColumnWriter writer;
  entries(writer, {3, 4});  // sizes of three and four bits
  auto columns = std::move(writer).finish();
  columns.push_back(0b001'10);
  columns[4] = 1;
  const auto page = decode(columns, 2);
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page.value()->entry(0).size_bytes, 0b110u);
  EXPECT_EQ(page.value()->entry(1).size_bytes, 0b1001u);
}

/// Absent values follow from those that are written.
TEST(ColumnRules, AbsentValuesAreImplied) {  // F-151, F-153, F-155, F-161
  ColumnWriter writer;
  entries(writer, {1, kLinkName, 1, 1});
  positions(writer, Column::kTimes, {1});  // the second object
  writer.number(format::zigzag(77));
  positions(writer, Column::kCodecs, {2});
  writer.byte(1);
  writer.number(format::zigzag(5));
  const auto page = decode(std::move(writer).finish(), 4);
  ASSERT_TRUE(page) << page.error().message();
  const auto entry = [&](std::size_t i) { return page.value()->entry(i); };
  EXPECT_EQ(entry(0).mtime, Time());
  EXPECT_EQ(entry(2).mtime.seconds, 77);
  EXPECT_EQ(entry(3).mtime.seconds, 77);
  EXPECT_EQ(entry(3).uid, 1u);
  EXPECT_EQ(entry(2).stored_bytes, format::raw_extent_bytes(1));
  EXPECT_EQ(entry(3).stored_bytes, 0u);
  EXPECT_EQ(page.value()->data_offset(4), 2 * format::raw_extent_bytes(1));
  format::Entry link;
  link.key = "b";
  link.mode = format::kTypeRegular;
  link.link_inode = 5;
  EXPECT_TRUE(entry(1) == link);
}

/// A page of two files; tests replace its payload.
struct Page {
  Page() {
    std::vector<format::Entry> files(2);
    files[0].key = "a";
    files[1].key = "b";
    files[0].mode = files[1].mode = format::kTypeRegular;
    const auto context = dictionaries.context(0, 0);
    intern_all(files, *context.attributes);
    bytes = fill_pages(files, context).front().bytes;
    header = format::read_page_header(bytes).value();
    const auto stored = Bytes(bytes).subspan(format::kPageHeaderBytes, header.payload_bytes);
    payload.assign(stored.begin(), stored.end());
  }
  Result<std::shared_ptr<const format::DecodedPage>> decode() {
    return format::decode_page(format::make_page(header, payload), dictionaries);
  }
  MapDictionaries dictionaries;
  Buffer bytes;
  format::PageHeader header;
  Buffer payload;
};

TEST(ColumnRules, PayloadIsOneFrame) {  // F-130
  EXPECT_TRUE(Page().decode());
  const Buffer empty_frame = {0x20, 0x00, 0x01, 0x00, 0x00};
  Page page;
  page.payload.insert(page.payload.end(), empty_frame.begin(), empty_frame.end());
  EXPECT_EQ(page.decode().error().code(), 2139);
  for (const std::size_t length : {0u, 1u, 2u, 4u}) {
    page.payload.resize(length);
    EXPECT_EQ(page.decode().error().code(), 2139) << length;
  }
}

TEST(ColumnRules, PayloadHasTheStatedLength) {  // F-131
  Page page;
  ++page.header.decoded_bytes;
  EXPECT_EQ(page.decode().error().code(), 2144);
  page.header.decoded_bytes -= 2;
  EXPECT_EQ(page.decode().error().code(), 2143);
}

}  // namespace
}  // namespace dgfs::test
