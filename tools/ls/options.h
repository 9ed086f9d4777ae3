// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The options of dgfs ls: those of ls(1) that mean something in an image.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/ls/long_listing.h"
#include "tools/paths/image_path.h"
#include "tools/text/name_style.h"

namespace dgfs::tools {

enum class LsFormat : std::uint8_t { kOnePerLine, kLong, kColumns, kRows, kCommas };
enum class LsHidden : std::uint8_t { kSkip, kShow, kShowWithDots };
enum class LsSort : std::uint8_t { kName, kNone, kTime, kSize, kExtension, kVersion, kWidth };
/// The marks after names: '/' for directories; also "@|=" for other types; also "*".
enum class LsIndicator : std::uint8_t { kNone, kSlash, kFileType, kClassify };

struct LsOptions {
  std::optional<LsFormat> format_asked;
  std::optional<LsSort> sort_asked;
  std::optional<QuotingStyle> quoting_asked;
  std::optional<bool> hides_controls_asked;
  bool units_asked = false;  ///< -h, --si, --block-size
  bool kibibytes = false;    ///< -k
  bool time_asked = false;   ///< -c, -u, --time: also sorts by time, unless another key is given

  LsHidden hidden = LsHidden::kSkip;
  LsIndicator indicator = LsIndicator::kNone;
  std::vector<std::string> ignored;         ///< patterns of names to leave out
  std::vector<std::string> hidden_by_name;  ///< the same, but ineffective with -a and -A
  LinksFollowed links = LinksFollowed::kNone;
  bool follows_to_directories = false;  ///< follow operands that are links to directories, always
  bool recursive = false;
  bool directory_itself = false;
  bool reverse = false;
  bool directories_first = false;
  bool json = false;
  bool whole_image = false;  ///< no PATH is given: JSON prints paths as they stand in the image
  bool color = false;
  bool hyperlinks = false;  ///< print names as links into the image, for terminals
  bool ends_with_nul = false;
  std::size_t width_columns = 80;  ///< 0 = no limit
  std::size_t tab_columns = 8;
  LongListingOptions listing;

  // Set by complete_ls_options() from the members above, except link_base.
  LsFormat format = LsFormat::kOnePerLine;
  LsSort sort = LsSort::kName;
  NameStyle name_style;
  std::string link_base;  ///< the text before paths in hyperlinks
};

}  // namespace dgfs::tools
