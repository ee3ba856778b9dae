#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "tests/support/documents.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Equivalent spellings of a mesh: an axis renamed, split into parts, or accompanied by axes of one rank. Ranks and
/// their tensors are equal, so every metric of every shipped execution must be equal.
namespace opledger {
namespace {

/// An axis as written: `dp: {edp: 2, ep: 8}`, `tp: 8` or `ep: [cp, tp]`.
struct WrittenAxis {
  std::string name;
  std::vector<std::pair<std::string, long>> parts;  ///< Parts of the axis; a plain axis is its only part.
  std::vector<std::string> alias;

  bool plain() const { return parts.size() == 1 && parts[0].first == name; }
};
using Axes = std::vector<WrittenAxis>;

WrittenAxis plain(const std::string& name, long size) { return {name, {{name, size}}, {}}; }
WrittenAxis alias(const std::string& name, const std::vector<std::string>& of) { return {name, {}, of}; }

Axes read_axes(const Datum& mesh) {
  Axes out;
  for (const auto& [name, value] : mesh.entries()) {
    WrittenAxis axis{name.text(), {}, {}};
    for (const auto& [part, size] : value.entries()) axis.parts.emplace_back(part.text(), std::stol(size.text()));
    for (const Datum& other : value.items()) axis.alias.push_back(other.text());
    if (value.is_scalar()) axis = plain(name.text(), std::stol(value.text()));
    out.push_back(std::move(axis));
  }
  return out;
}

std::string written(const Axes& axes) {
  std::vector<std::string> out;
  for (const WrittenAxis& axis : axes) {
    std::vector<std::string> parts;
    for (const auto& [part, size] : axis.parts) parts.push_back(fmt::format("{}: {}", part, size));
    const std::string value = axis.plain()         ? std::to_string(axis.parts[0].second)
                              : axis.alias.empty() ? "{" + join(parts, ", ") + "}"
                                                   : "[" + join(axis.alias, ", ") + "]";
    out.push_back(axis.name + ": " + value);
  }
  return "{" + join(out, ", ") + "}";
}

/// A shipped execution without its mesh.
struct Shipped {
  std::string name, model, system, rules, rest;
  std::string own_rules;  ///< Rules of a document `own`, without its heading.
  Axes axes;
};

Shipped read_shipped(const std::string& name) {
  Shipped out;
  out.name = name;
  std::tie(out.model, out.system) = model_and_system(name);
  std::ifstream file(std::string(source_folder()) + "/executions/" + name + ".yaml");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("mesh:", 0) == 0)
      out.axes = read_axes(*datum(line).find("mesh"));
    else if (line.rfind("rules:", 0) == 0)
      out.rules = line.substr(line.find('[') + 1, line.find(']') - line.find('[') - 1);
    else if (line.rfind("kind:", 0) != 0 && line.rfind("name:", 0) != 0)
      out.rest += line + "\n";
  }
  REQUIRE_MESSAGE(!out.axes.empty(), name);
  return out;
}

std::vector<Shipped> all_shipped() {
  std::vector<Shipped> out;
  for (const std::string& name : shipped().names("execution")) {
    if (name == "single") continue;
    Shipped one = read_shipped(name);
    if (one.rest.find("\ncases:") == std::string::npos) out.push_back(std::move(one));  // Cases may name axes as well.
  }
  return out;
}

/// Prepares the execution with these axes; own rules are written to the same folder.
std::unique_ptr<Run> prepared(const Shipped& shipped, const Axes& axes) {
  if (shipped.own_rules.empty()) return prepare(shipped.model, execution(written(axes), shipped.rules, shipped.rest), shipped.system);
  const TemporaryFolder folder;
  libraries().push_back(Library({source_folder()}));
  folder.write("own.yaml", "kind: rules\nname: own\n" + shipped.own_rules);
  const std::string text = "kind: execution\nmesh: " + written(axes) + "\nrules: [own.yaml, " + shipped.rules + "]\n" + shipped.rest;
  return prepare(shipped.model, folder.write("run.yaml", text).string(), shipped.system);
}

/// Returns all published metrics at all words except axes.
std::map<std::string, double> metrics(const Shipped& shipped, const Axes& axes) {
  const auto run = prepared(shipped, axes);
  std::map<std::string, double> out;
  for (const Published& p : run->program().published) {
    const bool of_axis = std::any_of(p.at.begin(), p.at.end(), [](const auto& chosen) { return chosen.first == kAxisSet; });
    const auto v = of_axis ? std::nullopt : run->value(p.name, said());
    if (v && v->is_number()) out[p.name] = v->scalar.value;
  }
  return out;
}

/// Lists metrics with a relative difference, one per line.
std::string differences(const std::map<std::string, double>& expected, const std::map<std::string, double>& found, double share) {
  std::string out;
  for (const auto& [name, value] : expected) {
    const auto other = found.find(name);
    if (other == found.end())
      out += "  " + name + " has no value\n";
    else if (!near(other->second, value, share))
      out += fmt::format("  {} {} for {}\n", name, other->second, value);
  }
  return out;
}

/// Rules of users that split axes in other ways than the shipped rules.
std::vector<Shipped> others() {
  const std::string rest = "batch_size: 32\nmicrobatch_size: 1\n";
  const Axes tensor = {plain("dp", 2), plain("tp", 8)};
  const Axes both = {plain("dp", 2), {"tp", {{"tx", 4}, {"ty", 2}}, {}}};
  return {
      {"together", "llama-3-8b", "h100-80g-sxm", "zero_1", rest, "shard:\n  - batch: dp\n  - heads, kv_heads: tp\n  - ffn, vocab: tp\n", tensor},
      {"replicated", "llama-3-8b", "h100-80g-sxm", "zero_1", rest,
       "shard:\n  - batch: dp\n  - heads: {axis: tp, uneven: replicate}\n  - kv_heads: {axis: tp, uneven: replicate}\n  - ffn, vocab: tp\n", tensor},
      {"along the sequence", "llama-3-8b", "h100-80g-sxm", "zero_1", rest, "shard:\n  - batch: dp\n  - heads, kv_heads: tp\n  - ffn, vocab: tp\n  - seq: tp\n",
       tensor},
      {"skipped", "mamba2-2.7b", "h100-80g-sxm", "", rest, "shard:\n  - groups: {axis: tp, uneven: skip}\n  - batch: {axis: tp, uneven: replicate}\n", tensor},
      {"in two dimensions", "llama-3-8b", "h100-80g-sxm", "zero_1", rest,
       "shard:\n  - batch: dp\n  - heads, kv_heads: tp\n  - ffn: tx\n  - hidden: ty\n  - vocab: tp\n  - seq: tp\n", both},
  };
}

/// Compares each execution with every third of its spellings; the first one alternates between executions.
template <class Spell>
void check_spellings(Spell spell, double share, const std::vector<Shipped>& executions = all_shipped()) {
  std::size_t compared = 0;
  const auto step = static_cast<std::size_t>(testing::one_of(8));
  for (std::size_t i = 0; i < executions.size(); i += step) {
    const Shipped& shipped = executions[i];
    const std::map<std::string, double> expected = metrics(shipped, shipped.axes);
    CHECK(expected.size() > 40);
    const std::vector<Axes> spellings = spell(shipped.axes);
    for (std::size_t turn = i / step % std::clamp<std::size_t>(spellings.size(), 1, 3); turn < spellings.size(); turn += 3) {
      const Axes& axes = spellings[turn];
      const std::string wrong = differences(expected, metrics(shipped, axes), share);
      CHECK_MESSAGE(wrong.empty(), shipped.name, " ", written(axes), "\n", wrong);
      ++compared;
    }
  }
  CHECK(compared >= executions.size() / step / 2);  // Some executions have no such spelling.
}

/// Splits part `p` of axis `a` into parts of these sizes. Parts of a part replace it, and its name becomes an alias for
/// them.
Axes with_parts(Axes axes, std::size_t a, std::size_t p, const std::vector<long>& sizes) {
  const std::string name = axes[a].parts[p].first;
  const bool was_plain = axes[a].plain();
  std::vector<std::pair<std::string, long>> parts;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    names.push_back(fmt::format("{}_{}", name, i));
    parts.emplace_back(names.back(), sizes[i]);
  }
  auto& all = axes[a].parts;
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(p));
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(p), parts.begin(), parts.end());
  if (!was_plain) axes.push_back(alias(name, names));
  return axes;
}

/// Applies each of the ways to every axis and part with several ranks.
template <class Ways>
std::vector<Axes> each_in_parts(const Axes& axes, Ways ways) {
  std::vector<Axes> out;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (std::size_t p = 0; p < axes[a].parts.size(); ++p) {
      const long size = axes[a].parts[p].second;
      if (size == 1) continue;
      for (const std::vector<long>& sizes : ways(size)) out.push_back(with_parts(axes, a, p, sizes));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("mesh spellings: an axis under another name is the same axis") {
  // Names in the opposite alphabetical order, with the old names as aliases.
  check_spellings(
      [](Axes axes) {
        int count = 0;
        const std::size_t written = axes.size();
        for (std::size_t a = 0; a < written; ++a) {
          const bool was_plain = axes[a].plain();
          const std::string name = axes[a].name;
          for (auto& [part, _] : axes[a].parts) {
            const std::string other = fmt::format("{}{}", static_cast<char>('z' - count++), part);
            axes.push_back(alias(part, {other}));
            part = other;
          }
          if (was_plain) axes[a].name = axes[a].parts[0].first;
        }
        return std::vector<Axes>{axes};
      },
      0);
}

TEST_CASE("mesh spellings: where axes of one rank stand, and how many there are, changes nothing") {
  check_spellings(
      [](const Axes& axes) {
        std::vector<Axes> out;
        Axes many, others;
        for (std::size_t a = 0; a < axes.size(); ++a) {
          Axes more = axes;
          more.insert(more.begin() + static_cast<std::ptrdiff_t>(a), plain("lone", 1));
          out.push_back(std::move(more));
          many.push_back(plain(fmt::format("lone{}", a), 1));
          many.push_back(axes[a]);
          if (!axes[a].plain() || axes[a].parts[0].second > 1) others.push_back(axes[a]);
        }
        many.push_back(plain("lone", 1));
        out.push_back(many);
        for (std::size_t place = 0; place <= others.size() && others.size() < axes.size(); ++place) {
          Axes moved = others;
          for (const WrittenAxis& axis : axes) {
            if (axis.plain() && axis.parts[0].second == 1) moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(place), axis);
          }
          out.push_back(moved);
        }
        return out;
      },
      0);
}

TEST_CASE("mesh spellings: an axis that consists of one part is that part") {
  check_spellings(
      [](const Axes& axes) {
        std::vector<Axes> out = each_in_parts(axes, [](long size) { return std::vector<std::vector<long>>{{size}}; });
        for (std::size_t a = 0; a < axes.size(); ++a) {
          if (axes[a].plain() || axes[a].parts.size() != 1) continue;
          Axes joined = axes;
          joined[a] = plain(axes[a].name, axes[a].parts[0].second);
          joined.push_back(alias(axes[a].parts[0].first, {axes[a].name}));
          out.push_back(joined);
        }
        return out;
      },
      0);
}

TEST_CASE("mesh spellings: parts of one rank next to a part with all ranks") {
  const auto ways = [](long size) { return std::vector<std::vector<long>>{{1, size}, {size, 1}, {1, size, 1}}; };
  check_spellings([&](const Axes& axes) { return each_in_parts(axes, ways); }, 0);
}

// Degrees are multiplied in a different order, and so are shares of bytes: the last digits may differ.
TEST_CASE("mesh spellings: an axis as parts of several ranks each") {
  const auto ways = [](long size) {
    std::vector<std::vector<long>> out;
    for (long first = 2; first < size; ++first) {
      if (size % first == 0) out.push_back({first, size / first});
    }
    if (out.size() > 3) out = {out[0], out[out.size() / 2], out.back()};
    return out;
  };
  check_spellings([&](const Axes& axes) { return each_in_parts(axes, ways); }, 1e-12);
}

TEST_CASE("mesh spellings: parts of one rank, with rules of users") {
  const auto ways = [](long size) { return std::vector<std::vector<long>>{{size}, {1, size}, {size, 1}}; };
  check_spellings([&](const Axes& axes) { return each_in_parts(axes, ways); }, 0, others());
}

// Degrees are multiplied in a different order, and so are shares of bytes: the last digits may differ.
TEST_CASE("mesh spellings: parts of several ranks each, with rules of users") {
  const auto ways = [](long size) { return size == 8 ? std::vector<std::vector<long>>{{2, 4}, {4, 2}, {2, 2, 2}} : std::vector<std::vector<long>>{}; };
  check_spellings([&](const Axes& axes) { return each_in_parts(axes, ways); }, 1e-12, others());
}

TEST_CASE("mesh spellings: experts that are spread over one rank are those of data parallelism") {
  for (const std::string rules : {"megatron, zero_3", "megatron, zero_1", "megatron"}) {
    Shipped mixtral{"mixtral", "mixtral-8x7b", "h100-80g-sxm", rules, "batch_size: 64\nmicrobatch_size: 1\n", "", {plain("dp", 8)}};
    const std::map<std::string, double> expected = metrics(mixtral, mixtral.axes);
    CHECK(expected.size() > 40);
    for (const std::vector<std::pair<std::string, long>>& parts : {std::vector<std::pair<std::string, long>>{{"edp", 8}, {"ep", 1}}, {{"ep", 1}, {"edp", 8}}}) {
      const std::string wrong = differences(expected, metrics(mixtral, {{"dp", parts, {}}}), 0);
      CHECK_MESSAGE(wrong.empty(), rules, "\n", wrong);
    }
  }
}

}  // namespace opledger
