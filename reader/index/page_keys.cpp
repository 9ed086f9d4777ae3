// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/page_keys.h"

#include <fmt/format.h>

#include <string>

#include "format/entry/key.h"
#include "format/limits.h"

namespace dgfs::reader {
namespace {

Error bad_key(std::uint16_t code, std::size_t index, const char* what) {
  return Error(ErrorKind::kCorrupt, code, fmt::format("entry {}: {}", index, what));
}

// Checks path keys piece by piece, so that the prefix of a page is checked once for all its keys.
class KeyScanner {
 public:
  // Returns false as soon as no valid key can begin like this (F-101, F-103).
  bool feed(std::string_view piece) {
    bytes_ += piece.size();
    for (const char byte : piece) {
      if (byte == '/' || (byte == '\0' ? !end_component() : !extend_component(byte))) return false;
    }
    return bytes_ <= format::kKeyBytesMax;
  }

  // F-100. Whether the pieces make a complete key: the root's single zero, or two zeros (one for
  // names in the root) followed by a name.
  [[nodiscard]] bool complete() const {
    return in_name_ && (component_bytes_ == 0 ? bytes_ == 1 : is_name());
  }

 private:
  bool end_component() {
    if (in_name_) return false;  // only a name may follow, and it has no zero
    if (component_bytes_ == 0) {
      in_name_ = true;  // second of two zeros, or the only one before a name in the root
      return true;
    }
    if (!is_name()) return false;
    component_bytes_ = 0;
    only_dots_ = true;
    return true;
  }

  bool extend_component(char byte) {
    only_dots_ = only_dots_ && byte == '.';
    return ++component_bytes_ <= format::kNameBytesMax;
  }

  [[nodiscard]] bool is_name() const { return !(only_dots_ && component_bytes_ <= 2); }

  std::size_t bytes_ = 0;
  std::size_t component_bytes_ = 0;
  bool only_dots_ = true;
  bool in_name_ = false;
};

Status check_path_keys(const format::DecodedPage& page, std::string_view prefix) {
  KeyScanner after_prefix;
  if (!after_prefix.feed(prefix)) return bad_key(3030, 0, "the page's prefix begins no path key");
  for (std::size_t i = 0; i < page.size(); ++i) {
    KeyScanner scanner = after_prefix;
    if (!scanner.feed(page.key(i)) || !scanner.complete()) {
      return bad_key(3031, i, "not a path key");
    }
  }
  return ok();
}

Status check_link_keys(const format::DecodedPage& page, std::string_view prefix) {
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (prefix.size() + page.key(i).size() != format::kLinkKeyBytes) {  // F-104
      return bad_key(3032, i, "key of a link record is not 8 bytes long");
    }
  }
  return ok();
}

}  // namespace

Status check_keys(const format::DecodedPage& rows, const format::PageRecordView& record) {
  return record.zone == format::kLinkZone ? check_link_keys(rows, record.prefix)
                                          : check_path_keys(rows, record.prefix);
}

Status check_first_key(std::string_view key, const format::PageRecordView& record) {
  if (key >= record.separator) return ok();
  return bad_key(3033, 0, "key is below the page's bound");  // F-241
}

Status check_last_key(std::string_view key, const format::PageRecordView& record,
                      std::optional<std::string_view> next_bound) {
  if (!next_bound || std::string(record.prefix).append(key) < *next_bound) return ok();
  return bad_key(3034, record.entry_count - 1, "key is not below the next page's bound");  // F-241
}

}  // namespace dgfs::reader
