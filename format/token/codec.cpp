// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/codec.h"

#include "format/token/page.h"
#include "format/token/page_filler.h"

namespace dgfs::format {

Result<EncodedPage> TokenCodec::fill(std::span<const Entry> entries, const PageContext& context,
                                     std::size_t& /*guess*/) const {
  if (context.model->tokens() == nullptr) {
    return Error(ErrorKind::kInvalidArgument, 2930, "the token codec needs a token model");
  }
  return TokenPageFiller(context, id()).fill(entries);
}

Result<std::shared_ptr<const Page>> TokenCodec::open(const PageHeader& header, Bytes payload,
                                                     const Model& model,
                                                     const AttributeTable& attributes) const {
  if (model.tokens() == nullptr) {  // F-189
    return Error(ErrorKind::kCorrupt, 2931, "page has a model that is not its codec's");
  }
  DGFS_TRY(page, TokenPage::open(header, payload, *model.tokens(), attributes));
  return std::shared_ptr<const Page>(std::move(page));
}

Result<std::vector<ColumnSize>> TokenCodec::column_sizes(const PageHeader& header, Bytes payload,
                                                         const Model& model,
                                                         const AttributeTable& attributes) const {
  if (model.tokens() == nullptr) {  // F-189
    return Error(ErrorKind::kCorrupt, 2936, "page has a model that is not its codec's");
  }
  DGFS_TRY(page, TokenPage::open(header, payload, *model.tokens(), attributes));
  std::uint64_t head_bits = 0;
  DGFS_TRY(parts, page->measure(head_bits));
  static constexpr const char* kNames[kTokenParts] = {"rows",  "names",   "sizes", "attributes",
                                                      "times", "targets", "others"};
  std::vector<ColumnSize> sizes{{"block heads", head_bits, static_cast<double>(head_bits) / 8}};
  for (std::size_t i = 0; i < kTokenParts; ++i) {
    sizes.push_back({kNames[i], parts[i], static_cast<double>(parts[i]) / 8});
  }
  return sizes;
}

}  // namespace dgfs::format
