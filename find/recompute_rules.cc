#include "find/recompute_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace opledger {
namespace {

/// Returns names as a YAML value: one name, or a list.
std::string yaml_names(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) {
    const bool is_plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == std::string::npos;
    quoted.push_back(is_plain ? name : '"' + name + '"');
  }
  return quoted.size() == 1 ? quoted.front() : "[" + join(quoted, ", ") + "]";
}

template <class T>
bool has(const std::vector<T>& sorted, T one) {
  return std::binary_search(sorted.begin(), sorted.end(), one);
}

/// A builder of lines. A node that both choices of the layers recompute gets one line for all layers, unless a choice
/// recomputes its whole segment.
class LineBuilder {
 public:
  LineBuilder(const Graph& graph, const RecomputeChoice& choice) : graph_(graph), choice_(choice) {}

  std::vector<RecomputeLine> build() {
    const bool has_parts = choice_.layers > 0;
    for (const NodeId n : graph_.nodes.ids()) {
      const bool in_rest = has(choice_.rest.nodes, n), in_some = has_parts && has(choice_.some.nodes, n);
      if (!in_rest && !in_some) continue;
      const std::string part = !has_parts || (in_rest && in_some) ? "" : in_some ? kSomeLayers : kRestLayers;
      add_node(n, part);
    }
    if (has_parts) add_segments(choice_.some.whole, kSomeLayers);
    add_segments(choice_.rest.whole, has_parts ? kRestLayers : "");
    return std::move(lines_);
  }

 private:
  void add_node(NodeId n, const std::string& part) {
    const auto [at, fresh] = by_label_.try_emplace({graph_.nodes[n].label, part}, lines_.size());
    if (fresh) lines_.push_back({{}, part, {}, choice_}), names_.emplace_back();
    RecomputeLine& line = lines_[at->second];
    std::vector<std::string>& names = names_[at->second];
    names.push_back(graph_.segments[graph_.nodes[n].segment].whole + "." + graph_.nodes[n].label);
    line.names = join(names, ", ");
    line.rule = fmt::format("{{match: {{name: {}{}}}, outputs: dropped}}", yaml_names(names), part.empty() ? "" : fmt::format(", segment: \"*.{}\"", part));
    if (part != kSomeLayers) std::erase(line.without.rest.nodes, n);
    if (part != kRestLayers) std::erase(line.without.some.nodes, n);
  }

  void add_segments(const std::vector<SegmentId>& segments, const std::string& part) {
    if (segments.empty()) return;
    std::vector<std::string> names, parts;
    for (const SegmentId s : segments) {
      names.push_back(graph_.segments[s].whole);
      parts.push_back(names.back() + (part.empty() ? "" : "." + part));
    }
    RecomputeLine line{join(names, ", "), part, fmt::format("{{match: {{segment: {}}}, replay: needed}}", yaml_names(parts)), choice_};
    (part == kSomeLayers ? line.without.some : line.without.rest).whole.clear();
    lines_.push_back(std::move(line)), names_.emplace_back();
  }

  const Graph& graph_;
  const RecomputeChoice& choice_;
  std::vector<RecomputeLine> lines_;
  std::vector<std::vector<std::string>> names_;  ///< Full names of the nodes of each line.
  std::map<std::pair<std::string, std::string>, std::size_t> by_label_;
};

}  // namespace

std::vector<RecomputeLine> lines_of(const Graph& graph, const RecomputeChoice& choice) { return LineBuilder(graph, choice).build(); }

std::string recompute_document(const Graph& graph, const RecomputeChoice& choice, const std::vector<std::string>& head,
                               const std::vector<std::string>& comments) {
  std::string out;
  for (const std::string& line : head) out += "# " + line + "\n";
  out += "kind: rules\ndoc: Recomputed nodes that opledger found.\n";
  const std::vector<RecomputeLine> lines = lines_of(graph, choice);
  if (choice.layers > 0) out += fmt::format("parts:\n  - {{name: {}, layers: {}, at: {}}}\n", kSomeLayers, choice.layers, choice.is_first ? "first" : "even");
  if (!lines.empty()) out += "recompute:\n";
  for (std::size_t k = 0; k < lines.size(); ++k)
    out += fmt::format("  - {}{}\n", lines[k].rule, k < comments.size() && !comments[k].empty() ? "  # " + comments[k] : "");
  return out;
}

}  // namespace opledger
