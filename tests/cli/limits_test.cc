#include <doctest/doctest.h>

#include <string>

#include "search/store/database.h"
#include "tests/cli/process.h"
#include "tests/schemas/temporary_folder.h"

/// Limits of the system and of the program: memory, threads, stack, numbers of documents.
namespace opledger {
namespace {

/// Returns whether the program may have a limit on memory; a sanitizer reserves terabytes of addresses.
bool can_limit_memory() { return run_shell("ulimit -v 2000000 && opledger --version", ".").status == 0; }

}  // namespace

TEST_CASE("without threads or memory for a search, the program says so") {
  if (!can_limit_memory()) return;
  const std::string search = "opledger search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2 --jobs 40 > /dev/null";
  int refused = 0;
  for (int kilobytes = 40'000; kilobytes <= 320'000; kilobytes += 20'000) {
    const Finished finished = run_shell("ulimit -v " + std::to_string(kilobytes) + "; " + search, ".");
    CAPTURE(kilobytes);
    CAPTURE(finished.err);
    if (finished.err.find("error while loading shared libraries") != std::string::npos) continue;
    CHECK((finished.status == 0 || finished.status == 2));
    if (finished.status == 0) continue;
    const bool is_told = finished.err.starts_with("error: out of memory") || finished.err.starts_with("error: the program can't go on") ||
                         finished.err.starts_with("error: the system gives this search");
    CHECK(is_told);
    refused += finished.err.find(" of 40 threads: `--jobs ") != std::string::npos ? 1 : 0;
  }
  CHECK(refused > 0);
}

TEST_CASE("a small stack is no reason to crash") {
  const std::string eval = "opledger eval gpt2 single a100-80g-sxm";
  const Finished small = run_shell("ulimit -s 64 && " + eval, "."), usual = run_shell(eval, ".");
  CHECK(small.status == 0);
  CHECK(small.out == usual.out);
  CHECK(run_shell("ulimit -s 64 && opledger search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2", ".").status == 0);
}

TEST_CASE("tables without end or of too many columns take little memory") {
  if (!can_limit_memory()) return;
  const TemporaryFolder folder;
  const std::string eval = "ulimit -v 600000; timeout 60 opledger eval gpt2 single a100-80g-sxm --table ";
  CHECK(run_shell(eval + "/dev/zero", folder.path()).err.find("error:") != std::string::npos);
  const Finished wide = run_shell("head -c 5000000 /dev/zero | tr '\\0' , | gzip -1 > wide.csv.gz; " + eval + "wide.csv.gz", folder.path());
  CHECK(wide.status == 2);
  CHECK(wide.err.find("there are 5000001 columns, and a table has at most 16384") != std::string::npos);
  const Finished row = run_shell("(echo batch_size; head -c 5000000 /dev/zero | tr '\\0' ,) | gzip -1 > row.csv.gz; " + eval + "row.csv.gz", folder.path());
  CHECK(row.status == 2);
  CHECK(row.err.find("this row has 5000001 cells, and there are 1 columns") != std::string::npos);
}

TEST_CASE("commands list, validate and tabulate more documents than one document may include") {
  const TemporaryFolder folder;
  const int many = 1100;
  std::string table = "execution\n";
  for (int i = 0; i < many; ++i) {
    const std::string name = "e" + std::to_string(i);
    folder.write("executions/" + name + ".yaml", "kind: execution\nname: " + name + "\naccounting: short\nnumber: " + std::to_string(i) + "\n");
    table += name + "\n";
  }
  folder.write("accounting/short.yaml",
               "kind: accounting\nname: short\ninputs:\n  number: {type: integer, doc: a number}\nmetrics:\n"
               "  next: {unit: count, doc: the next number, is: number + 1}\n");
  folder.write("runs.csv", table);
  const Finished listed = run_shell("opledger list execution --path .", folder.path());
  CHECK(listed.status == 0);
  CHECK(listed.out.find("can't be read") == std::string::npos);
  CHECK(listed.out.find("e1099") != std::string::npos);
  const Finished valid = run_shell("opledger validate --path . executions/*.yaml", folder.path());
  CHECK(valid.status == 0);
  CHECK(valid.err == "");
  const Finished rows = run_shell("opledger eval --accounting short --path . --table runs.csv --format csv", folder.path());
  CHECK(rows.status == 0);
  CHECK(rows.err == "");
  CHECK(rows.out.find("e1099,ok,1100\n") != std::string::npos);
}

TEST_CASE("a second search on a store is told that another one writes it, and a store without candidates is an error") {
  const TemporaryFolder folder;
  const std::string small = "opledger search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2 -o runs.sqlite";
  REQUIRE(run_shell(small, folder.path()).status == 0);
  Database running;  // Has the lock that a running search has.
  REQUIRE(running.open(folder.path() / "runs.sqlite", true));
  REQUIRE(running.run("BEGIN IMMEDIATE"));
  const Finished second = run_shell(small + " --resume", folder.path());
  CHECK(second.status == 2);
  CHECK(second.err == "error: can't write `runs.sqlite`: another search writes it\n");
  const std::string infeasible = "opledger search calculon calculon/gpt3-175B calculon/a100_80g --set num_procs=2 -o empty.sqlite";
  REQUIRE(run_shell(infeasible, folder.path()).status == 1);
  const Finished map = run_shell("opledger heatmap empty.sqlite --x tensor_par --y pipeline_par", folder.path());
  CHECK(map.status == 2);
  CHECK(map.out == "");
  CHECK(map.err == "error: `empty.sqlite` has no candidates to show: none of those that were tried is feasible\n");
}

}  // namespace opledger
