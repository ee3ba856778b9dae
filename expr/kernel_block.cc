#include <limits>

#include "expr/kernel_code.h"
#include "expr/operations.h"

/// Execution of blocks. CMakeLists.txt compiles this file optimized in every build type and without traps and errno,
/// which would prevent vectorization. Options that change results are not allowed.

// Each function marked with OPLEDGER_CLONES is compiled once per instruction set; the loader selects a copy. Sanitizers do
// not support this selection.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(OPLEDGER_NO_CLONES)
#define OPLEDGER_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define OPLEDGER_CLONES
#endif

// Iterations are independent: a result may replace an operand only in the same lane. The pragma tells the compiler so.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // Loops with calls of powers and logarithms are not vectorized.
#define OPLEDGER_EACH_LANE _Pragma("clang loop vectorize(assume_safety)")
#else
#define OPLEDGER_EACH_LANE _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#endif

namespace opledger {
namespace {

/// An operand in a register: a value for each lane.
struct Lanes {
  const double* first;
  OPLEDGER_INLINE double operator[](std::size_t i) const { return first[i]; }
};

/// A constant operand: the same value for all lanes.
struct Same {
  double value;
  OPLEDGER_INLINE double operator[](std::size_t) const { return value; }
};

/// Block mode. The lane count is rounded up to a multiple, so that loops have no remainder.
struct Many {
  static constexpr std::size_t kMaxLanes = kMaxKernelLanes;
  OPLEDGER_INLINE static std::size_t count(const KernelBlock& block) { return lanes_for(block.count); }
  OPLEDGER_INLINE static std::size_t stride(const KernelBlock& block) { return block.stride; }
};

/// Single mode: one candidate, one lane.
struct One {
  static constexpr std::size_t kMaxLanes = 1;
  OPLEDGER_INLINE static std::size_t count(const KernelBlock&) { return 1; }
  OPLEDGER_INLINE static std::size_t stride(const KernelBlock&) { return 1; }
};

/// Execution of one instruction on all lanes of its registers. `Count` selects block mode or single mode at compile
/// time.
template <class Count>
struct Step {
  const KernelBlock& block;
  const KernelCode& code;

  OPLEDGER_INLINE std::size_t count() const { return Count::count(block); }
  OPLEDGER_INLINE double* to() const { return block.registers + code.to * Count::stride(block); }
  OPLEDGER_INLINE Lanes lanes(int i) const { return {block.registers + code.from[i] * Count::stride(block)}; }
  OPLEDGER_INLINE Same same(int i) const { return {block.constants[code.from[i]]}; }

  template <class F, class A>
  OPLEDGER_INLINE void loop(F f, A a) const {
    double* const result = to();
    const std::size_t lanes = count();
    OPLEDGER_EACH_LANE
    for (std::size_t i = 0; i < lanes; ++i) result[i] = f(a[i]);
  }

  template <class F, class A, class B>
  OPLEDGER_INLINE void loop(F f, A a, B b) const {
    double* const result = to();
    const std::size_t lanes = count();
    OPLEDGER_EACH_LANE
    for (std::size_t i = 0; i < lanes; ++i) result[i] = f(a[i], b[i]);
  }

  template <class F, class A, class B, class C>
  OPLEDGER_INLINE void loop(F f, A a, B b, C c) const {
    double* const result = to();
    const std::size_t lanes = count();
    OPLEDGER_EACH_LANE
    for (std::size_t i = 0; i < lanes; ++i) result[i] = f(a[i], b[i], c[i]);
  }

  /// Computes an operation `f`, such as an addition, on all lanes. Bit i of `code.constant` says that operand i is a
  /// constant, not a register. Each mask has a loop of its own, so that the compiler vectorizes it without a test for each
  /// lane. At least one operand is a register, because tapes fold constants; the mask with all bits does not occur.
  template <class F>
  OPLEDGER_INLINE void operator()(F f) const {
    if constexpr (F::kArity == 1) {
      loop(f, lanes(0));
    } else if constexpr (F::kArity == 2) {
      if (code.constant == 0)
        loop(f, lanes(0), lanes(1));
      else if (code.constant == 2)
        loop(f, lanes(0), same(1));
      else
        loop(f, same(0), lanes(1));
    } else {
      switch (code.constant) {
        case 0:
          return loop(f, lanes(0), lanes(1), lanes(2));
        case 1:
          return loop(f, same(0), lanes(1), lanes(2));
        case 2:
          return loop(f, lanes(0), same(1), lanes(2));
        case 3:
          return loop(f, same(0), same(1), lanes(2));
        case 4:
          return loop(f, lanes(0), lanes(1), same(2));
        case 5:
          return loop(f, same(0), lanes(1), same(2));
        default:
          return loop(f, lanes(0), same(1), same(2));
      }
    }
  }

  OPLEDGER_INLINE void copy(const double* from, double* result, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) result[i] = from[i];
  }

  OPLEDGER_INLINE void gather() const {
    const std::vector<double>& table = block.tables[code.extra];
    const double* const items = table.data();
    const std::size_t size = table.size();
    const Lanes index = lanes(0);
    double* const result = to();
    const std::size_t all = count();
    for (std::size_t i = 0; i < all; ++i) result[i] = operations::item(items, size, index[i]);
  }

  OPLEDGER_INLINE void curve() const {
    const Curve& curve = block.curves[code.extra];
    if (curve.coordinates == 0)
      step(curve.steps);
    else
      near(curve);
  }

  OPLEDGER_INLINE void near(const Curve& curve) const {
    double* const result = to();
    const std::size_t all = count();
    for (std::size_t i = 0; i < all; ++i) {
      double x[std::size(KernelCode{}.from)];
      for (std::size_t k = 0; k < curve.coordinates; ++k) x[k] = (code.constant >> k & 1) != 0 ? same(k)[i] : lanes(k)[i];
      result[i] = curve(x);
    }
  }

  /// Evaluates a step function. Each step is a loop over the lanes without branches. Thresholds fall, so steps are visited
  /// from the last to the first, and the first threshold at most x overwrites the others.
  OPLEDGER_INLINE void step(const std::vector<std::pair<double, double>>& steps) const {
    const double lowest = steps.empty() ? std::numeric_limits<double>::quiet_NaN() : steps.back().second;
    double x[Count::kMaxLanes];  // A copy, because the result may replace x.
    const std::size_t all = count();
    copy(lanes(0).first, x, all);
    double* const result = to();
    // std::isnan might be a function shared with other units, so the builtin is used.
    OPLEDGER_EACH_LANE
    for (std::size_t i = 0; i < all; ++i) result[i] = __builtin_isnan(x[i]) ? x[i] : lowest;
    for (std::size_t s = steps.size(); s-- > 0;) {
      const auto [threshold, value] = steps[s];
      OPLEDGER_EACH_LANE
      for (std::size_t i = 0; i < all; ++i) result[i] = x[i] >= threshold ? value : result[i];
    }
  }

  OPLEDGER_INLINE void fetch() const {
    const double* const source = block.sources[code.from[0]];
    const std::uint32_t* const index = block.indexes[code.from[1]] + block.offset;
    double* const result = to();
    const std::size_t all = count();
    OPLEDGER_EACH_LANE
    for (std::size_t i = 0; i < all; ++i) result[i] = source[index[i]];
  }

  /// Executes the instruction: reads and writes the registers, inputs or outputs of all lanes. Loads and stores copy exactly
  /// the candidates of the block, because inputs and outputs have no space for whole groups of lanes.
  OPLEDGER_INLINE void run() const {
    switch (code.kind) {
      case KernelCode::Kind::load:
        copy(block.inputs[code.from[0]] + block.offset, to(), block.count);
        break;
      case KernelCode::Kind::store:
        copy(lanes(0).first, block.outputs[code.to] + block.offset, block.count);
        break;
      case KernelCode::Kind::operation:
        operations::visit(code.op, *this);
        break;
      case KernelCode::Kind::gather:
        gather();
        break;
      case KernelCode::Kind::curve:
        curve();
        break;
      case KernelCode::Kind::fetch:
        fetch();
        break;
    }
  }
};

}  // namespace

OPLEDGER_CLONES void run_block(const KernelBlock& block) {
  for (const KernelCode& code : block.code) Step<Many>{block, code}.run();
}

void run_single(const KernelBlock& block) {
  for (const KernelCode& code : block.code) Step<One>{block, code}.run();
}

OPLEDGER_CLONES bool all_hold(const double* holds, std::size_t count) {
  std::uint64_t none = 0;  // The type is as wide as a double, so the loop vectorizes.
  OPLEDGER_EACH_LANE
  for (std::size_t i = 0; i < count; ++i) none |= holds[i] == 0 ? 1 : 0;
  return none == 0;
}

OPLEDGER_CLONES void add_scaled(const std::uint32_t* from, const std::uint32_t* at, std::uint32_t stride, std::uint32_t* to, std::size_t count) {
  if (at == nullptr) {
    OPLEDGER_EACH_LANE
    for (std::size_t i = 0; i < count; ++i) to[i] += stride * from[i];
  } else {
    OPLEDGER_EACH_LANE
    for (std::size_t i = 0; i < count; ++i) to[i] += stride * from[at[i]];
  }
}

OPLEDGER_CLONES void pick(const std::uint32_t* from, const std::uint32_t* at, std::uint32_t* to, std::size_t count) {
  OPLEDGER_EACH_LANE
  for (std::size_t i = 0; i < count; ++i) to[i] = from[at[i]];
}

OPLEDGER_CLONES void pick(const double* from, const std::uint32_t* at, double* to, std::size_t count) {
  OPLEDGER_EACH_LANE
  for (std::size_t i = 0; i < count; ++i) to[i] = from[at[i]];
}

}  // namespace opledger
