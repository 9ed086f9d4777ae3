#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Shows that each rule of tidy reports a tree that breaks it, and accepts one that keeps it."""

import tempfile
import unittest
from pathlib import Path

import banned
import documents
import error_codes
import format_rules
import layers
import links
import loops
import public_headers
import text_rules
import tidy
from source_tree import SourceTree, blank_comments_and_strings

HEAD = "// SPDX-License-Identifier: MIT\n// SPDX-FileCopyrightText: The DGFS authors\n"
TABLE = """# Architecture

## Layers

| layer | what | may include |
|---|---|---|
| `base` | words | - |
| `storage/` | files | `base` |
| `reader` | reads | base, storage |
| `delta/store` | writes | base |
| `delta/view` | both | delta/store, reader |

## Next
"""


class RuleTest(unittest.TestCase):
    """Makes trees of given files, and collects the findings of a rule."""

    def findings(self, rule, files, **options):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                file = Path(root, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return [str(finding) for finding in rule.check(SourceTree(root), **options)]

    def assert_finds(self, rule, files, *parts, **options):
        """Expects exactly one finding, which contains all parts."""
        found = self.findings(rule, files, **options)
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def assert_clean(self, rule, files, **options):
        self.assertEqual(self.findings(rule, files, **options), [])


class LayersTest(RuleTest):
    def tree(self, **changed):
        files = {
            "docs/ARCHITECTURE.md": TABLE,
            "base/a.h": "",
            "storage/b.h": '#include "base/a.h"\n#include <vector>\n',
            "storage/CMakeLists.txt": "target_link_libraries(dgfs_storage PUBLIC dgfs::base\n"
            "  PRIVATE dgfs_warnings)\n",
            "reader/c.cpp": '#include "storage/b.h"\n#include "reader/c.h"\n',
            "reader/c.h": "",
        }
        files.update({path.replace("__", "/"): text for path, text in changed.items()})
        return files

    def test_accepts_edges_of_the_table(self):
        self.assert_clean(layers, self.tree())

    def test_reports_an_include_against_the_table(self):
        files = self.tree(**{"storage/b.h": '\n#include "reader/c.h"\n'})
        self.assert_finds(layers, files, "storage/b.h:2:", "storage may not include reader")

    def test_ignores_an_include_in_a_comment(self):
        self.assert_clean(layers, self.tree(**{"storage/b.h": '// #include "reader/c.h"\n'}))

    def test_reports_a_link_against_the_table(self):
        text = "target_link_libraries(dgfs_storage\n  PRIVATE dgfs::reader)\n"
        files = self.tree(**{"storage/CMakeLists.txt": text})
        self.assert_finds(layers, files, "storage/CMakeLists.txt:1:", "may not link reader")

    def test_reports_includes_that_are_not_from_the_root(self):
        self.assert_finds(layers, self.tree(**{"reader/c.cpp": '#include "c.h"\n'}), "root")

    def test_reports_includes_of_nothing(self):
        self.assert_finds(layers, self.tree(**{"reader/c.cpp": '#include "base/z.h"\n'}), "exist")

    def test_reports_a_layer_without_a_row(self):
        self.assert_finds(layers, self.tree(**{"fuse/d.cpp": ""}), "fuse", "not in the table")

    def test_accepts_edges_between_folders_of_delta(self):
        text = '#include "delta/store/d/f.h"\n#include "reader/c.h"\n'
        links = "target_link_libraries(dgfs_delta_view PUBLIC dgfs::delta_store dgfs::reader)\n"
        files = self.tree(**{"delta/view/d/e.cpp": text, "delta/view/CMakeLists.txt": links})
        files["delta/store/d/f.h"] = '#include "delta/store/g.h"\n'
        files["delta/store/g.h"] = ""
        self.assert_clean(layers, files)

    def test_reports_an_include_between_folders_of_delta(self):
        files = self.tree(**{"delta/store/d.h": '#include "delta/view/e.h"\n'})
        files["delta/view/e.h"] = ""
        self.assert_finds(layers, files, "delta/store/d.h:1:", "delta/store may not include")

    def test_reports_an_include_from_a_folder_of_delta_to_another_layer(self):
        files = self.tree(**{"delta/store/d.h": '#include "reader/c.h"\n'})
        self.assert_finds(layers, files, "delta/store/d.h:1:", "may not include reader")

    def test_reports_an_include_of_a_folder_of_delta_by_another_layer(self):
        files = self.tree(**{"reader/c.h": '#include "delta/store/d.h"\n', "delta/store/d.h": ""})
        self.assert_finds(layers, files, "reader/c.h:1:", "may not include delta/store")

    def test_reports_a_link_between_folders_of_delta(self):
        text = "target_link_libraries(dgfs_delta_store PUBLIC dgfs::delta_view)\n"
        files = self.tree(**{"delta/store/CMakeLists.txt": text})
        self.assert_finds(layers, files, "delta/store/CMakeLists.txt:1:", "not link delta/view")

    def test_reports_a_link_to_a_target_beside_that_of_a_layer(self):
        text = "target_link_libraries(dgfs_storage PUBLIC dgfs::reader_testing)\n"
        files = self.tree(**{"storage/CMakeLists.txt": text})
        self.assert_finds(layers, files, "storage/CMakeLists.txt:1:", "may not link reader")

    def test_reports_environments_of_tests_in_another_layer(self):
        files = self.tree(**{"reader/c.h": '#include "storage/memory/env.h"\n'})
        files["storage/memory/env.h"] = ""
        self.assert_finds(layers, files, "reader/c.h:1:", "for tests")
        text = "target_link_libraries(dgfs_reader PUBLIC dgfs::storage_testing)\n"
        files = self.tree(**{"reader/CMakeLists.txt": text})
        self.assert_finds(layers, files, "reader/CMakeLists.txt:1:", "for tests")

    def test_reports_a_source_of_delta_that_is_in_none_of_its_layers(self):
        for path in ("delta/d.h", "delta/other/d.h"):
            self.assert_finds(layers, self.tree(**{path: ""}), path, "not in the table")

    def test_reports_a_missing_table(self):
        files = self.tree(**{"docs/ARCHITECTURE.md": "## Layers\n\nnone\n"})
        self.assert_finds(layers, files, "has no table")


class LoopsTest(RuleTest):
    def tree(self, **changed):
        files = {
            "base/a.h": "",
            "base/a.cpp": '#include "base/a.h"\n#include "base/b.h"\n',
            "base/b.h": '#include "base/c/d.h"\n',
            "base/c/d.h": "#include <vector>\n",
        }
        files.update(changed)
        return files

    def test_accepts_a_header_with_its_source_and_includes_one_way(self):
        self.assert_clean(loops, self.tree())

    def test_reports_stems_that_include_each_other(self):
        files = self.tree(**{"base/b.h": '\n#include "base/a.h"\n'})
        self.assert_finds(loops, files, "base/a.cpp:2:", "base/a -> base/b -> base/a")

    def test_reports_a_loop_through_others_once(self):
        files = self.tree(**{"base/c/d.cpp": '#include "base/a.h"\n'})
        loop = "base/a -> base/b -> base/c/d -> base/a"
        self.assert_finds(loops, files, "base/a.cpp:2:", loop)

    def test_reports_each_of_two_loops(self):
        files = self.tree(**{"base/e.h": '#include "base/f.h"\n'})
        files["base/f.cpp"] = '#include "base/e.h"\n'
        files["base/b.h"] = '#include "base/a.h"\n'
        self.assertEqual(len(self.findings(loops, files)), 2)

    def test_reports_a_loop_in_a_folder_of_delta(self):
        files = {
            "delta/store/a.h": '#include "delta/store/log/b.h"\n',
            "delta/store/log/b.cpp": '#include "delta/store/a.h"\n',
        }
        self.assert_finds(loops, files, "delta/store/a.h:1:", "delta/store/log/b")

    def test_reports_wings_that_include_each_other_though_no_stems_do(self):
        files = {
            "reader/index/a.h": '#include "reader/content/b.h"\n',
            "reader/content/b.h": "",
            "reader/content/c.h": '#include "reader/index/d.h"\n',
            "reader/index/d.h": "",
        }
        loop = "reader/content -> reader/index -> reader/content"
        self.assert_finds(loops, files, "reader/content/c.h:1:", loop)

    def test_accepts_what_lies_beside_the_wings_in_both_directions(self):
        files = {
            "reader/facade.h": '#include "reader/index/a.h"\n',
            "reader/index/a.h": '#include "reader/words.h"\n',
            "reader/words.h": "",
        }
        self.assert_clean(loops, files)

    def test_ignores_comments_and_layers_that_it_does_not_hold_for(self):
        files = self.tree(**{"base/c/d.h": '// #include "base/a.h"\n'})
        self.assert_clean(loops, files)
        files = self.tree(**{"base/b.h": '#include "base/a.h"\n'})
        self.assert_clean(loops, files, layers=("storage",))


class BannedTest(RuleTest):
    def test_reports_headers_and_names_the_replacement(self):
        for header, replacement in banned.HEADERS.items():
            files = {"reader/a.cpp": f"#include <vector>\n#include <{header}>\n"}
            self.assert_finds(
                banned, files, "reader/a.cpp:2:", header, replacement, exceptions={}
            )

    def test_reports_calls(self):
        for call in (
            "::open(path, 0)",
            "std::fopen(path, mode)",
            "fopen(path, mode)",
            "std::rand()",
            "std::random_device{}",
            "gettimeofday(&t, nullptr)",
            "time(nullptr)",
            "std::chrono::system_clock::now()",
            "std::chrono::steady_clock::now()",
            "std::getenv(name)",
            "std::thread::hardware_concurrency()",
        ):
            files = {"builder/a.cpp": f"int x() {{\n  {call};\n}}\n"}
            self.assert_finds(banned, files, "builder/a.cpp:2:", "banned", exceptions={})

    def test_accepts_our_own_functions_of_the_same_name(self):
        text = "auto f = env.open(path);\nauto g = Image::open(env);\nf->read(x);\nrun_time(0);\n"
        self.assert_clean(banned, {"reader/a.cpp": text}, exceptions={})

    def test_ignores_comments_and_strings(self):
        text = '// ::open(x)\n/* fopen(\n ::read( */ const char* s = "::open(";\n'
        self.assert_clean(banned, {"reader/a.cpp": text}, exceptions={})

    def test_lets_storage_and_tests_use_the_system(self):
        text = "#include <fcntl.h>\nint f = ::open(p, 0);\n"
        self.assert_clean(
            banned, {"storage/a.cpp": text, "tests/reader/b.cpp": text}, exceptions={}
        )

    def test_an_exception_holds_for_its_layer_only(self):
        exceptions = {("fuse", "fcntl.h"): "reason"}
        files = {"fuse/a.cpp": "#include <fcntl.h>\n", "tools/a.cpp": "#include <fcntl.h>\n"}
        self.assert_finds(banned, files, "tools/a.cpp:1:", exceptions=exceptions)

    def test_reports_an_unused_exception(self):
        exceptions = {("fuse", "fcntl.h"): "reason"}
        self.assert_finds(banned, {"fuse/a.cpp": ""}, "unused", exceptions=exceptions)


class ErrorCodesTest(RuleTest):
    def tree(self, storage):
        return {"base/error.h": "// storage 1000s, format\n// 2000s\n", "storage/a.cpp": storage}

    def test_accepts_one_site_per_code(self):
        text = 'Error(ErrorKind::kIo, 1001, "x");\nos_error(1002, errno, "open", path);\n'
        self.assert_clean(error_codes, self.tree(text))

    def test_reports_a_code_with_two_sites(self):
        for text in (
            'Error(ErrorKind::kIo, 1001, "x");\nError{ErrorKind::kLimit,\n 1001, "y"};\n',
            'Error(ErrorKind::kIo, 1001, "x");\n\nos_error(1001, errno, "open", path);\n',
            'Error(dgfs::ErrorKind::kIo, 1001, "x");\n\ncorrupt(1001, "y");\n',
            'Error told(error.kind(), 1001, "x");\n\nno_such_object(1001, number);\n',
        ):
            self.assert_finds(error_codes, self.tree(text), "a.cpp:3:", "storage/a.cpp:1")

    def test_reports_a_code_out_of_range(self):
        files = self.tree('Error(ErrorKind::kIo, 2001, "x");\n')
        self.assert_finds(error_codes, files, "storage/a.cpp:1:", "not in the range of storage")

    def test_ignores_codes_in_comments(self):
        text = 'Error(ErrorKind::kIo, 1001, "x");  // unlike Error(ErrorKind::kIo, 1001, "y")\n'
        self.assert_clean(error_codes, self.tree(text))

    def test_reports_a_header_without_ranges(self):
        self.assert_finds(error_codes, {"base/error.h": "\n"}, "no ranges")


class FormatRulesTest(RuleTest):
    def test_accepts_rules_that_are_cited(self):
        files = {"docs/FORMAT.md": "**F-001** x\n", "format/a.h": "// F-001\n"}
        self.assert_clean(format_rules, files)

    def test_reports_a_rule_that_nothing_cites(self):
        files = {"docs/FORMAT.md": "\n**F-001** x, see F-001\n"}
        self.assert_finds(format_rules, files, "FORMAT.md:2:", "F-001", "cited by no code")

    def test_reports_a_citation_of_nothing(self):
        files = {"docs/FORMAT.md": "see F-002\n", "tests/format/a.cpp": "\n// F-002\n"}
        self.assert_finds(format_rules, files, "tests/format/a.cpp:2:", "F-002")

    def test_reports_a_rule_defined_twice(self):
        files = {"docs/FORMAT.md": "**F-001** x\n**F-001** y\n", "format/a.h": "// F-001\n"}
        self.assert_finds(format_rules, files, "FORMAT.md:2:", "twice")


class TextRulesTest(RuleTest):
    def test_accepts_a_good_source(self):
        body = "// TODO(perf): use the batch call, once there is one\n"
        self.assert_clean(text_rules, {"base/a.cpp": HEAD + body, "base/b.txt": "x\n"})

    def test_reports_a_missing_head(self):
        license_only = HEAD.split("\n", maxsplit=1)[0] + "\n"
        self.assert_finds(text_rules, {"base/a.h": license_only}, "FileCopyrightText")
        script = "#!/bin/sh\n" + license_only.replace("//", "#")
        self.assert_finds(text_rules, {"scripts/x": script}, "FileCopyrightText")

    def test_reports_what_a_line_may_not_be(self):
        for line, part in (
            ("int x; ", "trailing white space"),
            ("// " + "x" * 98, "101 columns"),
            ("// " + "TODO: later", "kind"),
            ("// " + "TODO(someday): later", "kind"),
            ("// " + "FIXME", "kind"),
            ("// from https://" + text_rules.BANNED_HOSTS[0], "package manager"),
            ("GTEST_" + "SKIP() << 1;", "DGFS_SKIP"),
        ):
            files = {"base/a.cpp": HEAD + line + "\n"}
            self.assert_finds(text_rules, files, "base/a.cpp:3:", part)

    def test_reports_hosts_in_documents_too(self):
        for host in text_rules.BANNED_HOSTS:
            self.assert_finds(text_rules, {"docs/a.md": f"See {host}.\n"}, "docs/a.md:1:", host)

    def test_reports_a_last_line_without_end(self):
        self.assert_finds(text_rules, {"base/a.cpp": HEAD + "int x;"}, "no end")

    def test_reports_a_long_file(self):
        most = HEAD + "int x;\n" * (text_rules.LINES_MAX - 2)
        self.assert_clean(text_rules, {"base/a.cpp": most})
        self.assert_finds(text_rules, {"base/a.cpp": most + "int y;\n"}, "501 lines")


class DocumentsTest(RuleTest):
    LONG = "word " * 21 + "\n"

    def test_accepts_wrapped_text_and_lines_that_cannot_be_wrapped(self):
        link = f"[{'a' * 90}](https://example.org/{'b' * 90}) it\n"
        self.assert_clean(documents, {"docs/a.md": "word " * 19 + "\n" + link + "c" * 120 + "\n"})

    def test_accepts_long_code_and_tables(self):
        self.assert_clean(documents, {
            "docs/a.md": f"```\n{self.LONG}```\n| {self.LONG}\n    {self.LONG}"})

    def test_reports_a_long_line(self):
        files = {"docs/a.md": "short\n" + self.LONG}
        self.assert_finds(documents, files, "docs/a.md:2:", "columns")

    def test_reports_a_map_that_is_long(self):
        self.assert_finds(documents, {"docs/ARCHITECTURE.md": "word\n" * 2501}, "2501 words")
        self.assert_clean(documents, {"docs/ARCHITECTURE.md": "word\n" * 2500})

    def test_reports_a_readme_that_is_long(self):
        self.assert_finds(documents, {"README.md": "line\n" * 121}, "121 lines")


class LinksTest(RuleTest):
    def test_accepts_links_that_lead_somewhere(self):
        text = "# The `x`, again\n[a](b.md#two-words) [c](#the-x-again) [d](https://e) `[f](g)`\n"
        files = {"docs/a.md": text, "docs/b.md": "## Two words\n"}
        self.assert_clean(links, files)

    def test_reports_links_to_nothing(self):
        for link in ("b.md", "../x/b.md", "../../outside.md", "a.md#none", "#none"):
            files = {"docs/a.md": f"\n[x]({link})\n"}
            self.assert_finds(links, files, "docs/a.md:2:", link)


class PublicHeadersTest(RuleTest):
    def tree(self, listed, header):
        return {
            "cmake/public-headers.txt": listed,
            "base/a.h": "",
            "base/b.h": header,
            "base/hidden.h": "",
        }

    def test_accepts_includes_of_public_headers(self):
        text = '#include <vector>\n#include "base/a.h"\n// #include "base/hidden.h"\n'
        self.assert_clean(public_headers, self.tree("base/a.h\nbase/b.h\n", text))

    def test_reports_an_include_of_a_hidden_header(self):
        files = self.tree("base/a.h\nbase/b.h\n", '\n#include "base/hidden.h"\n')
        self.assert_finds(public_headers, files, "base/b.h:2:", "base/hidden.h")

    def test_reports_a_class_that_says_nothing_of_threads_and_lifetime(self):
        for comment in ("", "/// A thing.\n", "/// Thread-safe.\n", "/// It must outlive it.\n"):
            text = f"/// A value.\n\n{comment}class Thing {{\n}};\n"
            files = self.tree("base/b.h\n", text)
            self.assert_finds(public_headers, files, "base/b.h:", "Thing does not say")

    def test_accepts_classes_that_say_it(self):
        hidden = " private:\n  struct Hidden {\n  };\n"
        for comment in ("/// A thing. A value.\n", "/// Thread-safe. The\n/// env outlives it.\n"):
            text = f"class Later;\n{comment}class Thing {{\n{hidden}}};\n"
            self.assert_clean(public_headers, self.tree("base/b.h\n", text))

    def test_reports_a_list_that_is_wrong(self):
        for listed, part in (
            ("base/a.h\nbase/none.h\n", "base/none.h does not exist"),
            ("base/b.h\nbase/a.h\n", "base/a.h is out of order"),
            ("base/a.h\nbase/a.h\n", "base/a.h is out of order"),
        ):
            self.assert_finds(public_headers, self.tree(listed, ""), "headers.txt:2:", part)


class TidyTest(unittest.TestCase):
    def test_refuses_a_folder_without_sources(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(tidy.main([root]), 1)

    def test_blanking_keeps_lines_code_and_digit_separators(self):
        text = "a = 1'000; // x 'y\nb = \"//\"; /* z\n*/ c = '\"'; d = \"e\";\n"
        blanked = blank_comments_and_strings(text)
        self.assertEqual(blanked.count("\n"), text.count("\n"))
        self.assertEqual(
            blanked.split(), ["a", "=", "1'000;", "b", "=", ";", "c", "=", ";", "d", "=", ";"]
        )


if __name__ == "__main__":
    unittest.main()
