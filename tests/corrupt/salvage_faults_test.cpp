// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage from a device that fails, at each of its calls in turn, once or for good: what has a name
// is right, and whatever else is missing was told.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>

#include "format/superblock.h"
#include "format/volume_header.h"
#include "reader/salvage.h"
#include "storage/faulty_env.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using Tree = std::map<std::string, std::string>;

/// What of an image is there besides its contents.
enum class Index : std::uint8_t {
  kTrailing,        ///< in the image alone
  kBoth,            ///< and beside it
  kWithoutHeaders,  ///< in the image, of which both header pages are lost
  kPagesAlone,      ///< likewise, and the superblock
};
const char* name_of(Index index) {
  switch (index) {
    case Index::kTrailing:
      return "Trailing";
    case Index::kBoth:
      return "Both";
    case Index::kWithoutHeaders:
      return "NoHeaders";
    case Index::kPagesAlone:
      return "PagesAlone";
  }
  return "";
}

ImageFiles with_index(ImageFiles files, Index index) {
  auto& image = files.image;
  const auto header =
      value_of(format::decode_volume_header(Bytes(image).first(format::kPageBytes)));
  const auto begin = image.begin() + static_cast<long>(header.index_offset);
  if (index == Index::kBoth) {
    files.index.assign(begin, begin + static_cast<long>(header.index_bytes));
  }
  if (index == Index::kWithoutHeaders || index == Index::kPagesAlone) {
    std::fill_n(image.begin(), format::kPageBytes, std::uint8_t{0});
    std::fill(image.end() - format::kPageBytes, image.end(), std::uint8_t{0});
  }
  if (index == Index::kPagesAlone) std::fill_n(begin, format::kPageBytes, std::uint8_t{0});
  return files;
}

/// How the device fails.
struct DeviceFault {
  const char* name = "";
  storage::FaultKind kind = storage::FaultKind::kIoError;
  bool sticky = false;
  friend void PrintTo(const DeviceFault& fault, std::ostream* out) { *out << fault.name; }
};

using SalvageCase = std::tuple<BaseImage, Index, DeviceFault>;

class SalvageFaults : public ::testing::TestWithParam<SalvageCase> {
 protected:
  void SetUp() override {
    files_ = with_index(std::get<0>(GetParam()).files(), std::get<1>(GetParam()));
  }

  // Returns what is saved.
  Tree salvage(std::uint64_t at_call) {
    const auto memory = storage::make_memory_env(1);
    write_file(*memory, "/t", files_.image);
    if (!files_.index.empty()) write_file(*memory, "/t.idx", files_.index);
    for (const auto& [name, bytes] : files_.volumes) write_file(*memory, "/" + name, bytes);
    const auto faulty = storage::make_faulty_env(*memory, 1);
    faulty->only_for([](const std::string& path) { return !path.starts_with("/saved"); });
    const auto& fault = std::get<2>(GetParam());
    faulty->arm({.kind = fault.kind, .at_call = at_call, .sticky = fault.sticky});
    reader::SalvageOptions options;
    options.jobs = 1;
    for (const auto& [name, bytes] : files_.volumes) {
      options.open.volume_paths.push_back("/" + name);
    }
    told_.clear();
    options.lost = [this](const std::string& path, const Error& error) {
      EXPECT_FALSE(error.text().empty()) << path;
      told_.insert(path);
    };
    const auto report = reader::salvage(*faulty, "/t", "/saved", options);
    fired_ = faulty->fired();
    calls_ = faulty->calls();
    error_ = report ? "" : report.error().message();
    is_complete_ = report && report.value().complete();
    EXPECT_EQ(error_.empty(), report.has_value());
    return report ? tree_below(*value_of(memory->open_directory("/saved"))) : Tree();
  }

  ImageFiles files_;
  std::uint64_t fired_ = 0;
  std::uint64_t calls_ = 0;
  std::set<std::string> told_;
  std::string error_;
  bool is_complete_ = false;
};

TEST_P(SalvageFaults, LeaveNothingWrongBehind) {
  const auto truth = salvage(0);
  ASSERT_EQ(error_, "");
  ASSERT_GT(truth.size(), 8U);
  std::size_t faults = 0;
  for (std::uint64_t call = 1; call == 1 || calls_ >= call - 1; ++call) {
    SCOPED_TRACE("fault at call " + std::to_string(call));
    ASSERT_LT(call, 2000U);
    const auto saved = salvage(call);
    faults += fired_ == 0 ? 0U : 1U;
    for (const auto& [path, content] : saved) {
      if (path.starts_with("lost+found")) continue;
      const auto found = truth.find(path);
      ASSERT_NE(found, truth.end()) << path;
      EXPECT_EQ(content, found->second) << path;
    }
    EXPECT_TRUE(!is_complete_ || saved == truth);
  }
  EXPECT_GT(faults, 20U);
}

INSTANTIATE_TEST_SUITE_P(
    Images, SalvageFaults,
    ::testing::Combine(::testing::ValuesIn(kBaseImages),
                       ::testing::Values(Index::kTrailing, Index::kBoth, Index::kWithoutHeaders,
                                         Index::kPagesAlone),
                       ::testing::Values(DeviceFault{"Error"},
                                         DeviceFault{"Dead", storage::FaultKind::kIoError, true},
                                         DeviceFault{"ShortRead", storage::FaultKind::kShortRead},
                                         DeviceFault{"BitFlip", storage::FaultKind::kBitFlip})),
    [](const auto& tree) {
      return std::string(std::get<0>(tree.param).name) + name_of(std::get<1>(tree.param)) +
             std::get<2>(tree.param).name;
    });

}  // namespace
}  // namespace dgfs::test
