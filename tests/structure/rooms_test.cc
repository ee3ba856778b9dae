// The structure of the sources as a newcomer meets it. A room is a source with its header; a room that includes another one's header leads to it.
#include <doctest/doctest.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/structure/sources.h"

namespace opledger::structure {
namespace {

constexpr std::size_t kLongestChain = 49;      // rooms that include each other one after the other
constexpr std::size_t kPercentInCircles = 10;  // rooms from which a chain of includes leads back to them

std::string stem_of(const std::string& path) { return path.substr(0, path.rfind('.')); }
std::string top_folder(const std::string& path) { return path.substr(0, path.find('/')); }

class Rooms {
 public:
  explicit Rooms(const std::vector<File>& files) {
    for (const File& file : files) {
      const auto [room, fresh] = number_.emplace(stem_of(file.path), names.size());
      if (fresh) names.push_back(room->first);
    }
    graph_ = Graph(names.size());
    for (const File& file : files) add_includes(file);
    circle_.resize(names.size());
    const std::size_t count = boost::strong_components(graph_, boost::make_iterator_property_map(circle_.begin(), boost::get(boost::vertex_index, graph_)));
    members_.resize(count);
    for (std::size_t room = 0; room < names.size(); ++room) members_[circle_[room]].push_back(room);
  }

  /// Rooms that lead back to themselves, each circle as one text.
  std::vector<std::string> circles() const {
    std::vector<std::string> out;
    for (const std::vector<std::size_t>& members : members_) {
      if (members.size() < 2) continue;
      std::string text;
      for (const std::size_t room : members) text += names[room] + " ";
      out.push_back(text);
    }
    return out;
  }

  std::size_t in_circles() const {
    std::size_t count = 0;
    for (const std::vector<std::size_t>& members : members_) count += members.size() < 2 ? 0 : members.size();
    return count;
  }

  /// A circle counts as one. Boost numbers circles so that includes lead to smaller numbers only.
  std::size_t longest_chain() const {
    std::vector<std::size_t> length(members_.size(), 1);
    for (std::size_t circle = 0; circle < members_.size(); ++circle) {
      for (const std::size_t room : members_[circle]) {
        for (const auto edge : boost::make_iterator_range(boost::out_edges(room, graph_))) {
          const std::size_t other = circle_[boost::target(edge, graph_)];
          if (other != circle) length[circle] = std::max(length[circle], length[other] + 1);
        }
      }
    }
    return *std::max_element(length.begin(), length.end());
  }

  /// `a and b` for folders that include each other.
  std::set<std::string> mutual_folders() const {
    std::set<std::pair<std::string, std::string>> includes;
    for (const auto edge : boost::make_iterator_range(boost::edges(graph_)))
      includes.emplace(top_folder(names[boost::source(edge, graph_)]), top_folder(names[boost::target(edge, graph_)]));
    std::set<std::string> out;
    for (const auto& [from, to] : includes) {
      if (from < to && includes.count({to, from}) != 0) out.insert(from + " and " + to);
    }
    return out;
  }

  std::vector<std::string> names;

 private:
  using Graph = boost::adjacency_list<boost::setS, boost::vecS, boost::directedS>;

  void add_includes(const File& file) {
    static const std::regex kInclude(R"re(\s*#\s*include\s*"([^"]+)".*)re");
    std::istringstream in(file.text);
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
      if (!std::regex_match(line, match, kInclude)) continue;
      const auto to = number_.find(stem_of(match[1]));
      const std::size_t from = number_.at(stem_of(file.path));
      if (to != number_.end() && to->second != from) boost::add_edge(from, to->second, graph_);
    }
  }

  std::map<std::string, std::size_t> number_;
  Graph graph_;
  std::vector<std::size_t> circle_;                ///< By room.
  std::vector<std::vector<std::size_t>> members_;  ///< By circle.
};

std::vector<File> small_house() {
  return {{"a/one.h", "#include \"a/two.h\"\n"},
          {"a/two.cc", "#include \"a/one.h\"\n#include \"b/three.h\"\n"},
          {"a/two.h", ""},
          {"b/three.h", ""},
          {"b/four.cc", "#include \"a/two.h\""}};
}

}  // namespace

TEST_CASE("rooms: few lie in circles, none of run/ does, folders don't include each other, and chains are short") {
  const Rooms rooms(cxx_files());
  const std::vector<std::string> circles = rooms.circles();
  for (const std::string& circle : circles) CHECK_MESSAGE((" " + circle).find(" run/") == std::string::npos, circle);
  CHECK(rooms.in_circles() * 100 <= rooms.names.size() * kPercentInCircles);
  CHECK(rooms.longest_chain() <= kLongestChain);
  CHECK(rooms.mutual_folders().empty());
}

TEST_CASE("rooms: headers of two folders have two names") {
  std::map<std::string, std::string> seen;
  for (const File& file : cxx_files()) {
    if (!file.path.ends_with(".h")) continue;
    const auto [other, fresh] = seen.emplace(file.path.substr(file.path.rfind('/') + 1), file.path);
    CHECK_MESSAGE(fresh, file.path << " and " << other->second);
  }
}

TEST_CASE("rooms: circles, chains and folders are counted right") {
  const Rooms rooms(small_house());
  CHECK(rooms.names.size() == 4);
  CHECK(rooms.circles() == std::vector<std::string>{"a/one a/two "});
  CHECK(rooms.in_circles() == 2);
  CHECK(rooms.longest_chain() == 3);
  CHECK(rooms.mutual_folders() == std::set<std::string>{"a and b"});
}

}  // namespace opledger::structure
