#pragma once
#include <memory>
#include <type_traits>
#include <utility>

/// A non-owning reference to a callable, for parameters that are called before the function returns. Unlike
/// std::function, it neither copies nor allocates. The callable must outlive the reference, so never store one.
namespace opledger {

/// `FunctionRef<Result(Arguments…)>`; a lambda converts to it at the call.
template <typename>
class FunctionRef;

template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename Callable, typename = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef>>>
  FunctionRef(Callable&& callable)  // NOLINT: implicit conversion from lambdas is intended
      : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))), call_([](void* c, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(c))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(callable_, std::forward<Arguments>(arguments)...); }

 private:
  void* callable_;                       ///< The callable, with its type erased.
  Result (*call_)(void*, Arguments...);  ///< Calls it with its type restored.
};

}  // namespace opledger
