#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.h"
#include "expr/lexer.h"
#include "graph/mesh.h"

namespace opledger {

namespace {

bool plain_word(std::string_view name) {
  auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front())) && std::all_of(name.begin(), name.end(), good);
}

/// Reads a mesh in two passes: first all declarations, then the members of aliases, which may refer to later axes.
class MeshReader {
 public:
  explicit MeshReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::optional<MeshSpec> read(const Datum& datum) {
    std::size_t errors = diagnostics_.errors();
    if (!datum.is_map()) {
      diagnostics_.error(datum.span(), fmt::format("a mesh is a mapping of axes to their sizes, found {}", datum.describe()));
      return std::nullopt;
    }
    for (const auto& [name, value] : datum.entries()) entry(name, value);
    for (const auto& [name, value] : datum.entries()) {
      if (value.is_list()) check_members(value);
    }
    if (diagnostics_.errors() == errors) check_cycles();
    if (diagnostics_.errors() != errors) return std::nullopt;
    return std::move(spec_);
  }

 private:
  void entry(const Datum& name, const Datum& value) {
    if (!declare(name)) return;
    if (value.is_map()) {
      parts(name, value);
    } else if (value.is_list()) {
      alias(name, value);
    } else {
      axis(name, value);
    }
  }

  /// Checks the name of an axis, group or part, and records it in `names_`. Returns false, with an error, if the name
  /// is no plain word, a word of formulas, or declared before.
  bool declare(const Datum& name) {
    if (!plain_word(name.text())) {
      diagnostics_.error(name.span(), fmt::format("`{}` can't name an axis: use letters, digits and _", name.text()));
      return false;
    }
    if (is_keyword(name.text())) {
      diagnostics_.error(name.span(), fmt::format("`{}` can't name an axis: it is a word of formulas", name.text()));
      return false;
    }
    auto known = std::find_if(names_.begin(), names_.end(), [&](const Datum* other) { return other->text() == name.text(); });
    if (known == names_.end()) {
      names_.push_back(&name);
      return true;
    }
    diagnostics_.error(name.span(), fmt::format("axis `{}` is declared twice", name.text())).note((*known)->span(), "first declared here");
    return false;
  }

  void axis(const Datum& name, const Datum& value) {
    if (!value.is_scalar()) {
      diagnostics_.error(name.span(), fmt::format("axis `{}` needs a size, parts or other axes, found {}", name.text(), value.describe()));
      return;
    }
    Axis axis;
    axis.name = name.text();
    axis.span = name.span();
    spec_.mesh.order.push_back(spec_.mesh.axes.next());
    spec_.mesh.axes.push_back(axis);
    spec_.degrees.emplace_back(name.text(), value);
  }

  /// Reads an axis that consists of parts, `dp: {edp: 2, ep: 8}`: each part becomes an axis of the grid, and the axis
  /// a group (`composites`: a group of this kind, not an alias). Parts can't have parts.
  void parts(const Datum& name, const Datum& value) {
    std::vector<std::string> members;
    for (const auto& [part, size] : value.entries()) {
      if (!declare(part)) continue;
      if (!size.is_scalar()) {
        diagnostics_.error(size.span(), fmt::format("part `{}` of axis `{}` needs a size, found {}", part.text(), name.text(), size.describe()));
        continue;
      }
      axis(part, size);
      members.push_back(part.text());
    }
    if (value.entries().empty()) diagnostics_.error(value.span(), fmt::format("axis `{}` has no parts", name.text()));
    spec_.mesh.groups.emplace_back(name.text(), std::move(members));
    spec_.mesh.composites.push_back(name.text());
  }

  void alias(const Datum& name, const Datum& value) {
    std::vector<std::string> members;
    for (const Datum& member : value.items()) {
      if (member.is_scalar()) {
        members.push_back(member.text());
      } else {
        diagnostics_.error(member.span(), fmt::format("`{}` is another name for axes: expected the name of an axis, found {}", name.text(), member.describe()));
      }
    }
    if (value.items().empty()) diagnostics_.error(value.span(), fmt::format("`{}` is another name for no axes", name.text()));
    spec_.mesh.groups.emplace_back(name.text(), std::move(members));
  }

  void check_members(const Datum& value) {
    const std::vector<std::string> candidates = names_of(names_);
    std::set<std::string> seen;
    for (const Datum& member : value.items()) {
      if (member.is_scalar() && !seen.insert(member.text()).second) diagnostics_.error(member.span(), fmt::format("`{}` is in the list twice", member.text()));
      if (!member.is_scalar() || contains(candidates, member.text())) continue;
      diagnostics_.error(member.span(), fmt::format("unknown axis `{}`{}", member.text(), known_names(member.text(), "axes", candidates)));
    }
  }

  /// Reports a group that contains itself through other groups. Follows each group depth-first until it ends in axes or
  /// returns to its start. Finished groups are not remembered, since groups are few.
  void check_cycles() {
    for (const auto& group : spec_.mesh.groups) {
      std::vector<std::string> path{group.first};
      if (!returns(group.first, path)) continue;
      auto place = std::find_if(names_.begin(), names_.end(), [&](const Datum* name) { return name->text() == group.first; });
      diagnostics_.error((*place)->span(), fmt::format("cycle: {}", join(path, " -> ")));
      return;
    }
  }

  bool returns(const std::string& start, std::vector<std::string>& path) const {
    for (const auto& group : spec_.mesh.groups) {
      if (group.first != path.back()) continue;
      for (const std::string& member : group.second) {
        bool seen = contains(path, member);
        if (seen && member != start) continue;
        path.push_back(member);
        if (seen || returns(start, path)) return true;
        path.pop_back();
      }
    }
    return false;
  }

  Diagnostics& diagnostics_;
  MeshSpec spec_;
  std::vector<const Datum*> names_;
};

/// Reads one further order of the mesh, `NAME: [axes]`, outermost first, and appends it to `mesh.orders`. Every listed
/// axis must be known and occur once. Groups are replaced by their axes, so an axis is also listed twice if it is there
/// by itself and in a group, which is an error. Returns false after the first error.
bool parse_order(const Datum& name, const Datum& value, Mesh& mesh, Diagnostics& diagnostics) {
  if (!plain_word(name.text()) || !value.is_list() || value.items().empty()) {
    diagnostics.error(name.span(), fmt::format("an order of the mesh is a word and a list of axes, outermost first: `{}: [AXIS, …]`", name.text()));
    return false;
  }
  AxisList order;
  for (const Datum& item : value.items()) {
    std::vector<std::string> known;
    for (const AxisId a : mesh.order) known.push_back(mesh.axes[a].name);
    for (const auto& [group, _] : mesh.groups) known.push_back(group);
    if (!item.is_scalar() || !mesh.knows(item.text())) {
      diagnostics.error(item.span(), fmt::format("unknown axis `{}`{}", item.text(), known_names(item.text(), "axes", known)));
      return false;
    }
    for (const AxisId a : mesh.expand(item.text())) {
      if (contains(order, a)) {
        diagnostics.error(item.span(), fmt::format("axis `{}` is listed twice", mesh.axes[a].name));
        return false;
      }
      order.push_back(a);
    }
  }
  mesh.orders.emplace_back(name.text(), std::move(order));
  return true;
}

}  // namespace

bool parse_mesh_orders(const Datum& datum, Mesh& mesh, Diagnostics& diagnostics) {
  if (!datum.is_map()) {
    diagnostics.error(datum.span(), fmt::format("orders of the mesh are a mapping of names to lists of axes, found {}", datum.describe()));
    return false;
  }
  return std::all_of(datum.entries().begin(), datum.entries().end(),
                     [&](const Datum::Entry& entry) { return parse_order(entry.first, entry.second, mesh, diagnostics); });
}

std::optional<MeshSpec> parse_mesh(const Datum& datum, Diagnostics& diagnostics) { return MeshReader(diagnostics).read(datum); }

}  // namespace opledger
