#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>

/// A folder for files of a test, removed at its end.
namespace opledger {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::canonical(std::filesystem::temp_directory_path()) / "opledger_test_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a test's files: " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  const std::filesystem::path& path() const { return path_; }

  /// Returns `text` with this folder's path replaced by `DIR`.
  std::string masked(std::string text) const {
    const std::string own = path_.string();
    for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own)) text.replace(at, own.size(), "DIR");
    return text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace opledger
