// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/file_class.h"

#include <gtest/gtest.h>

#include "builder/train/dictionary_set.h"

namespace dgfs::builder {
namespace {

TEST(FileClass, OfNames) {
  const std::pair<const char*, const char*> cases[] = {{"main.c", ".c"},
                                                       {"README.TXT", ".txt"},
                                                       {"a.tar.gz", ".gz"},
                                                       {"Makefile", "Makefile"},
                                                       {".gitignore", ".gitignore"},
                                                       {"trailing.", "trailing."},
                                                       {"00012345", ""},
                                                       {"photo.2024", ""},
                                                       {"v1.0.0-release-candidate", ""},
                                                       {"", ""},
                                                       {"text", "text"},
                                                       {"(text)", ""},
                                                       {"x.verylongextension", ""}};
  for (const auto& [name, label] : cases) EXPECT_EQ(class_of_name(name), label) << name;
}

TEST(FileClass, OfContents) {
  EXPECT_EQ(class_of_content(as_bytes("#!/bin/sh\n\techo \xc3\xa4\r\n")), "(text)");
  EXPECT_EQ(class_of_content({}), "(text)");
  using namespace std::string_view_literals;
  EXPECT_EQ(class_of_content(as_bytes("\x7f"
                                      "ELF\2\1\1\0\0"sv)),
            "(binary)");
  EXPECT_EQ(class_of_content(as_bytes("text\0"sv)), "(binary)");
  Buffer late(600, 'a');
  late[599] = 0;  // behind the bytes that are looked at
  EXPECT_EQ(class_of_content(late), "(text)");
}

Buffer trained(char letter) {
  std::vector<Buffer> samples;
  for (int i = 0; i < 200; ++i) {
    const auto text = std::string(20, letter) + std::to_string(i * 7919) + " and some more of it";
    samples.emplace_back(text.begin(), text.end());
  }
  return format::ZstdDictionary::train(samples, 2048).value();
}

TEST(DictionarySet, ChoosesByNameThenByContent) {
  DictionarySet dictionaries;
  EXPECT_EQ(dictionaries.choose("a.c", {}), nullptr);
  ASSERT_TRUE(dictionaries.add(".c", trained('c')));
  ASSERT_TRUE(dictionaries.add("(text)", trained('t')));
  ASSERT_TRUE(dictionaries.choose("a.c", {}));
  EXPECT_EQ(dictionaries.choose("a.c", {})->label, ".c");
  EXPECT_EQ(dictionaries.choose("a.C", Buffer(10))->id, 1);
  EXPECT_EQ(dictionaries.choose("a.h", as_bytes("words"))->label, "(text)");
  EXPECT_EQ(dictionaries.choose("a.h", Buffer(10)), nullptr);
  EXPECT_EQ(dictionaries.all().all().size(), 2U);
  EXPECT_GT(dictionaries.all().memory_bytes(), 2048U);
}

}  // namespace
}  // namespace dgfs::builder
