#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// Runs a fuzz target once on each file of the folders or files on the command line. So every seed and every fixed
/// failure is a test with any compiler. Fails without any file. With OPLEDGER_FUZZ_COUNT=N in the environment (and
/// OPLEDGER_FUZZ_SEED=M) each file is also mutated N times, if the target has mutations. The file OPLEDGER_FUZZ_INPUT
/// then has the current input.
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

std::vector<std::uint8_t> mutated(const std::string& text, unsigned seed) {
  std::vector<std::uint8_t> data(text.begin(), text.end());
  data.resize(kMost);
  data.resize(LLVMFuzzerCustomMutator(data.data(), std::min(text.size(), kMost), kMost, seed));
  return data;
}

/// Runs mutations of a text, and mutations of these. Equal seeds give equal mutations.
void run_mutated(const std::string& text, int count) {
  if (mutated(text, 1) != mutated(text, 1)) {
    std::fprintf(stderr, "one seed, two mutations\n");
    std::abort();
  }
  const int first = number_from("OPLEDGER_FUZZ_SEED");
  std::string now;
  for (int i = 0; i < count; ++i) {
    const std::vector<std::uint8_t> data = mutated(i % 3 == 0 ? text : now, static_cast<unsigned>(first + i));
    now.assign(data.begin(), data.end());
    run(now);
  }
}

int replay(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  std::printf("%s: %zu bytes\n", file.c_str(), text.size());
  std::fflush(stdout);
  run(text);
  const int count = number_from("OPLEDGER_FUZZ_COUNT");
  if (LLVMFuzzerCustomMutator != nullptr && count > 0) run_mutated(text, count);
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
