#include "schemas/image.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "schemas/datum_code.h"
#include "schemas/schema.h"
#include "schemas/shipped.h"

namespace opledger {
namespace {

constexpr int kNumberBytes = 4;
constexpr std::size_t kEntryBytes = 6 * kNumberBytes;

/// Returns the first bytes of the file: format, program version and hash of the schemas.
std::string stamp() { return "opledger image 1\n" OPLEDGER_VERSION "\n" + std::string(schema_stamp()) + "\n"; }

std::uint32_t sum_of(std::string_view bytes) { return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())); }

}  // namespace

/// An open file; reads are positioned and thus thread-safe.
struct Image::File {
  explicit File(const std::filesystem::path& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (const off_t end = descriptor < 0 ? 0 : ::lseek(descriptor, 0, SEEK_END); end > 0) size = static_cast<std::uint64_t>(end);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }

  /// Reads `bytes` bytes; returns fewer, or none, if the file ends before.
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
  const std::uint64_t count = ByteReader(std::string_view(begin).substr(own.size())).fixed(kNumberBytes);
  const std::string table = file_->read(begin.size(), count * kEntryBytes);
  for (ByteReader rest(table); rest.left() >= kEntryBytes;) {
    Entry& entry = entries_.emplace_back();
    for (std::uint32_t* part : {&entry.text_size, &entry.tree_size, &entry.formulas_size, &entry.sum})
      *part = static_cast<std::uint32_t>(rest.fixed(kNumberBytes));
    entry.place = rest.fixed(2 * kNumberBytes);
  }
}

// Returns the tree of a stored text that equals the source's text. Entries are sorted by text size, so binary search
// finds the entries with equal size; only their texts are compared.
std::optional<Datum> Image::find(const std::shared_ptr<SourceFile>& source) const {
  const std::size_t size = source->text.size();
  auto entry = std::lower_bound(entries_.begin(), entries_.end(), size, [](const Entry& e, std::size_t of) { return e.text_size < of; });
  for (; entry != entries_.end() && entry->text_size == size; ++entry) {
    if (std::optional<Datum> root = read(*entry, source)) return root;
  }
  return std::nullopt;
}

/// Returns the tree of an entry if its text equals the source's text and its checksum is right. Also stores the
/// formulas in the source.
std::optional<Datum> Image::read(const Entry& entry, const std::shared_ptr<SourceFile>& source) const {
  const std::uint64_t parsed = std::uint64_t{entry.tree_size} + entry.formulas_size;
  const std::string bytes = file_->read(entry.place, parsed + entry.text_size);
  const std::string_view all = bytes;
  if (all.size() != parsed + entry.text_size || all.substr(parsed) != source->text || sum_of(all.substr(0, parsed)) != entry.sum) return std::nullopt;
  std::optional<Datum> root = decode(all.substr(0, entry.tree_size), source);
  if (root) source->formulas = all.substr(entry.tree_size, entry.formulas_size);
  return root;
}

/// Returns the contents of an image file: stamp, number of documents, a table of entries, then tree, formulas and text
/// of each document (`bodies`). Bodies lie in the order of `documents`; only the entries are sorted by text size, for
/// the binary search of `Image::find`. `begin` is the place of the first body, known beforehand because entries have a
/// fixed size. Each entry has the sizes, the checksum of tree and formulas, and the place of its body.
std::string make_image(const std::vector<ImagedDocument>& documents) {
  std::vector<Image::Entry> entries;
  ByteWriter out, bodies;
  out.plain(stamp());
  out.fixed(documents.size(), kNumberBytes);
  const std::uint64_t begin = out.size() + documents.size() * kEntryBytes;
  for (const ImagedDocument& document : documents) {
    const std::string tree = encode(document.root), parsed = tree + document.formulas;
    const std::string& text = document.root.span().file->text;
    const auto size = [](const std::string& of) { return static_cast<std::uint32_t>(of.size()); };
    entries.push_back({size(text), size(tree), size(document.formulas), sum_of(parsed), begin + bodies.size()});
    bodies.plain(parsed + text);
  }
  std::sort(entries.begin(), entries.end(), [](const Image::Entry& a, const Image::Entry& b) { return a.text_size < b.text_size; });
  for (const Image::Entry& entry : entries) {
    for (const std::uint32_t part : {entry.text_size, entry.tree_size, entry.formulas_size, entry.sum}) out.fixed(part, kNumberBytes);
    out.fixed(entry.place, 2 * kNumberBytes);
  }
  out.plain(bodies.take());
  return out.take();
}

const Image& shipped_image() {
  static const Image kImage(image_file(shipped_folder()));
  return kImage;
}

}  // namespace opledger
