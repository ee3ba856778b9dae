#include <ctime>
#include <random>

#include "import/field_mapping.h"
#include "tests/import/launched.h"
#include "tests/support/random_count.h"

// No file may crash or block an import. Every file is imported, or rejected with an error at a place in it.
namespace opledger {
namespace {

constexpr double kMostSeconds = 20;  // Limit of processor time for one file; most files take a hundredth of a second.

const std::string kScript =
    "#!/bin/bash\nARGS=(\n  --num-layers 4 --hidden-size 64 # sizes\n  --num-attention-heads 4 --swiglu --disable-bias-linear\n)\nMORE=\"--seq-length 64 \\\n "
    "--micro-batch-size 1\"\n"
    "torchrun --nproc_per_node 2 pretrain.py \"${ARGS[@]}\" $MORE --vocab-size '128' --bf16 \\\n  --moe-layer-freq '([0]*2+[1]*2)' --num-experts 4 "
    "--window-size 7,0 --lr 1e-4 --data-path \"a b\" 2>&1 | tee log\n";
const std::string kYaml =
    "MODEL_ARGS:\n  --num-layers: 4\n  --hidden-size: 64\n  --num-attention-heads: 4\n  --seq-length: 64\n  --micro-batch-size: 1\n  --vocab-size: 128\n"
    "  --bf16: true\n  --recompute-modules: \"[core_attn, mlp]\"\nTEST_TYPE: regular\n";
const std::string kToml =
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\nconverters = [\"float8\"]\n[training]\nseq_len = 4096\nlocal_batch_size = 2\n[parallelism]\n"
    "tensor_parallel_degree = 2\n[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"2\"\n";
const std::string kJson =
    "{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 1, \"bf16\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": 3, "
    "\"reduce_bucket_size\": 5e8, \"offload_optimizer\": {\"device\": \"cpu\"}}, \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-5}}}\n";
const std::string kOverrides =
    "model: {num_layers: 4, hidden_size: 64, ffn_hidden_size: 256, num_attention_heads: 4, seq_length: 64, vocab_size: 128, should_pad_vocab: true}\n"
    "dataset:\n  seq_length: 64\ntrain: {global_batch_size: 8, micro_batch_size: 1}\nmixed_precision: bf16_mixed\n";

struct Form {
  const char* format;
  const char* file;
  const std::string& good;
};
const Form kForms[] = {{"megatron", "t.sh", kScript},
                       {"megatron", "t.yaml", kYaml},
                       {"torchtitan", "t.toml", kToml},
                       {"bridge", "t.yaml", kOverrides},
                       {"deepspeed", "t.json", kJson}};

/// Imports a file without a crash. Returns whether the import succeeded.
bool survives(const std::string& format, const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  const std::clock_t begin = std::clock();
  const Launched launched(format, folder.write(name, text), {{"world_size", "8"}});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const std::string shown = name + ":\n" + text.substr(0, 2000);
  CHECK_MESSAGE(seconds < kMostSeconds, shown);
  if (!launched.diagnostics.has_errors()) {
    CHECK_MESSAGE(!launched.imported.execution.empty(), shown);
    return true;
  }
  CHECK_MESSAGE(launched.imported.execution.empty(), shown);
  CHECK_MESSAGE(launched.imported.text.empty(), shown);
  const Diagnostic* error = launched.diagnostics.first_error();
  CHECK_MESSAGE((error->span.known() && !error->message.empty()), render(launched.diagnostics), shown);
  const std::string file = error->span.file->path;  // Errors may point to the imported file, to a setting, or to an imported document.
  CHECK_MESSAGE(file.find("/import/") == std::string::npos, render(launched.diagnostics), shown);
  return false;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text) {
    change(text);
    if (below(3) == 0) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  void change(std::string& text) {
    static const std::vector<std::string> pieces = {"'",
                                                    "\"",
                                                    "`",
                                                    "\\",
                                                    "\\\n",
                                                    "\r\n",
                                                    "$",
                                                    "$X",
                                                    "${X",
                                                    "${X:-$(rm -rf /)}",
                                                    "$(reboot)",
                                                    "`reboot`",
                                                    "(",
                                                    ")",
                                                    "=(",
                                                    "[",
                                                    "]",
                                                    "{",
                                                    "}",
                                                    "|",
                                                    ";",
                                                    "&&",
                                                    "<<EOF\n",
                                                    "<<'",
                                                    "> /etc/passwd",
                                                    "#",
                                                    "--",
                                                    "---",
                                                    "-",
                                                    "=",
                                                    ":",
                                                    ",",
                                                    "\t",
                                                    std::string(1, '\0'),
                                                    "\xff\xfe",
                                                    "\xc3",
                                                    "&a [*a, *a]",
                                                    "*a",
                                                    "!!python/object:x",
                                                    "1e999",
                                                    "-1",
                                                    "0",
                                                    "1000000000000000000",
                                                    "99999999999999999999999",
                                                    "0x10",
                                                    ".inf",
                                                    ".nan",
                                                    "nan",
                                                    "null",
                                                    "~",
                                                    "true",
                                                    "false",
                                                    "[1, 2]",
                                                    "{a: 1}",
                                                    "\nname = \"llama3\"\n",
                                                    "\n[model]\n",
                                                    "\n  --num-layers: 5\n",
                                                    " --num-layers 0 ",
                                                    std::string(70, '['),
                                                    std::string(5000, 'x'),
                                                    "([1]*99999)",
                                                    "([[1]]*2"};
    const std::size_t at = text.empty() ? 0 : below(text.size());
    switch (below(6)) {
      case 0:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 1:
        text.replace(at, below(4), pieces[below(pieces.size())]);
        break;
      case 2:
        text.erase(at, below(30));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, text.substr(below(text.size() + 1), below(60)));
        break;
      default:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
    }
  }

  std::mt19937 random_;
};

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t n = 0; n < times; ++n) out += text;
  return out;
}

/// Returns a document whose field at `place` has another value.
std::string with_field(const Form& form, const std::string& place, const std::string& value) {
  const std::string format = form.format;
  if (format == "megatron") return form.good + place + ": " + value + "\n";
  if (format == "torchtitan") return (place == "model.flavor" ? "" : "model.flavor = \"8B\"\n") + place + " = " + value + "\n";
  std::string begin = "{\"train_batch_size\": 64", end;
  for (const std::string& part : split(place, '.')) {
    begin += (end.empty() ? ", \"" : "{\"") + part + "\": ";
    end += "}";
  }
  return begin + value + end;
}

std::vector<MappedField> fields_of(const char* name) {
  static Library library({source_folder()});
  Diagnostics diagnostics;
  const std::optional<Mapping> mapping = load_mapping(*library.load(name, {"import"}, diagnostics), library, diagnostics);
  REQUIRE_MESSAGE(mapping, render(diagnostics));
  return read_field_mapping(*mapping).fields;
}

}  // namespace

TEST_CASE("launch, hostile: what the mutations begin with can be imported") {
  for (const Form& form : kForms) CHECK_MESSAGE(survives(form.format, form.file, form.good), form.good);
}

TEST_CASE("launch, hostile: 400 files with quotes left open, variables, commands, binary") {
  const int count = testing::random_count(400, 60);
  int imported = 0;
  for (int seed = 0; seed < count; ++seed) {
    const Form& form = kForms[seed % std::size(kForms)];
    Mutator mutator(static_cast<unsigned>(seed));
    imported += survives(form.format, form.file, mutator.mutate(form.good)) ? 1 : 0;
  }
  CHECK(imported > 0);
  CHECK(imported < count);
}

TEST_CASE("launch, hostile: huge, deep and empty files") {
  const std::size_t many = static_cast<std::size_t>(testing::random_count(100'000, 20'000));
  CHECK(!survives("megatron", "t.sh", "pretrain.py " + repeated("--flag 1 ", many)));
  CHECK(!survives("megatron", "t.sh", "pretrain.py --num-layers " + std::string(8 << 20, '1')));
  CHECK(!survives("megatron", "t.sh", repeated("A=(", many)));
  CHECK(!survives("megatron", "t.sh", repeated("$(", many)));
  CHECK(!survives("megatron", "t.sh", repeated("A=\"--x 'y z'\"\n", many)));
  CHECK(!survives("megatron", "t.sh", repeated("a <<E\n", many)));
  CHECK(!survives("megatron", "t.sh", "t.py " + repeated("${A[@]} ", 4000) + "\nA=(" + repeated("--x ", 4000) + ")"));
  CHECK(!survives("megatron", "t.sh", repeated("t.py ${A[@]}\n", 30'000) + "A=(" + repeated("--x ", 3000) + ")"));
  CHECK(!survives("megatron", "t.yaml", repeated("--flag: 1\n", many)));
  CHECK(!survives("megatron", "t.yaml", std::string(many, '[')));
  CHECK(!survives("torchtitan", "t.toml", "a = " + std::string(many, '[')));
  CHECK(!survives("torchtitan", "t.toml", "a" + repeated(".a", many) + " = 1"));
  CHECK(!survives("torchtitan", "t.toml", "a = {\"b\"" + repeated(" . 'c'", many) + " = 1}"));
  CHECK(!survives("torchtitan", "t.toml", repeated("[[a]]\n", many)));
  CHECK(!survives("torchtitan", "t.sh", "train.py --a" + repeated(".a", many) + " 1"));
  CHECK(!survives("deepspeed", "t.json", repeated("{\"a\":", many)));
  for (const Form& form : kForms) {
    CHECK(!survives(form.format, form.file, ""));
    CHECK(!survives(form.format, form.file, std::string(1000, '\0')));
    CHECK(!survives(form.format, form.file, std::string(std::string(1 << 20, '\xff'))));
  }
}

TEST_CASE("launch, hostile: a name that is a letter off gets a suggestion, whatever patterns it matches") {
  for (const Form& form : kForms) {
    if (std::string(form.file) == "t.sh") continue;
    for (const MappedField& field : testing::some_of(fields_of(form.format), 12)) {
      std::string place = field.places[0];
      if (place.size() - place.rfind('.') - 1 < 8) continue;  // Some other name may be close to a short one.
      place.erase(place.size() - 3, 1);
      const TemporaryFolder folder;
      const Launched launched(form.format, folder.write(form.file, with_field(form, place, "1")), {{"world_size", "8"}});
      CHECK_MESSAGE(render(launched.diagnostics).find("did you mean") != std::string::npos, place, " ", render(launched.diagnostics));
    }
  }
}

TEST_CASE("launch, hostile: every field of every mapping at its extremes and of other types") {
  const std::pair<const char*, const char*> values[] = {
      {"-1", "-1"},         {"0", "0"}, {"1e999", "1e308"}, {"1000000000000000000", "1000000000000000000"}, {"words", "\"words\""}, {"[1, x]", "[1, \"x\"]"},
      {"{a: 1}", "{a = 1}"}};
  int turn = 0, tried = 0, imported = 0;
  for (const Form& form : kForms) {
    if (std::string(form.file) == "t.sh") continue;  // Its fields are those of the YAML form.
    const bool toml = std::string(form.file) == "t.toml";
    for (const MappedField& field : testing::some_of(fields_of(form.format), 12)) {
      const std::string& place = field.places[0];
      for (const auto& [yaml, as_toml] : values) {
        if (turn++ % 2 != 0) continue;  // Each field gets every second value. The number of values is odd, so the next field gets the other ones.
        const std::string text = with_field(form, place, toml ? as_toml : yaml);
        imported += survives(form.format, form.file, text) ? 1 : 0;
        ++tried;
      }
    }
  }
  CHECK(imported > tried / 20);
  CHECK(imported < tried);
}

}  // namespace opledger
