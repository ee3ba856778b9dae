#include "report/chakra.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/report/chakra_file.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr int kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7;

/// A decoded trace.
struct Exported {
  Exported(const std::string& model, const std::string& execution, const std::string& system, const Settings& settings = {}, TraceOptions options = {})
      : run(prepare(model, execution, system, settings)) {
    REQUIRE(run);
    Diagnostics diagnostics;
    trace = step_trace(*run, options, diagnostics);
    REQUIRE_MESSAGE(trace, render(diagnostics));
    writer.emplace(*trace);
    for (std::size_t rank = 0; rank < trace->ranks.size(); ++rank) ranks.push_back(read_chakra(writer->file(rank)));
    const nlohmann::json listed = nlohmann::json::parse(writer->groups());
    for (const auto& [name, members] : listed.items()) groups[name] = members.get<std::vector<int>>();
  }

  std::unique_ptr<Run> run;
  std::optional<StepTrace> trace;
  std::optional<ChakraWriter> writer;
  std::vector<std::vector<ChakraNode>> ranks;
  std::map<std::string, std::vector<int>> groups;
};

/// Returns the bytes sent by a rank, given its file and the ring algorithms of ASTRA-sim.
double sent_by(const std::vector<ChakraNode>& nodes, const std::map<std::string, std::vector<int>>& groups) {
  double out = 0;
  for (const ChakraNode& node : nodes) {
    if (node.type == kSend) out += static_cast<double>(node.numbers.at("comm_size"));
    if (node.type != kCollective) continue;
    const auto n = static_cast<double>(groups.at(node.group).size()), size = static_cast<double>(node.numbers.at("comm_size"));
    switch (node.numbers.at("comm_type")) {
      case 0:
        out += 2 * size * (n - 1) / n;
        break;
      case 2:
        out += size * (n - 1);
        break;
      case 6:
      case 7:
        out += size * (n - 1) / n;
        break;
      default:
        FAIL("unknown collective");
    }
  }
  return out;
}

struct Case {
  std::string model, execution, system;
  Settings settings;
};

/// Runs with tensor and sequence parallelism, pipelines with chunks and in two directions, experts, rings of keys, and
/// weights gathered for every layer.
std::vector<Case> cases() {
  const std::string rest = "batch_size: 32\nmicrobatch_size: 1\n";
  return {{"gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", {{"batch_size", "32"}}},
          {"llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm", {{"batch_size", "64"}}},
          {"mixtral-8x7b", "mixtral-8x7b-64xh100", "h100-80g-sxm", {}},
          {"mixtral-8x7b", "mixtral-8x7b-folded-64xh100", "h100-80g-sxm", {}},
          {"llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm", {}},
          {"deepseek-v2-lite", "deepseek-v2-lite-8xh100", "h100-80g-sxm", {}},
          {"mamba2-2.7b", "mamba2-2.7b-8xh100", "h100-80g-sxm", {}},
          {"gpt2", "gpt2-1xa100", "a100-80g-sxm", {}},
          {"llama-3-8b", execution("{pp: 4, dp: 2, cp: 2, tp: 2}", "megatron, ring, overlap_cp_ring, zero_1", rest + "chunks: 2\n"), "h100-80g-sxm", {}},
          {"llama-3-8b", execution("{pp: 2, dp: 4, cp: {ring: 2, ul: 2}}", "megatron, usp, zero_3, overlap_zero3_prefetch", rest), "h100-80g-sxm", {}},
          {"mamba2-2.7b", execution("{dp: 2, cp: 4}", "megatron, zero_2", rest), "h100-80g-sxm", {}},
          {"gpt2", execution("{pp: 4, dp: 2}", "megatron", rest + "schedule: zb_h1\n"), "a100-80g-sxm", {}}};
}

}  // namespace

TEST_CASE("chakra: dependencies go back, collectives are equal on every rank of their group, sends meet, and the step ends as in the simulation") {
  for (const Case& c : testing::some_of(cases(), 10)) {
    CAPTURE(c.model);
    CAPTURE(c.execution);
    const Exported e(c.model, c.execution, c.system, c.settings);
    // Type and size by group and rank.
    std::map<std::string, std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>>> collectives;
    // Bytes of each message; 0 once both ends are found.
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t> ends;
    double average = 0;
    for (std::size_t rank = 0; rank < e.ranks.size(); ++rank) {
      bool back = true, own = true;
      for (std::size_t n = 0; n < e.ranks[rank].size(); ++n) {
        const ChakraNode& node = e.ranks[rank][n];
        back = back && node.id == n && std::all_of(node.deps.begin(), node.deps.end(), [&](std::uint64_t d) { return d < n; });
        if (node.type == kCollective) {
          collectives[node.group][static_cast<int>(rank)].emplace_back(node.numbers.at("comm_type"), node.numbers.at("comm_size"));
        } else if (node.type != kCompute) {
          REQUIRE((node.type == kSend || node.type == kReceive));
          const std::int64_t from = node.numbers.at("comm_src"), to = node.numbers.at("comm_dst"), bytes = node.numbers.at("comm_size");
          own = own && (node.type == kSend ? from : to) == static_cast<std::int64_t>(rank) && from != to;
          ends[{from, to, node.numbers.at("comm_tag")}] += node.type == kSend ? bytes : -bytes;
        }
      }
      CHECK(back);
      CHECK(own);
      average += sent_by(e.ranks[rank], e.groups) / static_cast<double>(e.ranks.size());
    }
    for (const auto& [group, of] : collectives) {
      CAPTURE(group);
      REQUIRE(e.groups.count(group) == 1);
      CHECK(of.size() == e.groups.at(group).size());
      for (const auto& [rank, list] : of) {
        CHECK(std::count(e.groups.at(group).begin(), e.groups.at(group).end(), rank) == 1);
        CHECK(list == of.begin()->second);
      }
    }
    CHECK(std::all_of(ends.begin(), ends.end(), [](const auto& end) { return end.second == 0; }));
    const double played = ChakraReplay(e.ranks, e.groups).play(), counted = value(*e.run, "communication_bytes");
    CHECK(played > 0);
    CHECK(std::abs(average - counted) <= 1e-6 * counted);
    CHECK(played > 0.93 * e.trace->end);
    CHECK(played < 1.05 * e.trace->end);
  }
}

TEST_CASE("chakra: the first microbatches of 1024 ranks of DeepSeek-V3 end without waiting for each other") {
  TraceOptions two;
  two.microbatches = 2;
  const Exported e("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm", {{"edp", "1"}, {"batch_size", "7680"}}, two);
  CHECK(e.ranks.size() == 1024);
  CHECK(ChakraReplay(e.ranks, e.groups).play() > 0);
}

TEST_CASE("chakra: kernels one by one are the same step") {
  TraceOptions kernels;
  kernels.operators = true;
  const Exported blocks("deepseek-v2-lite", "deepseek-v2-lite-8xh100", "h100-80g-sxm"),
      single("deepseek-v2-lite", "deepseek-v2-lite-8xh100", "h100-80g-sxm", {}, kernels);
  struct Sum {
    double operations = 0, moved = 0, micros = 0;
  };
  const auto sum = [](const std::vector<ChakraNode>& nodes) {
    Sum out;
    for (const ChakraNode& node : nodes) {
      if (node.type != kCompute) continue;
      out.operations += static_cast<double>(node.numbers.at("num_ops"));
      out.moved += static_cast<double>(node.numbers.at("tensor_size"));
      out.micros += static_cast<double>(node.micros);
    }
    return out;
  };
  const Sum a = sum(blocks.ranks[0]), b = sum(single.ranks[0]);
  CHECK(single.ranks[0].size() > 1.5 * static_cast<double>(blocks.ranks[0].size()));
  CHECK(a.operations == doctest::Approx(b.operations));
  CHECK(a.moved == doctest::Approx(b.moved).epsilon(1e-6));
  CHECK(std::abs(a.micros - b.micros) <= 2);                                                       // Both ends of compute are rounded.
  CHECK(8 * a.operations == doctest::Approx(value(*blocks.run, "hardware_flops")).epsilon(1e-6));  // The trace has eight ranks.
}

TEST_CASE("chakra: ranks of a kind have the same file, and no others") {
  const std::string rest = "batch_size: 16\nmicrobatch_size: 1\n";
  for (const std::string& run :
       {execution("{dp: 4}", "megatron, zero_1", rest), execution("{dp: 2, tp: 2}", "megatron", rest), execution("{pp: 2, dp: 2}", "megatron", rest)}) {
    const Exported e("gpt2", run, "a100-80g-sxm");
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) CHECK((e.writer->kind(a) == e.writer->kind(b)) == (e.writer->file(a) == e.writer->file(b)));
    }
  }
}

TEST_CASE("chakra: protoc reads what is written") {
  if (std::system("protoc --version >/dev/null 2>&1") != 0) {
    const char* protoc = std::getenv("OPLEDGER_PROTOC");
    REQUIRE((protoc == nullptr || std::string(protoc) != "required"));
    MESSAGE("skipped: there is no protoc; `scripts/setup.sh traces` installs it");
    return;
  }
  const TemporaryFolder folder;
  const Exported e("gpt2", execution("{pp: 2, tp: 2}", "megatron", "batch_size: 2\nmicrobatch_size: 1\n"), "a100-80g-sxm");
  const auto decoded = [&](const std::string& message, const std::string& bytes) {
    std::ofstream(folder.path() / "in", std::ios::binary) << bytes;
    const std::string command = "cd '" + folder.path().string() + "' && protoc -I '" + source_folder() + "/tests/data/chakra' --decode=ChakraProtoMsg." +
                                message + " et_def.proto < in > out 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream out(folder.path() / "out");
    return std::string(std::istreambuf_iterator<char>(out), {});
  };
  const std::vector<std::string> messages = chakra_messages(e.writer->file(0));
  CHECK(decoded("GlobalMetadata", messages[0]) == "version: \"0.0.4\"\n");
  std::string file;
  for (std::size_t m = 1; m < messages.size(); ++m) {
    file += '\x0a';  // Field 1, length-delimited.
    protozero::write_varint(std::back_inserter(file), messages[m].size());
    file += messages[m];
  }
  const std::string text = decoded("File", file);
  std::size_t nodes = 0, lines = 0;
  for (std::size_t at = text.find("node {"); at != std::string::npos; at = text.find("node {", at + 1)) ++nodes;
  CHECK(nodes == e.ranks[0].size());
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const std::size_t first = text.find_first_not_of(' ', begin);
    lines += text[first] >= '0' && text[first] <= '9' ? 1 : 0;  // Fields unknown to the schema are printed as numbers.
  }
  CHECK(lines == 0);
  for (const char* word :
       {"type: COMP_NODE", "type: COMM_SEND_NODE", "type: COMM_RECV_NODE", "type: COMM_COLL_NODE", "name: \"pg_name\"", "name: \"comm_tag\""})
    CHECK_MESSAGE(text.find(word) != std::string::npos, word);
}

}  // namespace opledger
