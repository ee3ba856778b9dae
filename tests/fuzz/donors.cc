#include "tests/fuzz/donors.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/paths.h"

namespace opledger::fuzz {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Sorts the files, so that every machine has the same order.
std::vector<fs::path> files_of(const std::string& place) {
  if (!fs::is_directory(place)) return {place};
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place)) {
    const fs::path extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".yaml" || extension == ".json")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Keys whose entries have names chosen by the document.
const std::set<std::string> kFree = {"parameters", "dimensions", "blocks", "ops", "mesh", "options", "inputs", "let", "metrics", "functions", "for", "shard"};

}  // namespace

Donors::Donors(const std::vector<std::string>& places) {
  for (const std::string& place : places) {
    for (const fs::path& file : files_of(place)) {
      if (std::optional<Tree> tree = read_tree(text_of(file))) documents_.push_back(std::move(*tree));
    }
  }
  for (const Tree& document : documents_) add(document, kind_of(document));
}

void Donors::add(const Tree& tree, const std::string& place) {
  places_[place].push_back(&tree);
  for (const Tree& child : tree.children) add(child, place_below(place, tree, child));
}

const std::vector<const Tree*>& Donors::at(const std::string& place) const {
  static const std::vector<const Tree*> kNone;
  const auto found = places_.find(place);
  return found == places_.end() ? kNone : found->second;
}

std::string kind_of(const Tree& document) {
  const Tree* kind = document.find("kind");
  return kind != nullptr ? kind->text : "";
}

std::string place_below(const std::string& place, const Tree& parent, const Tree& child) {
  if (parent.kind == Datum::Kind::list) return place + "/*";
  const bool free = kFree.count(place.substr(place.rfind('/') + 1)) != 0;
  return place + "/" + (free ? "*" : child.key);
}

const Donors& shipped_donors() {
  static const Donors kAll = [] {
    std::vector<std::string> places;
    for (const char* folder : {"models", "rules", "executions", "systems", "search/spaces", "ops", "tests/data"})
      places.push_back(source_folder() + "/" + folder);
    return Donors(places);
  }();
  return kAll;
}

}  // namespace opledger::fuzz
