#pragma once
#include <random>
#include <string>

/// Documents of a random accounting whose formulas use the whole language, and of a space over some of its inputs.
namespace opledger {

class RandomAccounting {
 public:
  explicit RandomAccounting(unsigned seed) : random_(seed) {}

  /// Returns the texts. Metrics `score` and `second` may lack values; a constraint refuses the candidates without them.
  std::string accounting();
  std::string space();

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  template <class... Texts>
  std::string one_of(Texts... texts) {
    const std::string all[] = {texts...};
    return all[below(sizeof...(texts))];
  }
  std::string number(int depth);
  std::string by_set(int depth);
  std::string looked_up(int depth);
  std::string at_case(int depth);
  std::string operand();
  std::string condition(int depth);
  std::string quoted(const std::string& formula) { return "\"" + formula + "\""; }

  std::mt19937 random_;
  bool argument_ = false;  ///< Inside a function: `x` is an argument, and calls are not generated.
  bool defaults_ = false;  ///< Inside the default of an input: derived names are not generated.
  bool colors_ = false;    ///< Inside a color: iterations over colors are not generated.
  bool cases_ = false;     ///< The accounting has cases: words with their own values of inputs.
};

}  // namespace opledger
