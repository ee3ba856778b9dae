// Reads files and rejects binary contents before parsing.
#include <fmt/core.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "base/limits.h"
#include "schemas/characters.h"
#include "schemas/document.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// Reads at most one byte more than allowed, since unpacked contents may have any size.
std::optional<std::string> read_packed(const fs::path& path, std::size_t limit) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::string text;
  char buffer[1 << 16];
  int count = 0;
  while (text.size() <= limit && (count = gzread(file, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(count));
  const bool good = gzclose(file) == Z_OK && count >= 0;
  return good || text.size() > limit ? std::optional<std::string>(std::move(text)) : std::nullopt;
}

// Reads at most one byte more than allowed, since a pipe or growing file has no known size.
std::optional<std::string> read_bytes(const fs::path& path, std::size_t limit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  char buffer[1 << 16];
  while (text.size() <= limit && (file.read(buffer, sizeof buffer) || file.gcount() > 0)) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return std::nullopt;
  return text;
}

}  // namespace

/// Reads a file of at most `limit` bytes, unpacked if its name ends in .gz. The size is tested before reading to reject
/// large files at once, and after reading, since packed files, pipes and growing files have no known size. Errors are
/// reported at `requested_at`, the reference to the file; the result is then null.
std::shared_ptr<SourceFile> read_unchecked(const fs::path& path, Diagnostics& diagnostics, const Span& requested_at, std::size_t limit) {
  const auto fail = [&](std::string message) -> std::shared_ptr<SourceFile> {
    diagnostics.error(requested_at, std::move(message));
    return nullptr;
  };
  const std::string shown = path.string();
  struct stat found;
  if (::stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return fail(fmt::format("there is no file `{}`", shown));
    return fail(fmt::format("`{}` can't be read: {}", shown, std::generic_category().message(errno)));
  }
  if (S_ISDIR(found.st_mode)) return fail(fmt::format("`{}` is a folder, not a file", shown));
  const auto too_large = [&] { return fail(fmt::format("`{}` is too large: a document has at most {} MiB", shown, limit >> 20)); };
  if (S_ISREG(found.st_mode) && static_cast<std::uint64_t>(found.st_size) > limit) return too_large();
  std::optional<std::string> text = path.extension() == ".gz" ? read_packed(path, limit) : read_bytes(path, limit);
  if (!text) return fail(fmt::format("`{}` can't be read", shown));
  if (text->size() > limit) return too_large();
  return std::make_shared<SourceFile>(shown, std::move(*text));
}

std::shared_ptr<const SourceFile> read_source(const fs::path& path, Diagnostics& diagnostics, const Span& requested_at, std::size_t limit) {
  std::shared_ptr<const SourceFile> source = read_unchecked(path, diagnostics, requested_at, limit);
  return source != nullptr && check_characters(source, diagnostics) ? source : nullptr;
}

}  // namespace opledger
