#include "import/formula_names.h"

#include "base/lists.h"

namespace opledger {
namespace {

constexpr int kDeepestLet = 16;  // Bounds the recursion for definitions that read each other; the linker reports these.
constexpr const char* kRuleRecord = "rules";

class NameFinder {
 public:
  NameFinder(const Datum& lets, const std::function<bool(const std::string&)>& accepts) : lets_(lets), accepts_(accepts) {}

  std::vector<std::string> find(const Expr& formula) {
    visit(formula, 0);
    return std::move(out_);
  }

 private:
  /// Visits a formula depth first and follows definitions up to kDeepestLet levels.
  void visit(const Expr& formula, int depth) {
    if (formula.kind == Expr::Kind::member && !formula.args.empty() && formula.args[0]->text == kRuleRecord) return add(formula.text);
    if (formula.kind == Expr::Kind::name) {
      const Datum* let = depth < kDeepestLet ? lets_.find(formula.text) : nullptr;
      if (let == nullptr) return accepts_(formula.text) ? add(formula.text) : void();
      const Datum* is = let->is_map() ? let->find("is") : let;
      Diagnostics ignored;  // Ignored: the linker parsed the formula without errors.
      const ExprPtr inner = is != nullptr ? parse_formula(*is, "it", ignored) : nullptr;
      if (inner) visit(*inner, depth + 1);
    }
    for (const ExprPtr& part : formula.args) visit(*part, depth);
  }

  void add(const std::string& name) {
    if (!contains(out_, name)) out_.push_back(name);
  }

  const Datum& lets_;
  const std::function<bool(const std::string&)>& accepts_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> names_in(const Expr& formula, const Datum& lets, const std::function<bool(const std::string&)>& accepts) {
  return NameFinder(lets, accepts).find(formula);
}

}  // namespace opledger
