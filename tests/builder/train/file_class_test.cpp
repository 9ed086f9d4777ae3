// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/file_class.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dgfs::builder
