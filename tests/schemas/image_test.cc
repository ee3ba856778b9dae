#include "schemas/image.h"

#include <doctest/doctest.h>

#include <random>

#include "schemas/datum_code.h"
#include "schemas/kinds.h"
#include "schemas/library.h"
#include "schemas/schema.h"
#include "tests/paths.h"
#include "tests/schemas/parse.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

/// Returns a tree with all properties, positions included.
std::string whole(const Datum& datum) {
  const Span& at = datum.span();
  std::string out = to_string(at) + " " + std::to_string(static_cast<int>(datum.kind())) + (datum.quoted() ? "q" : "") + " " + datum.text() + "\n";
  for (const Datum& item : datum.items()) out += whole(item);
  for (const auto& [key, value] : datum.entries()) out += whole(key) + whole(value);
  return out + ".\n";
}

const char* const kTexts[] = {
    "kind: ops\nname: a\n",
    "kind: ops\nname: b\ndoc: >\n  folded\n  text\nlist: [1, 'two', \"th\\u00fcree\", ~, [], {}]\n",
    "{\"kind\": \"model\", \"name\": \"d\"}",
};

std::vector<ImagedDocument> imaged(const std::vector<Datum>& roots) {
  std::vector<ImagedDocument> out;
  for (const Datum& root : roots) out.push_back({root, "formulas of " + root.span().file->path});
  return out;
}

std::shared_ptr<SourceFile> source_of(const std::string& path, const std::string& text) { return std::make_shared<SourceFile>(path, text); }

std::vector<Datum> some_roots() {
  std::vector<Datum> out = {parsed(kTexts[0], "a.yaml"), parsed(kTexts[1], "b.yaml"), parsed(kTexts[2], "d.yaml")};
  out.push_back(parsed("kind: ops\nkept: &k [{x: 1}, y]\n\nagain: *k\nothers: {z: *k}\n", "c.yaml"));
  return out;
}

/// Returns how many trees are found; each must be unchanged.
std::size_t found(const Image& image, const std::vector<Datum>& roots) {
  std::size_t count = 0;
  for (const Datum& root : roots) {
    const auto source = source_of(root.span().file->path, root.span().file->text);
    const std::optional<Datum> tree = image.find(source);
    if (!tree) continue;
    ++count;
    CHECK(whole(*tree) == whole(root));
    if (&image != &shipped_image()) CHECK(source->formulas == "formulas of " + source->path);
  }
  return count;
}

Image image_of(const TemporaryFolder& folder, const std::string& bytes) { return Image(folder.write("documents.image", bytes)); }

}  // namespace

TEST_CASE("image: every shipped document is in it, and its tree is the parser's, place by place") {
  const std::vector<Datum> roots = good_documents(source_folder());
  CHECK(shipped_image().size() == roots.size());
  CHECK(found(shipped_image(), roots) == roots.size());
  Library library({source_folder()});
  std::size_t documents = 0;
  for (const std::string& kind : kind_names()) {
    for (const std::string& name : library.names(kind)) {
      Diagnostics said;
      const Document* const document = documents + 1 < 256 ? library.load(name, {kind, kNoKind}, said) : nullptr;  // The limit of documents per command.
      if (document == nullptr) continue;
      CHECK_MESSAGE(document->shipped, name);
      ++documents;
    }
  }
  CHECK(documents > 200);
  CHECK(library.parsed() == 0);
}

TEST_CASE("image: trees are found by their texts, byte by byte") {
  const TemporaryFolder folder;
  const std::vector<Datum> roots = some_roots();
  const Image image = image_of(folder, make_image(imaged(roots)));
  CHECK(image.size() == roots.size());
  CHECK(found(image, roots) == roots.size());
  for (const Datum& root : roots) {
    for (std::size_t i = 0; i < root.span().file->text.size(); ++i) {
      std::string edited = root.span().file->text;
      edited[i] ^= 1;
      CHECK(!image.find(source_of("a.yaml", edited)));
    }
  }
  const auto elsewhere = source_of("other.yaml", kTexts[0]);
  REQUIRE(image.find(elsewhere));
  CHECK(to_string(image.find(elsewhere)->entries()[1].second.span()) == "other.yaml:2:7");
}

TEST_CASE("image: an edited document is parsed and reported like any other") {
  const TemporaryFolder folder;
  folder.write("ops/a.yaml", kTexts[0]);
  folder.write("ops/b.yaml", "kind: ops\nname: b\nopps: 1\n");  // Invalid already when the image is created.
  CHECK(good_documents(folder.path()).size() == 1);
  const Image image = image_of(folder, make_image(imaged(good_documents(folder.path()))));
  const auto reported = [&](const std::string& name, std::size_t parsed) {
    Library library({folder.path()}, image);
    Diagnostics said;
    const Document* const document = library.load(name, {"ops"}, said);
    CHECK((document != nullptr && document->shipped) == (parsed == 0));
    CHECK(library.parsed() == parsed);
    return folder.masked(render(said));
  };
  CHECK(reported("a", 0).empty());
  CHECK(reported("b", 1).find("DIR/ops/b.yaml:3:1: error: unknown key `opps`") == 0);
  folder.write("ops/a.yaml", "kind: ops\nname: c\n");
  CHECK(reported("a", 1) == "DIR/ops/a.yaml:2:7: error: the name `c` differs from the file's, `a`\n  name: c\n        ^\n");
}

TEST_CASE("image: a damaged one finds less, never anything else") {
  const TemporaryFolder folder;
  const std::vector<Datum> roots = some_roots();
  const std::string good = make_image(imaged(roots));
  const std::size_t count = make_image({}).size() - 4;  // Size of the number of documents; a larger number loses nothing.
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char mask : {'\x01', '\x80', '\xff'}) {
      std::string damaged = good;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      CHECK(found(image_of(folder, damaged), roots) < roots.size() + (i >= count && i < count + 4 ? 1 : 0));
    }
    CHECK(found(image_of(folder, good.substr(0, i)), roots) < roots.size());
  }
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = good;
    for (int n = 0; n < 1 + i % 20; ++n) damaged[random() % good.size()] = static_cast<char>(random());
    found(image_of(folder, damaged), roots);
  }
  CHECK(found(image_of(folder, ""), roots) == 0);
  CHECK(found(Image(folder.path() / "none"), roots) == 0);
  CHECK(found(Image(folder.path()), roots) == 0);
  CHECK(found(Image(), roots) == 0);
}

TEST_CASE("image: that of a program with other schemas finds nothing") {
  const TemporaryFolder folder;
  const std::vector<Datum> roots = some_roots();
  std::string other = make_image(imaged(roots));
  const std::size_t stamp = other.find(schema_stamp());
  REQUIRE(stamp != std::string::npos);
  other[stamp] = other[stamp] == '0' ? '1' : '0';
  CHECK(image_of(folder, other).size() == 0);
}

TEST_CASE("image: bytes of a tree may be anything") {
  for (const Datum& root : some_roots()) {
    const std::string good = encode(root);
    REQUIRE(decode(good, root.span().file));
    for (std::size_t i = 0; i < good.size(); ++i) CHECK(!decode(good.substr(0, i), root.span().file));
    CHECK(!decode(good + good, root.span().file));
    std::mt19937 random(11);
    for (int i = 0; i < 5000; ++i) {
      std::string damaged = good;
      for (int n = 0; n < 1 + i % 4; ++n) damaged[random() % good.size()] = static_cast<char>(random());
      const std::optional<Datum> tree = decode(damaged, root.span().file);
      if (tree)
        render([&] {  // Positions need not exist in the text.
          Diagnostics said;
          for (const Datum& item : tree->all()) said.error(item.span(), item.describe());
          return said;
        }());
    }
  }
  const auto source = std::make_shared<const SourceFile>("deep", "x");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "\x02\x01\x01";
  CHECK(!decode(deep, source));
}

}  // namespace opledger
