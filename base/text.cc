#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/code_point.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxSuggested = 64;    // Longer words are no typing mistakes.
constexpr std::size_t kMostSuggestions = 8;  // More names would not help.

// Returns the edit distance of two words: the least number of inserted, removed or replaced letters and of swapped
// neighbors (optimal string alignment). Dynamic programming over three rows: entry j of `row` is the distance of the
// first i letters of `a` to the first j letters of `b`. O(|a| |b|) time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    std::swap(last, row);
  }
  return last[b.size()];
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

/// Returns the candidate with the least edit distance to `word`, the first of equals; empty if none is close. Close
/// means at most a third of the letters of the longer word, rounded up, and fewer edits than the shorter word has
/// letters. Words of one letter, and the word itself, do not count. Long words are not compared, since the distance
/// costs the product of the lengths.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kMaxSuggested) return {};
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    const std::size_t limit = (longer + 2) / 3;  // About a third of the letters, and at least one edit.
    if (shorter < 2 || longer - shorter > limit || candidate == word) continue;
    const std::size_t d = distance(word, candidate);
    if (d <= limit && d < shorter && (best == nullptr || d < best_distance)) {
      best = &candidate;
      best_distance = d;
    }
  }
  return best ? *best : std::string();
}

/// Suggests the nearest candidate. If none is close, suggests the candidates that begin with the word, else those that
/// end with it after a point: `h100` leads to `h100-80g-sxm`, `memory.capacity` to `system.memory.capacity`.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  std::vector<std::string> found;
  const auto continues = [&](const std::string& candidate) {
    return candidate.size() > word.size() && candidate.starts_with(word) && (candidate[word.size()] == '-' || candidate[word.size()] == '.');
  };
  const auto ends = [&](const std::string& candidate) { return word.ends_with("_" + candidate); };
  if (std::string one = nearest(word, candidates); !one.empty()) {
    // A name that goes on after the whole word, or that ends the word, is nearer than one that differs by several letters.
    if (distance(word, one) > 2 && std::count_if(candidates.begin(), candidates.end(), continues) == 1)
      one = *std::find_if(candidates.begin(), candidates.end(), continues);
    else if (const auto end = std::find_if(candidates.begin(), candidates.end(), ends); distance(word, one) > 2 && end != candidates.end())
      one = *end;
    found.push_back(std::move(one));
  }
  const auto add_if = [&](auto fits) {
    if (!found.empty() || word.size() <= 1) return;
    for (const std::string& candidate : candidates) {
      if (fits(candidate) && std::find(found.begin(), found.end(), candidate) == found.end()) found.push_back(candidate);
    }
  };
  add_if([&](const std::string& candidate) { return candidate.size() > word.size() && candidate.starts_with(word); });
  add_if([&](const std::string& candidate) { return candidate.ends_with("." + std::string(word)); });
  if (found.empty() || found.size() > kMostSuggestions) return {};
  std::string out = "`" + found[0] + "`";
  for (std::size_t i = 1; i < found.size(); ++i) out += (i + 1 < found.size() ? ", `" : " or `") + found[i] + "`";
  return " (did you mean " + out + "?)";
}

std::string known_names(std::string_view word, std::string_view noun, std::vector<std::string> names) {
  std::string out = suggestion(word, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty() || (names.size() == 1 && !out.empty())) return out;
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (std::string& name : names) ranked.emplace_back(word.size() > kMaxSuggested ? 0 : distance(word, name), std::move(name));
  const std::size_t shown = std::min(ranked.size(), kMostKnownNames);
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(shown), ranked.end());
  std::vector<std::string> quoted;
  for (std::size_t i = 0; i < shown; ++i) quoted.push_back("`" + ranked[i].second + "`");
  out += fmt::format("; known {}: {}", noun, join(quoted, ", "));
  if (ranked.size() > shown) out += fmt::format(" and {} more", ranked.size() - shown);
  return out;
}

bool is_typo(std::string_view word, std::string_view meant) {
  if (meant.size() < 2) return false;
  const auto [a, b] = std::mismatch(word.begin(), word.end(), meant.begin(), meant.end());
  const std::string_view left(a, word.end()), right(b, meant.end());
  if (left.size() == right.size() + 1) return left.substr(1) == right;
  return left.size() > 1 && left.size() == right.size() && left[0] == right[1] && left[1] == right[0] && left.substr(2) == right.substr(2);
}

/// Returns whether the whole text matches a pattern with `*` and `?`. Greedy matching with one backtracking point: at a
/// mismatch, the last `*` takes one more character of the text. `star` is its position, `resume` the end of its match.
/// Earlier stars need no retry, because a later star can match any text that they could leave. The time is O(|pattern|
/// |text|).
bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Returns a text that can't affect a terminal: control characters and marks of direction become `\x1b` or `\u202e`,
/// invalid bytes of UTF-8 become `\xff`. Other characters stay. Printable ASCII, the usual case, is returned as it is.
std::string visible(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point(text.substr(i));
    if (!point.valid)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    else if (is_control(point.code))
      result += point.code < 0x100 ? fmt::format("\\x{:02x}", point.code) : fmt::format("\\u{:04x}", point.code);
    else
      result += text.substr(i, point.bytes);
    i += point.bytes;
  }
  return result;
}

std::string visible_lines(std::string_view text) {
  std::string result;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) result += visible(text.substr(0, end)) + '\n';
  return result + visible(text);
}

std::string shell_word(const std::string& text) {
  const bool harmless = !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-=+,:") == std::string::npos;
  if (harmless) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) result += separator;
    result += parts[i];
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> result;
  for (;;) {
    const std::size_t end = text.find(separator);
    result.emplace_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace opledger
