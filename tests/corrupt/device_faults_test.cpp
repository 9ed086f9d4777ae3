// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A device that fails once, at each read of an open image in turn: each answer is an error or
// right, and no cache keeps a trace of the failure once the device answers again.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "format/entry/mode.h"
#include "storage/testing/faulty_env.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using Answers = std::map<std::string, std::string>;

// Leaves out answers that are errors.
Answers ask(const reader::Image& image) {
  Answers answers;
  const auto visit = [&](std::string_view path, const reader::Node& node) {
    auto& answer = answers[std::string(path)];
    answer = std::to_string(node.inode) + " " + std::to_string(node.size_bytes);
    if (const auto xattrs = image.xattrs(node)) {
      answers["xattrs " + std::string(path)] = std::to_string(xattrs.value().size());
    }
    if (format::is_symlink(node.mode)) {
      if (const auto target = image.read_link(node)) answer += target.value();
    } else if (format::is_regular(node.mode)) {
      // Reads in two parts, so that frames are cached.
      for (const std::uint64_t at : {std::uint64_t{0}, node.size_bytes / 2}) {
        Buffer part(200);
        const auto read = image.read(node, at, part);
        if (read) answers[std::string(path) + std::to_string(at)] = as_text(part);
      }
    }
    return true;
  };
  (void)image.walk("", visit, [](const Error&) { return true; });
  return answers;
}

class DeviceFaults : public ::testing::TestWithParam<storage::FaultKind> {};

TEST_P(DeviceFaults, LeaveNothingBehind) {
  for (const auto* sample :
       {&sample_image(), &assembled_image(), &compressed_image(), &fragments_image()}) {
    const auto memory = storage::make_memory_env(1);
    write_file(*memory, "/t", *sample);
    const auto truth = ask(*value_of(reader::Image::open(*memory, "/t")));
    const auto faulty = storage::make_faulty_env(*memory, 1);
    std::uint64_t faults = 0;
    bool is_reached = true;
    for (std::uint64_t call = 1; is_reached; ++call) {
      faulty->arm({});
      const auto image = value_of(reader::Image::open(*faulty, "/t"));
      faulty->arm({.kind = GetParam(), .at_call = call, .sticky = false});
      for (const auto& [question, answer] : ask(*image)) {
        const auto found = truth.find(question);
        ASSERT_TRUE(found != truth.end()) << question;
        if (found->second.starts_with(answer)) continue;  // the link's target could not be read
        ADD_FAILURE() << question << ": wrong answer with a fault at read " << call;
      }
      faults += faulty->fired();
      is_reached = faulty->calls() >= call;
      faulty->arm({});
      EXPECT_EQ(ask(*image), truth) << "wrong answers after a fault at read " << call;
      ASSERT_LT(call, 1000U);
    }
    EXPECT_GT(faults, 5U);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceFaults,
                         ::testing::Values(storage::FaultKind::kIoError,
                                           storage::FaultKind::kShortRead,
                                           storage::FaultKind::kBitFlip));

}  // namespace
}  // namespace dgfs::test
