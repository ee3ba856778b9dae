#include "questions/peers.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/limits.h"
#include "expr/parser.h"
#include "formulas/read/reader.h"
#include "rules/place.h"
#include "rules/rule_set.h"
#include "run/sources.h"

namespace opledger {
namespace {

/// An axis by name, with the formula of its degree.
struct AxisEntry {
  std::string name, degree;
  Span span;
  bool next = false;
};

/// An execution linked without a model. Values of unknown names are ignored because they may belong to a model.
struct LinkedExecution {
  const Document* execution = nullptr;
  Sources sources;
  std::optional<Program> program;
};

/// Links the execution with its accounting and without a model, so that formulas of degrees can be evaluated. The
/// sources are added in the order of a run: accounting, mesh, options of the rules, fields, then overrides, which take
/// precedence. The result is in `linked`. Returns false, with errors, if a document can't be read or a formula can't be
/// linked.
bool link_execution(const RunRequest& request, LinkedExecution& linked, Library& library, Diagnostics& diagnostics) {
  RunRequest alone;
  alone.execution = request.execution, alone.accounting = request.accounting;
  const std::optional<RunDocuments> documents = load_documents(alone, library, diagnostics);
  if (!documents) return false;
  const Document& execution = *(linked.execution = documents->execution);
  Sources& sources = linked.sources;
  if (!sources.add_accounting(*documents->accounting, library, diagnostics)) return false;
  const Datum* mesh = execution.kind.empty() ? nullptr : execution.root.find("mesh");
  if (mesh != nullptr && !sources.add_mesh(*mesh, diagnostics)) return false;
  sources.add_options(load_rules(execution, library, sources.rules, diagnostics));
  if (diagnostics.has_errors()) return false;
  sources.add_execution(execution, true);
  sources.add_own_fields(execution, true);
  sources.add_overrides(request.overrides, diagnostics);
  linked.program = link_program(sources.program, diagnostics);
  return linked.program.has_value();
}

/// Returns the section `peers` of the last accounting document that has one; null without such a section.
const Datum* section_of(const LinkedExecution& linked) {
  const Datum* found = nullptr;
  for (const Document* document : linked.sources.documents) {
    const Datum* section = document->kind == "accounting" ? document->root.find("peers") : nullptr;
    if (section != nullptr) found = section;
  }
  return found;
}

std::vector<AxisEntry> entries_of(const Datum& section) {
  std::vector<AxisEntry> entries;
  for (const auto& [name, value] : section.entries()) {
    const Datum& degree = *value.find("degree");
    const Datum* with = value.find("with");
    entries.push_back({name.text(), degree.text(), degree.span(), with != nullptr && with->text() == "next"});
  }
  return entries;
}

/// Returns whether rules distribute layers over the axis, as pipeline stages.
bool is_pipeline(const std::string& axis, const RuleSet& rules) {
  return std::any_of(rules.shard.begin(), rules.shard.end(), [&](const ShardRule& rule) {
    const auto has = [](const std::vector<std::string>& names, const std::string& name) { return contains(names, name); };
    return has(rule.dimensions, kLayerDimension) && has(rule.axes, axis);
  });
}

std::vector<AxisEntry> axes_of(const LinkedExecution& linked) {
  std::vector<AxisEntry> entries;
  for (const auto& [name, degree] : linked.sources.program.axes) entries.push_back({name, name, degree.span(), is_pipeline(name, linked.sources.rules)});
  return entries;
}

/// Returns the degree, a whole number of at least 1; 0, after an error, for other values.
std::int64_t degree_of(const AxisEntry& entry, LinkedExecution& linked, Evaluator& evaluator, Diagnostics& diagnostics) {
  Linker linker(*linked.program, evaluator.queries(), diagnostics);
  const Formula* formula = linker.link(parse_expression(entry.degree, entry.span, diagnostics), *linked.program->global);
  if (formula == nullptr) return 0;
  const Answer answer = evaluator.ask(*formula);
  const Value& value = answer.value;
  const double degree = value.is_number() ? value.scalar.value : 0;
  if (!answer.report(diagnostics)) return 0;
  if (degree >= 1 && degree <= static_cast<double>(kMaxPeers) && degree == static_cast<double>(static_cast<std::int64_t>(degree)))
    return static_cast<std::int64_t>(degree);
  diagnostics.error(entry.span, fmt::format("`{}` must be a whole number from 1 to {}, and is {}", entry.name, kMaxPeers, human(value)));
  return 0;
}

/// Computes the groups of single axes into `out`, innermost first. A processor number is a mixed-radix number with one
/// digit for each axis. The stride of a digit is the product of the degrees of inner axes, which `out.processors` holds
/// so far. Returns false, with an error, if a degree is invalid or the number of processors exceeds kMaxPeers.
bool measure(const std::vector<AxisEntry>& entries, LinkedExecution& linked, Peers& out, Diagnostics& diagnostics) {
  Evaluator evaluator(*linked.program);
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const std::int64_t degree = degree_of(*entry, linked, evaluator, diagnostics);
    if (degree == 0) return false;
    out.groups.push_back({entry->name, {{degree, out.processors}}, entry->next});
    if (degree > static_cast<std::int64_t>(kMaxPeers) / out.processors) {
      diagnostics.error(entry->span, fmt::format("there are more than {} processors", kMaxPeers));
      return false;
    }
    out.processors *= degree;
  }
  return true;
}

/// Adds groups of axes that the mesh defines.
void add_composites(const LinkedExecution& linked, Peers& peers) {
  for (const auto& [name, parts] : linked.sources.program.axis_groups) {
    PeerGroup group{name, {}, is_pipeline(name, linked.sources.rules)};
    for (const std::string& part : parts) {
      for (const PeerGroup& axis : peers.groups) {
        if (axis.name == part) group.digits.push_back(axis.digits[0]);
      }
    }
    peers.groups.push_back(std::move(group));
  }
}

bool is_small(const Peers& peers, const Span& span, Diagnostics& diagnostics) {
  double numbers = 0;
  for (const PeerGroup& group : peers.groups) numbers += static_cast<double>(peers.processors) * (group.next ? 1 : static_cast<double>(group.size()));
  if (numbers > static_cast<double>(kMaxPeers))
    diagnostics.error(span, fmt::format("the {} processors have {} peers together, and at most {} are listed", peers.processors, exact(numbers), kMaxPeers));
  return numbers <= static_cast<double>(kMaxPeers);
}

}  // namespace

std::int64_t PeerGroup::size() const {
  std::int64_t product = 1;
  for (const Digit& digit : digits) product *= digit.degree;
  return product;
}

/// Lists the group of a processor, whose number is a mixed-radix number. `digits` holds the degree and stride of each
/// digit that varies inside the group. Each digit is replaced by all its values, so the list has one entry for each
/// combination, in the order of the digits. The processor's own position in this order is the number formed by its own
/// digits. A pipeline (`next`) has only the peer at the next position, cyclically. The cost is linear in the size of
/// the group, apart from the final sort.
std::vector<std::int64_t> PeerGroup::of(std::int64_t processor) const {
  std::vector<std::int64_t> all = {processor};
  std::int64_t position = 0;
  for (const Digit& digit : digits) {
    const std::int64_t own = processor / digit.stride % digit.degree;
    position = position * digit.degree + own;
    std::vector<std::int64_t> wider;
    for (const std::int64_t peer : all) {
      for (std::int64_t value = 0; value < digit.degree; ++value) wider.push_back(peer + (value - own) * digit.stride);
    }
    all = std::move(wider);
  }
  if (next) return {all[(position + 1) % size()]};
  std::sort(all.begin(), all.end());
  return all;
}

std::optional<Peers> find_peers(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  LinkedExecution linked;
  if (!link_execution(request, linked, library, diagnostics)) return std::nullopt;
  const Datum* section = section_of(linked);
  Peers peers;
  if (!measure(section != nullptr ? entries_of(*section) : axes_of(linked), linked, peers, diagnostics)) return std::nullopt;
  if (section == nullptr) add_composites(linked, peers);
  const auto alone = [](const PeerGroup& group) { return group.size() == 1; };
  peers.groups.erase(std::remove_if(peers.groups.begin(), peers.groups.end(), alone), peers.groups.end());
  if (!is_small(peers, linked.execution->root.span(), diagnostics)) return std::nullopt;
  return peers;
}

}  // namespace opledger
