#include "questions/table.h"

#include "tests/paths.h"
#include "tests/support/runs.h"

/// Evaluation of tables with one run per row.
namespace opledger {
namespace {

struct Sweep {
  Diagnostics diagnostics;
  std::optional<Csv> result;
  std::size_t failed = 0;

  Sweep(const std::string& text, RunRequest request) {
    Library library({source_folder()});
    const auto source = std::make_shared<const SourceFile>(SourceFile{"runs.csv", text});
    const std::optional<Csv> csv = parse_csv(source, diagnostics);
    REQUIRE_MESSAGE(csv, render(diagnostics));
    if (std::optional<EvaluatedTable> out = evaluate_table(*csv, source, request, library, diagnostics)) result = std::move(out->rows), failed = out->failed;
  }

  std::string at(std::size_t row, const std::string& column) const {
    REQUIRE_MESSAGE(result, render(diagnostics));
    const auto found = std::find(result->columns.begin(), result->columns.end(), column);
    REQUIRE_MESSAGE(found != result->columns.end(), column);
    return result->rows.at(row).cells[static_cast<std::size_t>(found - result->columns.begin())];
  }
};

RunRequest run_of(const std::string& model, const std::string& execution, const std::string& system, const std::string& accounting = "") {
  RunRequest r;
  r.model = model;
  r.execution = execution;
  r.system = system;
  r.accounting = accounting;
  return r;
}

}  // namespace

TEST_CASE("table: every row is what the same run gives alone") {
  const std::string rows[] = {"8,1,adamw,0.0", "64,2,sgd,1.5", "16,4,sgd_momentum,3"};
  const Sweep table("batch_size,microbatch_size,optimizer,workspace\n" + rows[0] + "\n" + rows[1] + "\n" + rows[2] + "\n",
                    run_of("gpt2", "gpt2-1xa100", "a100-80g-sxm"));
  const Settings settings[] = {{{"batch_size", "8"}, {"microbatch_size", "1"}, {"optimizer", "adamw"}, {"workspace", "0"}},
                               {{"batch_size", "64"}, {"microbatch_size", "2"}, {"optimizer", "sgd"}, {"workspace", "1.5"}},
                               {{"batch_size", "16"}, {"microbatch_size", "4"}, {"optimizer", "sgd_momentum"}, {"workspace", "3"}}};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto run = prepare("gpt2", "gpt2-1xa100", "a100-80g-sxm", settings[i]);
    CHECK(table.at(i, "outcome") == "ok");
    for (const Published& p : run->program().published) {
      const std::optional<Value> alone = run->value(p.name, said());
      REQUIRE(alone);
      CHECK_MESSAGE(table.at(i, p.name) == (alone->is_number() ? exact(alone->scalar.value) : ""), p.name, " ", i);
    }
  }
}

TEST_CASE("table: models, systems and their parameters are columns too") {
  const Sweep table(
      "model,system,seq,layers,dp\ngpt2,a100-80g-sxm,1024,,1\ngpt2,h100-80g-sxm,512,6,1\ngpt2,h100-80g-sxm,512,6,2\nllama-2-7b,h100-80g-sxm,,,1\n",
      run_of("", "single", ""));
  CHECK(table.at(0, "parameters_total") == "124439808");
  CHECK(table.at(1, "parameters_total") == exact(value(*prepare("gpt2", "single", "", {{"layers", "6"}}), "parameters_total")));
  CHECK(table.at(2, "outcome") == "infeasible: batch_size = 1 does not divide by microbatch_size x dp = 2");
  CHECK(table.at(3, "outcome").rfind("infeasible: a rank needs", 0) == 0);
  CHECK(table.at(3, "memory") == exact(value(*prepare("llama-2-7b", "single", "h100-80g-sxm"), "memory")));  // An infeasible row keeps its metrics.
  CHECK(table.failed == 2);
}

TEST_CASE("table: fields of the system are columns, with the values that --set gives, defect newcomer D20") {
  const Sweep table("system.memory.capacity,system.memory.bandwidth,seq\n,,512\n40 GiB,,512\n,1 TB/s,512\n10MiB,1 TB/s,512\n",
                    run_of("gpt2", "gpt2-1xa100", "a100-80g-sxm"));
  const Settings settings[] = {{},
                               {{"system.memory.capacity", "40 GiB"}},
                               {{"system.memory.bandwidth", "1 TB/s"}},
                               {{"system.memory.capacity", "10MiB"}, {"system.memory.bandwidth", "1 TB/s"}}};
  for (std::size_t i = 0; i < 4; ++i) {
    Settings own = settings[i];
    own.emplace_back("seq", "512");
    const auto run = prepare("gpt2", "gpt2-1xa100", "a100-80g-sxm", own);
    CHECK_MESSAGE((table.at(i, "outcome") == "ok") == (i < 3), table.at(i, "outcome"));
    for (const char* metric : {"iteration_time", "memory", "memory_capacity", "mfu"})
      CHECK_MESSAGE(table.at(i, metric) == exact(value(*run, metric)), metric, i);
  }
  CHECK(table.at(0, "iteration_time") != table.at(2, "iteration_time"));
  CHECK(table.failed == 1);
  const Sweep bad("system.memory.capacty\n40 GiB\n", run_of("gpt2", "gpt2-1xa100", "a100-80g-sxm"));
  CHECK(!bad.result);
  CHECK(render(bad.diagnostics).find("runs.csv:1:1: error: there is no `system.memory.capacty` (did you mean `system.memory.capacity`?)") != std::string::npos);
}

TEST_CASE("table: executions and rules are columns too, each row the run that it says") {
  const Sweep table(
      "model,execution,rules,tp,fsdp\n"
      "gpt2,single,,,\n"
      "gpt2,single,megatron,2,\n"
      "gpt2,single,\"[megatron, {overlap_tp_ring: tp > 1}]\",2,\n"
      "llama-3-8b,llama-3-8b-16xh100,,,16\n"
      "llama-3-8b,llama-3-8b-16xh100,fsdp,,8\n"
      "gpt2,single,megatorn,2,\n"
      "gpt2,single,\"[megatron\",2,\n"
      "gpt2,single,\"[{megatron: tp >}]\",2,\n"
      "gpt2,no-such,,,\n",
      run_of("", kDefaultExecution, "h100-80g-sxm"));
  const auto same = [&](std::size_t row, const std::string& model, const std::string& execution, const Settings& settings) {
    CHECK_MESSAGE(table.at(row, "iteration_time") == exact(value(*prepare(model, execution, "h100-80g-sxm", settings), "iteration_time")), row);
  };
  const auto with_rules = [](const std::string& rules) { return execution("{dp: 1}", rules, "batch_size: 1\nmicrobatch_size: 1\n"); };
  same(0, "gpt2", "single", {});
  same(1, "gpt2", with_rules("megatron"), {{"tp", "2"}});
  CHECK(table.at(1, "communication_bytes") != "0");
  same(2, "gpt2", with_rules("megatron, overlap_tp_ring"), {{"tp", "2"}});
  same(3, "llama-3-8b", "llama-3-8b-16xh100", {});
  CHECK(table.at(4, "outcome").rfind("error: unknown field `sequence_parallel`; known fields: ", 0) == 0);  // An option of the replaced rules.
  CHECK(table.at(5, "outcome") == "error: there is no document of kind `rules` named `megatorn` (did you mean `megatron`?)");
  for (const std::size_t row : {6u, 7u, 8u}) {
    CAPTURE(table.at(row, "outcome"));
    CHECK(table.at(row, "outcome").rfind("error: ", 0) == 0);
  }
  CHECK(table.failed == 5);
}

TEST_CASE("table: a column that only another execution of the table knows is no mistake, and one that none knows is") {
  const std::string rows = "gpt2,single,\nllama-3-8b,llama-3-8b-16xh100,4\n";
  const Sweep good("model,execution,fsdp\n" + rows, run_of("", kDefaultExecution, "h100-80g-sxm"));
  CHECK(good.at(0, "outcome") == "ok");
  const Sweep bad("model,execution,fspd\n" + rows, run_of("", kDefaultExecution, "h100-80g-sxm"));
  CHECK(!bad.result);
  CHECK(render(bad.diagnostics).find("runs.csv:1:1: error: unknown column `fspd`") != std::string::npos);
}

TEST_CASE("table: all rows have one accounting") {
  const TemporaryFolder folder;
  folder.write("mine.yaml", "kind: accounting\nname: mine\nextends: standard\n");
  const std::string other = folder.write("other.yaml", "kind: execution\nmesh: {dp: 1}\nbatch_size: 1\naccounting: mine.yaml\n").string();
  const Sweep table("execution\nsingle\n" + other + "\n", run_of("gpt2", kDefaultExecution, "h100-80g-sxm"));
  CHECK(table.at(0, "outcome") == "ok");
  CHECK(table.at(1, "outcome").find("mine.yaml`, that of the table `standard`") != std::string::npos);
}

TEST_CASE("table: a constraint without a message refuses too, and says which it is") {
  const TemporaryFolder folder;
  const std::string head = "kind: accounting\nname: mine\ninputs: {n: {type: integer, doc: how many}}\nmetrics: {twice: {unit: count, doc: Two., is: 2 * n}}\n";
  const std::pair<const char*, const char*> cases[] = {{"{require: n > 2}", "infeasible: `n > 2` does not hold"},
                                                       {"{require: n > 2, message: ''}", "infeasible: `n > 2` does not hold"},
                                                       {"{require: n > 2, message: '', reason: ''}", "infeasible: `n > 2` does not hold"},
                                                       {"{require: n > 2, message: '{n} is few'}", "infeasible: 1 is few"}};
  for (const auto& [constraint, outcome] : cases) {
    const std::string accounting = folder.write("mine.yaml", head + "constraints: [" + constraint + "]\n").string();
    const Sweep table("n\n1\n3\n", run_of("", kDefaultExecution, "", accounting));
    CHECK(table.at(0, "outcome") == outcome);
    CHECK(table.at(1, "outcome") == "ok");
    CHECK(table.failed == 1);
  }
}

TEST_CASE("table: a row that can't be says why, and the others stand") {
  const Sweep table("batch_size,tp,optimizer,outcome,memory\n1,1,adamw,?,?\none,1,adamw,,\n1,5,adamw,,\n1,1,adam_w,,\n",
                    run_of("gpt2", "single", "a100-80g-sxm"));
  CHECK(table.at(0, "outcome") == "ok");
  CHECK(table.at(0, "memory") != "?");
  CHECK(table.at(1, "outcome").rfind("error: ", 0) == 0);
  CHECK(table.at(3, "outcome") ==
        "error: `optimizer`: `adam_w` is none of adafactor, adam, adamw, adamw_8bit, lion, muon, muon_blockwise, sgd, sgd_momentum (did you mean `adamw`?)");
  CHECK(table.at(3, "memory").empty());
  CHECK(table.failed == 2);
}

TEST_CASE("table: a column that nothing has") {
  const Sweep table("batch_size,microbach_size\n1,1\n", run_of("gpt2", "single", "a100-80g-sxm"));
  CHECK(!table.result);
  CHECK(render(table.diagnostics).find("runs.csv:1:1: error: unknown column `microbach_size` (did you mean `microbatch_size`?)") != std::string::npos);
}

TEST_CASE("table: what is written is what is read") {
  const auto source = std::make_shared<const SourceFile>(SourceFile{"a.csv", "a,\"b, c\"\n1,\"say \"\"so\"\"\"\n,\"two\nlines\"\n"});
  Diagnostics diagnostics;
  const std::optional<Csv> csv = parse_csv(source, diagnostics);
  REQUIRE(csv);
  CHECK(csv->rows[0].cells == std::vector<std::string>{"1", "say \"so\""});
  CHECK(csv_lines(*csv) == source->text);
}

TEST_CASE("table: rows are handed on in blocks, in their order, while those behind them are not read yet") {
  std::size_t read = 0, handed = 0;
  const TableRows rows{{"batch_size", "label"}, [&](FunctionRef<bool(const Csv::Row&)> visit) {
                         read = 0;
                         for (bool continues = true; continues && read < 3000; ++read)
                           continues = visit({{std::to_string(read % 7 * 64), std::to_string(read)}, 1});
                       }};
  Library library({source_folder()});
  Diagnostics diagnostics;
  const auto source = std::make_shared<const SourceFile>(SourceFile{"runs.csv", ""});
  const RunRequest request = run_of("gpt2", "gpt2-1xa100", "a100-80g-sxm");
  const std::vector<std::string> extra_columns = {"label"};
  std::optional<TableRuns> runs = TableRuns::prepare(rows, source, request, library, diagnostics, false, extra_columns);
  REQUIRE_MESSAGE(runs, render(diagnostics));
  const auto hand_on = [&](const Csv::Row& row, const std::vector<Value>& figures) {
    CHECK(row.cells[1] == std::to_string(handed));
    CHECK(figures.empty() == (handed % 7 == 0));  // A batch size of 0.
    CHECK(read < handed + 1024);
    return ++handed < 1500;
  };
  const TableRuns::Count count = runs->each(hand_on);
  CHECK(count.rows == 1500);
  CHECK(count.failed == 215);
  CHECK(read < 2500);
}

}  // namespace opledger
