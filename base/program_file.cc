#include "base/program_file.h"

#if __has_include(<sys/auxv.h>)
#include <sys/auxv.h>
#endif

#include <system_error>

namespace opledger {

namespace fs = std::filesystem;

fs::path program_file() {
  // Without /proc, as in a bare chroot, the kernel's auxiliary vector has the path by which the program was started. A
  // relative path is relative to the folder of that time, which the program never leaves.
  std::error_code error;
  if (fs::path file = fs::read_symlink("/proc/self/exe", error); !error) return file;
#ifdef AT_EXECFN
  if (const auto* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN))) {
    if (fs::path file = fs::canonical(started, error); !error) return file;
  }
#endif
  return {};
}

}  // namespace opledger
