#include "schemas/datum_code.h"

#include <cstdint>
#include <utility>

#include "base/limits.h"

namespace opledger {
namespace {

// A value: one byte of what it is, the lines down from the value before if there are any, its column, and of a scalar where it stands in the text (how far behind the one
// before) and its size, or its size and itself; of a list or a mapping how many there are, and these. Numbers are written in sevens of bits, the lowest first.
constexpr unsigned kKinds = 3, kQuoted = 4, kSlice = 8, kOnNewLine = 16;

/// Signs in the lowest bit, so that what is small has few bits.
std::uint64_t folded(std::int64_t value) { return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63); }
std::int64_t unfolded(std::uint64_t value) { return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1); }

class Encoder {
 public:
  explicit Encoder(const SourceFile& source) : source_(source) {}

  void put(const Datum& datum) {
    const std::size_t at = datum.is_scalar() ? place_of(datum) : std::string::npos;
    const bool below = datum.span().line != line_;
    out_ += static_cast<char>(static_cast<unsigned>(datum.kind()) | (datum.quoted() ? kQuoted : 0) | (at != std::string::npos ? kSlice : 0) |
                              (below ? kOnNewLine : 0));
    if (below) put_number(folded(static_cast<std::int64_t>(datum.span().line) - static_cast<std::int64_t>(line_)));
    line_ = datum.span().line;
    put_number(datum.span().column);
    if (datum.is_scalar()) return put_text(datum.text(), at);
    if (datum.is_list()) put_number(datum.items().size());
    for (const Datum& item : datum.items()) put(item);
    if (datum.is_map()) put_number(datum.entries().size());
    for (const auto& [key, value] : datum.entries()) {
      put(key);
      put(value);
    }
  }
  std::string take() { return std::move(out_); }

 private:
  std::size_t place_of(const Datum& scalar) const { return source_.text.find(scalar.text(), source_.line_start(scalar.span().line)); }

  void put_text(const std::string& text, std::size_t at) {
    if (at != std::string::npos) put_number(folded(static_cast<std::int64_t>(at) - static_cast<std::int64_t>(end_)));
    put_number(text.size());
    if (at == std::string::npos) {
      out_ += text;
    } else {
      end_ = at + text.size();
    }
  }

  void put_number(std::uint64_t number) {
    for (; number > 0x7f; number >>= 7) out_ += static_cast<char>(number | 0x80);
    out_ += static_cast<char>(number);
  }

  const SourceFile& source_;
  std::string out_;
  std::uint32_t line_ = 0;
  std::size_t end_ = 0;  ///< Of the scalar before.
};

class Decoder {
 public:
  Decoder(std::string_view bytes, const std::shared_ptr<const SourceFile>& source) : bytes_(bytes), source_(source) {}

  std::optional<Datum> read() {
    Datum root = value(0);
    return good_ && bytes_.empty() ? std::optional(std::move(root)) : std::nullopt;
  }

 private:
  Datum value(std::size_t depth) {
    if (bytes_.empty() || depth > kMaxDocumentDepth) return fail();
    const auto tag = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    if ((tag & kOnNewLine) != 0) line_ = static_cast<std::uint32_t>(line_ + unfolded(number()));
    Span at{source_, line_, static_cast<std::uint32_t>(number())};
    switch (static_cast<Datum::Kind>(tag & kKinds)) {
      case Datum::Kind::null:
        return Datum::null(std::move(at));
      case Datum::Kind::scalar:
        return Datum::scalar(std::string(text((tag & kSlice) != 0)), (tag & kQuoted) != 0, std::move(at));
      case Datum::Kind::list:
        return list(std::move(at), depth);
      case Datum::Kind::map:
        return map(std::move(at), depth);
    }
    return fail();
  }

  Datum list(Span at, std::size_t depth) {
    const std::size_t size = count();
    std::vector<Datum> items;
    items.reserve(size);
    while (good_ && items.size() < size) items.push_back(value(depth + 1));
    return Datum::list(std::move(items), std::move(at));
  }

  Datum map(Span at, std::size_t depth) {
    const std::size_t size = count();
    std::vector<Datum::Entry> entries;
    entries.reserve(size);
    while (good_ && entries.size() < size) {
      Datum key = value(depth + 1);
      if (!key.is_scalar()) fail();
      entries.emplace_back(std::move(key), value(depth + 1));
    }
    return Datum::map(std::move(entries), std::move(at));
  }

  /// Of values that follow, none of which is less than two bytes.
  std::size_t count() {
    const std::uint64_t size = number();
    if (size > bytes_.size() / 2) fail();
    return good_ ? static_cast<std::size_t>(size) : 0;
  }

  std::string_view text(bool slice) {
    const std::uint64_t from = slice ? end_ + static_cast<std::uint64_t>(unfolded(number())) : 0;
    const std::uint64_t size = number();
    const std::string_view in = slice ? std::string_view(source_->text) : bytes_;
    if (from > in.size() || size > in.size() - from) {
      fail();
      return {};
    }
    if (slice) {
      end_ = from + size;
    } else {
      bytes_.remove_prefix(size);
    }
    return in.substr(from, size);
  }

  std::uint64_t number() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; !bytes_.empty() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      out |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return out;
    }
    fail();
    return 0;
  }

  Datum fail() {
    good_ = false;
    return {};
  }

  std::string_view bytes_;  ///< Those that are not read yet.
  const std::shared_ptr<const SourceFile>& source_;
  std::uint32_t line_ = 0;
  std::uint64_t end_ = 0;  ///< In the text, of the scalar before.
  bool good_ = true;
};

}  // namespace

std::string encode(const Datum& root) {
  Encoder encoder(*root.span().file);
  encoder.put(root);
  return encoder.take();
}

std::optional<Datum> decode(std::string_view bytes, const std::shared_ptr<const SourceFile>& source) { return Decoder(bytes, source).read(); }

}  // namespace opledger
