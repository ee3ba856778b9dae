// Reads files and rejects binary contents before parsing.
#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/function_ref.h"
#include "base/limits.h"
#include "schemas/characters.h"
#include "schemas/document.h"
#include "schemas/finder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// Appends parts of a file to a text until the file ends or the text is longer than `limit`. `next` fills a buffer and
/// returns the number of bytes, -1 on failure. The text grows by doubling, but never far beyond the limit, because
/// packed files, pipes and devices have no known size. A part with a null byte ends the reading: the file is no text.
std::optional<std::string> read_parts(std::size_t expected, std::size_t limit, FunctionRef<std::int64_t(char*, std::size_t)> next) {
  constexpr std::size_t kPart = 1 << 16;
  std::string text;
  text.reserve(std::min(expected, limit) + 1);
  for (char buffer[kPart]; text.size() <= limit;) {
    const std::int64_t count = next(buffer, kPart);
    if (count < 0) return std::nullopt;
    const std::string_view part(buffer, static_cast<std::size_t>(count));
    if (text.size() + part.size() > text.capacity()) text.reserve(std::min(2 * text.capacity(), limit) + kPart);
    text += part;
    if (part.empty() || part.find('\0') != std::string_view::npos) break;
  }
  return text;
}

std::optional<std::string> read_packed(const InputFile& file, std::size_t limit) {
  const int descriptor = ::dup(file.descriptor());
  gzFile packed = descriptor < 0 ? nullptr : gzdopen(descriptor, "rb");
  if (packed == nullptr) return std::nullopt;
  auto text = read_parts(0, limit, [&](char* to, std::size_t bytes) { return std::int64_t{gzread(packed, to, static_cast<unsigned>(bytes))}; });
  const bool is_cut = text && (text->size() > limit || text->find('\0') != std::string::npos);
  return gzclose(packed) == Z_OK || is_cut ? std::move(text) : std::nullopt;
}

}  // namespace

/// Reads a file of at most `limit` bytes, unpacked if its name ends in .gz. The size is tested before reading to reject
/// large files at once, and after reading, since packed files, pipes and growing files have no known size. Errors are
/// reported at `requested_at`, the reference to the file; the result is then null.
std::shared_ptr<SourceFile> read_unchecked(const fs::path& path, Diagnostics& diagnostics, const Span& requested_at, std::size_t limit, NamedBy by) {
  const auto fail = [&](std::string message) -> std::shared_ptr<SourceFile> {
    diagnostics.error(requested_at, std::move(message));
    return nullptr;
  };
  const std::string shown = path.string();
  InputFile file(path, by);
  if (!file.problem().empty()) return fail(file.problem());
  const auto too_large = [&] { return fail(fmt::format("`{}` is too large: a document has at most {} MiB", shown, limit >> 20)); };
  if (file.size() > limit) return too_large();
  std::optional<std::string> text =
      path.extension() == ".gz" ? read_packed(file, limit) : read_parts(file.size(), limit, [&](char* to, std::size_t bytes) { return file.read(to, bytes); });
  if (!text) return fail(fmt::format("`{}` can't be read", shown));
  if (text->size() > limit) return too_large();
  return std::make_shared<SourceFile>(shown, std::move(*text));
}

std::shared_ptr<const SourceFile> read_source(const fs::path& path, Diagnostics& diagnostics, const Span& requested_at, std::size_t limit, NamedBy by) {
  const std::shared_ptr<SourceFile> source = read_unchecked(path, diagnostics, requested_at, limit, by);
  if (source == nullptr || !check_characters(source, diagnostics)) return nullptr;
  source->origin = canonical_path(path).string();
  return source;
}

}  // namespace opledger
