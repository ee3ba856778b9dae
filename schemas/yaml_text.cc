#include "schemas/yaml_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace opledger {
namespace {

bool is_plain(const std::string& text) {
  constexpr std::string_view kHarmless = "_.+*/() -";  // Characters that are safe without quotes, also inside lists and mappings.
  const auto harmless = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || kHarmless.find(c) != std::string_view::npos; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), harmless)) return false;
  const auto begins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '('; };
  return (begins(text.front()) || (text.size() > 1 && text.front() == '-' && begins(text[1]))) && text.back() != ' ';
}

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result + "\"";
}

bool reads_as_text(const std::string& text) {
  const Datum read = Datum::scalar(text, false, {});
  return !read.number() && !read.boolean() && text != "null" && text != "Null" && text != "NULL" && text != "~";
}

template <class Items, class Each>
std::string listed(const char* open, const Items& items, const char* close, Each&& each) {
  std::string result = open;
  for (const auto& item : items) result += (result.size() > 1 ? ", " : "") + each(item);
  return result + close;
}

}  // namespace

std::string yaml_text(const std::string& text) { return is_plain(text) && reads_as_text(text) ? text : in_quotes(text); }

/// Writes lists and mappings recursively. A quoted scalar is a text and gets quotes if YAML would read it as another
/// type. An unquoted scalar keeps its notation, in quotes only if its characters need them.
std::string yaml_flow(const Datum& value) {
  switch (value.kind()) {
    case Datum::Kind::list:
      return listed("[", value.items(), "]", yaml_flow);
    case Datum::Kind::map:
      return listed("{", value.entries(), "}", [](const Datum::Entry& entry) { return yaml_text(entry.first.text()) + ": " + yaml_flow(entry.second); });
    case Datum::Kind::null:
      return "null";
    case Datum::Kind::scalar:
      break;
  }
  if (value.quoted()) return yaml_text(value.text());
  return is_plain(value.text()) ? value.text() : in_quotes(value.text());
}

namespace {

/// Returns whether a value is a scalar, a mapping of scalars, or a list of scalars and flat lists.
bool is_simple(const Datum& value) {
  const auto scalar = [](const Datum& d) { return d.is_scalar() || d.is_null(); };
  const auto plain_list = [&](const Datum& d) { return scalar(d) || (d.is_list() && std::all_of(d.items().begin(), d.items().end(), scalar)); };
  if (value.is_list()) return std::all_of(value.items().begin(), value.items().end(), plain_list);
  return std::all_of(value.entries().begin(), value.entries().end(), [&](const Datum::Entry& entry) { return scalar(entry.second); });
}

/// Writes the entries of a mapping at an indentation, recursively. A simple value, with at most one level of scalars
/// or a list of flat lists, stays on the line of its key. Other mappings and lists continue on indented lines. `out`
/// ends with the blank after a dash if the mapping is an item of a list: its first key then follows on the same line.
void add_block(const Datum& value, std::size_t indent, std::string& out) {
  const std::string before(indent, ' ');
  bool first = true;
  for (const auto& [key, inner] : value.entries()) {
    // The first key of an item follows its dash on the same line.
    out += (first && !out.empty() && out.back() == ' ' ? "" : before) + yaml_text(key.text()) + ":";
    first = false;
    if (is_simple(inner)) {
      out += " " + yaml_flow(inner) + "\n";
    } else if (inner.is_map()) {
      out += "\n";
      add_block(inner, indent + 2, out);
    } else {
      out += "\n";
      for (const Datum& item : inner.items()) {
        out += before + "  - ";
        if (item.is_map() && !is_simple(item))
          add_block(item, indent + 4, out);
        else
          out += yaml_flow(item) + "\n";
      }
    }
  }
}

}  // namespace

std::string yaml_block(const Datum& document) {
  std::string out;
  add_block(document, 0, out);
  return out;
}

}  // namespace opledger
