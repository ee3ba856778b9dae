#pragma once
#include <cstddef>

#include "base/function_ref.h"
#include "schemas/library.h"

/// Independent tasks on threads that load documents.
namespace opledger {

/// Calls `work` once for each index below `count`, on at most `jobs` threads (0: the number of processors) and on the
/// calling one. A library serves one thread, so each further thread has one of its own with the search path of
/// `library`. The calling thread calls `progress` after each of its tasks. No further task begins once `stopped` returns
/// true, on any thread. Returns whether every task ran. If the system gives fewer threads, the others do all tasks.
bool for_each_with_library(std::size_t count, std::size_t jobs, Library& library, FunctionRef<void(std::size_t, Library&)> work, FunctionRef<bool()> stopped,
                           FunctionRef<void()> progress);

}  // namespace opledger
