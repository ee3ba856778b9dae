#include "report/set_up.h"

namespace {

/// Test programs have no beginning of their own: runs are set up before the first test case.
const bool kSetUp = [] {
  opledger::set_up_runs();
  return true;
}();

}  // namespace
