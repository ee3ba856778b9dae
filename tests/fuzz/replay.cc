#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// Runs a fuzz target once on each file of the folders or files named on the command line, so that every seed and every mended failure is a
/// test with any compiler. Fails if there is none. With OPLEDGER_FUZZ_COUNT=N in the environment each is also mutated N times, where the target
/// knows how; what is being run is then in the file that OPLEDGER_FUZZ_INPUT names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 1 << 16;

int number_from(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

void run(const std::string& text) {
  if (const char* path = std::getenv("OPLEDGER_FUZZ_INPUT")) std::ofstream(path, std::ios::binary) << text;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

/// Mutations of a text, and of these.
void run_mutated(const std::string& text) {
  const int first = number_from("OPLEDGER_FUZZ_SEED"), count = number_from("OPLEDGER_FUZZ_COUNT");
  std::vector<std::uint8_t> data(kMost);
  std::size_t size = 0;
  for (int i = 0; i < count; ++i) {
    if (i % 3 == 0) {
      size = std::min(text.size(), kMost);
      std::copy_n(text.begin(), size, data.begin());
    }
    size = LLVMFuzzerCustomMutator(data.data(), size, kMost, static_cast<unsigned>(first + i));
    run(std::string(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size)));
  }
}

int replay(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  std::printf("%s: %zu bytes\n", file.c_str(), text.size());
  std::fflush(stdout);
  run(text);
  if (LLVMFuzzerCustomMutator != nullptr) run_mutated(text);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      count += fs::exists(argv[i]) ? replay(argv[i]) : 0;
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) count += replay(entry.path());
    }
  }
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
