#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <random>

#include "base/units.h"

namespace opledger::fuzz {
namespace {

constexpr std::size_t kMostNodes = 4000;

/// The place of a node: its parent (null for a document) and its position there.
struct Spot {
  Tree* parent = nullptr;
  std::size_t index = 0;
  std::string place;
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Splits a text into names, numbers, signs and blanks.
std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_letter(text[at])) {
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    } else if (is_digit(text[at])) {
      while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    } else if (end < text.size() && (text.compare(at, 2, "//") == 0 || text[end] == '=')) {
      ++end;
    }
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

class Mutator {
 public:
  Mutator(std::vector<Tree>& documents, const Donors& donors, std::uint32_t seed) : documents_(documents), donors_(donors), random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  template <class List>
  auto& pick(List& list) {
    return list[below(list.size())];
  }

  void run() {
    for (std::size_t changes = 1 + below(2) * below(4); changes > 0; --changes) change();
  }

  void take_over(const std::vector<Tree>& others) {
    if (others.empty()) return;
    const Tree& other = pick(others);
    for (Tree& document : documents_) {
      if (kind_of(document) != kind_of(other) || below(3) == 0) continue;
      if (below(2) == 0 || other.children.empty() || document.children.empty()) {
        document = other;
      } else {
        Tree& own = pick(document.children);
        const Tree* theirs = other.find(own.key);
        own = theirs != nullptr ? *theirs : pick(other.children);
      }
      return;
    }
    documents_.push_back(other);
  }

 private:
  using Change = void (Mutator::*)(const Spot&);

  void change() {
    static constexpr std::array<Change, 16> kChanges = {&Mutator::remove,   &Mutator::repeat,   &Mutator::exchange, &Mutator::copy_over,
                                                        &Mutator::reword,   &Mutator::reword,   &Mutator::reword,   &Mutator::renumber,
                                                        &Mutator::renumber, &Mutator::renumber, &Mutator::graft,    &Mutator::graft,
                                                        &Mutator::adopt,    &Mutator::adopt,    &Mutator::rekey,    &Mutator::wrap};
    const Change change = kChanges[below(kChanges.size())];
    const bool of_scalar = change == &Mutator::reword || change == &Mutator::renumber;
    collect(of_scalar);
    if (!spots_.empty() && spots_.size() < kMostNodes) (this->*change)(pick(spots_));
  }

  /// Collects all nodes below documents, or all scalars.
  void collect(bool scalars) {
    spots_.clear();
    words_.clear();
    for (Tree& document : documents_) collect(document, kind_of(document), scalars);
  }

  void collect(Tree& parent, const std::string& place, bool scalars) {
    for (std::size_t i = 0; i < parent.children.size(); ++i) {
      Tree& child = parent.children[i];
      const std::string at = place_below(place, parent, child);
      if (!scalars || child.kind == Datum::Kind::scalar) spots_.push_back({&parent, i, at});
      if (!child.key.empty()) words_.push_back(child.key);
      for (std::string& token : tokens_of(child.text)) {
        if (is_letter(token[0])) words_.push_back(std::move(token));
      }
      collect(child, at, scalars);
    }
  }

  static Tree& at(const Spot& spot) { return spot.parent->children[spot.index]; }

  static void replace(Tree& node, Tree with) {
    with.key = node.key;
    node = std::move(with);
  }

  void remove(const Spot& spot) { spot.parent->children.erase(spot.parent->children.begin() + static_cast<std::ptrdiff_t>(spot.index)); }

  void repeat(const Spot& spot) {
    Tree copy = at(spot);
    if (!copy.key.empty()) copy.key = below(3) == 0 && !words_.empty() ? pick(words_) : copy.key + "_";
    spot.parent->children.insert(spot.parent->children.begin() + static_cast<std::ptrdiff_t>(below(spot.parent->children.size() + 1)), std::move(copy));
  }

  void exchange(const Spot& spot) { std::swap(at(spot), pick(spot.parent->children)); }

  void copy_over(const Spot& spot) {
    Tree copy = at(pick(spots_));
    replace(at(spot), std::move(copy));
  }

  void wrap(const Spot& spot) {
    Tree& node = at(spot);
    if (node.kind == Datum::Kind::list && !node.children.empty()) {
      Tree only = pick(node.children);
      replace(node, std::move(only));
    } else {
      Tree list;
      list.kind = Datum::Kind::list;
      list.key = node.key;
      node.key.clear();
      list.children.push_back(std::move(node));
      node = std::move(list);
    }
  }

  void rekey(const Spot& spot) {
    if (!at(spot).key.empty() && !words_.empty()) at(spot).key = pick(words_);
  }

  std::string number(const std::string& old) {
    static const std::vector<const char*> kNumbers = {
        "0",     "1",   "2",    "3",    "4",     "5",   "7",   "8",    "12",     "16",  "64", "100",   "1024",
        "65537", "1e6", "1e15", "1e18", "1e300", "0.5", "0.1", "1e-9", "1e-300", "2.5", "-1", "1e999", "9007199254740993"};
    const double value = std::strtod(old.c_str(), nullptr);
    switch (below(6)) {
      case 0:
        return exact(value * 2);
      case 1:
        return exact(value / 2);
      case 2:
        return exact(value + 1);
      case 3:
        return exact(value - 1);
      default:
        return pick(kNumbers);
    }
  }

  /// Returns another token of the same kind.
  std::string other(const std::string& token) {
    static const std::vector<const char*> kSigns = {
        "+", "-", "*", "/", "//", "%", "^", "<", "<=", ">", ">=", "==", "!=", "(", ")", ",", ".", ":", "[", "]", "{", "}", "?"};
    static const std::vector<const char*> kWords = {"if", "then", "else",  "and",  "or",  "not",   "over", "where", "sum", "max",      "min",  "count",
                                                    "it", "true", "false", "null", "any", "given", "byte", "flop",  "s",   "divisors", "range"};
    if (is_digit(token[0])) return number(token);
    if (is_letter(token[0])) return below(4) == 0 ? pick(kWords) : pick(words_);
    return token == " " ? token : pick(kSigns);
  }

  void reword(const Spot& spot) {
    Tree& node = at(spot);
    if (words_.empty() || node.text.empty()) return;
    std::vector<std::string> tokens = tokens_of(node.text);
    std::string& token = pick(tokens);
    switch (below(6)) {
      case 0:
        token += " " + pick(words_);
        break;
      case 1:
        token.clear();
        break;
      default:
        token = other(token);
    }
    node.text.clear();
    for (const std::string& part : tokens) node.text += part;
  }

  void renumber(const Spot& spot) {
    Tree& node = at(spot);
    std::vector<std::string> tokens = tokens_of(node.text);
    std::vector<std::string*> numbers;
    for (std::string& token : tokens) {
      if (is_digit(token[0])) numbers.push_back(&token);
    }
    if (numbers.empty()) return;
    std::string& chosen = *pick(numbers);
    chosen = number(chosen);
    node.text.clear();
    for (const std::string& part : tokens) node.text += part;
  }

  /// Replaces a node by the part of another document at the same place.
  void graft(const Spot& spot) {
    const auto& there = donors_.at(spot.place);
    if (!there.empty()) replace(at(spot), *pick(there));
  }

  /// Adds the part of another document at the same place as a neighbor.
  void adopt(const Spot& spot) {
    const auto& there = donors_.at(spot.place.substr(0, spot.place.rfind('/')));
    if (there.empty()) return;
    const Tree& other = *pick(there);
    if (other.kind != spot.parent->kind || other.children.empty()) return;
    const Tree& taken = pick(other.children);
    for (Tree& own : spot.parent->children) {
      if (taken.key.empty() || own.key != taken.key) continue;
      own = taken;
      return;
    }
    spot.parent->children.insert(spot.parent->children.begin() + static_cast<std::ptrdiff_t>(below(spot.parent->children.size() + 1)), taken);
  }

  std::vector<Tree>& documents_;
  const Donors& donors_;
  std::mt19937 random_;
  std::vector<Spot> spots_;
  std::vector<std::string> words_;
};

std::vector<Tree> trees_of(const std::string& text) {
  std::vector<Tree> out;
  for (const std::string& part : parts_of(text)) {
    if (std::optional<Tree> tree = read_tree(part)) out.push_back(std::move(*tree));
  }
  return out;
}

std::string text_of(const std::vector<Tree>& documents) {
  std::vector<std::string> parts;
  for (const Tree& document : documents) parts.push_back(written(document));
  return joined(parts);
}

std::string text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace

std::string mutated(const std::string& text, std::uint32_t seed, const Donors& donors) {
  std::vector<Tree> documents = trees_of(text);
  if (documents.empty()) return text;
  Mutator(documents, donors, seed).run();
  return text_of(documents);
}

std::string crossed(const std::string& first, const std::string& second, std::uint32_t seed) {
  std::vector<Tree> documents = trees_of(first);
  Mutator(documents, shipped_donors(), seed).take_over(trees_of(second));
  return text_of(documents);
}

std::size_t mutate_bytes(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed) {
  const std::string text = mutated(text_of(data, size), seed);
  if (text.size() > most) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

std::size_t cross_bytes(const std::uint8_t* first, std::size_t first_size, const std::uint8_t* second, std::size_t second_size, std::uint8_t* out,
                        std::size_t most, std::uint32_t seed) {
  std::string text = crossed(text_of(first, first_size), text_of(second, second_size), seed);
  if (text.size() > most) text = text_of(first, std::min(first_size, most));
  std::memcpy(out, text.data(), text.size());
  return text.size();
}

}  // namespace opledger::fuzz
