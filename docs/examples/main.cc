#include <cstdio>

#include "report/set_up.h"
#include "run/run.h"

/// An example of the library: loads documents by name, prepares a run, and prints metrics of one rank.
int main(int argc, char** argv) {
  opledger::set_up_runs();
  opledger::RunRequest request;
  request.model = argc > 1 ? argv[1] : "llama-3-8b";
  request.execution = argc > 2 ? argv[2] : "llama-3-8b-16xh100";
  request.system = argc > 3 ? argv[3] : "h100-80g-sxm";

  opledger::Library library({OPLEDGER_DATA_DIR});
  opledger::Diagnostics diagnostics;
  const auto run = opledger::Run::prepare(request, library, diagnostics);
  if (run != nullptr) {
    for (const char* metric : {"parameters_total", "memory", "iteration_time", "mfu"}) {
      if (const auto value = run->value(metric, diagnostics)) std::printf("%-20s %s\n", metric, human(*value).c_str());
    }
  }
  std::fputs(render(diagnostics).c_str(), stderr);
  return diagnostics.has_errors() ? 1 : 0;
}
