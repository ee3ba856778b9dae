#include "import/checkpoint/safetensors.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "import/checkpoint/json_table.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // Source: safetensors/src/tensor.rs, MAX_HEADER_SIZE.
constexpr std::string_view kPointer = "version https://git-lfs";
constexpr const char* kMetadata = "__metadata__";
constexpr const char *kType = "dtype", *kShape = "shape", *kOffsets = "data_offsets";

/// A tensor whose entry is partly read.
struct Entry {
  StoredTensor tensor;
  std::vector<std::uint64_t> offsets;
  bool has_shape = false;
};

class HeaderReader {
 public:
  /// Reads a header and returns the first error; empty without one.
  std::string read(std::string_view text, SafetensorsHeader& out) {
    const JsonVisitor visitor{[this](const auto& keys) { return open(keys); },
                              [this](const auto& keys, const JsonScalar& value) { return scalar(keys, value); }, [this](const auto& keys) { list(keys); }};
    std::string problem = read_json_table(text, visitor);
    if (problem.empty()) problem = place(out);
    return problem;
  }

 private:
  std::string open(const std::vector<std::string>& keys) {
    if (keys.empty() || keys[0] == kMetadata) return keys.size() < 2 ? "" : fmt::format("`{}` holds more than texts", kMetadata);
    if (keys.size() > 1) return fmt::format("`{}.{}` is a mapping", visible(keys[0]), visible(keys[1]));
    entries_.emplace_back().tensor.name = keys[0];
    return {};
  }

  void list(const std::vector<std::string>& keys) {
    if (keys.size() == 2 && keys[0] != kMetadata && keys[1] == kShape) entries_.back().has_shape = true;
  }

  /// Stores one value of the header; `keys` is its path: the tensor's name, then `dtype`, `shape` or `data_offsets`.
  /// The entry of the tensor is the last one, because `open` has added it. Returns an error text; empty if the value
  /// is valid.
  std::string scalar(const std::vector<std::string>& keys, const JsonScalar& value) {
    if (keys[0] == kMetadata) return {};
    if (keys.size() != 2) return fmt::format("`{}` is no mapping of {}, {} and {}", visible(keys[0]), kType, kShape, kOffsets);
    Entry& entry = entries_.back();
    if (keys[1] == kType) {
      entry.tensor.type = value.text;
      return value.kind == JsonScalar::Kind::text ? "" : invalid(keys, "no text");
    }
    if (keys[1] != kShape && keys[1] != kOffsets) return {};
    if (value.kind != JsonScalar::Kind::whole || !value.listed) return invalid(keys, "no list of whole numbers from 0 to 2^64 - 1");
    (keys[1] == kShape ? entry.tensor.shape : entry.offsets).push_back(value.number);
    return {};
  }

  static std::string invalid(const std::vector<std::string>& keys, const char* problem) {
    return fmt::format("`{}`: `{}` is {}", visible(keys[0]), keys[1], problem);
  }

  /// Completes the tensor of an entry: elements from the shape, bytes from the offsets of its data. Checks that type,
  /// shape and offsets are present and agree. Products are checked for overflow, because the numbers come from an
  /// unknown file. Returns an error text; empty if the entry is valid.
  static std::string finish(Entry& entry) {
    StoredTensor& t = entry.tensor;
    const std::string name = visible(t.name);
    const auto bits = bits_of_type(t.type);
    if (!bits) return fmt::format("`{}`: there is no type `{}`{}", name, visible(t.type), suggestion(t.type, element_types()));
    if (!entry.has_shape) return fmt::format("`{}` has no list `{}`", name, kShape);
    if (entry.offsets.size() != 2) return fmt::format("`{}`: `{}` must be two numbers", name, kOffsets);
    const auto [begin, end] = std::array{entry.offsets[0], entry.offsets[1]};
    if (end < begin) return fmt::format("`{}` ends before it begins: [{}, {}]", name, begin, end);
    const auto elements = product(t.shape);
    std::uint64_t all_bits = 0;
    if (!elements || __builtin_mul_overflow(*elements, *bits, &all_bits)) return fmt::format("`{}`: {} is too large", name, to_string(t.shape));
    t.elements = *elements;
    t.bytes = end - begin;
    if (all_bits % 8 == 0 && all_bits / 8 == t.bytes) return {};
    return fmt::format("`{}`: {} of {} takes {} bytes, and [{}, {}] are {}", name, to_string(t.shape), t.type, all_bits / 8, begin, end, t.bytes);
  }

  /// Completes all entries and moves their tensors to `out`, in the order of the header. Checks that the data of the
  /// tensors lies without gaps or overlaps behind the header, as the format requires. Sorted by offset, each tensor
  /// must begin at the end of the previous one, which `out.data_bytes` keeps. The size of the file is not checked
  /// here. Returns an error text; empty if the header is valid.
  std::string place(SafetensorsHeader& out) {
    for (Entry& entry : entries_) {
      if (std::string problem = finish(entry); !problem.empty()) return problem;
    }
    std::vector<const Entry*> sorted;
    for (const Entry& entry : entries_) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) { return a->offsets < b->offsets; });
    const Entry* before = nullptr;
    for (const Entry* entry : sorted) {
      const std::string name = visible(entry->tensor.name);
      if (entry->offsets[0] < out.data_bytes) return fmt::format("`{}` overlaps `{}`", name, visible(before->tensor.name));
      if (entry->offsets[0] > out.data_bytes) return fmt::format("{} bytes before `{}` belong to no tensor", entry->offsets[0] - out.data_bytes, name);
      out.data_bytes = entry->offsets[1];
      before = entry;
    }
    for (Entry& entry : entries_) out.tensors.push_back(std::move(entry.tensor));
    return {};
  }

  std::vector<Entry> entries_;
};

/// Reads the JSON text of the header of a file. The file begins with the length of the header, 8 bytes in little
/// endian. The length is compared with the file and the limit before memory is allocated. A pointer of Git LFS in place
/// of the file is recognized by its first words, whose bytes give an impossible length. Returns nothing and sets
/// `problem` if the file has no valid header.
std::optional<std::string> header_text(InputFile& file, std::string& problem) {
  const std::uint64_t size = file.size();
  std::array<char, kPointer.size()> first{};
  if (size < kLengthBytes || file.read(first.data(), kLengthBytes) != std::int64_t{kLengthBytes}) {
    problem = size < kLengthBytes ? fmt::format("it has {} bytes, and the length of a header takes {}", size, kLengthBytes) : "it can't be read";
    return std::nullopt;
  }
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(first[i]);
  if (length > size - kLengthBytes || length > kLongestHeader) {
    file.read(first.data() + kLengthBytes, first.size() - kLengthBytes);
    const bool pointer = std::string_view(first.data(), first.size()) == kPointer;
    problem = pointer                   ? "it is a pointer of Git LFS, in place of the file: `git lfs pull` fetches that"
              : length > kLongestHeader ? fmt::format("its header would have {} bytes, and at most {} are possible", length, kLongestHeader)
                                        : fmt::format("its header would have {} bytes, and the file has {}", length, size);
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  if (file.read(text.data(), text.size()) != static_cast<std::int64_t>(length)) {
    problem = "its header can't be read";
    return std::nullopt;
  }
  return text;
}

}  // namespace

std::optional<SafetensorsHeader> read_safetensors(const fs::path& path, Diagnostics& diagnostics, NamedBy by) {
  // The kind of file is checked before it is opened, because reading a pipe or device could block. The tensor data is
  // not read; its size follows from the size of the file.
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const auto fail = [&](const std::string& why) -> std::optional<SafetensorsHeader> {
    diagnostics.error({}, fmt::format("`{}` is no file of tensors: {}", visible(path.string()), why));
    return std::nullopt;
  };
  if (status.type() == fs::file_type::not_found) return fail("there is no file of this name");
  if (status.type() != fs::file_type::regular) return fail(status.type() == fs::file_type::directory ? "it is a folder" : "it is no regular file");
  InputFile file(path, by);
  if (!file.problem().empty()) return fail(file.problem());
  std::string problem;
  const std::optional<std::string> text = header_text(file, problem);
  if (!text) return fail(problem);
  SafetensorsHeader out;
  problem = HeaderReader().read(*text, out);
  if (!problem.empty()) return fail("in its header " + problem);
  out.present_bytes = file.size() - kLengthBytes - text->size();
  return out;
}

}  // namespace opledger
