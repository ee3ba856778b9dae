#include "import/calculon.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "import/foreign_document.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

constexpr const char* kAccounting = "calculon";

/// A document of Calculon and the name of the opledger document made from the original.
struct Subject {
  const ForeignDocument& original;
  std::string name;

  std::string file() const { return original.document->path.filename().string(); }
  std::string text(const char* field) const { return yaml_flow(original.field(field)); }
  bool is(const char* field, std::string_view word) const { return original.field(field).text() == word; }
};

std::string heading(const Subject& subject, const std::string& doc) {
  return fmt::format("kind: {}\nname: {}\ndoc: {}\nsource: {}\n", subject.original.role, yaml_text(subject.name), doc,
                     yaml_text(fmt::format("Isaev et al. 2023 (Calculon) - {}", subject.file())));
}

// ---- an application

constexpr const char* kModel = R"(uses: [embeddings, decoder, heads]
parameters:
  hidden: {hidden}
  feedforward: {feedforward}
  seq_size: {seq_size}
  attn_heads: {attn_heads}
  attn_size: {attn_size}
  num_blocks: {num_blocks}
  # names used by opledger's blocks
  layers: num_blocks
  heads: attn_heads
  head_dim: attn_size
  ffn: feedforward
  seq: seq_size
  positions: seq_size
  vocab: 51200                 # Calculon's, for every model
graph:
  - {{name: embedding, block: token_position_embedding}}
  - {{name: decoder, block: gpt_layer, repeat: layers}}
  - {{name: head, block: layernorm_head, weights: {{logits.w: embedding.tokens.table}}}}     # tied
)";

std::string model_text(const Subject& s) {
  const std::string doc = fmt::format("A GPT of {} blocks, {} wide. Its sizes have Calculon's names.", s.text("num_blocks"), s.text("hidden"));
  return heading(s, doc) + fmt::format(kModel, fmt::arg("hidden", s.text("hidden")), fmt::arg("feedforward", s.text("feedforward")),
                                       fmt::arg("seq_size", s.text("seq_size")), fmt::arg("attn_heads", s.text("attn_heads")),
                                       fmt::arg("attn_size", s.text("attn_size")), fmt::arg("num_blocks", s.text("num_blocks")));
}

// ---- an execution

using Word = std::pair<std::string_view, std::string_view>;
constexpr std::array<Word, 4> kPrecisions = {{{"float32", "fp32"}, {"float16", "fp16"}, {"bfloat16", "bf16"}, {"float8", "fp8"}}};

std::string precision_of(const std::string& datatype) {
  const auto found = std::find_if(kPrecisions.begin(), kPrecisions.end(), [&](const Word& word) { return word.first == datatype; });
  return std::string(found->second);  // The accounting rejects any other datatype earlier.
}

std::string rules_of(const Subject& s) {
  std::vector<std::string> rules = {"megatron"};
  if (s.is("optimizer_sharding", "true")) rules.emplace_back("zero_1");
  if (s.is("activation_recompute", "full")) rules.emplace_back("recompute_full");
  if (s.is("activation_recompute", "attn_only")) rules.emplace_back("recompute_selective");
  return join(rules, ", ");
}

/// Returns YAML comment lines with the options in use that the accounting `standard` does not count; empty if it
/// counts every option.
std::string uncounted_options(const Subject& s) {
  std::vector<std::string> options;
  const auto add = [&](bool used, const char* words) {
    if (used) options.emplace_back(words);
  };
  add(s.is("tensor_par_comm_type", "p2p_rs_ag"), "splitting messages between stages");
  add(!s.is("tensor_par_overlap", "none"), "overlap of tensor-parallel communication");
  add(s.is("data_par_overlap", "true"), "overlap of data-parallel communication");
  add(s.is("weight_offload", "true") || s.is("activations_offload", "true") || s.is("optimizer_offload", "true"), "offloading");
  add(s.is("fused_activation", "true"), "fused activations");
  add(s.is("training", "false"), "inference, but a step of training");
  return options.empty() ? "" : "    # It doesn't count:\n    # - " + join(options, "\n    # - ") + "\n";
}

/// Writes the fields of the accounting `standard` with the meaning of Calculon's options.
std::string standard_fields(const Subject& s) {
  const std::string precision = precision_of(s.original.field("datatype").text());
  std::string out = uncounted_options(s);
  if (!s.is("pipeline_interleaving", "1")) out += "    chunks: " + s.text("pipeline_interleaving") + "\n";
  if (s.is("tensor_par_comm_type", "rs_ag")) out += fmt::format("    sequence_parallel: true\n    regather: {}\n", s.text("seq_par_ag_redo"));
  if (s.is("attention_type", "multiquery")) out += "    kv_heads: 1\n";
  return out + fmt::format("    compute: {0}\n    parameters: {0}\n    reduction: {0}\n", precision);
}

/// Returns whether `num_procs` differs from the product of the mesh degrees.
bool has_own_processor_count(const Subject& s) {
  double product = 1;
  for (const char* degree : {"tensor_par", "pipeline_par", "data_par"}) product *= s.original.field(degree).number().value_or(0);
  return s.original.field("num_procs").number() != product;
}

/// Writes the fields that the accounting `calculon` reads. Mesh, batch and microbatch are left out, because an
/// execution has keys of its own for them; `num_procs` is left out if it is the product of the mesh degrees.
std::string own_fields(const Subject& s) {
  constexpr std::array<std::string_view, 5> kOwnKeys = {"tensor_par", "pipeline_par", "data_par", "batch_size", "microbatch_size"};
  std::string out;
  for (const auto& [field, _] : s.original.declared->entries()) {
    const std::string& name = field.text();
    const bool has_own_key = contains(kOwnKeys, name);
    if (!has_own_key && (name != "num_procs" || has_own_processor_count(s))) out += fmt::format("    {}: {}\n", name, s.text(name.c_str()));
  }
  return out;
}

std::string execution_text(const Subject& s) {
  return heading(s, fmt::format("{} sequences on {} processors.", s.text("batch_size"), s.text("num_procs"))) +
         fmt::format("mesh: {{dp: {}, pp: {}, tp: {}}}     # outermost first, as Calculon numbers processors\n", s.text("data_par"), s.text("pipeline_par"),
                     s.text("tensor_par")) +
         fmt::format("rules: [{}]\nbatch_size: {}\nmicrobatch_size: {}\n", rules_of(s), s.text("batch_size"), s.text("microbatch_size")) +
         fmt::format("for:\n  standard:\n{}  calculon:\n{}", standard_fields(s), own_fields(s));
}

// ---- a system

/// Returns a quantity in YAML; appends `unit` unless the original states a unit of its own.
std::string quantity(const Datum& number, const char* unit) { return yaml_flow(number) + (number.number() ? std::string(" ") + unit : ""); }

/// Returns a step curve in YAML: `[[128 Gflop, 0.95], [0 Gflop, 0.1]]`.
std::string steps(const Datum& curve, const char* unit) {
  std::vector<std::string> out;
  for (const Datum& step : curve.items()) out.push_back(fmt::format("[{}, {}]", quantity(step.items()[0], unit), yaml_flow(step.items()[1])));
  return "[" + join(out, ", ") + "]";
}

/// Returns the datatype whose figures represent a processor: the first of float16, bfloat16, any.
const Datum::Entry& usual_datatype(const Datum& processor) {
  for (const char* name : {"float16", "bfloat16"}) {
    for (const Datum::Entry& entry : processor.entries()) {
      if (entry.first.text() == name) return entry;
    }
  }
  return processor.entries()[0];
}

/// Returns whether the efficiency curves of a processor's datatypes differ. opledger has one curve for all datatypes.
bool curves_differ(const Datum& processor, const std::string& usual) {
  return std::any_of(processor.entries().begin(), processor.entries().end(),
                     [&](const Datum::Entry& entry) { return steps(*entry.second.find("gflops_efficiency"), "") != usual; });
}

/// Writes a processor: the peak of each precision, and the usual datatype's efficiency curve. A precision in `assumed`
/// gets the usual datatype's peak if the original lacks the precision.
std::string processor_text(const char* name, const Datum& processor, const std::vector<std::string_view>& assumed) {
  const auto& [usual, figures] = usual_datatype(processor);
  const std::string peak = quantity(*figures.find("tflops"), "Tflop/s");
  const Datum& curve = *figures.find("gflops_efficiency");
  std::string out = fmt::format("  {}:\n    peak:\n", name);
  for (const auto& [datatype, precision] : kPrecisions) {
    if (const Datum* own = processor.find(datatype)) {
      out += fmt::format("      {}: {}\n", precision, quantity(*own->find("tflops"), "Tflop/s"));
    } else if (contains(assumed, precision)) {
      out += fmt::format("      {}: {:<18}     # assumed, as {}\n", precision, peak, usual.text());
    }
  }
  return out + fmt::format("    efficiency: {}{}\n", steps(curve, "Gflop"), curves_differ(processor, steps(curve, "")) ? "     # that of " + usual.text() : "");
}

std::string memory_text(const char* name, const Datum& memory) {
  return fmt::format("{}:\n  capacity: {}\n  bandwidth: {}\n  efficiency: {}\n", name, quantity(*memory.find("GiB"), "GiB"),
                     quantity(*memory.find("GBps"), "GB/s"), steps(*memory.find("MB_efficiency"), "MB"));
}

std::string latency(const Datum& seconds) { return seconds.number() ? fmt::format("{:.12g} us", *seconds.number() * 1e6) : yaml_flow(seconds); }

std::string networks_text(const Datum& networks) {
  // Calculon lists networks in any order, and the standard accounting reads them from the innermost, smallest one
  // outward. The lines are therefore sorted by size. Names keep the numbers of the original order.
  std::vector<std::pair<double, std::string>> lines;  // Number of processors of each network, and its line.
  for (const Datum& network : networks.items()) {
    const Datum& size = *network.find("size");
    lines.emplace_back(size.number().value_or(0),
                       fmt::format("  - {{name: tier{}, size: {}, bandwidth: {}, efficiency: {}, latency: {}}}\n", lines.size(), yaml_flow(size),
                                   quantity(*network.find("bandwidth"), "GB/s"), yaml_flow(*network.find("efficiency")), latency(*network.find("latency"))));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out = lines.empty() ? "networks: []\n" : "networks:                        # innermost first\n";
  for (const auto& [_, line] : lines) out += line;
  return out;
}

/// Writes one field of the original, indented below its accounting. A list, whose items are mappings, gets one line for
/// each key; a mapping of mappings gets one line for each inner mapping. Any other value stays on one line.
std::string own_field(const std::string& name, const Datum& value) {
  if (value.is_list()) {
    std::string out = fmt::format("    {}:\n", name);
    for (const Datum& item : value.items()) {
      const char* before = "      - ";
      for (const auto& [key, field] : item.entries()) out += fmt::format("{}{}: {}\n", std::exchange(before, "        "), key.text(), yaml_flow(field));
    }
    return out;
  }
  const bool nested = value.is_map() && std::all_of(value.entries().begin(), value.entries().end(), [](const auto& entry) { return entry.second.is_map(); });
  if (!nested) return fmt::format("    {}: {}\n", name, yaml_flow(value));
  std::string out = fmt::format("    {}:\n", name);
  for (const auto& [key, field] : value.entries()) out += fmt::format("      {}: {}\n", key.text(), yaml_flow(field));
  return out;
}

bool has_datatypes(const Subject& s, Diagnostics& diagnostics) {
  for (const char* processor : {"matrix", "vector"}) {
    const Datum& figures = s.original.field(processor);
    if (figures.entries().empty()) diagnostics.error(figures.span(), fmt::format("`{}` lists no datatype", processor));
  }
  return !diagnostics.has_errors();
}

std::string system_doc(const Subject& s) {
  const auto& [datatype, figures] = usual_datatype(s.original.field("matrix"));
  std::vector<std::string> sizes;
  for (const Datum& network : s.original.field("networks").items()) sizes.push_back(yaml_flow(*network.find("size")));
  return fmt::format("{} in {}, {}; networks join {} processors. First in opledger's words, then in Calculon's own.",
                     quantity(*figures.find("tflops"), "Tflop/s"), datatype.text(), quantity(*s.original.field("mem1").find("GiB"), "GiB"),
                     join(sizes, " and "));
}

std::string system_text(const Subject& s, Diagnostics& diagnostics) {
  if (!has_datatypes(s, diagnostics)) return {};
  std::string out = heading(s, system_doc(s));
  out += "processors:\n" + processor_text("matrix", s.original.field("matrix"), {"fp16", "bf16"});
  out += processor_text("vector", s.original.field("vector"), {"fp32", "fp16", "bf16"});  // The optimizer computes in fp32.
  out += memory_text("memory", s.original.field("mem1")) + memory_text("host_memory", s.original.field("mem2"));
  out += networks_text(s.original.field("networks"));
  out += fmt::format("combine: {}\nfor:\n  calculon:\n", s.text("processing_mode"));
  for (const auto& [field, _] : s.original.declared->entries()) out += own_field(field.text(), s.original.field(field.text().c_str()));
  return out;
}

}  // namespace

/// The fields of the file show whether it is an application, an execution or a system. Options about mappings and
/// quantized weights are errors, because silently ignored options would mislead. The new document of any kind is
/// returned as `text`.
ImportedDocuments import_calculon(const ImportRequest& request, Library& library, Diagnostics& diagnostics) {
  if (!request.mapping.empty()) {
    diagnostics.error({}, fmt::format("`{}` needs no `--mapping`: its fields keep their names", kAccounting));
    return {};
  }
  if (!request.rules.empty() || request.trained) {
    diagnostics.error({}, fmt::format("`{}` does not describe quantized weights: leave out `--rules` and `--unquantized`", kAccounting));
    return {};
  }
  const std::optional<ForeignDocument> original = load_foreign_document(request.file, kAccounting, library, diagnostics);
  if (!original) return {};
  const Subject subject{*original, request.name};
  if (original->role == "model") return {model_text(subject)};
  return {original->role == "execution" ? execution_text(subject) : system_text(subject, diagnostics)};
}

}  // namespace opledger
