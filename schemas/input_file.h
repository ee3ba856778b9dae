#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

/// Opening of files for reading. The user may name any file, a pipe or device included. A name in a document, in a cell
/// of a table or in an index comes from somebody else: `Finder` (finder.h) resolves it and checks that the file is within
/// reach, and `InputFile` opens regular files only.
namespace opledger {

/// Author of a file name.
enum class NamedBy { user, document };

/// A file open for reading, which the destructor closes. All files that opledger reads are opened here, except stores of
/// searches and the image of the library.
class InputFile {
 public:
  /// Opens a file. A name by a document never waits for a pipe or device. On failure, `problem` has the reason.
  InputFile(const std::filesystem::path& path, NamedBy by);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& problem() const { return problem_; }  ///< Empty if the file is open: `there is no file `x``.
  bool is_regular() const { return is_regular_; }          ///< False for a pipe or device, whose size is unknown.
  std::uint64_t size() const { return size_; }             ///< Bytes of a regular file.
  int descriptor() const { return descriptor_; }           ///< -1 if the file is not open.

  /// Reads up to `bytes` bytes. Returns fewer only at the end of the file, -1 after a failure.
  std::int64_t read(char* to, std::size_t bytes);

 private:
  int descriptor_ = -1;
  bool is_regular_ = false;
  std::uint64_t size_ = 0;
  std::string problem_;
};

}  // namespace opledger
