#include "schemas/image.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <utility>

#include "schemas/datum_code.h"
#include "schemas/schema.h"
#include "schemas/shipped.h"

namespace opledger {
namespace {

constexpr std::size_t kNumberBytes = 4, kEntryBytes = 6 * kNumberBytes;

/// What the file begins with: the form of what follows, and what the documents were held against.
std::string stamp() { return "opledger image 1\n" OPLEDGER_VERSION "\n" + std::string(schema_stamp()) + "\n"; }

std::uint32_t sum_of(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void put(std::uint32_t number, std::string& out) {
  for (std::size_t byte = 0; byte < kNumberBytes; ++byte) out += static_cast<char>(number >> 8 * byte);
}

/// Of bytes that are there.
std::uint32_t take(std::string_view& bytes) {
  std::uint32_t out = 0;
  for (std::size_t byte = 0; byte < kNumberBytes; ++byte) out |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[byte])) << 8 * byte;
  bytes.remove_prefix(kNumberBytes);
  return out;
}

}  // namespace

struct Image::File {
  explicit File(const std::filesystem::path& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (const off_t end = descriptor < 0 ? 0 : ::lseek(descriptor, 0, SEEK_END); end > 0) size = static_cast<std::uint64_t>(end);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }

  /// Fewer, or none, if there are not so many.
  std::string read(std::uint64_t from, std::uint64_t bytes) const {
    if (from > size || bytes > size - from) return {};
    std::string out(bytes, '\0');
    const ssize_t count = ::pread(descriptor, out.data(), out.size(), static_cast<off_t>(from));
    out.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return out;
  }

  int descriptor;
  std::uint64_t size = 0;
};

Image::Image(const std::filesystem::path& path) : file_(std::make_shared<const File>(path)) {
  const std::string own = stamp();
  const std::string begin = file_->read(0, own.size() + kNumberBytes);
  if (begin.size() != own.size() + kNumberBytes || begin.compare(0, own.size(), own) != 0) return;
  std::string_view number = std::string_view(begin).substr(own.size());
  const std::uint64_t count = take(number);
  const std::string table = file_->read(begin.size(), count * kEntryBytes);
  for (std::string_view rest = table; rest.size() >= kEntryBytes;) {
    Entry& entry = entries_.emplace_back();
    for (std::uint32_t* part : {&entry.text_sum, &entry.text_size, &entry.tree_sum, &entry.tree_size}) *part = take(rest);
    entry.place = take(rest);
    entry.place |= static_cast<std::uint64_t>(take(rest)) << 32;
  }
}

std::optional<Datum> Image::find(const std::shared_ptr<const SourceFile>& source) const {
  if (entries_.empty()) return std::nullopt;
  const std::uint32_t sum = sum_of(source->text);
  auto entry = std::lower_bound(entries_.begin(), entries_.end(), sum, [](const Entry& e, std::uint32_t of) { return e.text_sum < of; });
  for (; entry != entries_.end() && entry->text_sum == sum; ++entry) {
    std::optional<Datum> root = entry->text_size == source->text.size() ? read(*entry, source) : std::nullopt;
    if (root) return root;
  }
  return std::nullopt;
}

std::optional<Datum> Image::read(const Entry& entry, const std::shared_ptr<const SourceFile>& source) const {
  const std::string bytes = file_->read(entry.place, std::uint64_t{entry.tree_size} + entry.text_size);
  if (bytes.size() != std::uint64_t{entry.tree_size} + entry.text_size) return std::nullopt;
  const std::string_view tree = std::string_view(bytes).substr(0, entry.tree_size), text = std::string_view(bytes).substr(entry.tree_size);
  if (text != source->text || sum_of(tree, entry.text_sum) != entry.tree_sum) return std::nullopt;
  return decode(tree, source);
}

std::string make_image(const std::vector<Datum>& roots) {
  std::string out = stamp(), bodies;
  put(static_cast<std::uint32_t>(roots.size()), out);
  const std::uint64_t begin = out.size() + roots.size() * kEntryBytes;
  std::vector<Image::Entry> entries;
  for (const Datum& root : roots) {
    const std::string tree = encode(root);
    const std::string& text = root.span().file->text;
    const std::uint32_t sum = sum_of(text);
    entries.push_back({sum, static_cast<std::uint32_t>(text.size()), sum_of(tree, sum), static_cast<std::uint32_t>(tree.size()), begin + bodies.size()});
    bodies += tree + text;
  }
  std::sort(entries.begin(), entries.end(), [](const Image::Entry& a, const Image::Entry& b) { return a.text_sum < b.text_sum; });
  for (const Image::Entry& entry : entries) {
    for (const std::uint32_t part : {entry.text_sum, entry.text_size, entry.tree_sum, entry.tree_size}) put(part, out);
    put(static_cast<std::uint32_t>(entry.place), out);
    put(static_cast<std::uint32_t>(entry.place >> 32), out);
  }
  return out + bodies;
}

const Image& shipped_image() {
  static const Image kImage(image_file(shipped_folder()));
  return kImage;
}

}  // namespace opledger
