#include "graph/mesh.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace opledger {

namespace {

const std::vector<std::string>* members(const Mesh& mesh, std::string_view name) {
  for (const auto& [group, parts] : mesh.groups) {
    if (group == name) return &parts;
  }
  return nullptr;
}

/// Returns the part that an axis, or an ancestor of it, plays in the cut for a dimension; whole without such a cut.
Axis::Part part_for(const Mesh& mesh, AxisId axis, DimId dimension) {
  for (AxisId a = axis; a; a = mesh.axes[a].of) {
    if (mesh.axes[a].part != Axis::Part::whole && mesh.axes[a].dimension == dimension) return mesh.axes[a].part;
  }
  return Axis::Part::whole;
}

/// One item of a printed list of axes: its name and the axes that it represents.
struct Shown {
  std::string name;
  AxisList axes;
};

/// Replaces the items that together cover a group by the group. The group takes the place of its first axis.
void replace(std::vector<Shown>& items, const std::string& group, const AxisList& all) {
  auto inside = [&](const Shown& item) { return std::all_of(item.axes.begin(), item.axes.end(), [&](AxisId a) { return contains(all, a); }); };
  std::size_t covered = 0;
  auto first = items.end();
  for (auto item = items.begin(); item != items.end(); ++item) {
    if (!inside(*item)) continue;
    covered += item->axes.size();
    if (contains(item->axes, all.front())) first = item;
  }
  if (covered != all.size() || first == items.end()) return;
  *first = {group, all};
  auto absorbed = [&](const Shown& item) { return item.name != group && inside(item); };
  items.erase(std::remove_if(items.begin(), items.end(), absorbed), items.end());
}

}  // namespace

AxisId Mesh::find(std::string_view name) const {
  return axes.find([&](const Axis& axis) { return axis.name == name; });
}

/// Selects the axes of the grid whose place lies after that of `axis`, and lists them innermost first by the written
/// order. The place of an axis is its position in the selected order, then in the written order. Parts of a cut axis
/// have the position of their whole. Axes that the selected order leaves out have position -1, outside of all others.
AxisList Mesh::inside(AxisId axis, std::size_t which) const {
  const auto place = [&](AxisId a) {
    const std::ptrdiff_t written = std::find(order.begin(), order.end(), a) - order.begin();
    if (which == 0) return std::pair<std::ptrdiff_t, std::ptrdiff_t>{0, written};
    const AxisList& other = orders[which - 1].second;
    const auto found = std::find(other.begin(), other.end(), whole(a));
    return std::pair<std::ptrdiff_t, std::ptrdiff_t>{found == other.end() ? -1 : found - other.begin(), written};
  };
  AxisList out;
  std::copy_if(order.rbegin(), order.rend(), std::back_inserter(out), [&](AxisId other) { return other != axis && place(other) > place(axis); });
  return out;
}

AxisId Mesh::whole(AxisId axis) const {
  while (axes[axis].of) axis = axes[axis].of;
  return axis;
}

bool Mesh::knows(std::string_view name) const { return members(*this, name) != nullptr || bool(find(name)); }

AxisList Mesh::expand(std::string_view name) const {
  if (const auto* parts = members(*this, name)) return expand(*parts);
  AxisId axis = find(name);
  return axis ? AxisList{axis} : AxisList{};
}

AxisList Mesh::expand(const std::vector<std::string>& names) const {
  AxisList all;
  for (const std::string& name : names) {
    for (AxisId axis : expand(name)) {
      if (!contains(all, axis)) all.push_back(axis);
    }
  }
  return all;
}

/// Cuts each axis of the list that has no part for this dimension yet in two. The degree of the fitting part will
/// divide the rest of the dimension's size; the other part has the remaining degree. `filled` collects the axes that
/// the dimension fills: fitting parts and whole axes. The degree of a new fitting part depends on all axes before it,
/// so they are stored with the part. Both parts replace the axis in the grid, and the axis becomes a group of them. An
/// axis that is such a rest for this dimension stays uncut and fills nothing.
void Mesh::cut(DimId dimension, const AxisList& list, bool aligned, const AxisList& wholes) {
  AxisList filled;
  for (AxisId whole : list) {
    Axis::Part part = part_for(*this, whole, dimension);
    if (part == Axis::Part::fitting || contains(wholes, whole)) filled.push_back(whole);
    if (contains(wholes, whole)) continue;
    if (part != Axis::Part::whole) continue;
    std::string name = axes[whole].name;
    auto fitting = axes.next(), rest = fitting + 1;
    Span span = axes[whole].span;
    axes.push_back({name + ".0", Axis::Part::fitting, whole, dimension, filled, aligned, span});
    axes.push_back({name + ".1", Axis::Part::rest, whole, dimension, filled, aligned, span});
    auto place = std::find(order.begin(), order.end(), whole);
    if (place != order.end()) order.insert(order.erase(place), {fitting, rest});
    groups.emplace_back(name, std::vector<std::string>{name + ".0", name + ".1"});
    composites.push_back(name);
    filled.push_back(fitting);
  }
}

std::string Mesh::describe(const AxisList& list, const IdVector<AxisId, bool>& shown) const {
  // Formats axes as a product of names, such as `dp*tp`, with as few names as possible. Axes outside of `shown` have
  // one rank and are left out. Begins with the visible axes one by one, then replaces items by a group wherever a
  // group's visible axes are all in the list. The latest groups come first, because parts of cut axes were added after
  // the declared groups that contain them.
  auto visible = [&](AxisId a) { return shown.has(a) && shown[a]; };
  std::vector<Shown> items;
  for (AxisId axis : list) {
    if (visible(axis)) items.push_back({axes[axis].name, {axis}});
  }
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    AxisList all = expand(group->first);
    all.erase(std::remove_if(all.begin(), all.end(), [&](AxisId a) { return !visible(a); }), all.end());
    // A single part represents its axis only if the axis was cut, because the other part then has one rank. In `dp:
    // {edp: 1, ep: 8}` the axis is still shown as `ep`.
    if (all.size() > 1 || (all.size() == 1 && find(group->first))) replace(items, group->first, all);
  }
  return join(names_of(items), "*");
}

std::string Mesh::describe(const AxisList& list) const { return describe(list, IdVector<AxisId, bool>(axes.size(), true)); }

}  // namespace opledger
