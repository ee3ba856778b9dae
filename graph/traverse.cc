#include "graph/traverse.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <functional>
#include <queue>

namespace opledger {

namespace {

using Arcs = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

/// Returns a shortest path from `start` back to itself, by breadth-first search. The search stays in the strong
/// component of `start`, because a path that leaves the component cannot return. `from` has the predecessor of each
/// visited vertex, -1 for others; the path is read backward from it. The first and the last element are `start`.
/// Returns an empty path if `start` is on no cycle. The cost is linear.
std::vector<std::int32_t> shortest_cycle(const Arcs& arcs, const std::vector<int>& component, std::int32_t start) {
  std::vector<std::int32_t> from(boost::num_vertices(arcs), -1);
  std::queue<std::int32_t> open;
  open.push(start);
  while (!open.empty()) {
    std::int32_t at = open.front();
    open.pop();
    auto [arc, end] = boost::out_edges(at, arcs);
    for (; arc != end; ++arc) {
      auto next = static_cast<std::int32_t>(boost::target(*arc, arcs));
      if (component[next] != component[start] || from[next] >= 0) continue;
      from[next] = at;
      if (next != start) {
        open.push(next);
        continue;
      }
      std::vector<std::int32_t> path{start};
      for (std::int32_t step = from[start]; step != start; step = from[step]) path.push_back(step);
      path.push_back(start);
      std::reverse(path.begin(), path.end());
      return path;
    }
  }
  return {};
}

/// Finds the strong components; a component of several vertices, or a vertex with an arc to itself, has a cycle. The
/// lowest vertex on a cycle is the start of the reported path.
std::vector<std::int32_t> find_cycle(const Arcs& arcs) {
  std::vector<int> component(boost::num_vertices(arcs));
  boost::strong_components(arcs, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, arcs)));
  std::vector<std::size_t> members(component.size());
  for (int c : component) ++members[c];
  for (std::size_t v = 0; v < component.size(); ++v) {
    bool cyclic = members[component[v]] > 1 || boost::edge(v, v, arcs).second;
    if (cyclic) return shortest_cycle(arcs, component, static_cast<std::int32_t>(v));
  }
  return {};
}

}  // namespace

/// Kahn's algorithm with a priority queue, so that the order is unique: among ready elements, the lowest comes first.
/// `waiting` counts the arcs to each element from elements that are not in the order yet. The cost is O(V log V + E).
/// Elements that never become ready lie on a cycle or depend on one, so a cycle is searched only if the order is
/// incomplete.
Ordering order_by_arcs(std::size_t count, const std::vector<Arc>& list) {
  Arcs arcs(count);
  for (const auto& [from, to] : list) boost::add_edge(from, to, arcs);
  std::vector<std::size_t> waiting(count);
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready;
  for (std::size_t v = 0; v < count; ++v) {
    waiting[v] = boost::in_degree(v, arcs);
    if (waiting[v] == 0) ready.push(static_cast<std::int32_t>(v));
  }
  Ordering result;
  while (!ready.empty()) {
    std::int32_t at = ready.top();
    ready.pop();
    result.order.push_back(at);
    auto [arc, end] = boost::out_edges(at, arcs);
    for (; arc != end; ++arc) {
      auto next = boost::target(*arc, arcs);
      if (--waiting[next] == 0) ready.push(static_cast<std::int32_t>(next));
    }
  }
  if (result.order.size() != count) result.cycle = find_cycle(arcs);
  return result;
}

}  // namespace opledger
