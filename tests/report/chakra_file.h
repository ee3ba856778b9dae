#pragma once
#include <cstdint>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <string>
#include <vector>

/// Chakra traces decoded for tests, and an independent event-driven simulator of them.
namespace opledger {

struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  int type = 0;
  std::vector<std::uint64_t> deps;
  std::uint64_t micros = 0;
  std::map<std::string, std::int64_t> numbers;
  std::string group;
};

/// Returns messages framed by their lengths.
inline std::vector<std::string> chakra_messages(const std::string& file) {
  std::vector<std::string> out;
  const char *at = file.data(), *const end = file.data() + file.size();
  while (at < end) {
    const std::uint64_t length = protozero::decode_varint(&at, end);
    REQUIRE(length <= static_cast<std::uint64_t>(end - at));
    out.emplace_back(at, length);
    at += length;
  }
  return out;
}

inline void read_attribute(protozero::pbf_reader in, ChakraNode& node) {
  std::string name;
  while (in.next()) {
    switch (in.tag()) {
      case 1:
        name = in.get_string();
        break;
      case 7:
        node.numbers[name] = in.get_int32();
        break;
      case 9:
        node.numbers[name] = in.get_int64();
        break;
      case 13:
        node.numbers[name] = static_cast<std::int64_t>(in.get_uint64());
        break;
      case 27:
        node.numbers[name] = in.get_bool() ? 1 : 0;
        break;
      case 29:
        node.group = in.get_string();
        break;
      default:
        FAIL("unknown attribute " << in.tag());
    }
  }
}

/// Returns the nodes of a file, which follow its metadata.
inline std::vector<ChakraNode> read_chakra(const std::string& file) {
  std::vector<ChakraNode> out;
  const std::vector<std::string> messages = chakra_messages(file);
  for (std::size_t m = 1; m < messages.size(); ++m) {
    ChakraNode node;
    protozero::pbf_reader in(messages[m]);
    while (in.next()) {
      if (in.tag() == 1) {
        node.id = in.get_uint64();
      } else if (in.tag() == 2) {
        node.name = in.get_string();
      } else if (in.tag() == 3) {
        node.type = in.get_enum();
      } else if (in.tag() == 5) {
        for (const std::uint64_t d : in.get_packed_uint64()) node.deps.push_back(d);
      } else if (in.tag() == 7) {
        node.micros = in.get_uint64();
      } else {
        REQUIRE(in.tag() == 10);
        read_attribute(in.get_message(), node);
      }
    }
    out.push_back(std::move(node));
  }
  return out;
}

/// Simulates every rank. A node begins when its dependencies are done, a collective when every rank of its group has
/// reached it; a receive ends with its send. Returns the seconds until the last node is done, or a negative number if a
/// node never runs.
class ChakraReplay {
 public:
  explicit ChakraReplay(const std::vector<std::vector<ChakraNode>>& ranks, const std::map<std::string, std::vector<int>>& groups)
      : ranks_(ranks), groups_(groups) {}

  double play() {
    std::size_t all = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) add(r), all += ranks_[r].size();
    while (!ready_.empty()) {
      const auto [rank, node] = ready_.back();
      ready_.pop_back();
      begin(rank, node);
    }
    return done_ == all ? last_ / 1e6 : -1;
  }

 private:
  struct State {
    std::size_t waits = 0;
    double from = 0;
    std::vector<std::uint64_t> readers;
    std::size_t turn = 0;  ///< Index of the group's next collective on this rank.
  };
  struct Meeting {
    double from = 0, micros = 0;
    std::vector<std::pair<std::size_t, std::size_t>> here;
  };

  void add(std::size_t rank) {
    std::vector<State>& states = states_.emplace_back(ranks_[rank].size());
    std::map<std::string, std::size_t> turns;
    for (std::size_t n = 0; n < states.size(); ++n) {
      const ChakraNode& node = ranks_[rank][n];
      states[n].waits = node.deps.size();
      if (node.type == 7) states[n].turn = turns[node.group]++;
      for (const std::uint64_t d : node.deps) states[d].readers.push_back(n);
      if (node.deps.empty()) ready_.emplace_back(rank, n);
    }
  }

  void begin(std::size_t rank, std::size_t n) {
    const ChakraNode& node = ranks_[rank][n];
    const double from = states_[rank][n].from, micros = static_cast<double>(node.micros);
    if (node.type == 4) return end(rank, n, from + micros);
    if (node.type == 7) {
      Meeting& meeting = meetings_[{node.group, states_[rank][n].turn}];
      meeting.from = std::max(meeting.from, from), meeting.micros = std::max(meeting.micros, micros);
      meeting.here.emplace_back(rank, n);
      if (meeting.here.size() < groups_.at(node.group).size()) return;
      for (const auto& [r, m] : meeting.here) end(r, m, meeting.from + meeting.micros);
      return;
    }
    const auto number = [&](const char* name) { return node.numbers.at(name); };
    const auto key = std::tuple(number("comm_src"), number("comm_dst"), number("comm_tag"));
    if (node.type == 5) {
      end(rank, n, from + micros);
      REQUIRE(sent_.emplace(key, from + micros).second);
      const auto waits = waiting_.find(key);
      if (waits != waiting_.end())
        end(waits->second.first, waits->second.second, std::max(from + micros, states_[waits->second.first][waits->second.second].from));
    } else if (const auto sent = sent_.find(key); sent != sent_.end()) {
      end(rank, n, std::max(from, sent->second));
    } else {
      REQUIRE(waiting_.emplace(key, std::pair(rank, n)).second);
    }
  }

  void end(std::size_t rank, std::size_t n, double at) {
    ++done_;
    last_ = std::max(last_, at);
    for (const std::uint64_t reader : states_[rank][n].readers) {
      State& state = states_[rank][reader];
      state.from = std::max(state.from, at);
      if (--state.waits == 0) ready_.emplace_back(rank, reader);
    }
  }

  const std::vector<std::vector<ChakraNode>>& ranks_;
  const std::map<std::string, std::vector<int>>& groups_;
  std::vector<std::vector<State>> states_;
  std::vector<std::pair<std::size_t, std::size_t>> ready_;
  std::map<std::pair<std::string, std::size_t>, Meeting> meetings_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, double> sent_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::pair<std::size_t, std::size_t>> waiting_;
  std::size_t done_ = 0;
  double last_ = 0;
};

}  // namespace opledger
