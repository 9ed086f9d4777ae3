// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/exclude.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dgfs::builder {
namespace {

bool in_range(char c, char first, char last) { return c >= first && c <= last; }
bool is_lower(char c) { return in_range(c, 'a', 'z'); }
bool is_upper(char c) { return in_range(c, 'A', 'Z'); }
bool is_digit(char c) { return in_range(c, '0', '9'); }
bool is_alpha(char c) { return is_lower(c) || is_upper(c); }
bool is_alnum(char c) { return is_alpha(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_space(char c) { return c == ' ' || in_range(c, '\t', '\r'); }
bool is_graph(char c) { return in_range(c, '!', '~'); }
bool is_print(char c) { return in_range(c, ' ', '~'); }
bool is_punct(char c) { return is_graph(c) && !is_alnum(c); }
bool is_cntrl(char c) { return in_range(c, '\0', '\x1f') || c == '\x7f'; }
bool is_xdigit(char c) { return is_digit(c) || in_range(c, 'a', 'f') || in_range(c, 'A', 'F'); }

constexpr std::array<std::pair<std::string_view, bool (*)(char)>, 12> kClasses = {{
    {"alnum", is_alnum},
    {"alpha", is_alpha},
    {"blank", is_blank},
    {"cntrl", is_cntrl},
    {"digit", is_digit},
    {"graph", is_graph},
    {"lower", is_lower},
    {"print", is_print},
    {"punct", is_punct},
    {"space", is_space},
    {"upper", is_upper},
    {"xdigit", is_xdigit},
}};

bool is_in_class(std::string_view name, char c) {
  for (const auto& [class_name, test] : kClasses) {
    if (class_name == name) return test(c);
  }
  return false;
}

unsigned char to_byte(char c) { return static_cast<unsigned char>(c); }

// A bracket expression that begins at pattern[at] == '['. Leaves `at` behind it; if no ']' ends
// it, leaves `at` alone, and '[' is an ordinary byte.
class Bracket {
 public:
  Bracket(std::string_view pattern, std::size_t at) : pattern_(pattern), at_(at + 1) {}

  /// Position behind the bracket; npos if it is none.
  std::size_t match(char c, bool& matched) {
    const bool negated = at_ < pattern_.size() && (pattern_[at_] == '!' || pattern_[at_] == '^');
    if (negated) ++at_;
    bool found = false;
    for (bool first = true; at_ < pattern_.size(); first = false) {
      if (pattern_[at_] == ']' && !first) {
        matched = found != negated;
        return at_ + 1;
      }
      found |= item(c);
    }
    return std::string_view::npos;
  }

 private:
  bool item(char c) {
    const std::size_t class_end = pattern_.find(":]", at_);
    if (pattern_.substr(at_, 2) == "[:" && class_end != std::string_view::npos) {
      const auto name = pattern_.substr(at_ + 2, class_end - at_ - 2);
      at_ = class_end + 2;
      return is_in_class(name, c);
    }
    const char low = literal();
    if (at_ + 1 < pattern_.size() && pattern_[at_] == '-' && pattern_[at_ + 1] != ']') {
      ++at_;
      const char high = literal();
      return to_byte(low) <= to_byte(c) && to_byte(c) <= to_byte(high);
    }
    return low == c;
  }
  char literal() {
    if (pattern_[at_] == '\\' && at_ + 1 < pattern_.size()) ++at_;
    return pattern_[at_++];
  }

  std::string_view pattern_;
  std::size_t at_;
};

std::size_t character_bytes(std::string_view text, std::size_t at) {
  const unsigned char lead = to_byte(text[at]);
  const std::size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if ((to_byte(text[at + i]) & 0xc0) != 0x80) return 1;
  }
  return length;
}

// Matches one pattern element other than '*' against text[text_at]; moves both on success.
bool step(std::string_view pattern, std::size_t& at, std::string_view text, std::size_t& text_at) {
  const char c = text[text_at];
  if (pattern[at] == '?') {
    text_at += character_bytes(text, text_at);
    ++at;
    return true;
  }
  if (pattern[at] == '[') {
    bool matched = false;
    const std::size_t end = Bracket(pattern, at).match(c, matched);
    if (end != std::string_view::npos) {
      at = end;
      ++text_at;
      return matched;
    }
  }
  if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
  ++text_at;
  return pattern[at++] == c;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t text_at = 0;
  std::size_t star = std::string_view::npos;  // of the last '*', to fall back to
  std::size_t star_text_at = 0;
  while (text_at < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      star_text_at = text_at;
    } else if (at == pattern.size() || !step(pattern, at, text, text_at)) {
      if (star == std::string_view::npos) return false;
      at = star + 1;
      text_at = ++star_text_at;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

ExcludeList::ExcludeList(const std::vector<std::string>& patterns) {
  for (std::string pattern : patterns) {
    while (pattern.size() > 1 && pattern.back() == '/') pattern.pop_back();
    if (pattern.find('/') == std::string::npos) {
      by_name_.push_back(std::move(pattern));
      continue;
    }
    pattern.erase(0, pattern.find_first_not_of('/'));
    if (!pattern.empty()) by_path_.push_back(std::move(pattern));
  }
}

bool ExcludeList::matches(std::string_view path) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 == 0
  return std::any_of(by_name_.begin(), by_name_.end(),
                     [&](const std::string& pattern) { return glob_matches(pattern, name); }) ||
         std::any_of(by_path_.begin(), by_path_.end(),
                     [&](const std::string& pattern) { return glob_matches(pattern, path); });
}

}  // namespace dgfs::builder
