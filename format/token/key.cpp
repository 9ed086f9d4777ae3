// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/key.h"

#include "format/coding.h"
#include "format/column/entry_columns.h"
#include "format/limits.h"
#include "format/token/row.h"

namespace dgfs::format {

void TokenKey::assign(std::string_view key) {
  text_.assign(key);
  directory_ = directory_bytes(key);
  shared_bytes_ = key.size();
  has_share_ = false;
}

const char* TokenKey::read_next(const TokenModel& model, BitReader& in) {
  const auto& shares = model.shares();
  const auto step = shares.find(has_share_ ? share_class_ : shares.first_class(), in.ahead());
  in.skip(step.bits);
  share_class_ = step.next_class;
  has_share_ = true;
  const std::size_t share = step.symbol;
  const auto distance = share == kShareEscape ? read_number(model, NumberKind::kOther, in) : share;
  const auto kept = directory_ + static_cast<std::uint64_t>(unzigzag(distance));
  const auto before = text_.size();
  if (kept > before) return "shared prefix is longer than the key before";  // F-143
  const TextStart start{
      kept == 0 ? kContextStart : static_cast<unsigned char>(text_.data()[kept - 1]),
      kept < before ? static_cast<unsigned char>(text_.data()[kept]) : kPassedNone};
  const EndingSource endings(text_.data(), before, directory_, kept);
  text_.truncate(kept);
  if (!text_.read(model, model.start_class(start), kKeyBytesMax, in, endings)) {
    return "key is too long";  // F-145
  }
  const bool rises =
      text_.size() > kept &&
      (kept == before || static_cast<unsigned char>(text_.data()[kept]) > start.passed);
  if (!rises) return "keys do not rise";  // F-144
  shared_bytes_ = kept;
  if (const auto in_suffix = directory_bytes(view().substr(kept)); in_suffix > 0) {
    directory_ = kept + in_suffix;
  } else if (kept < directory_) {
    directory_ = directory_bytes(view().substr(0, kept));
  }
  return nullptr;
}

bool TokenKey::make_far_successor() {
  const auto changed = format::make_successor(text_.data(), text_.size());
  if (changed == text_.size()) return false;
  shared_bytes_ = changed;
  return true;
}

}  // namespace dgfs::format
