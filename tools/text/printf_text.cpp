// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/printf_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tools/text/ascii.h"

namespace dgfs::tools {
namespace {

/// Wider than any useful line; bounds the memory that a format can make us allocate.
constexpr std::size_t kWidthMax = 4096;

class FormatParser {
 public:
  FormatParser(std::string_view format, std::string_view modifiers, Escapes escapes)
      : rest_(format), modifiers_(modifiers), escapes_(escapes) {}

  Result<std::vector<FormatPiece>> run() {
    std::vector<FormatPiece> pieces(1);
    while (!rest_.empty()) {
      if (escapes_ == Escapes::kFind && rest_.starts_with("\\c")) break;
      const char c = take();
      if (c == '\\' && escapes_ != Escapes::kNone) {
        pieces.back().literal += escape();
      } else if (c != '%') {
        pieces.back().literal += c;
      } else if (rest_.starts_with('%')) {
        pieces.back().literal += take();
      } else {
        DGFS_CHECK(directive(pieces.back()));
        pieces.emplace_back();
      }
    }
    return pieces;
  }

 private:
  char take() {
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  char escape() {
    // Only stat knows the last two.
    constexpr std::string_view kLetters = "abfnrtv\\e\"";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\\x1b\"";
    const std::size_t known = kLetters.size() - (escapes_ == Escapes::kStat ? 0 : 2);
    if (rest_.empty()) return '\\';
    if (const std::size_t at = kLetters.find(rest_[0]); at < known) {
      take();
      return kValues[at];
    }
    if (escapes_ == Escapes::kStat && rest_.size() > 1 && rest_[0] == 'x' &&
        std::isxdigit(static_cast<unsigned char>(rest_[1])) != 0) {
      take();
      return hexadecimal();
    }
    unsigned value = 0;
    std::size_t digits = 0;
    for (; digits < 3 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++digits) {
      value = value * 8 + static_cast<unsigned>(take() - '0');
    }
    if (digits != 0) return static_cast<char>(value);
    return escapes_ == Escapes::kStat ? take() : '\\';  // stat drops the backslash, find keeps it
  }

  /// Takes one or two digits.
  char hexadecimal() {
    unsigned value = 0;
    const std::string_view digits = rest_.substr(0, 2);
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    static_cast<void>(failure);  // cannot fail: the caller has seen the first digit
    rest_.remove_prefix(static_cast<std::size_t>(end - digits.data()));
    return static_cast<char>(value);
  }

  std::size_t number() {
    std::size_t value = 0;
    while (!rest_.empty() && is_digit(rest_[0])) {
      value = std::min(value * 10 + static_cast<std::size_t>(take() - '0'), kWidthMax);
    }
    return value;
  }

  Status directive(FormatPiece& piece) {
    constexpr std::string_view kFlags = "-0+ #'";
    while (!rest_.empty() && kFlags.find(rest_[0]) != std::string_view::npos) {
      const char flag = take();
      piece.left |= flag == '-';
      piece.zeros |= flag == '0';
      piece.plus |= flag == '+';
      piece.space |= flag == ' ';
      piece.alternate |= flag == '#';
    }
    piece.width = number();
    if (rest_.starts_with('.')) {
      take();
      piece.precision = number();
    }
    if (rest_.size() > 1 && modifiers_.find(rest_[0]) != std::string_view::npos) {
      piece.modifier = take();
    }
    if (rest_.empty()) {
      return Error(ErrorKind::kInvalidArgument, 6070, "the format ends within a % directive");
    }
    piece.letter = take();
    return ok();
  }

  std::string_view rest_;
  std::string_view modifiers_;
  Escapes escapes_;
};

}  // namespace

Result<std::vector<FormatPiece>> parse_format(std::string_view format, std::string_view modifiers,
                                              Escapes escapes) {
  return FormatParser(format, modifiers, escapes).run();
}

std::string padded(const FormatPiece& piece, std::string value) {
  if (piece.precision) value.resize(std::min(value.size(), *piece.precision));
  if (value.size() >= piece.width) return value;
  const std::size_t missing = piece.width - value.size();
  return piece.left ? value.append(missing, ' ') : value.insert(0, missing, ' ');
}

std::string padded_number(const FormatPiece& piece, NumberKind kind, std::string digits) {
  std::string sign;
  if (digits.starts_with('-')) {
    sign = "-";
    digits.erase(0, 1);
  } else if (kind == NumberKind::kSigned) {
    sign = piece.plus ? "+" : piece.space ? " " : "";
  }
  const bool is_zero = digits == "0";
  if (is_zero && piece.precision == std::size_t{0}) digits.clear();
  const auto fill = [&digits](std::size_t size) {
    if (digits.size() < size) digits.insert(0, size - digits.size(), '0');
  };
  fill(piece.precision.value_or(0));
  if (piece.alternate && kind == NumberKind::kOctal && !digits.starts_with('0'))
    digits = "0" + digits;
  if (piece.alternate && kind == NumberKind::kHexadecimal && !is_zero) sign = "0x";
  const bool zeros = piece.zeros && !piece.left && !piece.precision;
  if (zeros && piece.width > sign.size()) fill(piece.width - sign.size());
  FormatPiece placed = piece;
  placed.precision.reset();
  return padded(placed, sign + digits);
}

}  // namespace dgfs::tools
