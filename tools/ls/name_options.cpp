// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/ls/name_options.h"

#include <sys/utsname.h>

#include "storage/posix/resolved_path.h"
#include "tools/ls/name.h"
#include "tools/ls/option_words.h"
#include "tools/text/color.h"

namespace dgfs::tools {
namespace {

const Words<LsIndicator>& indicator_words() {
  static const Words<LsIndicator> kWords = {{"none", LsIndicator::kNone},
                                            {"slash", LsIndicator::kSlash},
                                            {"file-type", LsIndicator::kFileType},
                                            {"classify", LsIndicator::kClassify}};
  return kWords;
}
/// Accepts always, auto and never, and the synonyms that ls accepts.
Result<bool> holds_now(const Session& session, const std::string& when) {
  if (when == "always" || when == "yes" || when == "force") return true;
  if (when == "never" || when == "no" || when == "none") return false;
  if (when == "auto" || when == "tty" || when == "if-tty") return session.io().out_is_terminal;
  return Error(ErrorKind::kInvalidArgument, 6060, "'" + when + "' is not always, auto or never");
}

/// Adds an option like --color[=WHEN].
template <class Set>
void when(OptionParser& options, const Session& session, const std::string& name,
          const std::string& help, Set set) {
  options.on_optional_value(name, "WHEN", "always", help,
                            [&session, set](const std::string& word) -> Status {
                              DGFS_TRY(now, holds_now(session, word));
                              set(now);
                              return ok();
                            });
  options.choices(name, {"always", "auto", "never"});
}

void add_indicators(OptionParser& options, const Session& session, LsOptions& ls) {
  const auto classify = [&ls](bool now) {
    if (now) ls.indicator = LsIndicator::kClassify;
  };
  on(options, "-F", "Append / * @ | = to names by type", [classify] { classify(true); });
  when(options, session, "--classify", "Same as -F: always, auto or never", classify);
  on(options, "--file-type", "Like -F, without '*'",
     [&ls] { ls.indicator = LsIndicator::kFileType; });
  on(options, "-p", "Append / to directories", [&ls] { ls.indicator = LsIndicator::kSlash; });
  word(options, "--indicator-style", "none, slash, file-type, classify", indicator_words(),
       [&ls](LsIndicator indicator) { ls.indicator = indicator; });
}

void add_quoting(OptionParser& options, LsOptions& ls) {
  const auto quote = [&ls](QuotingStyle style) {
    return [&ls, style] { ls.quoting_asked = style; };
  };
  on(options, "-Q,--quote-name", "Print names as C string literals", quote(QuotingStyle::kC));
  on(options, "-b,--escape", "Print C escapes for unprintable characters",
     quote(QuotingStyle::kEscape));
  on(options, "-N,--literal", "Print names unchanged", quote(QuotingStyle::kLiteral));
  options.on_value("--quoting-style", "WORD",
                   "literal, shell, shell-always, shell-escape, shell-escape-always, c, c-maybe, "
                   "escape, locale, clocale",
                   [&ls](const std::string& text) -> Status {
                     ls.quoting_asked = quoting_style(text);
                     if (ls.quoting_asked) return ok();
                     return Error(ErrorKind::kInvalidArgument, 6063,
                                  "'" + text + "' is not a quoting style");
                   });
  options.choices("--quoting-style",
                  {"literal", "shell", "shell-always", "shell-escape", "shell-escape-always", "c",
                   "c-maybe", "escape", "locale", "clocale"});
  on(options, "-q,--hide-control-chars", "Print '?' for unprintable characters, as on a terminal",
     [&ls] { ls.hides_controls_asked = true; });
  on(options, "--show-control-chars", "Print such characters unchanged, even to a terminal",
     [&ls] { ls.hides_controls_asked = false; });
}

}  // namespace

void add_ls_name_options(OptionParser& options, const Session& session, LsOptions& ls) {
  if (const auto style = session.env().variable("QUOTING_STYLE")) {
    ls.quoting_asked = quoting_style(*style);
  }
  ls.color = session.io().out_is_terminal && !session.env().variable("NO_COLOR");
  add_indicators(options, session, ls);
  add_quoting(options, ls);
  when(options, session, "--color", "Color names: always, auto or never",
       [&ls](bool now) { ls.color = now; });
  when(options, session, "--hyperlink",
       "Print names as links to the image and the path in it: always, auto or never",
       [&ls](bool now) { ls.hyperlinks = now; });
}

void complete_ls_name_options(const Session& session, LsOptions& ls) {
  const bool terminal = session.io().out_is_terminal;
  const bool no_colors_said = session.env().variable("LS_COLORS").value_or("").empty();
  if (no_colors_said && !terminal_has_colors(session.env())) ls.color = false;
  ls.name_style.quoting =
      ls.quoting_asked.value_or(terminal ? QuotingStyle::kShellEscape : QuotingStyle::kLiteral);
  // Unless the user asks for a quoting style, names cannot reorder what the terminal shows.
  ls.name_style.printed = terminal && !ls.quoting_asked ? Printed::kHarmless : Printed::kAsGnu;
  ls.name_style.hides_controls = ls.hides_controls_asked.value_or(terminal);
  if (ls.name_style.quoting == QuotingStyle::kEscape) ls.name_style.also = " ";
  // Quotes the characters that -F appends, so that they are not taken for a part of the name.
  if (ls.indicator == LsIndicator::kFileType) ls.name_style.also += "*=>@|";
  if (ls.indicator == LsIndicator::kClassify) ls.name_style.also += "=>@|";
}

std::string link_base(const std::string& image_path) {
  utsname system{};
  const bool known = ::uname(&system) == 0;
  return "file://" + percent_escaped(known ? system.nodename : "") +
         percent_escaped(storage::resolved_path(image_path).value_or(image_path)) + "#";
}

}  // namespace dgfs::tools
