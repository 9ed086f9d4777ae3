// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page/page.h"

namespace dgfs::format {

std::size_t DecodedPage::lower_bound(std::string_view wanted) const {
  std::size_t begin = 0;
  std::size_t end = size();
  while (begin < end) {
    const auto middle = begin + (end - begin) / 2;
    if (key(middle) < wanted) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

}  // namespace dgfs::format
