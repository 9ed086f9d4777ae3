// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/file_class.h"

#include <algorithm>

namespace dgfs::builder {
namespace {

// Enough to find a byte in binary content that texts do not have.
constexpr std::size_t kLookedAtBytes = 512;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_text(std::uint8_t byte) {
  return byte >= 0x20 ? byte != 0x7f : byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f';
}

}  // namespace

std::string class_of_name(std::string_view name) {
  const auto dot = name.rfind('.');
  const bool has_extension = dot != std::string_view::npos && dot > 0 && dot + 1 < name.size();
  std::string text(has_extension ? name.substr(dot) : name);
  if (text.starts_with('(') || text.size() > kClassBytesMax) return {};
  if (std::none_of(text.begin(), text.end(), is_letter)) return {};
  if (has_extension) std::transform(text.begin(), text.end(), text.begin(), lower);
  return text;
}

std::string_view class_of_content(Bytes content) {
  const auto looked_at = content.first(std::min(content.size(), kLookedAtBytes));
  return std::all_of(looked_at.begin(), looked_at.end(), is_text) ? "(text)" : "(binary)";
}

}  // namespace dgfs::builder
