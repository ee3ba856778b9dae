#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "tests/invariance/shipped_runs.h"

/// Layers do not depend on how a model groups them: a segment cut in several segments of the same block has the same figures. Its figures are sums over the layers of
/// both, added in another order than the product that one segment has, so last digits may differ.
namespace opledger::invariance {
namespace {

constexpr double kRounding = 1e-12;
const std::string kFirst = "_before_all", kMiddle = "_between";

std::string whole(std::string name) {
  for (const std::string& part : {kFirst, kMiddle}) {
    for (std::size_t at = name.find(part); at != std::string::npos; at = name.find(part)) name.erase(at, part.size());
  }
  return name;
}

/// Returns the text between `key: ` and the next `,` or `}` of a line; empty if the line has no such key.
std::string value_of(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(key + ": ");
  if (at == std::string::npos) return {};
  const std::size_t from = at + key.size() + 2;
  return line.substr(from, line.find_first_of(",}#", from) - from);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Returns the model with each repeated segment, or group of segments, cut in three: the first layer, about half of the others and the rest. Segments that name
/// their inputs span several lines and stay whole.
std::string split(const std::string& model) {
  std::istringstream lines(model);
  std::string out, line;
  std::vector<std::string> group;  ///< Lines of a group of segments.
  const auto cut = [&](const std::vector<std::string>& all, const std::string& layers) {
    const std::string rest = fmt::format("({} - min(1, {}))", layers, layers);
    const std::vector<std::pair<std::string, std::string>> parts = {
        {kFirst, fmt::format("min(1, {})", layers)}, {kMiddle, rest + " // 2"}, {"", fmt::format("{} - {} // 2", rest, rest)}};
    for (const auto& [part, some] : parts) {
      for (std::string one : all) {
        const std::string name = value_of(one, "name");
        if (!name.empty()) one = replaced(one, "name: " + name, "name: " + name + part);
        out += replaced(one, "repeat: " + layers, "repeat: \"" + some + "\"") + "\n";
      }
    }
  };
  const auto end_group = [&] {
    if (!group.empty()) cut(group, std::string(trim(value_of(group.front(), "repeat"))));
    group.clear();
  };
  bool in_graph = false;
  while (std::getline(lines, line)) {
    for (std::string next;
         line.rfind("  - {", 0) == 0 && std::count(line.begin(), line.end(), '{') > std::count(line.begin(), line.end(), '}') && std::getline(lines, next);)
      line += " " + std::string(trim(next));  // A segment that goes on in the next line.
    if (in_graph && line.rfind("  - ", 0) == 0) end_group();
    in_graph = in_graph || line == "graph:";
    const std::string layers = value_of(line, "repeat");
    if (in_graph && line.rfind("  - repeat: ", 0) == 0) {
      group = {line};
    } else if (!group.empty()) {
      group.push_back(line);
    } else if (in_graph && line.rfind("  - {", 0) == 0 && !layers.empty() && layers != "1") {
      cut({line}, layers);
    } else {
      out += line + "\n";
    }
  }
  end_group();
  return out;
}

std::vector<Change> split_changes(const ShippedRun& run) {
  const std::string text = split(text_of(std::string(source_folder()) + "/models/" + run.model + ".yaml"));
  REQUIRE_MESSAGE(text.find(kMiddle) != std::string::npos, run.model);
  return {{"segments in three", "", text, nullptr, whole}};
}

}  // namespace

TEST_CASE("defect reliability 3: a segment that is split has the same figures") { check_changes("split segments", split_changes, kRounding); }

}  // namespace opledger::invariance
