// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares read_many() with a map from path to content: for any paths, in any order and with
// repeats, each answer is that of read().
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "format/header/section.h"
#include "format/limits.h"
#include "storage/posix/env.h"
#include "storage/reads/uring_reads.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/random.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

using reader::FilePiece;
using reader::ReadManyOptions;

// Content by path; none if the path is no regular file.
using ContentModel = std::map<std::string, std::optional<Buffer>>;

constexpr std::size_t kPieceBytes = std::size_t{128} << 10;

// The answer for one index.
struct Answer {
  Buffer bytes;
  std::optional<Error> error;
  bool ended = false;
};

// Collects answers and checks each against the promises of the header.
class Collector {
 public:
  explicit Collector(std::size_t count) : answers_(count) {}

  reader::VisitPiece visit() {
    return [this](std::size_t index, const Result<FilePiece>& piece) {
      take(index, piece);
      return true;
    };
  }
  [[nodiscard]] const Answer& at(std::size_t index) const { return answers_[index]; }

 private:
  void take(std::size_t index, const Result<FilePiece>& told) {
    ASSERT_LT(index, answers_.size());
    auto& answer = answers_[index];
    EXPECT_FALSE(answer.ended);
    EXPECT_TRUE(!unfinished_ || *unfinished_ == index)
        << "a piece of another file came between two pieces";
    answer.ended = !told || told.assume_value().is_last;
    unfinished_ = answer.ended ? std::nullopt : std::optional(index);
    if (!told) {
      answer.error = told.error();
      return;
    }
    const auto& piece = told.value();
    EXPECT_EQ(piece.offset_bytes, answer.bytes.size());
    EXPECT_LE(piece.bytes.size(), kPieceBytes);
    if (!piece.is_last) {
      EXPECT_EQ(piece.bytes.size(), kPieceBytes);
    }
    answer.bytes.insert(answer.bytes.end(), piece.bytes.begin(), piece.bytes.end());
    EXPECT_TRUE(!answer.ended || piece.node->size_bytes == answer.bytes.size());
  }

  std::vector<Answer> answers_;
  std::optional<std::size_t> unfinished_;
};

std::size_t random_size(Random& random) {
  if (random.one_in(10)) return 0;
  if (random.one_in(25)) return random.below(600'000);
  if (random.one_in(40)) return 65536 * (1 + random.below(4));
  return random.below(random.one_in(4) ? 20'000 : 600);
}

void add_sparse(PackedTree& tree, ContentModel& model, const std::string& path, Random& random) {
  Buffer content(40'960 + random.below(300'000));
  auto file = value_of(tree.parent(path)->create_file(storage::base_name(path), 0644));
  const auto data = random.bytes(1 + random.below(9000));
  expect_ok(file->write_at(8192, data));
  expect_ok(file->truncate(content.size()));
  std::copy(data.begin(), data.end(), content.begin() + 8192);
  model[path] = content;
}

ContentModel make_folders(PackedTree& tree, Random& random) {
  ContentModel model;
  std::vector<std::string> files;
  for (int d = 0; d < 12; ++d) {
    const auto folder = "d" + std::to_string(d);
    tree.directory(folder);
    model[folder] = std::nullopt;
    for (std::uint64_t i = 0, end = random.below(90); i < end; ++i) {
      const auto path = folder + "/" + std::to_string(random.below(1 << 30));
      if (model.contains(path)) continue;
      if (random.one_in(30)) {
        tree.symlink(path, "target");
        model[path] = std::nullopt;
      } else if (random.one_in(30)) {
        add_sparse(tree, model, path, random);
      } else if (random.one_in(20) && !files.empty()) {
        const auto& existing = files[random.below(files.size())];
        tree.link(existing, path);
        model[path] = model[existing];
      } else {
        // Some contents compress, others do not.
        model[path] =
            random.one_in(2) ? random.bytes(random_size(random)) : Buffer(random_size(random), 'c');
        tree.file(path, *model[path]);
        files.push_back(path);
      }
    }
  }
  return model;
}

// Chooses paths, some of them missing, malformed or chosen before.
std::vector<std::string> choose_paths(const ContentModel& model, Random& random,
                                      std::size_t count) {
  std::vector<std::string> all;
  for (const auto& [path, content] : model) all.push_back(path);
  std::vector<std::string> chosen;
  while (chosen.size() < count) {
    if (random.one_in(20)) {
      chosen.push_back(all[random.below(all.size())] + "-");
    } else if (random.one_in(50)) {
      chosen.emplace_back("d1/../d2");
    } else if (random.one_in(10) && !chosen.empty()) {
      chosen.push_back(chosen[random.below(chosen.size())]);
    } else {
      chosen.push_back(all[random.below(all.size())]);
    }
  }
  return chosen;
}

// Expects the content of the model; for other paths the error of lookup() or read().
void expect_answer(const reader::Image& image, const ContentModel& model, const std::string& path,
                   const Answer& answer) {
  SCOPED_TRACE(path);
  EXPECT_TRUE(answer.ended);
  const auto known = model.find(path);
  if (known != model.end() && known->second) {
    ASSERT_FALSE(answer.error) << answer.error->message();
    EXPECT_EQ(answer.bytes, *known->second);
    return;
  }
  ASSERT_TRUE(answer.error);
  const auto node = image.lookup(path);
  if (!node) {
    EXPECT_EQ(answer.error->code(), node.error().code());
    return;
  }
  Buffer out(10);
  const auto read = image.read(node.value(), 0, out);
  ASSERT_FALSE(read);
  EXPECT_EQ(answer.error->code(), read.error().code());
}

/// Where the image lies, and how it is read on a disk.
struct ManyCase {
  std::uint64_t seed = 1;
  bool real = false;
  bool io_uring = true;
  bool through_page_cache = false;
};

class ReadMany : public ::testing::TestWithParam<ManyCase> {
 protected:
  void SetUp() override {
    if (GetParam().real && GetParam().io_uring && !storage::make_uring_reads(1)) {
      DGFS_SKIP("the system grants no io_uring");
    }
    Random random(GetParam().seed);
    model_ = make_folders(tree_, random);
    builder::BuildOptions options;
    options.token_entries_min = 1;
    tree_.pack(options);
    image_ = GetParam().real ? open_real() : tree_.open();
  }

  std::unique_ptr<const reader::Image> open_real() {
    write_file(*posix_, dir_ / "t.dgfs", read_file(tree_.memory(), kImage));
    write_file(*posix_, dir_ / "t.dgfs.idx", read_file(tree_.memory(), kIndex));
    reader::OpenOptions options;
    options.contents_past_page_cache = GetParam().seed % 2 == 0;
    return value_of(reader::Image::open(*posix_, dir_ / "t.dgfs", options));
  }

  ReadManyOptions random_options(Random& random) {
    ReadManyOptions options;
    options.piece_bytes = kPieceBytes + random.below(65536);
    options.depth = static_cast<unsigned>(random.below(40));
    options.memory_bytes = random.below(2) << random.below(22);
    options.io_uring = GetParam().io_uring;
    options.through_page_cache = GetParam().through_page_cache;
    return options;
  }

  TempDir dir_;
  std::unique_ptr<storage::Env> posix_ = storage::make_posix_env();
  PackedTree tree_;
  ContentModel model_;
  std::unique_ptr<const reader::Image> image_;
};

TEST_P(ReadMany, AnswersAsAMapDoes) {
  Random random(GetParam().seed + 100);
  for (const std::size_t count : {0U, 1U, 3U, 40U, 900U}) {
    const auto paths = choose_paths(model_, random, count);
    Collector collector(paths.size());
    image_->read_many(paths, collector.visit(), random_options(random));
    for (std::size_t i = 0; i < paths.size(); ++i) {
      expect_answer(*image_, model_, paths[i], collector.at(i));
    }
  }
}

TEST_P(ReadMany, TakesNodesToo) {
  Random random(GetParam().seed + 200);
  std::vector<reader::Node> nodes;
  std::vector<std::string> paths;
  for (const auto& path : choose_paths(model_, random, 700)) {
    if (auto node = image_->lookup(path)) {
      nodes.push_back(std::move(node).value());
      paths.push_back(path);
    }
  }
  Collector collector(nodes.size());
  image_->read_many(nodes, collector.visit(), random_options(random));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    expect_answer(*image_, model_, paths[i], collector.at(i));
  }
}

TEST_P(ReadMany, EndsWhenToldTo) {
  std::vector<std::string> paths;
  for (const auto& [path, content] : model_) paths.push_back(path);
  for (const std::size_t limit : {1U, 2U, 50U}) {
    std::size_t told = 0;
    image_->read_many(paths, [&](std::size_t, const Result<FilePiece>&) { return ++told < limit; });
    EXPECT_EQ(told, limit);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReadMany,
                         ::testing::Values(ManyCase{1, false}, ManyCase{2, false},
                                           ManyCase{3, true}, ManyCase{4, true},
                                           ManyCase{5, true, false},
                                           ManyCase{6, true, true, true}));

// The cost of one call.
TEST(ReadManyCost, EachIndexPageOnceAndNeighboursTogether) {
  PackedTree tree;
  std::vector<std::string> paths;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    paths.push_back(std::to_string(i * 2654435761U) + "-" + std::to_string(i * i * 40503U));
    tree.file(paths.back(), pattern(100, i));
  }
  tree.pack();
  reader::OpenOptions options;
  options.page_cache_bytes = 100'000;  // too small for all pages
  const auto image = tree.open(options);
  const auto pages =
      image->superblock().section(format::SectionKind::kPages).length_bytes / format::kPageBytes;
  tree.counting().reset();
  for (const auto& path : paths) EXPECT_TRUE(image->lookup(path));
  EXPECT_GT(tree.index_counts().reads, 10 * pages)
      << "this tree does not show that the order matters";
  tree.counting().reset();
  std::size_t told = 0;
  image->read_many(paths, [&](std::size_t index, const Result<FilePiece>& piece) {
    EXPECT_EQ(Buffer(piece.value().bytes.begin(), piece.value().bytes.end()),
              pattern(100, static_cast<std::uint32_t>(index)));
    return ++told > 0;
  });
  EXPECT_EQ(told, paths.size());
  EXPECT_LE(tree.index_counts().reads, pages);
  // A stored file takes 108 bytes; one read brings all that are looked up together.
  EXPECT_LE(tree.image_counts().reads, paths.size() / 256 + 1);
  EXPECT_EQ(image->counters().data_reads, tree.image_counts().reads);
}

}  // namespace
}  // namespace dgfs::test
