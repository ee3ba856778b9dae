#include "search/processes/ranks.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "search/processes/mpi/module.h"
#include "search/processes/open_module.h"

namespace opledger {
namespace {

/// Returns the number of processes that the launcher started, from the variables that it sets.
int started_together() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* size = std::getenv(name)) return std::atoi(size);
  }
  return 1;
}

/// Reports why the processes can't share the search.
void refuse(int size, const std::string& reason, Diagnostics& diagnostics) {
  diagnostics.error({}, fmt::format("{} processes were started together, but {}: each would search alone", size, reason));
}

}  // namespace

std::unique_ptr<Ranks> Ranks::join(Diagnostics& diagnostics) {
  // Environment variables of the launcher give the number of processes; a process alone returns before MPI is opened. Otherwise
  // the library that calls MPI is loaded, and its function `opledger_ranks` starts MPI and returns a table of functions. The
  // number of processes by MPI must equal the launcher's. Different numbers mean that another MPI started the processes.
  const int size = started_together();
  if (size <= 1) return nullptr;
  const OpenedModule opened = open_module();
  if (opened.start == nullptr) return refuse(size, opened.problem, diagnostics), nullptr;
  const RanksModule* module = opened.start();
  if (module == nullptr) return refuse(size, "MPI can't start", diagnostics), nullptr;
  if (module->size != size) {  // a foreign MPI makes each process rank 0 of its own world
    refuse(size,
           fmt::format("not by the MPI that this program was built with, which knows {} (start them with the launcher of that MPI, or build with the MPI of "
                       "this launcher)",
                       module->size),
           diagnostics);
    module->finish();
    return nullptr;
  }
  std::unique_ptr<Ranks> ranks(new Ranks());
  ranks->module_ = module;
  ranks->rank_ = module->rank;
  ranks->size_ = module->size;
  return ranks;
}

Ranks::~Ranks() {
  if (!leads()) send(0, std::string(kGoodbye));
  while (leads() && departed_ < size_ - 1) {
    if (!receive()) wait_briefly();
  }
  module_->finish();
}

void Ranks::send(int to, const std::string& bytes) { module_->send(to, bytes.data(), bytes.size()); }

std::optional<Ranks::Message> Ranks::receive() {
  // Probes for the size of the next message, then receives it.
  Message out;
  const long count = module_->probe(&out.from);
  if (count < 0) return std::nullopt;
  out.bytes.resize(static_cast<std::size_t>(count));
  module_->receive(out.from, out.bytes.data(), out.bytes.size());
  if (out.bytes == kGoodbye) ++departed_;
  return out;
}

void wait_briefly() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

}  // namespace opledger
