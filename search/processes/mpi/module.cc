#include "search/processes/mpi/module.h"

#include <mpi.h>

namespace {

/// MPI counts bytes in an int; messages stay far below 2 GiB.
void send(int to, const char* bytes, std::size_t count) { MPI_Send(bytes, static_cast<int>(count), MPI_CHAR, to, 0, MPI_COMM_WORLD); }

/// Probes without waiting, and receives from any rank.
long probe(int* from) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return -1;
  int count = 0;
  MPI_Get_count(&status, MPI_CHAR, &count);
  *from = status.MPI_SOURCE;
  return count;
}

void receive(int from, char* bytes, std::size_t count) { MPI_Recv(bytes, static_cast<int>(count), MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

void finish() { MPI_Finalize(); }

}  // namespace

extern "C" const opledger::RanksModule* opledger_ranks() {
  static opledger::RanksModule module{0, 1, send, probe, receive, finish};
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return nullptr;
  MPI_Comm_rank(MPI_COMM_WORLD, &module.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &module.size);
  return &module;
}
