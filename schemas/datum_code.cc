#include "schemas/datum_code.h"

#include <cstdint>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"

namespace opledger {
namespace {

// Encoding of a value: a tag byte; the difference of lines from the previous value, if any; the column. A scalar
// continues with its offset from the end of the previous slice and its size, or with its text. A list or mapping
// continues with its number of items, then the items.
constexpr unsigned kKinds = 3, kQuoted = 4, kSlice = 8, kOnNewLine = 16;
constexpr std::size_t kLeastBytes = 2;

/// Writes a tree in preorder. Offsets and lines are relative to the previous value, so most numbers fit in one byte.
class Encoder {
 public:
  explicit Encoder(const SourceFile& source) : source_(source) {}

  /// Writes a value and its contents in preorder. A tag byte has the kind and three flags: quoted, the text is a slice
  /// of the source, the line differs from that of the previous value. Then follow the difference of lines if any, and
  /// the column. A scalar that occurs verbatim in the source, from its line on, is stored as a slice. A slice is its
  /// offset from the end of the previous slice and its size. Other scalars, such as texts with escapes, are stored in
  /// full. Lists and mappings store their number of items. Most numbers fit in one byte.
  void put(const Datum& datum) {
    const std::size_t at = datum.is_scalar() ? place_of(datum) : std::string::npos;
    const bool below = datum.span().line != line_, slice = at != std::string::npos;
    out_.byte(
        static_cast<std::uint8_t>(static_cast<unsigned>(datum.kind()) | (datum.quoted() ? kQuoted : 0) | (slice ? kSlice : 0) | (below ? kOnNewLine : 0)));
    if (below) out_.difference(static_cast<std::int64_t>(datum.span().line) - static_cast<std::int64_t>(line_));
    line_ = datum.span().line;
    out_.number(datum.span().column);
    if (datum.is_scalar()) return slice ? put_slice(at, datum.text().size()) : out_.text(datum.text());
    if (datum.is_list()) out_.number(datum.items().size());
    for (const Datum& item : datum.items()) put(item);
    if (datum.is_map()) out_.number(datum.entries().size());
    for (const auto& [key, value] : datum.entries()) {
      put(key);
      put(value);
    }
  }
  std::string take() { return out_.take(); }

 private:
  /// Returns the first place of the scalar's text from its line on; npos without one.
  std::size_t place_of(const Datum& scalar) const { return source_.text.find(scalar.text(), source_.line_start(scalar.span().line)); }

  void put_slice(std::size_t at, std::size_t size) {
    out_.difference(static_cast<std::int64_t>(at) - static_cast<std::int64_t>(end_));
    out_.number(size);
    end_ = at + size;
  }

  const SourceFile& source_;
  ByteWriter out_;
  std::uint32_t line_ = 0;
  std::size_t end_ = 0;  ///< End of the previous slice in the text.
};

/// Reads a tree. Depth, counts and offsets are checked, so malformed bytes neither crash nor allocate much.
class Decoder {
 public:
  Decoder(std::string_view bytes, const std::shared_ptr<const SourceFile>& source) : in_(bytes), source_(source) {}

  std::optional<Datum> read() {
    Datum root = value(0);
    return in_.good() && in_.at_end() ? std::optional(std::move(root)) : std::nullopt;
  }

 private:
  /// Reads a value and its contents, as Encoder::put writes them: tag, line, column, then text or items. `depth` counts
  /// the lists and mappings around it; too deep a tree fails, which bounds recursion. After a failure `in_` gives
  /// zeros, so the reading ends soon and `read` drops the tree.
  Datum value(std::size_t depth) {
    if (depth > kMaxDocumentDepth) in_.fail();
    const unsigned tag = in_.byte();
    if ((tag & kOnNewLine) != 0) line_ = static_cast<std::uint32_t>(line_ + in_.difference());
    Span at{source_, line_, static_cast<std::uint32_t>(in_.number())};
    switch (static_cast<Datum::Kind>(tag & kKinds)) {
      case Datum::Kind::null:
        break;
      case Datum::Kind::scalar:
        return Datum::scalar(std::string((tag & kSlice) != 0 ? slice() : in_.text()), (tag & kQuoted) != 0, std::move(at));
      case Datum::Kind::list:
        return list(std::move(at), depth);
      case Datum::Kind::map:
        return map(std::move(at), depth);
    }
    return Datum::null(std::move(at));
  }

  Datum list(Span at, std::size_t depth) {
    const std::size_t size = in_.count(kLeastBytes);
    std::vector<Datum> items;
    items.reserve(size);
    while (in_.good() && items.size() < size) items.push_back(value(depth + 1));
    return Datum::list(std::move(items), std::move(at));
  }

  Datum map(Span at, std::size_t depth) {
    const std::size_t size = in_.count(2 * kLeastBytes);
    std::vector<Datum::Entry> entries;
    entries.reserve(size);
    while (in_.good() && entries.size() < size) {
      Datum key = value(depth + 1);
      if (!key.is_scalar()) in_.fail();
      entries.emplace_back(std::move(key), value(depth + 1));
    }
    return Datum::map(std::move(entries), std::move(at));
  }

  /// Reads an offset and a size, and returns this part of the source's text; fails outside of the text.
  std::string_view slice() {
    const std::uint64_t from = end_ + static_cast<std::uint64_t>(in_.difference()), size = in_.number();
    const std::string& text = source_->text;
    if (from > text.size() || size > text.size() - from) return in_.fail(), std::string_view();
    end_ = from + size;
    return std::string_view(text).substr(from, size);
  }

  ByteReader in_;
  const std::shared_ptr<const SourceFile>& source_;
  std::uint32_t line_ = 0;
  std::uint64_t end_ = 0;  ///< End of the previous slice in the text.
};

}  // namespace

std::string encode(const Datum& root) {
  Encoder encoder(*root.span().file);
  encoder.put(root);
  return encoder.take();
}

std::optional<Datum> decode(std::string_view bytes, const std::shared_ptr<const SourceFile>& source) { return Decoder(bytes, source).read(); }

}  // namespace opledger
