#include "expr/parsed.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/bytes.h"
#include "expr/locator.h"
#include "expr/parser.h"

namespace opledger {
namespace {

// Format: the number of formulas; a table of (hash, offset of the entry) rows sorted by hash; the entries. An entry is
// the text and its tree in preorder. A node has its kind, its distance from the previous node's position, the data of its
// kind and its operands.
constexpr int kNumberBytes = 4;
constexpr std::size_t kRowBytes = 2 * kNumberBytes;

std::uint32_t hash_of(std::string_view text) {  // FNV-1a hash
  std::uint32_t out = 2166136261u;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 16777619u;
  return out;
}

bool has_text(Expr::Kind kind) {
  using Kind = Expr::Kind;
  return kind == Kind::number || kind == Kind::text || kind == Kind::name || kind == Kind::member || kind == Kind::aggregate;
}

/// Returns whether the parser builds nodes of this kind with `count` arguments. Invalid bytes must not give trees that
/// other code cannot handle.
bool has_arity(const Expr& e, std::size_t count) {
  switch (e.kind) {
    case Expr::Kind::number:
    case Expr::Kind::boolean:
    case Expr::Kind::text:
    case Expr::Kind::null:
    case Expr::Kind::name:
    case Expr::Kind::inherited:
      return count == 0;
    case Expr::Kind::member:
      return count == 1;
    case Expr::Kind::at:
    case Expr::Kind::index:
    case Expr::Kind::in:
      return count == 2;
    case Expr::Kind::condition:
      return count == 3;
    case Expr::Kind::call:
      return count >= 1;
    case Expr::Kind::list:
      return true;
    case Expr::Kind::operation:
      return count == (e.op == Op::negate || e.op == Op::logical_not ? 1 : 2);
    case Expr::Kind::aggregate:
      return count == 1 || count == 2;
  }
  return false;
}

class Encoder {
 public:
  /// Appends a tree in preorder: kind, position, the data of the kind, number of operands, operands. The formula was parsed
  /// as a document of its own, so its positions are offsets in its text. A position is stored as the distance from the
  /// previous node's: nodes in this order never go back, because an operation begins with its first operand. The `per`
  /// sets of an aggregate follow its first operand in the text, so they are stored after it.
  void put(const Expr& e) {
    out_.byte(static_cast<std::uint8_t>(e.kind));
    const std::size_t at = e.span.file->line_start(e.span.line) + e.span.column - 1;
    out_.number(at - at_);
    at_ = at;
    if (e.kind == Expr::Kind::operation) out_.byte(static_cast<std::uint8_t>(e.op));
    if (e.kind == Expr::Kind::number || e.kind == Expr::Kind::boolean) out_.real(e.number);
    if (e.kind == Expr::Kind::number) {
      for (const std::int8_t exponent : e.dimension.exponents) out_.byte(static_cast<std::uint8_t>(exponent));
    }
    if (has_text(e.kind)) out_.text(e.text);
    out_.number(e.args.size());
    if (!e.args.empty()) put(*e.args[0]);
    if (e.kind == Expr::Kind::aggregate) put_aggregate(e);
    for (std::size_t i = 1; i < e.args.size(); ++i) put(*e.args[i]);
  }
  std::string take() { return out_.take(); }

 private:
  /// Appends the aggregate and its `per` sets. They follow the first argument.
  void put_aggregate(const Expr& e) {
    out_.byte(static_cast<std::uint8_t>(e.aggregate));
    out_.number(e.per.size());
    for (const ExprPtr& set : e.per) put(*set);
  }

  ByteWriter out_;
  std::size_t at_ = 0;
};

/// A reader of one tree. It checks every kind, count and position: bytes that are no tree give null.
class Decoder {
 public:
  Decoder(std::string_view bytes, std::string_view text, const Span& span) : in_(bytes), size_(text.size()), locator_(text, span) {}

  ExprPtr read() {
    ExprPtr out = part(kMaxTreeDepth);
    return in_.good() ? out : nullptr;
  }

 private:
  ExprPtr part(std::uint32_t depth) {
    // Reads one node and its operands by recursion, in the order of `Encoder::put`. `at_` is the offset of the node in the
    // formula; the locator turns it into a position in the document. The depth is bounded, because arbitrary bytes could
    // nest without end. After a failure the node is incomplete, and `read` drops the whole tree.
    auto e = std::make_shared<Expr>();
    if (depth == 0) in_.fail();
    e->kind = known<Expr::Kind>(Expr::Kind::aggregate);
    at_ += in_.number();
    if (at_ > size_) in_.fail();
    if (!in_.good()) return e;
    e->span = locator_.at(at_);
    if (e->kind == Expr::Kind::operation) e->op = known<Op>(Op::select);
    if (e->kind == Expr::Kind::number || e->kind == Expr::Kind::boolean) e->number = in_.real();
    if (e->kind == Expr::Kind::number) {
      for (std::int8_t& exponent : e->dimension.exponents) exponent = static_cast<std::int8_t>(in_.byte());
    }
    if (has_text(e->kind)) e->text = in_.text();
    read_arguments(*e, depth);
    return e;
  }

  void read_arguments(Expr& e, std::uint32_t depth) {
    const std::size_t count = in_.count(2);
    if (!has_arity(e, count)) in_.fail();
    if (in_.good()) e.args.reserve(count);
    for (std::size_t i = 0; i < count && in_.good(); ++i) {
      e.args.push_back(part(depth - 1));
      e.depth = std::max(e.depth, e.args.back()->depth + 1);
      if (i == 0 && e.kind == Expr::Kind::aggregate) read_aggregate(e);
    }
  }

  void read_aggregate(Expr& e) {
    e.aggregate = known<Aggregate>(Aggregate::count);
    for (std::size_t left = in_.count(2); left > 0 && in_.good(); --left) {
      e.per.push_back(part(1));
      if (e.per.back()->kind != Expr::Kind::name) in_.fail();
    }
  }

  template <class Enum>
  Enum known(Enum last) {
    const std::uint8_t value = in_.byte();
    if (value > static_cast<std::uint8_t>(last)) in_.fail();
    return in_.good() ? static_cast<Enum>(value) : Enum{};
  }

  ByteReader in_;
  std::size_t size_;
  Locator locator_;
  std::uint64_t at_ = 0;
};

/// Returns whether the character is a small letter, a digit or `_`. A text of such characters alone is not looked up,
/// because it is at most one name, keyword or number, which has no stored tree.
bool is_part_of_a_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/// A reader of the encoded table. Rows are found by binary search over hashes.
class FormulaTable {
 public:
  explicit FormulaTable(std::string_view bytes) : bytes_(bytes), rows_(number(0)) {
    if (rows_ > bytes.size() / kRowBytes) rows_ = 0;
  }

  /// Returns the encoded tree of the text; empty if the table has none. Texts of equal hashes are compared one by one.
  std::string_view find(std::string_view text) const {
    const std::uint32_t hash = hash_of(text);
    for (std::uint64_t row = first(hash); row < rows_ && hash_at(row) == hash; ++row) {
      ByteReader body = from(place_of(rows_) + number(place_of(row) + kNumberBytes));
      if (body.text() == text) return body.text();
    }
    return {};
  }

 private:
  static std::uint64_t place_of(std::uint64_t row) { return kNumberBytes + row * kRowBytes; }
  ByteReader from(std::uint64_t place) const { return ByteReader(bytes_.substr(std::min<std::uint64_t>(place, bytes_.size()))); }
  std::uint64_t number(std::uint64_t place) const { return from(place).fixed(kNumberBytes); }
  std::uint64_t hash_at(std::uint64_t row) const { return number(place_of(row)); }

  /// Returns the first row whose hash is at least `hash`, by binary search.
  std::uint64_t first(std::uint32_t hash) const {
    std::uint64_t out = 0;
    for (std::uint64_t end = rows_; out < end;) {
      const std::uint64_t middle = out + (end - out) / 2;
      if (hash_at(middle) < hash) {
        out = middle + 1;
      } else {
        end = middle;
      }
    }
    return out;
  }

  std::string_view bytes_;
  std::uint64_t rows_;
};

/// Returns the encoded tree of a text. Returns an empty string if the text is no formula, or if its tree is a single node:
/// parsing such a text is faster than finding it.
std::string encoded(const std::string& text) {
  Diagnostics ignored;
  const ExprPtr tree = parse_expression(text, {std::make_shared<const SourceFile>("", text), 1, 1}, ignored);
  if (tree == nullptr || tree->depth == 1) return {};
  Encoder encoder;
  encoder.put(*tree);
  return encoder.take();
}

}  // namespace

std::string encode_formulas(const std::vector<std::string>& texts) {
  // Writes a table of rows (hash, offset), sorted by hash, and after it the bodies: each text with its encoded tree. Each
  // distinct text has at most one entry. A multimap keeps texts of equal hashes adjacent, as the binary search of
  // FormulaTable expects. Offsets count from the end of the table.
  std::multimap<std::uint32_t, std::string> all;
  for (const std::string& text : std::set<std::string>(texts.begin(), texts.end())) {
    const std::string tree = encoded(text);
    ByteWriter both;
    both.text(text);
    both.text(tree);
    if (!tree.empty()) all.emplace(hash_of(text), both.take());
  }
  ByteWriter out, bodies;
  out.fixed(all.size(), kNumberBytes);
  for (const auto& [hash, body] : all) {
    out.fixed(hash, kNumberBytes);
    out.fixed(bodies.size(), kNumberBytes);
    bodies.plain(body);
  }
  out.plain(bodies.take());
  return all.empty() ? std::string() : out.take();
}

ExprPtr find_formula(std::string_view text, const Span& span) {
  if (!span.known() || span.file->formulas.empty() || std::ranges::all_of(text, is_part_of_a_word)) return nullptr;
  const std::string_view tree = FormulaTable(span.file->formulas).find(text);
  return tree.empty() ? nullptr : Decoder(tree, text, span).read();
}

}  // namespace opledger
