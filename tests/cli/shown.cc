#include "tests/cli/shown.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace opledger {
namespace {

constexpr std::string_view kGap = "…";
constexpr int kAdded = 1, kSameWords = 2, kSameStart = 5, kDropped = 100, kDifferent = kDropped + kAdded + 1;

bool is_gap(const std::string& line) { return trim(line) == kGap; }

bool agree(std::string_view shown, std::string_view printed) {
  const std::size_t gap = shown.find(kGap);
  if (gap == std::string_view::npos) return shown == printed;
  if (printed.substr(0, gap) != shown.substr(0, gap)) return false;
  const std::string_view rest = shown.substr(gap + kGap.size());
  for (std::size_t i = gap; i <= printed.size(); ++i) {
    if (agree(rest, printed.substr(i))) return true;
  }
  return false;
}

/// Returns a line without its numbers.
std::string words(const std::string& line) {
  std::string out;
  for (char c : line) {
    if (std::string_view("0123456789., -+%").find(c) == std::string_view::npos) out += c;
  }
  return out;
}

int line_cost(const std::string& shown, const std::string& printed) {
  if (agree(shown, printed)) return 0;
  if (words(shown) == words(printed)) return kSameWords;
  const std::string_view a = trim(shown), b = trim(printed);
  return !a.empty() && a.substr(0, a.find("  ")) == b.substr(0, b.find("  ")) ? kSameStart : kDifferent;
}

/// Aligns the shown lines with the printed lines at the lowest cost by dynamic programming (edit distance). A gap in
/// the shown lines matches any number of printed lines for free.
class Alignment {
 public:
  Alignment(const Lines& shown, const Lines& printed) : shown_(shown), printed_(printed) {
    least_.assign(shown.size() + 1, std::vector<int>(printed.size() + 1, 0));
    for (std::size_t i = shown.size() + 1; i-- > 0;) {
      for (std::size_t j = printed.size() + 1; j-- > 0;) least_[i][j] = least(i, j);
    }
  }

  int difference() const { return least_[0][0]; }

  Lines renewed() const {
    Lines out;
    std::size_t i = 0, j = 0;
    while (i < shown_.size() || j < printed_.size()) {
      const bool gap = i < shown_.size() && is_gap(shown_[i]);
      if (gap && least_[i][j] == least_[i + 1][j]) {
        out.push_back(shown_[i++]);
      } else if (gap) {
        ++j;
      } else if (i < shown_.size() && j < printed_.size() && least_[i][j] == paired(i, j)) {
        out.push_back(agree(shown_[i], printed_[j]) ? shown_[i] : printed_[j]);
        ++i, ++j;
      } else if (i < shown_.size() && least_[i][j] == kDropped + least_[i + 1][j]) {
        ++i;
      } else {
        out.push_back(printed_[j++]);
      }
    }
    return out;
  }

 private:
  int paired(std::size_t i, std::size_t j) const { return line_cost(shown_[i], printed_[j]) + least_[i + 1][j + 1]; }

  int least(std::size_t i, std::size_t j) const {
    const bool more_shown = i < shown_.size(), more_printed = j < printed_.size();
    if (!more_shown) return more_printed ? kAdded + least_[i][j + 1] : 0;
    if (is_gap(shown_[i])) return more_printed ? std::min(least_[i + 1][j], least_[i][j + 1]) : least_[i + 1][j];
    int best = kDropped + least_[i + 1][j];
    if (more_printed) best = std::min({best, kAdded + least_[i][j + 1], paired(i, j)});
    return best;
  }

  const Lines& shown_;
  const Lines& printed_;
  std::vector<std::vector<int>> least_;  ///< Lowest cost from each pair of lines to the end.
};

}  // namespace

bool shows(const Lines& shown, const Lines& printed) { return Alignment(shown, printed).difference() == 0; }

Lines renewed(const Lines& shown, const Lines& printed) { return Alignment(shown, printed).renewed(); }

}  // namespace opledger
