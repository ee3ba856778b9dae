#include "report/chakra.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <protozero/pbf_writer.hpp>
#include <set>

namespace opledger {
namespace {

// Field numbers of schema/protobuf/et_def.proto in mlcommons/chakra.
namespace metadata {
constexpr std::uint32_t kVersion = 1;
}
namespace field {
constexpr std::uint32_t kId = 1, kName = 2, kType = 3, kDataDeps = 5, kDuration = 7, kAttribute = 10;
}
namespace attribute {
constexpr std::uint32_t kName = 1, kInt32 = 7, kInt64 = 9, kUint64 = 13, kBool = 27, kString = 29;
}
namespace node_type {
constexpr std::int32_t kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7;
}
constexpr const char* kVersion = "0.0.4";

using NodeKind = TraceNode::Kind;
using Writer = protozero::pbf_writer;

std::int32_t type_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::compute:
      return node_type::kCompute;
    case NodeKind::send:
      return node_type::kSend;
    case NodeKind::receive:
      return node_type::kReceive;
    default:
      return node_type::kCollective;
  }
}

/// Returns the number of a collective in the enumeration CollectiveCommType.
std::int64_t collective_type(Collective kind) {
  switch (kind) {
    case Collective::all_reduce:
      return 0;
    case Collective::all_gather:
      return 2;
    case Collective::all_to_all:
      return 6;
    default:
      return 7;
  }
}

/// Appends a message after its length, the framing of streamed protocol buffers.
void add_delimited(std::string& out, const std::string& message) {
  protozero::write_varint(std::back_inserter(out), message.size());
  out += message;
}

/// An encoder for the attributes of a node. Each attribute is a nested message with a name and a typed value.
class Attributes {
 public:
  explicit Attributes(Writer& node) : node_(node) {}

  void number(const char* name, std::int64_t value) {
    add(name, [&](Writer& out) { out.add_int64(attribute::kInt64, value); });
  }
  void size(const char* name, std::uint64_t value) {
    add(name, [&](Writer& out) { out.add_uint64(attribute::kUint64, value); });
  }
  void small(const char* name, std::int32_t value) {
    add(name, [&](Writer& out) { out.add_int32(attribute::kInt32, value); });
  }
  void truth(const char* name, bool value) {
    add(name, [&](Writer& out) { out.add_bool(attribute::kBool, value); });
  }
  void text(const char* name, const std::string& value) {
    add(name, [&](Writer& out) { out.add_string(attribute::kString, value); });
  }

 private:
  template <class Value>
  void add(const char* name, Value value) {
    text_.clear();
    Writer out(text_);
    out.add_string(attribute::kName, name);
    value(out);
    node_.add_message(field::kAttribute, text_);
  }

  Writer& node_;
  std::string text_;
};

double whole(double value) { return std::max(0.0, std::round(value)); }

}  // namespace

/// Indexes the trace for the encoding of files. StepTrace::groups has sets of parallel groups, such as all groups along
/// one axis; a rank belongs to at most one group of each set. Groups are numbered from 1, consecutively over all sets;
/// `first_` has the number of each set's first group. `group_of_` gives a rank's group by set and rank. `used_` has the
/// sets named by the nodes of each stage, and -1 for nodes without a group. `rank_of_` gives the rank at a stage and a
/// place, its index among the ranks of the stage; sends between stages connect equal places. The cost is linear in
/// ranks and nodes.
ChakraWriter::ChakraWriter(const StepTrace& trace) : trace_(trace) {
  std::size_t next = 1;
  for (const RankGroups& groups : trace.groups) {
    first_.push_back(next);
    next += groups.groups.size();
    std::vector<std::int32_t>& group_by_rank = group_of_.emplace_back(trace.ranks.size(), -1);
    for (std::size_t g = 0; g < groups.groups.size(); ++g) {
      for (const std::int64_t rank : groups.groups[g]) group_by_rank[static_cast<std::size_t>(rank)] = static_cast<std::int32_t>(g);
    }
  }
  for (const std::vector<TraceNode>& nodes : trace.stages) {
    std::set<std::int32_t> used;
    for (const TraceNode& node : nodes) used.insert(node.group);
    used_.emplace_back(used.begin(), used.end());
  }
  rank_of_.resize(trace.stages.size());
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    std::vector<std::int64_t>& rank_by_place = rank_of_[trace.ranks[rank].stage];
    rank_by_place.resize(std::max(rank_by_place.size(), trace.ranks[rank].place + 1));
    rank_by_place[trace.ranks[rank].place] = static_cast<std::int64_t>(rank);
  }
}

/// Returns the size of a message as ASTRA-sim counts sizes: for an all-gather, the bytes of a rank before the
/// collective. A TraceNode has the bytes afterwards, so the size is divided by the number of ranks.
std::int64_t ChakraWriter::comm_size(const TraceNode& node) const {
  const bool gathers = node.kind == NodeKind::collective && node.collective == Collective::all_gather;
  const double ranks = gathers ? static_cast<double>(trace_.groups[static_cast<std::size_t>(node.group)].groups.ranks()) : 1;
  return static_cast<std::int64_t>(whole(node.bytes / ranks));
}

/// Sums the bytes sent by ring algorithms among n ranks: (n - 1) parts for an all-gather, and (n - 1) / n of the
/// message for reduce-scatter and all-to-all. An all-reduce, a reduce-scatter with an all-gather, sends twice as much.
std::uint64_t ChakraWriter::sent_bytes(std::size_t stage) const {
  double out = 0;
  for (const TraceNode& node : trace_.stages[stage]) {
    if (node.kind == NodeKind::send) out += static_cast<double>(comm_size(node));
    if (node.kind != NodeKind::collective) continue;
    const auto ranks = static_cast<double>(trace_.groups[static_cast<std::size_t>(node.group)].groups.ranks());
    const auto size = static_cast<double>(comm_size(node));
    if (node.collective == Collective::all_gather)
      out += size * (ranks - 1);
    else
      out += size * (ranks - 1) / ranks * (node.collective == Collective::all_reduce ? 2 : 1);
  }
  return static_cast<std::uint64_t>(out);
}

std::size_t ChakraWriter::place_in(std::size_t group, std::size_t rank) const {
  const auto& ranks = trace_.groups[group].groups[static_cast<std::size_t>(group_of_[group][rank])];
  return static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), static_cast<std::int64_t>(rank)) - ranks.begin());
}

/// Returns the rank at the opposite end of a send or receive: between stages, the rank with the same place; in a ring,
/// the next or previous rank of the group.
std::int64_t ChakraWriter::peer(std::size_t rank, const TraceNode& node) const {
  if (node.stage >= 0) return rank_of_[static_cast<std::size_t>(node.stage)][trace_.ranks[rank].place];
  const auto group = static_cast<std::size_t>(node.group);
  const auto& ranks = trace_.groups[group].groups[static_cast<std::size_t>(group_of_[group][rank])];
  const std::size_t place = place_in(group, rank), count = ranks.size();
  return ranks[(place + (node.kind == NodeKind::send ? 1 : count - 1)) % count];
}

std::string ChakraWriter::kind(std::size_t rank) const {
  std::string out = fmt::format("{}", trace_.ranks[rank].stage);
  for (const std::int32_t group : used_[trace_.ranks[rank].stage]) {
    if (group >= 0) out += fmt::format(" {}", group_of_[static_cast<std::size_t>(group)][rank]);
  }
  // Files with sends contain the numbers of both ranks, so no two ranks share a file.
  const bool sends = std::any_of(trace_.stages[trace_.ranks[rank].stage].begin(), trace_.stages[trace_.ranks[rank].stage].end(),
                                 [](const TraceNode& node) { return node.kind == NodeKind::send || node.kind == NodeKind::receive; });
  return sends ? out + fmt::format(" rank {}", rank) : out;
}

/// Encodes the trace of a rank in the protocol buffers of Chakra: the version, then one message for each node of the
/// rank's stage, in order, each after its length. Dependencies are positions of earlier nodes. Ranks of a stage have
/// equal nodes; only the names of groups and the two ranks of a send differ. `first_` and `group_of_` give the number
/// that names a group.
std::string ChakraWriter::file(std::size_t rank) const {
  std::string out, text;
  Writer(text).add_string(metadata::kVersion, kVersion);
  add_delimited(out, text);
  const std::vector<TraceNode>& nodes = trace_.stages[trace_.ranks[rank].stage];
  std::vector<std::uint64_t> needs;
  double clock = 0;  // Compute time so far; both ends are rounded to microseconds, so that rounding errors do not accumulate.
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const TraceNode& node = nodes[n];
    text.clear();
    Writer writer(text);
    writer.add_uint64(field::kId, n);
    writer.add_string(field::kName, trace_.names[node.name]);
    writer.add_enum(field::kType, type_of(node.kind));
    needs.assign(node.needs.begin(), node.needs.end());
    writer.add_packed_uint64(field::kDataDeps, needs.begin(), needs.end());
    const double begin = node.kind == NodeKind::compute ? clock : 0, end = begin + node.seconds;
    if (node.kind == NodeKind::compute) clock = end;
    writer.add_uint64(field::kDuration, static_cast<std::uint64_t>(whole(end * 1e6) - whole(begin * 1e6)));
    Attributes attributes(writer);
    attributes.truth("is_cpu_op", false);
    if (node.kind == NodeKind::compute) {
      attributes.number("num_ops", static_cast<std::int64_t>(whole(node.operations)));
      attributes.size("tensor_size", static_cast<std::uint64_t>(whole(node.bytes)));
    } else if (node.kind == NodeKind::collective) {
      const auto group = static_cast<std::size_t>(node.group);
      attributes.number("comm_type", collective_type(node.collective));
      attributes.number("comm_size", comm_size(node));
      attributes.text("pg_name", std::to_string(first_[group] + static_cast<std::size_t>(group_of_[group][rank])));
    } else {
      const std::int64_t other = peer(rank, node), own = static_cast<std::int64_t>(rank);
      attributes.number("comm_size", comm_size(node));
      attributes.small("comm_src", static_cast<std::int32_t>(node.kind == NodeKind::send ? own : other));
      attributes.small("comm_dst", static_cast<std::int32_t>(node.kind == NodeKind::send ? other : own));
      attributes.small("comm_tag", static_cast<std::int32_t>(node.tag));
    }
    add_delimited(out, text);
  }
  return out;
}

std::string ChakraWriter::groups() const {
  std::string out = "{";
  for (std::size_t i = 0; i < trace_.groups.size(); ++i) {
    for (std::size_t g = 0; g < trace_.groups[i].groups.size(); ++g) {
      out += fmt::format("{}\n  \"{}\": [", out.size() > 1 ? "," : "", first_[i] + g);
      for (const std::int64_t rank : trace_.groups[i].groups[g]) out += fmt::format("{}{}", out.back() == '[' ? "" : ", ", rank);
      out += "]";
    }
  }
  return out + "\n}\n";
}

}  // namespace opledger
