// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What dgfs ls can be asked for: the options of ls(1) that mean something in an image.
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
/// What stands after a name: '/' after directories, also "@|=" after others, also "*".
enum class LsIndicator : std::uint8_t { kNone, kSlash, kFileType, kClassify };

struct LsOptions {
  std::optional<LsFormat> format_asked;
  std::optional<LsSort> sort_asked;
  std::optional<QuotingStyle> quoting_asked;
  std::optional<bool> hides_controls_asked;
  bool units_asked = false;  ///< -h, --si, --block-size
  bool kibibytes = false;    ///< -k
  bool time_asked = false;   ///< -c, -u, --time: sorts by time, too, where nothing else says so

  LsHidden hidden = LsHidden::kSkip;
  LsIndicator indicator = LsIndicator::kNone;
  std::vector<std::string> ignored;         ///< patterns of names to leave out
  std::vector<std::string> hidden_by_name;  ///< the same, but for -a and -A
  LinksFollowed links = LinksFollowed::kNone;
  bool follows_to_directories = false;  ///< with operands, whatever other options say
  bool recursive = false;
  bool directory_itself = false;
  bool reverse = false;
  bool directories_first = false;
  bool json = false;
  bool whole_image = false;  ///< no PATH is given: JSON has paths as they stand in the image
  bool color = false;
  bool hyperlinks = false;  ///< names as links into the image, for terminals
  bool ends_with_nul = false;
  std::size_t width_columns = 80;  ///< 0 = no limit
  std::size_t tab_columns = 8;
  LongListingOptions listing;

  // Set by complete_ls_options(), from the above; but for link_base.
  LsFormat format = LsFormat::kOnePerLine;
  LsSort sort = LsSort::kName;
  NameStyle name_style;
  std::string link_base;  ///< what stands before paths in links
};

}  // namespace dgfs::tools
