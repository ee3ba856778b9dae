#include "import/checkpoint/json_table.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"

namespace opledger {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostLevels = 3;

/// Receives the SAX events of nlohmann's parser and passes scalars to the visitor. `keys_` is the path of keys to the
/// current value; `keys_of_open_` has the keys of each open mapping and finds repeated ones.
class Handler {
 public:
  explicit Handler(const JsonVisitor& visitor) : visitor_(visitor) {}

  const std::string& problem() const { return problem_; }

  bool null() { return other(); }
  bool boolean(bool) { return other(); }
  bool number_integer(Json::number_integer_t number) { return number < 0 ? other() : whole(static_cast<std::uint64_t>(number)); }
  bool number_unsigned(Json::number_unsigned_t number) { return whole(number); }
  bool number_float(Json::number_float_t, const std::string&) { return other(); }
  bool string(std::string& text) { return scalar({JsonScalar::Kind::text, std::move(text)}); }
  bool binary(Json::binary_t&) { return other(); }

  bool start_object(std::size_t) {
    if (in_list_ > 0) return fail("a list holds a mapping");
    if (keys_of_open_.size() == kMostLevels) return fail("mappings are nested too deep");
    keys_of_open_.emplace_back();
    return check(visitor_.open(keys_));
  }
  // The previous key of the same mapping is replaced.
  bool key(std::string& name) {
    if (keys_.size() == keys_of_open_.size()) keys_.pop_back();
    if (!keys_of_open_.back().insert(name).second) return fail(fmt::format("`{}` is there twice", visible(name)));
    keys_.push_back(std::move(name));
    return true;
  }
  bool end_object() {
    if (keys_.size() == keys_of_open_.size()) keys_.pop_back();
    keys_of_open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) {
    if (keys_of_open_.empty()) return fail("it is no mapping");
    if (visitor_.list) visitor_.list(keys_);
    return ++in_list_ == 1 || fail("lists are nested");
  }
  bool end_array() {
    --in_list_;
    return true;
  }
  bool parse_error(std::size_t place, const std::string&, const Json::exception&) { return fail(fmt::format("it is no JSON, from byte {} on", place)); }

 private:
  bool other() { return scalar({}); }
  bool whole(std::uint64_t number) { return scalar({JsonScalar::Kind::whole, {}, number}); }
  bool scalar(JsonScalar value) {
    value.listed = in_list_ > 0;
    return keys_of_open_.empty() ? fail("it is no mapping") : check(visitor_.scalar(keys_, value));
  }
  bool check(std::string problem) { return problem.empty() || fail(std::move(problem)); }
  bool fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  const JsonVisitor& visitor_;
  std::vector<std::string> keys_;
  std::vector<std::set<std::string>> keys_of_open_;  ///< Keys read so far of each open mapping, outermost first.
  int in_list_ = 0;
  std::string problem_;
};

}  // namespace

std::string read_json_table(std::string_view text, const JsonVisitor& visitor) {
  Handler handler(visitor);
  const bool good = Json::sax_parse(text.begin(), text.end(), &handler);
  return good || !handler.problem().empty() ? handler.problem() : "it is no JSON";
}

}  // namespace opledger
