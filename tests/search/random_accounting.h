#pragma once
#include <random>
#include <string>

/// Documents of a random accounting whose formulas use the whole language, and of a space over some of its inputs.
namespace opledger {

class RandomAccounting {
 public:
  explicit RandomAccounting(unsigned seed) : random_(seed) {}

  /// Some candidates lack what it asks for: a condition that needs `score` and `second` refuses them.
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
  bool argument_ = false;  ///< `x` is one, and nothing that calls functions is written.
  bool defaults_ = false;  ///< Of an input: nothing that follows from others is written.
  bool colours_ = false;   ///< Of a colour: nothing that visits them is written.
  bool cases_ = false;     ///< There are words at which inputs have other values.
};

}  // namespace opledger
