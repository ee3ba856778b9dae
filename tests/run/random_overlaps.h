#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/run/round_numbers.h"

/// Random runs with rules for overlap.
namespace opledger::round_numbers {

/// A run without overlap, and rules that may be added to it with their options.
struct Overlappable {
  std::string model, mesh, rules, fields;
  Machine machine;
  std::vector<std::pair<std::string, std::string>> more;
};

class RandomOverlaps {
 public:
  explicit RandomOverlaps(unsigned seed) : random_(seed) {}

  Overlappable next() {
    Overlappable o;
    o.model = one({"llama-3-8b", "mixtral-8x7b", "deepseek-v2-lite", "gpt-oss-20b"});
    const bool experts = o.model != "llama-3-8b", latent = o.model == "deepseek-v2-lite";
    const std::string state = one({"", ", zero_1", ", zero_3"}), schedule = one({"1f1b", "1f1b", "gpipe", "zb_h1", "dualpipe"});
    const int ep = experts ? power(2) : 1, dp = power(2), pp = power(2);
    o.mesh = fmt::format("{{pp: {}, dp: {{edp: {}, ep: {}}}, cp: {}, tp: {}}}", pp, dp, ep, latent ? 1 : power(1), power(2));
    const std::string offload = one({"", "", ", offload_activations", ", offload_weights"});
    o.rules = "megatron, ring" + state + offload + one({"", ", recompute_full"});
    o.fields = fmt::format("batch_size: {}\nmicrobatch_size: 1\nsequence_parallel: true\nseq: 1024\nschedule: {}\nchunks: {}\n", dp * ep * 8 * power(1),
                           schedule, schedule == "1f1b" ? power(1) : 1);
    o.machine = {scale(1e3, 1e6), scale(1e2, 1e5), one({"0", "0.1", "0.5"}) == "0" ? 0 : scale(0.05, 0.9), scale(1e-7, 1e-2), scale(1e2, 1e5)};
    const std::string pieces = std::to_string(1 + random_() % 6);
    o.more = {{"overlap_cp_ring", ""}, {"overlap_dp", "bucket_size: 20\n"}, {"overlap_pp", ""}, {"overlap_zero3_prefetch", ""}, {"overlap_offload", ""}};
    o.more.emplace_back("overlap_expert", "expert_overlap: " + one({"chunked", "shared"}) + "\nexpert_pieces: " + pieces + "\n");
    if (random_() % 2 == 0) {  // Both rules match the same messages.
      o.more.emplace_back("overlap_tp_ring", "");
    } else {
      o.more.emplace_back("overlap_tp_pipelined", "tp_pieces: " + pieces + "\n");
    }
    std::shuffle(o.more.begin(), o.more.end(), random_);
    return o;
  }

 private:
  std::string one(const std::vector<std::string>& list) { return list[random_() % list.size()]; }
  int power(unsigned most) { return 1 << random_() % (most + 1); }
  double scale(double least, double most) { return least * std::pow(most / least, std::uniform_real_distribution<double>(0, 1)(random_)); }
  std::mt19937 random_;
};

}  // namespace opledger::round_numbers
