// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "rules/glob.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace dgfs::rules {
namespace {

bool in_range(unsigned c, char first, char last) {
  return c >= static_cast<unsigned char>(first) && c <= static_cast<unsigned char>(last);
}
bool is_lower(unsigned c) { return in_range(c, 'a', 'z'); }
bool is_upper(unsigned c) { return in_range(c, 'A', 'Z'); }
bool is_digit(unsigned c) { return in_range(c, '0', '9'); }
bool is_alpha(unsigned c) { return is_lower(c) || is_upper(c); }
bool is_alnum(unsigned c) { return is_alpha(c) || is_digit(c); }
bool is_blank(unsigned c) { return c == ' ' || c == '\t'; }
bool is_space(unsigned c) { return c == ' ' || in_range(c, '\t', '\r'); }
bool is_graph(unsigned c) { return in_range(c, '!', '~'); }
bool is_print(unsigned c) { return in_range(c, ' ', '~'); }
bool is_punct(unsigned c) { return is_graph(c) && !is_alnum(c); }
bool is_cntrl(unsigned c) { return in_range(c, '\0', '\x1f') || c == '\x7f'; }
bool is_xdigit(unsigned c) { return is_digit(c) || in_range(c, 'a', 'f') || in_range(c, 'A', 'F'); }

constexpr std::array<std::pair<std::string_view, bool (*)(unsigned)>, 12> kClasses = {{
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

unsigned char to_byte(char c) { return static_cast<unsigned char>(c); }

// Reads a bracket expression, starting behind its '['.
class BracketReader {
 public:
  using Set = std::bitset<256>;

  explicit BracketReader(std::string_view rest) : rest_(rest) {}

  /// Returns nullopt if the bracket does not end, or names an unknown class.
  std::optional<Set> read() {
    const bool negated = at() == '!' || at() == '^';
    if (negated) ++at_;
    do {
      if (at_ >= rest_.size() || !read_item()) return std::nullopt;
    } while (at() != ']');
    ++at_;
    if (negated) set_.flip();
    set_.reset(to_byte('/'));
    return set_;
  }
  [[nodiscard]] std::size_t length() const { return at_; }

 private:
  [[nodiscard]] char at(std::size_t ahead = 0) const {
    return at_ + ahead < rest_.size() ? rest_[at_ + ahead] : '\0';
  }

  // Reads one byte, a class, or the upper end of a range whose lower end is the byte before.
  bool read_item() {
    if (at() == '[' && at(1) == ':') {
      const auto end = rest_.find(']', at_ + 2);
      if (end == std::string_view::npos) return false;
      if (end >= at_ + 3 && rest_[end - 1] == ':') return read_class(end);
    }
    if (at() == '-' && low_ != '\0' && at(1) != '\0' && at(1) != ']') return read_range();
    if (at() == '\\') ++at_;
    if (at_ >= rest_.size()) return false;
    low_ = at();
    set_.set(to_byte(low_));
    ++at_;
    return true;
  }

  bool read_range() {
    ++at_;
    if (at() == '\\') ++at_;
    if (at_ >= rest_.size()) return false;
    for (unsigned c = to_byte(low_); c <= to_byte(at()); ++c) set_.set(c);
    ++at_;
    low_ = '\0';
    return true;
  }

  bool read_class(std::size_t end) {
    const auto name = rest_.substr(at_ + 2, end - 1 - (at_ + 2));
    at_ = end + 1;
    low_ = '\0';
    for (const auto& [class_name, test] : kClasses) {
      if (class_name != name) continue;
      for (unsigned c = 0; c < set_.size(); ++c) set_[c] = set_[c] || test(c);
      return true;
    }
    return false;
  }

  std::string_view rest_;
  std::size_t at_ = 0;
  char low_ = '\0';  // the byte before, if it may begin a range
  Set set_;
};

// A star to return to on a mismatch, and where its match in the text ends. The star then matches
// one byte more.
struct Fallback {
  std::size_t token = 0;  ///< behind the star; 0: no star
  std::size_t text_at = 0;
};

}  // namespace

void Glob::add_set(const Set& set) {
  tokens_.push_back({Kind::kSet, 0, static_cast<std::uint32_t>(sets_.size())});
  sets_.push_back(set);
}

Glob::Glob(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at++];
    if (c == '*') {
      const auto end = std::min(pattern.find_first_not_of('*', at), pattern.size());
      tokens_.push_back({end > at ? Kind::kStars : Kind::kStar});
      at = end;
    } else if (c == '?') {
      add_set(Set().set().reset(to_byte('/')));
    } else if (c == '[') {
      BracketReader bracket(pattern.substr(at));
      const auto set = bracket.read();
      add_set(set.value_or(Set()));
      if (!set) return;  // the empty set matches nothing, so the rest does not matter
      at += bracket.length();
    } else if (c == '\\' && at < pattern.size()) {
      tokens_.push_back({Kind::kByte, to_byte(pattern[at++])});
    } else if (c == '\\') {
      add_set(Set());  // no byte follows
    } else {
      tokens_.push_back({Kind::kByte, to_byte(c)});
    }
  }
}

bool Glob::accepts(const Token& token, char c) const {
  return token.kind == Kind::kByte ? token.byte == to_byte(c) : sets_[token.set][to_byte(c)];
}

// After a mismatch, only the last '*' and the last '**' need to match more. An earlier '*' cannot
// get past the '/' that stopped the last one either. A '**' can match by itself all that an earlier
// star would match.
bool Glob::matches(std::string_view text) const {
  Fallback star;
  Fallback stars;
  std::size_t token = 0;
  std::size_t text_at = 0;
  while (token < tokens_.size() || text_at < text.size()) {
    const bool at_star = token < tokens_.size() && tokens_[token].kind >= Kind::kStar;
    if (at_star) {
      (tokens_[token].kind == Kind::kStar ? star : stars) = {token + 1, text_at};
      if (tokens_[token].kind == Kind::kStars) star = {};
      ++token;
    } else if (token < tokens_.size() && text_at < text.size() &&
               accepts(tokens_[token], text[text_at])) {
      ++token;
      ++text_at;
    } else if (star.token != 0 && star.text_at < text.size() && text[star.text_at] != '/') {
      token = star.token;
      text_at = ++star.text_at;
    } else if (stars.token != 0 && stars.text_at < text.size()) {
      star = {};
      token = stars.token;
      text_at = ++stars.text_at;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace dgfs::rules
