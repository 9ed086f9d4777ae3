// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares compressed contents with a map from path to content: any part, read in any way, has the
// bytes of the file, and a small file costs one read.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "format/content/extent.h"
#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using reader::FilePiece;

// Words of a small vocabulary, or noise.
Buffer content_of(Random& random, std::size_t bytes, bool compressible) {
  if (!compressible) return random.bytes(bytes);
  static constexpr const char* kWords[] = {"static ", "const ", "return ", "value", ";\n",
                                           "if (",    ") {\n",  "}\n",     "= 0",   "name"};
  Buffer content;
  while (content.size() < bytes) {
    const std::string_view word = kWords[random.below(std::size(kWords))];
    content.insert(content.end(), word.begin(), word.end());
  }
  content.resize(bytes);
  return content;
}

std::size_t size_of(Random& random) {
  switch (random.below(10)) {
    case 0:
      return random.below(3);
    case 1:
      return format::kZstdFrameBytes - 1 + random.below(3);
    case 2:
      return format::kFrameBytes - 1 + random.below(3);
    case 3:
      return 2 * format::kZstdFrameBytes + random.below(300'000);
    default:
      return random.below(9000);
  }
}

class CompressedContents : public testing::TestWithParam<std::uint64_t> {
 protected:
  CompressedContents() {
    for (int i = 0; i < 300; ++i) {
      const auto path = "f" + std::to_string(i) + (i % 3 == 0 ? ".c" : i % 3 == 1 ? ".txt" : "");
      model_[path] = content_of(random_, size_of(random_), random_.below(5) != 0);
      tree_.file(path, model_[path]);
    }
    builder::BuildOptions options;
    options.compression = builder::Compression{1 + static_cast<int>(GetParam() % 6)};
    options.jobs = 1 + static_cast<unsigned>(GetParam() % 3);
    tree_.pack(options);
    image_ = tree_.open();
  }

  Random random_{GetParam()};
  PackedTree tree_;
  std::map<std::string, Buffer> model_;
  std::unique_ptr<const reader::Image> image_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, CompressedContents, testing::Range<std::uint64_t>(1, 5));

TEST_P(CompressedContents, PartsAreThoseOfTheFile) {  // F-300, F-301, F-304
  for (const auto& [path, content] : model_) {
    SCOPED_TRACE(path);
    const auto node = value_of(image_->lookup(path));
    EXPECT_TRUE(value_of(contents(*image_, node)) == content);
    for (int i = 0; i < 4 && !content.empty(); ++i) {
      const auto begin = random_.below(content.size());
      Buffer out(1 + random_.below(content.size() - begin));
      EXPECT_EQ(value_of(image_->read(node, begin, out)), out.size());
      EXPECT_TRUE(
          std::equal(out.begin(), out.end(), content.begin() + static_cast<std::ptrdiff_t>(begin)));
    }
  }
}

TEST_P(CompressedContents, ReadManyGivesTheSame) {
  std::vector<std::string> paths;
  for (const auto& [path, content] : model_) paths.push_back(path);
  for (std::size_t i = paths.size() - 1; i > 0; --i)
    std::swap(paths[i], paths[random_.below(i + 1)]);
  std::vector<Buffer> read(paths.size());
  image_->read_many(paths, [&](std::size_t index, const Result<FilePiece>& piece) {
    EXPECT_TRUE(piece) << piece.error().message();
    if (!piece) return false;
    const auto& bytes = piece.value().bytes;
    read[index].insert(read[index].end(), bytes.begin(), bytes.end());
    return true;
  });
  for (std::size_t i = 0; i < paths.size(); ++i) EXPECT_TRUE(read[i] == model_[paths[i]]) << i;
}

TEST_P(CompressedContents, ASmallFileIsOneRead) {
  for (const auto& [path, content] : model_) {
    if (content.empty() || content.size() > format::kFrameBytes) continue;
    const auto node = value_of(image_->lookup(path));
    const auto before = tree_.image_counts().reads;
    value_of(contents(*image_, node));
    EXPECT_EQ(tree_.image_counts().reads, before + 1) << path;
  }
}

TEST_P(CompressedContents, VerifiesAndFindsDamage) {  // F-300
  reader::VerifyOptions options;
  EXPECT_TRUE(value_of(reader::verify(*image_, options)).sound());
  for (int i = 0; i < 10; ++i) {
    auto at = model_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(model_.size())));
    if (at->second.empty()) continue;
    const auto node = value_of(image_->lookup(at->first));
    const auto file =
        value_of(tree_.memory().open(kImage, {storage::OpenOptions::Mode::kReadWrite}));
    const auto place = node.data.offset_bytes + random_.below(node.stored_bytes);
    Buffer byte(1);
    value_of(file->read_at(place, byte));
    byte[0] ^= 0x10;
    expect_ok(file->write_at(place, byte));
    const auto fresh = tree_.open();
    const auto read = contents(*fresh, node);
    // In a file of several frames, the damage may be in the table or in any frame; the read covers
    // all.
    EXPECT_FALSE(read) << at->first;
    EXPECT_FALSE(value_of(reader::verify(*fresh, options)).sound());
    byte[0] ^= 0x10;
    expect_ok(file->write_at(place, byte));
  }
}

}  // namespace
}  // namespace dgfs::test
