#include "import/module_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace opledger {
namespace {

constexpr std::string_view kRegex = "re:";

std::string without_stops(std::string name) {
  while (name.ends_with('.')) name.pop_back();
  return name;
}

/// Returns all sequences of consecutive parts in a dotted name: `a`, `a.b`, `b`.
std::vector<std::string_view> runs(std::string_view name) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin < name.size();) {
    std::size_t next = name.size();
    for (std::size_t end = begin; end < name.size();) {
      end = std::min(name.find('.', end), name.size());
      next = std::min(next, end);
      out.push_back(name.substr(begin, end - begin));
      ++end;
    }
    begin = next + 1;
  }
  return out;
}

}  // namespace

/// Each entry goes to the container of its kind: class, regular expression (`re:…`), pattern with `*` or `?`, prefix
/// with a final full stop, plain name. All containers but the classes keep the entry's index, so that a match can
/// mark the entry as used. Classes count as used at once; so does a repeated name, which no match would reach.
ModuleList::ModuleList(const std::vector<Datum>& entries, const std::set<std::string>& classes, Diagnostics& diagnostics)
    : entries_(entries), used_(entries.size(), false) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Datum& entry = entries_[i];
    const std::string& text = entry.text();
    if (!entry.is_scalar() || text.empty()) {
      diagnostics.error(entry.span(), fmt::format("expected the name of a module, found {}", entry.describe()));
    } else if (classes.count(text) > 0) {
      classes_.insert(text);
      use(i);
    } else if (text.rfind(kRegex, 0) == 0) {
      if (auto regex = NameRegex::parse(std::string_view(text).substr(kRegex.size()), entry.span(), diagnostics)) regexes_.emplace_back(std::move(*regex), i);
    } else if (const std::size_t sign = text.find_first_of("*?"); sign != std::string::npos) {
      patterns_[text.substr(0, sign)].push_back(i);
      heads_.insert(sign);
    } else if (const std::string name = without_stops(text); name.size() < text.size()) {
      if (!prefixes_.emplace(name, i).second) use(i);
    } else if (!names_.emplace(text, i).second) {
      use(i);
    }
  }
}

bool ModuleList::matches_any(const std::vector<std::string>& module, std::size_t& steps) {
  bool any = false;
  for (const std::string& name : module) any = matches(name, steps) || any;
  return any;
}

bool ModuleList::matches(const std::string& module, std::size_t& steps) {
  // Each run of consecutive parts of the dotted name (`a`, `a.b`, `b`) is looked up among plain names and prefixes,
  // then compared with the patterns that begin like it. Regular expressions are compared with the whole name. The search
  // never ends early, because it also marks every matching entry as used. A lookup is cheap; patterns cost one step for
  // each run that begins like them, and regular expressions count their own steps, which `steps` limits. Lists name
  // every layer, so a run begins like a few of hundreds of patterns.
  bool any = false;
  for (const std::string_view run : runs(module)) {
    const auto plain = names_.find(run);
    if (plain != names_.end()) any = use(plain->second);
    const bool has_inner_parts = run.data() + run.size() != module.data() + module.size();
    const auto inside = has_inner_parts ? prefixes_.find(run) : prefixes_.end();
    if (inside != prefixes_.end()) any = use(inside->second);
    for (const std::size_t head : heads_) {
      if (head > run.size()) break;
      const auto found = patterns_.find(run.substr(0, head));
      for (const std::size_t p : found != patterns_.end() ? found->second : std::vector<std::size_t>{}) {
        const std::string& pattern = entries_[p].text();
        if (steps == 0) break;
        // A run that matches a pattern with `*` in front matches it, too, if extended to the beginning of the name, so only
        // the extended run is compared. The same holds at the end.
        if ((pattern.front() == '*' && run.data() != module.data()) || (pattern.back() == '*' && has_inner_parts)) continue;
        --steps;
        if (glob_match(pattern, run)) any = use(p);
      }
    }
  }
  for (const auto& [regex, i] : regexes_) {
    if (regex.begins(module, steps)) any = use(i);
  }
  return any;
}

std::vector<Datum> ModuleList::unused() const {
  std::vector<Datum> out;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!used_[i]) out.push_back(entries_[i]);
  }
  return out;
}

}  // namespace opledger
