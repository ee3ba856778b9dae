#include "cli/give_up.h"

#include <unistd.h>

#include <cstdlib>

#include "cli/run_program.h"
#include "report/output.h"

namespace opledger {

void give_up() {
  write_all(STDERR_FILENO, "error: the program can't go on: the system has no more memory or threads for it\n");
  std::_Exit(kFailed);
}

}  // namespace opledger
