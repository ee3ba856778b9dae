#include "search/processes/ranks.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include "search/processes/mpi/module.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// Returns the number of processes that the launcher started, from the variables that it sets.
int started_together() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* size = std::getenv(name)) return std::atoi(size);
  }
  return 1;
}

/// Opens the library next to the program of a build, or in the library folder of an installation.
void* open_module() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path : {folder / "libopledger_mpi.so", folder / "../lib/opledger/libopledger_mpi.so"}) {
    if (void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return module;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Ranks> Ranks::join(Diagnostics& diagnostics) {
  // Environment variables of the launcher give the number of processes; a process alone returns before MPI is opened. Otherwise
  // the library that calls MPI is loaded, and its function `opledger_ranks` starts MPI and returns a table of functions. The
  // number of processes by MPI must equal the launcher's. Different numbers mean that another MPI started the processes.
  const int size = started_together();
  if (size <= 1) return nullptr;
  void* const opened = open_module();
  using Begin = const RanksModule* (*)();
  const auto begin = opened != nullptr ? reinterpret_cast<Begin>(::dlsym(opened, "opledger_ranks")) : nullptr;
  const RanksModule* module = begin != nullptr ? begin() : nullptr;
  if (module == nullptr) {
    diagnostics.error({}, fmt::format("{} processes were started together, but this program was built without MPI: each would search alone", size));
    return nullptr;
  }
  if (module->size != size) {  // a foreign MPI makes each process rank 0 of its own world
    diagnostics.error({},
                      fmt::format("{} processes were started together, but not by the MPI that this program was built with, which knows {}: each would search "
                                  "alone",
                                  size, module->size));
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
