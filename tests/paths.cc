#include "tests/paths.h"

namespace opledger {

std::string source_folder() { return OPLEDGER_SOURCE_DIR; }
std::string program_path() { return OPLEDGER_PROGRAM; }

}  // namespace opledger
