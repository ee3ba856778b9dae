#include "schemas/document.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "schemas/characters.h"
#include "schemas/datum_builder.h"

namespace opledger {
namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";  // the prefix `!!`
constexpr std::size_t kMaxOpenBrackets = 10'000;             // Limits the parser's look-ahead, far above valid depths.

// Replacements for yaml-cpp's messages. The originals describe the state of the scanner; ours say how to correct the
// text. Matched by prefix.
struct Wording {
  std::string_view theirs, ours;
};
const Wording kWordings[] = {
    {YAML::ErrorMsg::END_OF_MAP_FLOW, "this is not how a `{...}` goes on: `,` or `}` is missing before here"},
    {YAML::ErrorMsg::END_OF_MAP, "this is not how a mapping goes on: `KEY: VALUE` is expected at the mapping's indentation"},
    {YAML::ErrorMsg::END_OF_SEQ_FLOW, "this is not how a `[...]` goes on: `,` or `]` is missing before here"},
    {YAML::ErrorMsg::END_OF_SEQ, "this is not how a list goes on: `- VALUE` is expected at the list's indentation"},
    {YAML::ErrorMsg::EOF_IN_SCALAR, "the document ends inside quoted text"},
    {YAML::ErrorMsg::DOC_IN_SCALAR, "a document mark (`---` or `...`) is inside quoted text"},
    {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab can't indent: use blanks"},
    {YAML::ErrorMsg::FLOW_END, "a closing bracket without an opening one"},
    {YAML::ErrorMsg::BLOCK_ENTRY, "`- ` can't begin a list here"},
    {YAML::ErrorMsg::MAP_KEY, "a key is not allowed here"},
    {YAML::ErrorMsg::MAP_VALUE, "a `: ` is not allowed here: check the indentation and the line above, or quote the text"},
    {YAML::ErrorMsg::UNKNOWN_TOKEN, "text can't begin with this character: quote it"},
    {YAML::ErrorMsg::ALIAS_NOT_FOUND, "`*` begins an alias, whose name is missing: quote the text if it is none"},
    {YAML::ErrorMsg::CHAR_IN_ALIAS, "`*` begins an alias, and this can't be in its name: quote the text if it is none"},
    {YAML::ErrorMsg::ANCHOR_NOT_FOUND, "`&` begins an anchor, whose name is missing: quote the text if it is none"},
    {YAML::ErrorMsg::CHAR_IN_ANCHOR, "`&` begins an anchor, and this can't be in its name: quote the text if it is none"},
    {YAML::ErrorMsg::UNKNOWN_ANCHOR, "this alias has no anchor (`&NAME`) before it"},
    {YAML::ErrorMsg::CHAR_IN_BLOCK, "only an indentation indicator can follow `|` or `>` on its line"},
    {YAML::ErrorMsg::BAD_FILE, "this can't be read as YAML"},
};

std::string reworded(const std::string& message) {
  for (const Wording& wording : kWordings) {
    if (message.compare(0, wording.theirs.size(), wording.theirs) == 0) return std::string(wording.ours);
  }
  return "this is no YAML: " + message;
}

class Handler : public YAML::EventHandler {
 public:
  Handler(const std::shared_ptr<const SourceFile>& source, std::size_t skipped, Diagnostics& diagnostics)
      : source_(source), skipped_(skipped), columns_(source->text), diagnostics_(diagnostics), builder_(diagnostics) {}

  Span span(const YAML::Mark& mark) const {
    if (mark.line < 0 || mark.column < 0) return Span{source_, 0, 0};
    if (static_cast<std::size_t>(mark.pos) + skipped_ > source_->text.size()) return span_at(source_, source_->text.size());
    const auto line = static_cast<std::uint32_t>(mark.line);
    // The parser does not see the byte order mark, but the line's text contains it.
    const auto hidden = static_cast<std::uint32_t>(line == 0 ? skipped_ : 0);
    const std::uint32_t column = columns_.characters(line, static_cast<std::uint32_t>(mark.column) + hidden);
    return Span{source_, line + 1, column + 1 - (hidden > 0 ? 1 : 0)};
  }
  std::optional<Datum> take() { return builder_.take(); }

  void OnDocumentStart(const YAML::Mark& mark) override { builder_.begin_document(span(mark), source_->text.compare(offset(mark), 3, "---") == 0); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { builder_.add_null(span(mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { builder_.add_alias(span(mark), anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& text) override {
    check_tag(tag, mark);
    builder_.add_scalar(text, tag == "!" && !is_block(mark), span(mark), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    check_tag(tag, mark);
    builder_.open(Datum::Kind::list, span(mark), anchor);
  }
  void OnSequenceEnd() override { builder_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    check_tag(tag, mark);
    builder_.open(Datum::Kind::map, span(mark), anchor);
  }
  void OnMapEnd() override { builder_.close(); }

 private:
  // Block texts after `|` or `>` have the tag of quoted text, but serve for formulas longer than a line, so they count
  // as plain.
  bool is_block(const YAML::Mark& mark) const {
    const std::size_t at = offset(mark);
    return at < source_->text.size() && (source_->text[at] == '|' || source_->text[at] == '>');
  }

  std::size_t offset(const YAML::Mark& mark) const { return std::min(static_cast<std::size_t>(mark.pos) + skipped_, source_->text.size()); }

  void check_tag(const std::string& tag, const YAML::Mark& mark) {
    if (tag.empty() || tag == "?" || tag == "!") return;  // Tags of plain and quoted text.
    const bool core = tag.compare(0, kCoreTag.size(), kCoreTag) == 0;
    const std::string written = core ? "!!" + tag.substr(kCoreTag.size()) : tag;
    diagnostics_.error(span(mark), fmt::format("tag `{}` is not understood: documents have no tags", written));
  }

  std::shared_ptr<const SourceFile> source_;
  std::size_t skipped_;  // size of the byte order mark
  Columns columns_;
  Diagnostics& diagnostics_;
  DatumBuilder builder_;
};

// Rejects texts with deep brackets or many commas, with an error, and returns false. The parser scans ahead from an
// opening bracket to its end before it emits events, which could take much memory. Brackets and commas in texts and
// comments count too, but the limits are far above those of valid documents. Linear in the text.
bool check_brackets(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) {
  std::size_t depth = 0, commas = 0;
  for (std::size_t i = 0; i < source->text.size(); ++i) {
    const char c = source->text[i];
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == ',') ++commas;
    if (depth > kMaxOpenBrackets) {
      diagnostics.error(span_at(source, i), fmt::format("nested too deep: at most {} lists and mappings", kMaxDocumentDepth));
      return false;
    }
    if (commas > kMaxDocumentValues) {
      diagnostics.error(span_at(source, i), fmt::format("too many values: a document has at most {} of them, aliases expanded", kMaxDocumentValues));
      return false;
    }
  }
  return true;
}

// Appends an end mark. Without it, yaml-cpp accepts quoted text that is not closed at the end of the file.
std::string with_end_mark(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text + "...\n";
}

/// Parses a text with yaml-cpp, whose events `handler` turns into a tree. A byte order mark is skipped, since it would
/// change columns of the first line. An end mark is appended, so that quoted text without an end is an error. Asking
/// for a second document lets the handler reject it. yaml-cpp throws on malformed text; every exception becomes an
/// error in our words here. Returns nothing after an exception; mistakes that the handler reports leave the tree.
std::optional<Datum> parse(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) {
  const std::size_t skipped = source->text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0 ? kByteOrderMark.size() : 0;
  Handler handler(source, skipped, diagnostics);
  try {
    std::istringstream stream(with_end_mark(source->text.substr(skipped)));
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(handler)) parser.HandleNextDocument(handler);  // The handler rejects a second document.
    return handler.take();
  } catch (const DatumBuilder::Stop&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    // Inside a quote that is never closed, yaml-cpp finds our end mark and reports a document mark in quoted text.
    const bool at_end = static_cast<std::size_t>(std::max(error.mark.pos, 0)) + skipped >= source->text.size();
    const bool open_quote = at_end && error.msg == YAML::ErrorMsg::DOC_IN_SCALAR;
    diagnostics.error(handler.span(error.mark), reworded(open_quote ? YAML::ErrorMsg::EOF_IN_SCALAR : error.msg));
  } catch (const std::exception& error) {
    diagnostics.error(Span{source, 0, 0}, fmt::format("this can't be read as YAML: {}", error.what()));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Datum> parse_document(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) {
  if (source->text.size() > kMaxDocumentBytes) {
    diagnostics.error(Span{source, 0, 0}, fmt::format("`{}` is too large: a document has at most {} MiB", source->path, kMaxDocumentBytes >> 20));
    return std::nullopt;
  }
  if (!check_characters(source, diagnostics) || !check_brackets(source, diagnostics)) return std::nullopt;
  const std::size_t errors = diagnostics.errors();
  std::optional<Datum> root = parse(source, diagnostics);
  if (diagnostics.errors() == errors && (!root || root->is_null())) {
    diagnostics.error(Span{source, 1, 1}, "the document is empty");
    return std::nullopt;
  }
  return root;
}

}  // namespace opledger
