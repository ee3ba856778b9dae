#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/option_parser.h"
#include "report/set_up.h"
#include "schemas/document.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/random_count.h"

/// Documents, tables of runs and indices of shards whose values are replaced, one at a time, by paths that lead out of
/// their folder or to pipes, devices and folders. The functions that open files are wrapped, and no file may be opened
/// but those of the folder and of the library. OPLEDGER_FUZZ_COUNT sets the number of replaced values.
namespace {

std::mutex record_mutex;
bool is_recording = false;
std::vector<std::string> opened;

void record(const char* path) {
  const std::lock_guard lock(record_mutex);
  if (is_recording && path != nullptr) opened.emplace_back(path);
}

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// The wrappers replace the functions of the C library in this program.
extern "C" {
#define OPLEDGER_WRAP_OPEN(name)                                           \
  int name(const char* path, int flags, ...) {                             \
    record(path);                                                          \
    std::va_list rest;                                                     \
    va_start(rest, flags);                                                 \
    const unsigned mode = va_arg(rest, unsigned);                          \
    va_end(rest);                                                          \
    return original<int(const char*, int, ...)>(#name)(path, flags, mode); \
  }
OPLEDGER_WRAP_OPEN(open)
OPLEDGER_WRAP_OPEN(open64)
#undef OPLEDGER_WRAP_OPEN
std::FILE* fopen(const char* path, const char* mode) {
  record(path);
  return original<std::FILE*(const char*, const char*)>("fopen")(path, mode);
}
std::FILE* fopen64(const char* path, const char* mode) {
  record(path);
  return original<std::FILE*(const char*, const char*)>("fopen64")(path, mode);
}
}

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// A file whose values are replaced, and the commands that read it.
struct Target {
  std::string name, text;
  std::vector<std::vector<std::string>> commands;
  std::size_t from = 0;  ///< Position of the first value that is replaced.
};

/// Paths that a document may not name, and one of a file that is missing.
std::vector<std::string> hostile_paths(const fs::path& outside) {
  std::vector<std::string> out = {"link", "none.yaml", "up/secret.yaml", "/dev/zero", "/proc/self/environ"};
  for (const char* suffix : {"yaml", "csv", "safetensors"}) {
    for (const char* path : {"../secret.", "./link.", "./folder/../../secret.", "./pipe.", "./device.", "./folder."}) out.push_back(path + std::string(suffix));
    out.push_back((outside / "secret.").string() + suffix);
  }
  return out;
}

void make_traps(const fs::path& folder) {
  fs::create_directories(folder);
  fs::create_directory_symlink("..", folder / "up");
  fs::create_directory(folder / "folder");
  for (const std::string suffix : {"yaml", "csv", "safetensors"}) {
    std::ofstream(folder.parent_path() / ("secret." + suffix)) << "secret\n";
    fs::create_symlink("../secret." + suffix, folder / ("link." + suffix));
    fs::create_symlink("/dev/zero", folder / ("device." + suffix));
    fs::create_directory(folder / ("folder." + suffix));
    REQUIRE(::mkfifo((folder / ("pipe." + suffix)).c_str(), 0600) == 0);
  }
}

std::string shipped_text(const std::string& path) { return text_of(fs::path(source_folder()) / path); }

/// Returns a shipped machine with corrections under another name.
std::string corrected_system(const std::string& name) {
  std::string text = shipped_text("systems/a100-80g-sxm.yaml");
  return text.replace(text.find("a100-80g-sxm"), 12, name) + "corrections: [./measured.yaml]\n";
}

/// Own documents have the keys that name files; shipped ones have all others.
std::vector<Target> targets() {
  const std::string model = "gpt2", system = "a100-80g-sxm";
  const auto read = [&](const std::string& file) { return std::vector<std::string>{"validate", file}; };
  std::vector<Target> out = {
      {"e.yaml",
       "kind: execution\nname: e\nmesh: {pp: 2}\nbatch_size: 1\nrules: [megatron, {./own_rules.yaml: true}]\nstack: torchtitan\nuses: [o.yaml]\nschedule: "
       "eager\n"
       "accounting: standard\n",
       {read("e.yaml"), {"timeline", model, "./e.yaml", system}, {"params", model, "./e.yaml", system}, {"explain", model, "./e.yaml", system, "batch_size"}}},
      {"o.yaml",
       "kind: ops\nname: o\nuses: [schedules]\nops:\n  eager:\n    doc: x\n    extends: pipeline_schedule\n    plays: true\n    order: {actions: "
       "actions.csv}\n",
       {read("o.yaml"), {"timeline", model, "uses_o.yaml", system}}},
      {"o2.yaml",
       "kind: ops\nname: o2\nuses: schedules\nops:\n  eager:\n    doc: x\n    extends: pipeline_schedule\n    plays: true\n    order: own_order\n",
       {read("o2.yaml"), {"timeline", model, "uses_o2.yaml", system}}},
      {"stack.yaml",
       "kind: stack\nname: stack\nextends: megatron-core\nrules: [overlap_dp]\n",
       {read("stack.yaml"), {"params", model, "uses_stack.yaml", system}}},
      {"system.yaml",
       corrected_system("system"),
       {read("system.yaml"), {"eval", model, "single", "./system.yaml"}},
       corrected_system("system").find("corrections:")},
      {"measured.yaml",
       "kind: measurements\nname: measured\nextends: products\nmodel: measured/product\ntable: table.csv\n",
       {read("measured.yaml"),
        {"eval", model, "single", "uses_measured.yaml"},
        {"calibrate", "uses_measured.yaml", "--measured", "measured.yaml=table.csv", "--open", "system.kernels.product.*.rate"}}},
      {"accounting.yaml",
       "kind: accounting\nname: accounting\nextends: standard\nuses: [operators]\nmetrics:\n  own: {unit: count, doc: x, is: microbatches}\n",
       {read("accounting.yaml"), {"eval", model, "single", system, "--accounting", "accounting.yaml"}}},
      {"space.yaml",
       "kind: search\nname: space\ndoc: x\nextends: standard\naccounting: standard\nrules: [megatron]\nmaximize: tokens_per_second\naxes:\n  - system: [" +
           system + "]\n  - batch_size: divisors(2)\n",
       {read("space.yaml"), {"search", "space.yaml", model, "--set", "processors=2", "--jobs", "1"}}},
      {"validation.yaml",
       "kind: validation\nname: validation\ndoc: x\nsource: x\naccounting: standard\nexecution: {rules: [megatron], stack: none, batch_size: 4}\nruns:\n"
       "  a: {model: gpt2, system: a100-80g-sxm}\n  b: {model: gpt2, execution: single, system: a100-80g-sxm, set: {stack: none}}\ntables:\n"
       "  t: {unit: count, is: {standard: microbatches}, published: {a: 4, b: 1}}\n",
       {read("validation.yaml"), {"validation", "validation.yaml"}}},
      {"model.yaml",
       "kind: model\nname: model\nuses: [embeddings, decoder, heads]\nparameters: {hidden: 64, heads: 4, kv_heads: 2, ffn: 128, vocab: 100, seq: 16}\n"
       "graph: [{name: embedding, block: token_embedding}, {name: layer, block: llama_layer}, {name: head, block: rmsnorm_head}]\ncheckpoint: llama\n",
       {read("model.yaml"), {"params", "model.yaml", "single", system}, {"audit", "model.yaml", "--checkpoint", "shards.safetensors.index.json"}}},
      {"shards.safetensors.index.json",
       R"({"weight_map": {"a": "a.safetensors", "b": "b.safetensors"}})",
       {{"audit", model, "--checkpoint", "shards.safetensors.index.json"}}},
      {"runs.csv", "model,execution,system,rules,stack,batch_size\ngpt2,single,a100-80g-sxm,megatron,none,4\n", {{"eval", "--table", "runs.csv"}}},
  };
  for (const char* path : {"executions/deepseek-v3-serve-80xh200.yaml", "models/gpt2.yaml", "systems/h100-80g-sxm.yaml", "rules/megatron.yaml",
                           "models/import/granitemoe.yaml", "models/import/deepspeed.yaml", "measured/validations/korthikanti.yaml",
                           "search/spaces/standard.yaml", "play/orders/1f1b.yaml", "measured/measurements/products.yaml"}) {
    const std::string name = fs::path(path).filename();
    out.push_back({"shipped_" + name, shipped_text(path), {read("shipped_" + name)}});
  }
  return out;
}

/// Files that the targets name.
void write_others(const fs::path& folder) {
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  const std::string run = "kind: execution\nmesh: {pp: 2}\nbatch_size: 1\nrules: [megatron]\n";
  write("uses_o.yaml", run + "name: uses_o\nuses: o.yaml\nschedule: eager\n");
  write("uses_o2.yaml", run + "name: uses_o2\nuses: o2.yaml\nschedule: eager\n");
  write("uses_stack.yaml", run + "name: uses_stack\nstack: ./stack.yaml\n");
  write("uses_measured.yaml", corrected_system("uses_measured"));
  write("own_rules.yaml", "kind: rules\nname: own_rules\nshard: []\n");
  std::string order = shipped_text("play/orders/1f1b.yaml");
  write("own_order.yaml", order.replace(order.find("name: 1f1b"), 10, "name: own_order"));
  write("actions.csv", "0F0,0B0\n1F0,1B0\n");
  std::string table = "m,n,k,us\n";
  for (int m = 256; m <= 8192; m *= 2) {
    for (const int n : {1024, 4096}) table += fmt::format("{0},{1},4096,{2}\n", m, n, 10 + m * n / 30000);
  }
  write("table.csv", table);
}

/// Adds the positions of all texts of a tree, keys included: a key can name a document, as in `{RULES: CONDITION}`.
void add_positions(const Datum& datum, std::vector<std::pair<Span, std::string>>& out) {
  if (datum.is_scalar()) out.emplace_back(datum.span(), datum.text());
  for (const Datum& item : datum.items()) add_positions(item, out);
  for (const auto& [key, value] : datum.entries()) {
    out.emplace_back(key.span(), key.text());
    add_positions(value, out);
  }
}

/// Returns a text once for each of its values, with the position and the length of the value in bytes.
std::vector<std::pair<std::size_t, std::size_t>> places_in(const Target& target) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  const auto source = std::make_shared<const SourceFile>(target.name, target.text);
  if (target.name.ends_with(".csv")) {
    for (std::size_t at = 0; at < target.text.size();) {
      const std::size_t end = target.text.find_first_of(",\n", at);
      out.emplace_back(at, end - at);
      at = end + 1;
    }
    return out;
  }
  Diagnostics ignored;
  const std::optional<Datum> root = parse_document(source, ignored);
  REQUIRE(root);
  std::vector<std::pair<Span, std::string>> positions;
  add_positions(*root, positions);
  for (const auto& [span, text] : positions) {
    if (!span.known() || span.line == 0) continue;
    std::size_t at = source->line_start(span.line) + span.column - 1;
    if (target.text[at] == '"' || target.text[at] == '\'') ++at;
    if (!text.empty() && at >= target.from && target.text.compare(at, text.size(), text) == 0) out.emplace_back(at, text.size());
  }
  return out;
}

/// Runs a command and returns its messages.
std::string messages_of(const std::vector<std::string>& words) {
  Diagnostics diagnostics;
  const Command* command = find_command(words[0]);
  REQUIRE(command != nullptr);
  const std::optional<Options> options = parse_options(*command, {words.begin() + 1, words.end()}, diagnostics);
  REQUIRE_MESSAGE(options, render(diagnostics));
  Library library({source_folder()});
  const Outcome outcome = command->run(*command, *options, library, diagnostics);
  return render(diagnostics);
}

}  // namespace

TEST_CASE("no document, table or index makes the program open a file out of its reach") {
  const TemporaryFolder place;
  const fs::path folder = place.path() / "own", before = fs::current_path();
  make_traps(folder);
  write_others(folder);
  fs::current_path(folder);
  const std::vector<Target> all = targets();
  for (const Target& target : all) std::ofstream(target.name) << target.text;
  set_up_runs();
  const std::vector<std::string> paths = hostile_paths(place.path());
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> places;
  for (const Target& target : all) places.push_back(places_in(target));
  std::mt19937 random(7);
  const auto choose = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
  const int count = testing::random_count(100, 10);
  std::vector<std::string> wrong;
  std::set<std::string> named;  // Names of files that were opened in the folder.
  const auto run_all = [&](const Target& target, bool is_changed) {
    for (const std::vector<std::string>& words : target.commands) {
      opened.clear();
      is_recording = true;
      const std::string messages = messages_of(words);
      is_recording = false;
      if (!is_changed) CHECK_MESSAGE(messages.find("error: ") == std::string::npos, messages);
      for (const std::string& path : opened) {
        const fs::path lies = fs::weakly_canonical(path);
        const auto is_below = [&](const fs::path& root) { return std::mismatch(root.begin(), root.end(), lies.begin(), lies.end()).first == root.end(); };
        const bool is_of_system = path.starts_with("/sys/") || (path.starts_with("/proc/") && path.find("environ") == std::string::npos);  // read by TBB
        if (is_below(folder)) named.insert(lies.filename());
        if (!is_below(folder) && !is_below(fs::canonical(source_folder())) && !is_of_system) wrong.push_back(target.name + ": " + path);
      }
    }
  };
  for (const Target& target : all) run_all(target, false);  // Unchanged documents show that the commands read what they name.
  CHECK(wrong.empty());
  for (const std::string name : {"actions.csv", "own_order.yaml", "own_rules.yaml", "table.csv", "stack.yaml", "runs.csv", "shards.safetensors.index.json"}) {
    CAPTURE(name);
    CHECK(named.count(name) == 1);
  }
  for (int i = 0; i < count; ++i) {
    const std::size_t t = i < count / 2 ? choose(12) : choose(all.size());  // The documents that name files come first.
    const auto [at, length] = places[t][choose(places[t].size())];
    const std::string path = paths[choose(paths.size())];
    std::string text = all[t].text;
    std::ofstream(all[t].name) << text.replace(at, length, path);
    CAPTURE(text);
    run_all(all[t], true);
    REQUIRE_MESSAGE(wrong.empty(), wrong[0]);
    std::ofstream(all[t].name) << all[t].text;
  }
  fs::current_path(before);
}

}  // namespace opledger
