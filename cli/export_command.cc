// `export FORMAT MODEL EXECUTION [SYSTEM]`: a run as another tool takes it.
#include "cli/command.h"
#include "import/exported.h"

namespace opledger {

Outcome export_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  ExportRequest request;
  request.format = options.arguments[0];
  request.mapping = options.mapping;
  request.run = run_request(options, {options.arguments.begin() + 1, options.arguments.end()});
  return {export_launch(request, library, diagnostics), {}};
}

}  // namespace opledger
