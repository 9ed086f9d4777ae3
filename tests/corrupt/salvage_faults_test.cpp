// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage from a device that fails at each of its calls in turn, once or for good: each file that
// is saved under its name is right, and salvage reports everything that is missing. The N-th call
// differs from run to run: one thread walks the tree while another writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <tuple>

#include "format/header/volume_header.h"
#include "reader/salvage/salvage.h"
#include "storage/testing/faulty_env.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using Tree = std::map<std::string, std::string>;

/// Which parts of an image remain besides its contents.
enum class Index : std::uint8_t {
  kTrailing,        ///< the index in the image alone
  kBoth,            ///< the index in the image and the sidecar
  kWithoutHeaders,  ///< the index in an image that has lost both header pages
  kPagesAlone,      ///< pages in an image that has also lost the superblock
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

  // Runs a salvage and returns the saved tree.
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
    auto report = reader::salvage(*faulty, "/t", "/saved", options);
    fired_ = faulty->fired();
    calls_ = faulty->calls();
    report_.reset();
    if (report) report_ = std::move(report).value();
    const auto saved = memory->open_directory("/saved");
    return saved ? tree_below(*saved.value()) : Tree();
  }

  // Each file saved under its name is right, and each missing one was reported.
  void expect_told(const Tree& saved, const Tree& truth) {
    std::set<std::string> contents = {""};  // contents that some file has; a directory has ""
    for (const auto& [path, content] : truth) contents.insert(content);
    for (const auto& [path, content] : saved) {
      if (path.starts_with("lost+found")) {
        EXPECT_TRUE(contents.contains(content)) << path;
        continue;
      }
      const auto found = truth.find(path);
      ASSERT_NE(found, truth.end()) << path;
      EXPECT_EQ(content, found->second) << path;
    }
    if (!report_) return;  // salvage ended with an error
    EXPECT_TRUE(!report_->complete() || saved == truth);
    if (report_->lost_pages + report_->lost_index_parts != 0) return;
    for (const auto& [path, content] : truth) {
      EXPECT_TRUE(saved.contains(path) || told_.contains(path)) << path;
    }
  }

  ImageFiles files_;
  // Results of the last salvage().
  std::uint64_t fired_ = 0;
  std::uint64_t calls_ = 0;
  std::set<std::string> told_;
  std::optional<reader::SalvageReport> report_;  // empty: salvage failed
};

TEST_P(SalvageFaults, LeaveNothingWrongBehind) {
  const auto truth = salvage(0);
  ASSERT_TRUE(report_);
  ASSERT_GT(truth.size(), 8U);
  std::size_t faults = 0;
  for (std::uint64_t call = 1; call == 1 || calls_ >= call - 1; ++call) {
    SCOPED_TRACE("fault at call " + std::to_string(call));
    ASSERT_LT(call, 2000U);
    const auto saved = salvage(call);
    faults += fired_ == 0 ? 0U : 1U;
    expect_told(saved, truth);
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
