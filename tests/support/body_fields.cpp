// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/body_fields.h"

#include <cstdio>
#include <cstdlib>

#include "format/coding.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/token/ending.h"
#include "format/token/row.h"
#include "tests/support/format_fields.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

// Reads a body from its front and notes what it reads.
class FieldReader {
 public:
  explicit FieldReader(Bytes body) : body_(body), decoder_(body) {}

  std::uint64_t varint(std::string name) {
    const auto at = decoder_.offset();
    const auto value = sound(decoder_.varint());
    fields_.push_back({std::move(name), at, decoder_.offset() - at, true, value});
    return value;
  }
  std::uint64_t fixed(std::string name, std::size_t size_bytes) {
    const auto at = decoder_.offset();
    skip(size_bytes);
    const auto value = load_field(body_, at, size_bytes);
    fields_.push_back({std::move(name), at, size_bytes, false, value});
    return value;
  }
  // Reads `count` fields; notes only those that a test needs.
  void row(const std::string& name, std::uint64_t count, std::size_t size_bytes) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (is_tried(i, count)) {
        fixed(name, size_bytes);
      } else {
        skip(size_bytes);
      }
    }
  }
  void varint_row(const std::string& name, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      varint(name);
      if (!is_tried(i, count)) fields_.pop_back();
    }
  }
  void skip(std::uint64_t length_bytes) { (void)sound(decoder_.raw(length_bytes)); }
  void skip_rest() { decoder_.skip(decoder_.remaining()); }
  [[nodiscard]] bool at_end() const { return decoder_.at_end(); }
  // The number of fields noted so far; forget_from() goes back to such a number.
  [[nodiscard]] std::size_t count() const { return fields_.size(); }
  void forget_from(std::size_t begin) { fields_.resize(begin); }

  std::vector<BodyField> finish() {
    sound(decoder_.finish());
    return std::move(fields_);
  }
  static bool is_tried(std::uint64_t i, std::uint64_t count) { return i < 2 || i + 1 == count; }

 private:
  [[noreturn]] static void give_up(const Error& error) {
    std::fprintf(stderr, "no sound body: %s\n", error.message().c_str());
    std::abort();
  }
  template <class T>
  static T sound(Result<T> result) {
    if (!result) give_up(result.assume_error());
    return std::move(result).assume_value();
  }
  static void sound(const Status& status) {
    if (!status) give_up(status.assume_error());
  }

  Bytes body_;
  format::Decoder decoder_;
  std::vector<BodyField> fields_;
};

// Reads `count` groups of fields with `group`; forgets those between the second and the last.
template <class Group>
void groups(FieldReader& in, std::uint64_t count, Group group) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto begin = in.count();
    group();
    if (!FieldReader::is_tried(i, count)) in.forget_from(begin);
  }
}

void page_directory(FieldReader& in) {
  const auto count = in.varint("count");
  std::uint64_t suffix_bytes = 0;
  groups(in, count, [&] {
    in.varint("shared");
    suffix_bytes += in.varint("suffix");
    in.varint("separator");
  });
  in.skip(suffix_bytes);
  in.varint_row("zone", count);
  if (count > 0) in.varint("first ordinal");
  in.varint_row("entry count", count);
  in.varint_row("volume", count);
  in.varint_row("data offset", count);
  in.row("checksum", count, 8);
}

void page_root(FieldReader& in) {
  in.varint("first_page");
  in.varint("offset");
  const auto count = in.varint("row_count");
  groups(in, count, [&] {
    in.varint("shared");
    in.skip(in.varint("rest"));
    in.varint("zone_gap");
    in.varint("ordinal_gap");
    in.varint("page_count");
    in.varint("length");
  });
}

void directory_table(FieldReader& in) {
  while (!in.at_end()) {
    in.varint("child_count");
    in.varint_row("gaps", in.varint("subdirectory_count"));
  }
}

void attribute_table(FieldReader& in) {
  in.fixed("id", 2);
  const auto count = in.varint("count");
  in.row("modes", count, 4);
  in.row("uids", count, 4);
  in.row("gids", count, 4);
}

void token_model(FieldReader& in, bool has_contexts) {
  const auto tokens = in.varint("tokens");
  groups(in, tokens, [&] { in.skip(in.fixed("token head", 1) % 16); });
  const auto classes = in.fixed("classes", 1);
  in.row("class of context", 257, 1);
  if (has_contexts) {
    const auto groups_of_bytes = in.fixed("groups", 1);
    in.row("group of byte", 256, 1);
    in.row("start classes", 257 * groups_of_bytes, 1);
  }
  const auto endings = has_contexts ? format::kEndings : 0;
  for (std::uint64_t i = 0; i < classes; ++i) in.row("token lengths", 256 + tokens + endings, 1);
  const auto row_classes = has_contexts ? in.fixed("row classes", 1) : 1;
  if (has_contexts) in.row("class of row", format::kRowContexts, 1);
  in.row("row lengths", format::kRowSymbols * row_classes, 1);
  const auto share_classes = has_contexts ? in.fixed("share classes", 1) : 1;
  if (has_contexts) in.row("class of share", format::kShareContexts, 1);
  in.row("share lengths", format::kShareSymbols * share_classes, 1);
  in.row("time lengths", format::kTimeSymbols, 1);
  in.row("attribute lengths", format::kAttributeSymbols, 1);
  in.row("extras lengths", format::kExtraSymbols, 1);
  while (!in.at_end()) in.row("width lengths", 65, 1);
}

void model(FieldReader& in) {
  in.fixed("id", 2);
  const auto kind = static_cast<format::ModelKind>(in.fixed("kind", 1));
  if (kind == format::ModelKind::kTokens) return token_model(in, false);
  if (kind == format::ModelKind::kContextTokens) return token_model(in, true);
  in.fixed("dictionary magic", 4);
  in.fixed("dictionary id", 4);
  in.skip_rest();  // zstd's own format
}

void inode_runs(FieldReader& in) {
  groups(in, in.varint("run_count"), [&] {
    in.varint("first_inode");
    in.varint("count");
  });
}

void volume_table(FieldReader& in) {
  groups(in, in.varint("volume_count"), [&] {
    in.varint("number");
    in.varint("data_end");
    in.skip(in.varint("hint"));
  });
}

void xattr_set(FieldReader& in) {
  groups(in, in.varint("attribute_count"), [&] {
    in.skip(in.varint("name"));
    in.skip(in.varint("value"));
  });
}

void sparse_map(FieldReader& in) {
  groups(in, in.varint("segment_count"), [&] {
    in.varint("gap");
    in.varint("length");
  });
}

void dictionary(FieldReader& in) {
  in.fixed("id", 1);
  in.skip(in.varint("label"));
  in.fixed("dictionary magic", 4);
  in.fixed("dictionary id", 4);
  in.skip_rest();  // zstd's own format
}

void digest_page(FieldReader& in) {
  constexpr std::size_t kBitmapBytes = 240;
  in.fixed("first_ordinal", 8);
  in.row("bitmap", kBitmapBytes, 1);
  in.row("digests", (format::kPageBytes - 16 - kBitmapBytes) / 8, 8);
}

void digest_table(FieldReader& in) {
  in.fixed("algorithm", 1);
  while (!in.at_end()) in.varint("gaps");
}

void link_names(FieldReader& in) {
  while (!in.at_end()) {
    in.varint("inode_gap");
    const auto head = in.varint("head");
    if ((head & 1) != 0) in.varint("distance");
    in.varint_row("name_gap", head >> 1);
  }
}

void volume_origins(FieldReader& in) {
  groups(in, in.varint("count"), [&] {
    in.varint("number");
    in.row("image", 2, 8);
    in.varint("own_number");
    in.fixed("header_checksum", 8);
    in.varint("dead_bytes");
    in.varint("is_of_merge");
  });
}

void state(FieldReader& in) { in.row("id", 2, 8); }

void link_table(FieldReader& in) {
  while (!in.at_end()) {
    in.varint("first_gap");
    in.varint("length");
  }
}

}  // namespace

std::vector<BodyField> body_fields(SectionKind kind, Bytes body) {
  FieldReader in(body);
  switch (kind) {
    case SectionKind::kPageDirectory:
      page_directory(in);
      break;
    case SectionKind::kPageRoot:
      page_root(in);
      break;
    case SectionKind::kDirectoryTable:
      directory_table(in);
      break;
    case SectionKind::kAttributeTables:
      attribute_table(in);
      break;
    case SectionKind::kModels:
      model(in);
      break;
    case SectionKind::kInodeRuns:
      inode_runs(in);
      break;
    case SectionKind::kVolumes:
      volume_table(in);
      break;
    case SectionKind::kXattrs:
      xattr_set(in);
      break;
    case SectionKind::kSparseMaps:
      sparse_map(in);
      break;
    case SectionKind::kDictionaries:
      dictionary(in);
      break;
    case SectionKind::kDigests:
      digest_page(in);
      break;
    case SectionKind::kDigestTable:
      digest_table(in);
      break;
    case SectionKind::kLinkNames:
      link_names(in);
      break;
    case SectionKind::kLinkTable:
      link_table(in);
      break;
    case SectionKind::kVolumeOrigins:
      volume_origins(in);
      break;
    case SectionKind::kState:
      state(in);
      break;
    default:  // pages have a table in format_fields.h; targets have no numbers
      in.skip_rest();
  }
  return in.finish();
}

std::vector<BodyField> seek_table_fields(Bytes table, std::uint64_t frames) {
  FieldReader in(table);
  in.fixed("first magic", 4);
  in.fixed("first length", 4);
  in.fixed("checksum", 8);
  in.row("frame checksum", frames, 8);
  in.fixed("second magic", 4);
  in.fixed("second length", 4);
  groups(in, frames, [&] {
    in.fixed("stored length", 4);
    in.fixed("content length", 4);
  });
  in.fixed("frames", 4);
  in.fixed("descriptor", 1);
  in.fixed("last magic", 4);
  return in.finish();
}

Buffer with_value(Bytes body, const BodyField& field, std::uint64_t value) {
  const auto front = body.first(field.at);
  const auto behind = body.subspan(field.at + field.size_bytes);
  Buffer changed(front.begin(), front.end());
  if (field.is_varint) {
    format::Encoder(changed).varint(value);
  } else {
    changed.resize(front.size() + field.size_bytes);
    store_field(changed, field.at, field.size_bytes, value);
  }
  changed.insert(changed.end(), behind.begin(), behind.end());
  return changed;
}

}  // namespace dgfs::test
