// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/xattr_set.h"

#include "format/coding.h"
#include "format/header/section.h"
#include "format/limits.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kXattrBytesMin = 3;  ///< name length, one byte of name, value length

Error corrupt_xattr_set(std::uint16_t code, std::size_t offset, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text)).at_offset(offset);
}

Result<Xattr> decode_xattr(Decoder& decoder) {
  const auto offset = decoder.offset();
  DGFS_TRY(name, decoder.string(kXattrNameBytesMax));
  if (name.empty() || name.find('\0') != std::string_view::npos) {  // F-086
    return corrupt_xattr_set(2801, offset, "attribute name is empty or has a zero byte");
  }
  const auto value_offset = decoder.offset();
  DGFS_TRY(value_bytes, decoder.varint());
  if (value_bytes > kXattrValueBytesMax) {  // F-087
    return Error(ErrorKind::kLimit, 2802, "attribute value is longer than 64 KiB")
        .at_offset(value_offset);
  }
  DGFS_TRY(value, decoder.raw(value_bytes));
  return Xattr{std::string(name), Buffer(value.begin(), value.end())};
}

Result<std::vector<Xattr>> decode_set(Bytes body) {
  Decoder decoder(body);
  DGFS_TRY(count, decoder.varint());
  if (count == 0 || count > decoder.remaining() / kXattrBytesMin) {  // F-002, F-085
    return corrupt_xattr_set(2800, 0, "number of attributes is impossible");
  }
  std::vector<Xattr> xattrs;
  std::size_t list_bytes = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto offset = decoder.offset();
    DGFS_TRY(xattr, decode_xattr(decoder));
    if (!xattrs.empty() && xattr.name <= xattrs.back().name) {  // F-086
      return corrupt_xattr_set(2803, offset, "attribute names do not rise");
    }
    list_bytes += xattr.name.size() + 1;
    if (list_bytes > kXattrListBytesMax) {  // F-087
      return Error(ErrorKind::kLimit, 2804, "attribute names are longer than 64 KiB together")
          .at_offset(offset);
    }
    xattrs.push_back(std::move(xattr));
  }
  DGFS_CHECK(decoder.finish());
  return xattrs;
}

}  // namespace

void encode_xattr_set(const std::vector<Xattr>& xattrs, Buffer& out) {
  Encoder encoder(out);
  encoder.varint(xattrs.size());
  for (const auto& xattr : xattrs) {
    encoder.string(xattr.name);
    encoder.string(as_text(xattr.value));
  }
}

Result<std::vector<Xattr>> decode_xattr_set(Bytes body) {
  return in_section(SectionKind::kXattrs, decode_set(body));
}

}  // namespace dgfs::format
