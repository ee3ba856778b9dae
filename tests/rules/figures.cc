#include "tests/rules/figures.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/text.h"

namespace opledger::testing {

namespace {

std::string dimensions(const Derived& d, const Transfer& t) {
  std::vector<std::string> names, axes;
  if (!t.extent.empty()) names.push_back(t.extent);
  if (t.times != 1) names.push_back(fmt::format("{}", t.times));
  for (DimId dimension : t.dims) names.push_back(d.graph.name(dimension));
  for (const auto& entry : t.message.shard) {
    std::string name = d.name(entry.second);
    if (!name.empty()) axes.push_back(name);
  }
  std::sort(axes.begin(), axes.end());
  if (names.empty()) names.emplace_back("1");
  return join(names, " ") + (axes.empty() ? "" : " / " + join(axes, " "));
}

/// The common text of lines that describe one transfer.
struct Line {
  Phase phase;
  std::string head, what, tail;
  bool weight = false;
  int count = 0;
  double bytes = 0, sent = 0;

  std::string text() const {
    std::string name = weight ? fmt::format("{} weights", count) : count > 1 ? fmt::format("{} x{}", what, count) : what;
    std::size_t bar = tail.find('|');
    return fmt::format("{} | {} | {}| {:.0f} sent {:.0f} {}", head, name, tail.substr(0, bar), bytes, sent, tail.substr(bar + 1));
  }
};

std::string marks(const Derived& d, const Transfer& t) {
  std::string text;
  for (MarkId id : t.marks) text += d.annotations.marks[id].value + " ";
  return text;
}

Line line_of(const Derived& d, const Transfer& t) {
  Line line;
  line.phase = t.phase;
  line.weight = bool(t.weight);
  line.head = fmt::format("{} {}{} {}", to_string(t.phase), marks(d, t), to_string(t.kind), d.name(t.axes));
  line.what = line.weight ? "" : t.label;
  std::string rule = line.weight || !t.rule ? "" : " " + d.annotations.rules[t.rule].text;
  line.tail = fmt::format("{} |per {}{}", line.weight ? "" : dimensions(d, t), to_string(t.cadence), rule);
  return line;
}

bool own(const Derived& d, const Transfer& t) { return t.segment == d.segment || (t.stages && t.weight); }

}  // namespace

std::vector<std::string> figures(const Derived& d) {
  if (std::string uneven = d.uneven(); !uneven.empty()) return {"error " + uneven};
  std::vector<Line> lines;
  for (const Transfer& t : d.annotations.transfers) {
    if (d.ranks(t.axes) == 1 || !own(d, t)) continue;
    Line line = line_of(d, t);
    auto same = std::find_if(lines.begin(), lines.end(),
                             [&](const Line& other) { return other.head == line.head && other.what == line.what && other.tail == line.tail; });
    if (same == lines.end()) same = lines.insert(lines.end(), line);
    ++same->count;
    same->bytes += d.message_bytes(t);
    same->sent += d.sent_bytes(t);
  }
  std::vector<std::pair<Phase, std::string>> sorted;
  for (const Line& line : lines) sorted.emplace_back(line.phase, line.text());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> result = {fmt::format("saved {:.0f} rebuilt {:.0f}", d.saved_bytes(false), d.saved_bytes(true))};
  for (const auto& entry : sorted) result.push_back(entry.second);
  return result;
}

Setting parse_setting(const std::string& text) {
  std::vector<std::string> parts = split(text, '|');
  REQUIRE(parts.size() == 4);
  std::vector<std::string> names = split(parts[0], ' ');
  Setting setting{names[0], names[1], parts[1], parts[2].empty() ? std::vector<std::string>{} : split(parts[2], ' '), {}, {}, {}, {}, {}, false, {}};
  for (const std::string& option : parts[3].empty() ? std::vector<std::string>{} : split(parts[3], ' ')) {
    std::size_t equals = option.find('=');
    std::string key = option.substr(0, equals), value = equals == std::string::npos ? "" : option.substr(equals + 1);
    if (value.empty()) {
      setting.options.insert(key);
    } else if (key == "after") {
      setting.after = value;
    } else if (key == "tie") {
      setting.ties.emplace_back(value.substr(0, value.find(':')), value.substr(value.find(':') + 1));
    } else {
      setting.sizes[key] = std::stod(value);
    }
  }
  return setting;
}

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path);
  std::vector<Case> cases;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      cases.push_back({line, {}, {}, {}});
    } else if (cases.back().definition.empty()) {
      cases.back().definition = std::string(trim(line));
      cases.back().setting = parse_setting(cases.back().definition);
    } else {
      cases.back().lines.emplace_back(trim(line));
    }
  }
  return cases;
}

}  // namespace opledger::testing
