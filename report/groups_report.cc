#include "report/groups_report.h"

#include <fmt/core.h>

#include "base/text.h"
#include "report/json_objects.h"

namespace opledger {
namespace {

constexpr std::size_t kShown = 4;  // Maximum number of leading items shown of a longer list; the last item follows.

/// Returns `3:5` for processor 5 of host 3, both counted from 0.
std::string place(std::int64_t rank, std::int64_t node) { return node > 0 ? fmt::format("{}:{}", rank / node, rank % node) : std::to_string(rank); }

/// Returns the ranks of a group, shortened to its first ranks and its last rank unless `all`.
std::string shown(const GroupsOfRanks& groups, std::size_t group, std::int64_t node, bool all) {
  std::string out;
  const std::size_t n = groups.ranks();
  const bool whole = all || n <= 2 * kShown;
  for (std::size_t i = 0; i < n; i = !whole && i == kShown ? n - 1 : i + 1) {
    out += i == 0 ? "" : " ";
    if (!whole && i == kShown)
      out += "\u2026";
    else
      out += place(groups.rank(group, i), node);
  }
  return out;
}

/// A builder of the tables of communicating ranks.
class GroupsWriter {
 public:
  GroupsWriter(const CommunicatingRanks& ranks, bool all, ValueOwners& kept) : ranks_(ranks), all_(all), kept_(kept) {}

  ReportTable axes() {
    ReportTable out{"axes", "Groups of axes that communicate", {"axes", "ranks", "groups", "collectives"}, {}};
    for (const RankGroups& g : ranks_.axes)
      out.rows.push_back({text(g.axes), count(g.groups.ranks()), count(g.groups.size()), text(join(g.collectives, ", ") + kind(g))});
    return out;
  }

  /// Returns a table of the groups over a set of axes, for people.
  ReportTable listed(const RankGroups& g) {
    const std::string unit = ranks_.node > 0 ? "host:processor" : "rank";
    ReportTable out{"ranks_" + g.axes, fmt::format("Over {}, {}", g.axes, unit), {"group", "ranks"}, {}};
    const bool whole = all_ || g.groups.size() <= 2 * kShown;
    for (std::size_t i = 0; i < g.groups.size(); i = !whole && i == kShown ? g.groups.size() - 1 : i + 1) {
      if (whole || i != kShown) out.rows.push_back({text(std::to_string(i)), text(shown(g.groups, i, ranks_.node, all_))});
      if (!whole && i == kShown) out.rows.push_back({text("\u2026"), text("")});
    }
    return out;
  }

  ReportTable complete() {
    ReportTable out{"groups", "Groups of ranks", {"axes", "group", "chain", "ranks"}, {}};
    out.detail = true;
    for (const RankGroups& g : ranks_.axes) {
      for (std::size_t i = 0; i < g.groups.size(); ++i) out.rows.push_back({text(g.axes), count(i), truth_value(g.chain), list(g.groups[i])});
    }
    return out;
  }

 private:
  static std::string kind(const RankGroups& g) { return g.chain ? " from each to the next" : ""; }
  static Value count(std::size_t n) { return number_value(integer(static_cast<double>(n))); }

  Value text(std::string t) { return owned_text(std::move(t), kept_); }

  Value list(const std::vector<std::int64_t>& group) {
    auto items = std::make_shared<Record>();
    for (const std::int64_t rank : group) items->fields.emplace_back("", number_value(integer(static_cast<double>(rank))));
    Value v;
    v.kind = Value::Kind::list;
    v.record = items.get();
    kept_.push_back(std::move(items));
    return v;
  }

  const CommunicatingRanks& ranks_;
  bool all_;
  ValueOwners& kept_;
};

}  // namespace

void add_groups(const CommunicatingRanks& ranks, bool all, bool complete, Report& report) {
  GroupsWriter writer(ranks, all, report.kept);
  report.tables.push_back(writer.axes());
  for (const RankGroups& g : ranks.axes) report.tables.push_back(writer.listed(g));
  if (complete) report.tables.push_back(writer.complete());
}

/// Writes ranks directly as JSON numbers, because a report with a Value for each rank needs far more memory.
std::string write_groups_json(const CommunicatingRanks& ranks, const Report& report) {
  Json out = report_json(report), rows = Json::array();
  for (const RankGroups& g : ranks.axes) {
    for (std::size_t i = 0; i < g.groups.size(); ++i) rows.push_back({{"axes", g.axes}, {"group", i}, {"chain", g.chain}, {"ranks", g.groups[i]}});
  }
  if (!rows.empty()) out["units"]["groups.group"] = base_unit(number_value(integer(0)));
  out["tables"]["groups"] = std::move(rows);
  return json_text(out);
}

}  // namespace opledger
