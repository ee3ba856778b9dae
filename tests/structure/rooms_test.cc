// The structure of the sources as a newcomer meets it. A room is a source with its header; a room that includes another one's header leads to it.
#include <doctest/doctest.h>

#include <algorithm>
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

constexpr std::size_t kLongestChain = 37;      // rooms that include each other one after the other
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
    includes_.resize(names.size());
    reached_.assign(names.size(), std::vector<bool>(names.size()));
    for (const File& file : files) add_includes(file);
    for (std::size_t room = 0; room < names.size(); ++room) reach(room, reached_[room]);
  }

  /// Rooms that lead back to themselves, each circle as one text.
  std::vector<std::string> circles() const {
    std::vector<std::string> out;
    for (std::size_t room = 0; room < names.size(); ++room) {
      if (!reached_[room][room] || first_of_circle(room) != room) continue;
      std::string text;
      for (std::size_t other = 0; other < names.size(); ++other) text += in_one_circle(room, other) ? names[other] + " " : "";
      out.push_back(text);
    }
    return out;
  }

  std::size_t in_circles() const {
    std::size_t count = 0;
    for (std::size_t room = 0; room < names.size(); ++room) count += reached_[room][room] ? 1 : 0;
    return count;
  }

  /// Rooms that include each other one after the other; a circle counts as one.
  std::size_t longest_chain() const {
    std::map<std::size_t, std::size_t> known;
    std::size_t longest = 0;
    for (std::size_t room = 0; room < names.size(); ++room) longest = std::max(longest, chain_from(first_of_circle(room), known));
    return longest;
  }

  /// `a and b` for folders that include each other.
  std::set<std::string> mutual_folders() const {
    std::set<std::pair<std::string, std::string>> all;
    for (std::size_t room = 0; room < names.size(); ++room) {
      for (const std::size_t other : includes_[room]) all.emplace(top_folder(names[room]), top_folder(names[other]));
    }
    std::set<std::string> out;
    for (const auto& [from, to] : all) {
      if (from < to && all.count({to, from}) != 0) out.insert(from + " and " + to);
    }
    return out;
  }

  std::vector<std::string> names;

 private:
  void add_includes(const File& file) {
    static const std::regex kInclude(R"re(\s*#\s*include\s*"([^"]+)".*)re");
    std::istringstream in(file.text);
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
      if (!std::regex_match(line, match, kInclude)) continue;
      const auto to = number_.find(stem_of(match[1]));
      const std::size_t from = number_.at(stem_of(file.path));
      if (to != number_.end() && to->second != from) includes_[from].insert(to->second);
    }
  }

  void reach(std::size_t room, std::vector<bool>& out) const {
    for (const std::size_t other : includes_[room]) {
      if (out[other]) continue;
      out[other] = true;
      reach(other, out);
    }
  }

  bool in_one_circle(std::size_t a, std::size_t b) const { return a == b || (reached_[a][b] && reached_[b][a]); }

  std::size_t first_of_circle(std::size_t room) const {
    std::size_t first = 0;
    while (!in_one_circle(first, room)) ++first;
    return first;
  }

  std::size_t chain_from(std::size_t circle, std::map<std::size_t, std::size_t>& known) const {
    const auto found = known.find(circle);
    if (found != known.end()) return found->second;
    std::size_t length = 1;
    for (std::size_t room = circle; room < names.size(); ++room) {
      if (!in_one_circle(circle, room)) continue;
      for (const std::size_t other : includes_[room]) {
        if (!in_one_circle(circle, other)) length = std::max(length, chain_from(first_of_circle(other), known) + 1);
      }
    }
    return known[circle] = length;
  }

  std::map<std::string, std::size_t> number_;
  std::vector<std::set<std::size_t>> includes_;  ///< Included rooms of each room.
  std::vector<std::vector<bool>> reached_;       ///< For each room, the rooms at the end of some chain from it.
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
