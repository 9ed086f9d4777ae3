// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/help/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "tools/text/ascii.h"

namespace dgfs::tools {
namespace {

constexpr std::size_t kPageColumnsMax = 78;

/// Escapes characters that troff prints differently or interprets.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\(rs";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '"':
        out += "\\(dq";
        break;
      default:
        out += c;
    }
  }
  // A dot at the beginning of a line would start a request.
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::string capitalized(const std::string& text) {
  return upper(text.substr(0, 1)) + text.substr(std::min<std::size_t>(text.size(), 1));
}

/// True for "done." but not for "..", which is a name.
bool ends_sentence(std::string_view word) {
  if (word.size() < 2 || (word.back() != '.' && word.back() != ':')) return false;
  const char before = word[word.size() - 2];
  return before != '.' && before != '/';
}

/// Escapes the word, and sets names that stand for the user's words (IMAGE, PATH) in italics.
std::string emphasized(std::string_view word, const std::set<std::string>& names) {
  const auto* const begin = std::find_if(word.begin(), word.end(), is_upper);
  const auto* const end = std::find_if_not(begin, word.end(), is_upper);
  const std::string name(begin, end);
  if (!names.contains(name)) return escaped(word);
  return escaped({word.begin(), begin}) + "\\fI" + name + "\\fR" + escaped({end, word.end()});
}

/// Collects the names in "IMAGE [PATH]...".
void collect_names(std::string_view text, std::set<std::string>& names) {
  std::string name;
  for (const char c : std::string(text) + " ") {
    if (is_upper(c)) {
      name += c;
    } else if (!name.empty()) {
      names.insert(std::exchange(name, {}));
    }
  }
}

/// Builds one page; each method appends to it.
class Page {
 public:
  Page(std::string name, int volume, const Edition& edition) : name_(std::move(name)) {
    out_ = ".\\\" Made by 'dgfs help --man'; the texts stand in the sources.\n";
    out_ += fmt::format(".TH {} {} {} \"dgfs {}\" \"{}\"\n", upper(escaped(name_)), volume,
                        edition.date, edition.version,
                        volume == 8 ? "System Administration" : "User Commands");
  }

  void name_section(const std::string& summary) {
    heading("NAME");
    out_ += escaped(name_) + " \\- " + escaped(summary) + "\n";
  }
  void heading(const std::string& title) {
    const std::string quoted = title.find(' ') == title.npos ? title : '"' + title + '"';
    out_ += ".SH " + upper(quoted) + "\n";
  }
  void italicize(std::string_view text) { collect_names(text, names_); }

  /// Filled text; each sentence begins on a new line, as troff expects.
  void text(const std::string& text) {
    std::string line;
    std::istringstream words(text);
    const auto end_line = [&] {
      if (!line.empty()) out_ += line + "\n";
      line.clear();
    };
    for (std::string word; words >> word;) {
      const std::string piece = emphasized(word, names_);
      if (line.size() + 1 + piece.size() > kPageColumnsMax) end_line();
      line += (line.empty() ? "" : " ") + piece;
      if (ends_sentence(word)) end_line();
    }
    end_line();
  }
  void paragraph() { out_ += ".PP\n"; }
  /// A line that stays unchanged: synopsis and tags.
  void line(const std::string& roff) { out_ += roff + "\n"; }
  void tag(const std::string& roff) { out_ += ".TP\n" + roff + "\n"; }
  void lines_as_they_are(const std::string& lines) {
    out_ += ".nf\n";
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) out_ += escaped(line) + "\n";
    out_ += ".fi\n";
  }
  [[nodiscard]] std::string words(std::string_view text) const {
    std::string out;
    std::istringstream in{std::string(text)};
    for (std::string word; in >> word;) out += (out.empty() ? "" : " ") + emphasized(word, names_);
    return out;
  }
  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  std::string name_;
  std::set<std::string> names_;  // printed in italics
  std::string out_;
};

std::string option_tag(const Page& page, const OptionDescription& option) {
  std::string out;
  for (const std::string& name : option.names) {
    if (!out.empty()) out += ", ";
    out += "\\fB" + escaped(name) + "\\fR";
  }
  if (option.value_name.empty()) return out;
  const std::string value = page.words(option.value_name);
  if (option.value_optional) return out + "[=" + value + "]";
  return out + (option.names.back().starts_with("--") ? "=" : " ") + value;
}

void add_options(Page& page, const std::vector<OptionDescription>& options) {
  page.heading("OPTIONS");
  for (const OptionDescription& option : options) {
    page.tag(option_tag(page, option));
    page.text(option.help + ".");
  }
}

void add_exit_statuses(Page& page, const Manual& manual) {
  page.heading("EXIT STATUS");
  for (const ExitStatus& status : exit_statuses(manual)) {
    page.tag("\\fB" + std::to_string(status.code) + "\\fR");
    page.text(status.meaning);
  }
}

void add_examples(Page& page, const Manual& manual) {
  if (manual.examples.empty()) return;
  page.heading("EXAMPLES");
  for (const Example& example : manual.examples) {
    page.tag("\\fB" + escaped(example.command_line) + "\\fR");
    page.text(example.purpose);
  }
}

/// "tar(1)" as ".BR tar (1)".
std::string reference(const std::string& page) {
  const std::size_t bracket = page.find('(');
  return fmt::format(".BR {} {}", escaped(page.substr(0, bracket)), page.substr(bracket));
}

void add_see_also(Page& page, const std::vector<std::string>& pages) {
  page.heading("SEE ALSO");
  for (const std::string& other : pages) {
    page.line(reference(other) + (&other == &pages.back() ? "" : ","));
  }
}

}  // namespace

std::vector<ExitStatus> exit_statuses(const Manual& manual) {
  if (!manual.exit_statuses.empty()) return manual.exit_statuses;
  return {{0, "Success."},
          {1, "Failure: for example, a path is missing, or damage was found."},
          {2, "Wrong usage."}};
}

std::string manual_page(const CommandDescription& command, const std::string& summary,
                        const Edition& edition) {
  std::string name = command.command;
  std::replace(name.begin(), name.end(), ' ', '-');
  // A helper of mount(8) has its own name and belongs to volume 8.
  Page page(name, name.starts_with("mount.") ? 8 : 1, edition);
  page.name_section(summary);
  page.italicize(command.operands);
  for (const OptionDescription& option : command.options) page.italicize(option.value_name);

  page.heading("SYNOPSIS");
  page.line(fmt::format("\\fB{}\\fR [\\fIOPTION\\fR]... {}", escaped(command.command),
                        page.words(command.operands)));
  page.heading("DESCRIPTION");
  page.text(command.summary);
  for (const std::string& paragraph : command.manual.paragraphs) {
    page.paragraph();
    page.text(paragraph);
  }
  add_options(page, command.options);
  for (const HelpSection& section : command.sections) {
    page.heading(section.title);
    page.text(capitalized(section.intro));  // in the help it follows the title
    page.paragraph();
    page.lines_as_they_are(section.lines);
  }
  add_exit_statuses(page, command.manual);
  add_examples(page, command.manual);
  std::vector<std::string> pages = command.manual.see_also;
  pages.insert(pages.begin(), "dgfs(1)");
  add_see_also(page, pages);
  return std::move(page).take();
}

std::string overview_page(std::span<const CommandLine> commands, const Manual& manual,
                          const Edition& edition) {
  Page page("dgfs", 1, edition);
  page.name_section("packed archives of many files: build, mount, search, verify");
  page.heading("SYNOPSIS");
  for (const CommandLine& command : commands) {
    page.italicize(command.operands);
    page.line(fmt::format("\\fBdgfs {}\\fR [\\fIOPTION\\fR]... {}", escaped(command.name),
                          page.words(command.operands)));
    if (&command != &commands.back()) page.line(".br");
  }
  page.heading("DESCRIPTION");
  for (const std::string& paragraph : manual.paragraphs) {
    if (&paragraph != &manual.paragraphs.front()) page.paragraph();
    page.text(paragraph);
  }
  page.heading("COMMANDS");
  std::vector<std::string> pages;
  for (const CommandLine& command : commands) {
    pages.push_back("dgfs-" + command.name + "(1)");
    page.tag(reference(pages.back()));
    page.text(capitalized(command.summary) + ".");
  }
  add_exit_statuses(page, manual);
  add_examples(page, manual);
  pages.insert(pages.end(), manual.see_also.begin(), manual.see_also.end());
  add_see_also(page, pages);
  return std::move(page).take();
}

}  // namespace dgfs::tools
