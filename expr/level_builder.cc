#include <algorithm>
#include <bit>
#include <map>

#include "expr/block_writer.h"
#include "expr/level_kernel.h"

/// Compiler from tapes to level kernels.
namespace opledger {
namespace {

constexpr std::size_t kMaxTableEntries = 1024;  // Maximum entries of a table, so that table rows mostly stay in the nearest cache.
constexpr double kMinPrefixesPerEntry = 1.5;    // Minimum ratio of prefixes to entries that makes a table worthwhile.

std::uint64_t bit(std::size_t level) { return std::uint64_t{1} << level; }

}  // namespace

/// Assigns the live instructions of a tape to levels and tables and writes their code. Instructions that read no level's
/// input are fixed. The level of any other instruction is the highest level whose input it reads. An instruction that
/// reads few levels moves into a table if prefixes outnumber the combinations of codes and its operands are in tables or
/// fixed. Apart from the tables, the time is linear in the tape's size.
class LevelKernel::Builder {
 public:
  Builder(LevelKernel& kernel, const Tape& tape, std::span<const Scalar> checks, std::span<const Scalar> results)
      : kernel_(kernel),
        tape_(tape),
        checks_(checks),
        results_(results),
        size_(tape.instructions().size()),
        count_(kernel.levels_.size()),
        level_(size_, -1),
        reads_(size_),
        table_(size_, kNone),
        early_(size_),
        kept_(size_),
        looked_(size_),
        source_(size_, kNever),
        of_level_(size_, kNever),
        at_(size_, kNever),
        constants_(size_),
        writer_(tape, size_, constants_) {}

  /// Compiles the kernel in stages. The order matters: tables need levels, and code needs the uses of each value. Code of
  /// a level reads fixed values, tables and earlier levels, which are therefore written first.
  void run() {
    sort();
    choose_tables();
    find_early();
    find_uses();
    write_fixed();
    write_tables();
    needs_.resize(count_);
    for (std::size_t level = 0; level < count_; ++level) write_level(level);
    propagate_needs();
    for (const Scalar& check : checks_) kernel_.checks_.push_back(output(check, false));
    for (const Scalar& result : results_) kernel_.results_.push_back(output(result, true));
    kernel_.constants_ = std::move(constants_.values);
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::span<const Scalar> operands(std::size_t i) const { return {tape_.instructions()[i].args, tape_.instructions()[i].count}; }
  bool is_input(std::size_t i) const { return tape_.instructions()[i].kind == Tape::Instruction::Kind::input; }
  /// Returns whether a level takes the value from a table. The level's own input is known without one.
  bool is_looked_up(std::size_t i) const { return table_[i] != kNone && !is_input(i); }

  void sort() {
    // Finds the level of each instruction that checks or results need. `reads_` holds by instruction a bit mask of the
    // levels whose inputs its value depends on, the union of its operands' masks. The highest bit is its level; an empty
    // mask gives level -1, a fixed value. Operands precede their users on a tape, so one linear pass suffices.
    std::vector<Scalar> outputs(checks_.begin(), checks_.end());
    outputs.insert(outputs.end(), results_.begin(), results_.end());
    const std::vector<bool> live = tape_.reached(outputs);
    std::vector<int> of_input(tape_.inputs().size(), -1);
    for (std::size_t level = 0; level < count_; ++level) of_input[kernel_.levels_[level].input] = static_cast<int>(level);
    by_level_.resize(count_);
    for (std::size_t i = 0; i < size_; ++i) {
      if (!live[i]) continue;
      if (is_input(i) && of_input[tape_.instructions()[i].extra] >= 0) reads_[i] = bit(static_cast<std::size_t>(of_input[tape_.instructions()[i].extra]));
      for (const Scalar& arg : operands(i)) reads_[i] |= arg.constant() ? 0 : reads_[arg.symbol];
      level_[i] = static_cast<int>(std::bit_width(reads_[i])) - 1;
      (level_[i] < 0 ? fixed_ : by_level_[static_cast<std::size_t>(level_[i])]).push_back(static_cast<std::uint32_t>(i));
    }
  }

  /// Returns the number of combinations of the codes of `reads`; 0: unknown or above kMaxTableEntries.
  std::size_t entries(std::uint64_t reads) const {
    std::size_t out = 1;
    for (; reads != 0 && out != 0 && out <= kMaxTableEntries; reads &= reads - 1)
      out *= kernel_.levels_[static_cast<std::size_t>(std::countr_zero(reads))].values;
    return out <= kMaxTableEntries ? out : 0;
  }

  void choose_tables() {
    // Chooses the instructions to tabulate. A code is the number of a value among the values of its level; a prefix is a
    // choice of values up to a level. A table computes an instruction once for each combination of codes, its entries,
    // instead of once for each prefix. Tabulation pays if prefixes outnumber entries by kMinPrefixesPerEntry. All
    // operands must be fixed, constant or tabulated, because table code runs before any level. Inputs of levels are
    // tabulated whenever their values are known and at most kMaxTableEntries, so that other instructions can follow.
    // Instructions with equal masks `reads_` share a table. The position of an entry is the mixed-radix number of its
    // codes. The key of `chosen` is the number of levels, then their mask. A table reads only other tables of fewer
    // levels, so these come first.
    std::map<std::pair<int, std::uint64_t>, std::vector<std::uint32_t>> chosen;
    for (const auto& of_level : by_level_) {
      for (const std::uint32_t i : of_level) {
        const std::size_t size = entries(reads_[i]);
        const double prefixes = kernel_.levels_[static_cast<std::size_t>(level_[i])].prefixes;
        if (size == 0 || (!is_input(i) && static_cast<double>(size) * kMinPrefixesPerEntry > prefixes)) continue;
        const auto there = [&](const Scalar& arg) { return arg.constant() || level_[arg.symbol] < 0 || table_[arg.symbol] != kNone; };
        if (!std::all_of(operands(i).begin(), operands(i).end(), there)) continue;
        table_[i] = 0;  // Any number but kNone marks the instruction; the loop below assigns the table.
        chosen[{std::popcount(reads_[i]), reads_[i]}].push_back(i);
      }
    }
    for (auto& [key, members] : chosen) {
      Table table;
      for (std::uint64_t rest = key.second; rest != 0; rest &= rest - 1) {
        table.levels.push_back(static_cast<std::uint32_t>(std::countr_zero(rest)));
        table.strides.push_back(static_cast<std::uint32_t>(table.size));
        table.size *= kernel_.levels_[table.levels.back()].values;
      }
      for (const std::uint32_t i : members) table_[i] = static_cast<std::uint32_t>(kernel_.tables_.size());
      kernel_.tables_.push_back(std::move(table));
      members_.push_back(std::move(members));
    }
  }

  /// Marks in `early_` the instructions that the checks of a level need at that level, by depth-first search from the
  /// checks. Their code comes first, so that lanes which fail can be dropped before the remaining code. The search stops
  /// at values of earlier levels and at tabulated values, because both exist already. Each instruction is expanded once.
  void find_early() {
    std::vector<std::int32_t> waiting;
    for (const Scalar& check : checks_) {
      if (check.constant() || level_[check.symbol] < 0) continue;
      const int level = level_[check.symbol];
      waiting.push_back(check.symbol);
      while (!waiting.empty()) {
        const std::int32_t i = waiting.back();
        waiting.pop_back();
        if (level_[i] != level || early_[i]) continue;
        early_[i] = true;
        if (is_looked_up(i)) continue;
        for (const Scalar& arg : operands(i)) {
          if (!arg.constant()) waiting.push_back(arg.symbol);
        }
      }
    }
  }

  /// Finds the uses of each value. `looked_` marks values that code of levels or outputs read; a tabulated value without
  /// this mark needs no code at its level. `kept_` marks values read outside their own level, and outputs. Their registers
  /// must survive the level's code, and fixed values among them become constants.
  void find_uses() {
    for (const auto& of_level : by_level_) {
      for (const std::uint32_t i : of_level) {
        if (is_looked_up(i)) {  // The code of a table reads its other operands from tables.
          for (const Scalar& arg : operands(i)) {
            if (!arg.constant() && level_[arg.symbol] < 0) use(arg.symbol, level_[i]);
          }
          continue;
        }
        for (const Scalar& arg : operands(i)) {
          if (!arg.constant()) use(arg.symbol, level_[i]);
        }
      }
    }
    // No instruction has level -2, so outputs are always kept.
    for (const Scalar& check : checks_) {
      if (!check.constant()) use(check.symbol, -2);
    }
    for (const Scalar& result : results_) {
      if (!result.constant()) use(result.symbol, -2);
    }
  }

  /// Records a use of a symbol's value by code of `level`; see `find_uses`.
  void use(std::int32_t symbol, int level) {
    looked_[symbol] = true;
    if (level_[symbol] != level) kept_[symbol] = true;
  }

  /// Writes the code of fixed values, which each call of `LevelKernel::fix` computes once. Values that levels, tables or
  /// outputs read get a place among the constants; `fix` copies them from their registers to this place.
  void write_fixed() {
    for (const std::uint32_t i : fixed_) {
      writer_.compute(static_cast<std::int32_t>(i));
      if (kept_[i]) writer_.reserve(static_cast<std::int32_t>(i));
    }
    BlockWriter::Block block = writer_.finish();
    kernel_.fixed_ = std::move(block.code);
    kernel_.fixed_registers_ = block.registers;
    for (const std::uint32_t i : fixed_) {
      if (!kept_[i]) continue;
      const auto symbol = static_cast<std::int32_t>(i);
      kernel_.fixed_constants_.emplace_back(writer_.register_of(symbol), constants_.allocate(symbol));
    }
  }

  /// Adds an array from which code can fetch: register `at` of table or level `of`. Returns its number.
  std::uint32_t add_source(bool table, std::size_t of, std::uint32_t at) {
    kernel_.sources_.push_back({table, static_cast<std::uint32_t>(of), at});
    return static_cast<std::uint32_t>(kernel_.sources_.size() - 1);
  }

  /// Writes the code that fills each table, for a block with one lane for each combination of codes. `members_` lists the
  /// instructions of each table in the order of the tape. Operands of other tables are fetched from these smaller tables,
  /// which are filled earlier. Each computed value keeps its register, a row of the table, because levels or larger tables
  /// may fetch it. The input of a level keeps its register only if another table reads it.
  void write_tables() {
    std::vector<bool> read(size_);
    for (const auto& members : members_) {
      for (const std::uint32_t i : members) {
        for (const Scalar& arg : operands(i)) {
          if (!arg.constant() && table_[arg.symbol] != table_[i]) read[arg.symbol] = true;
        }
      }
    }
    for (std::size_t t = 0; t < members_.size(); ++t) {
      Table& table = kernel_.tables_[t];
      table.parts.resize(t);
      for (const std::uint32_t i : members_[t]) {
        const auto symbol = static_cast<std::int32_t>(i);
        if (is_input(i)) {
          writer_.preload(symbol);
          table.loads = true;
        } else {
          for (const Scalar& arg : operands(i)) fetch_part(t, arg);
          writer_.compute(symbol);
        }
        if (read[i] || is_looked_up(i)) writer_.reserve(symbol);
      }
      BlockWriter::Block block = writer_.finish();
      table.code = std::move(block.code);
      table.registers = block.registers;
      for (const std::uint32_t i : members_[t]) {
        if (read[i] || is_looked_up(i)) source_[i] = add_source(true, t, writer_.register_of(static_cast<std::int32_t>(i)));
      }
    }
  }

  void fetch_part(std::size_t t, const Scalar& arg) {
    // Appends a fetch of an operand of table `t` from a smaller table, unless the operand is a constant, fixed, or in a
    // register already. The smaller table's levels are a subset of the levels of `t`, and both lists rise. The first
    // fetch from a table lists in `parts`, for each entry of `t`, its position there. Digit l of the entry's mixed-radix
    // number is `entry / strides[l] % values`; shared digits are weighted with the smaller table's strides.
    if (arg.constant() || level_[arg.symbol] < 0 || writer_.available(arg.symbol)) return;
    Table& table = kernel_.tables_[t];
    const std::uint32_t of = table_[arg.symbol];
    const Table& part = kernel_.tables_[of];
    std::vector<std::uint32_t>& positions = table.parts[of];
    if (positions.empty()) {
      positions.assign(table.padded_size(), 0);
      for (std::uint32_t entry = 0; entry < table.size; ++entry) {
        for (std::size_t l = 0, p = 0; l < table.levels.size(); ++l) {
          if (p == part.levels.size() || part.levels[p] != table.levels[l]) continue;
          const auto values = static_cast<std::uint32_t>(kernel_.levels_[table.levels[l]].values);
          positions[entry] += entry / table.strides[l] % values * part.strides[p++];
        }
      }
    }
    writer_.fetch(arg.symbol, source_[arg.symbol], of);
  }

  void write_level(std::size_t level) {
    // Writes the code of one level, which runs over a block of lanes, one for each prefix. The level's input is preloaded
    // into register 0, where the caller writes its values. Instructions that checks need (`early_`) come first, followed
    // by a pause at which the caller can drop lanes. Values of earlier levels are fetched immediately before their first
    // use. A tabulated instruction becomes a fetch at its position on the tape, if `looked_` marks it. Values in `kept_` are
    // reserved for later levels; the last level fetches all results, so that they are in its registers.
    const auto write = [&](std::uint32_t i) {
      const auto symbol = static_cast<std::int32_t>(i);
      if (is_looked_up(i)) {
        need_table(level, table_[i], early_[i]);
        writer_.fetch(symbol, source_[i], static_cast<std::uint32_t>(count_ + table_[i]));
        return;
      }
      for (const Scalar& arg : operands(i)) {
        if (!arg.constant()) fetch_value(level, arg.symbol, early_[i]);
      }
      writer_.compute(symbol);
    };
    const auto is_computed = [&](std::uint32_t i) { return !is_input(i) && (!is_looked_up(i) || looked_[i]); };
    std::vector<std::uint32_t> inputs;
    std::copy_if(by_level_[level].begin(), by_level_[level].end(), std::back_inserter(inputs), [&](std::uint32_t i) { return is_input(i); });
    for (const std::uint32_t i : inputs) writer_.preload(static_cast<std::int32_t>(i));
    for (const bool early : {true, false}) {
      for (const std::uint32_t i : by_level_[level]) {
        if (is_computed(i) && early_[i] == early) write(i);
      }
      if (early) writer_.pause();
    }
    for (const std::uint32_t i : by_level_[level]) {
      if (kept_[i] && (is_input(i) || is_computed(i))) writer_.reserve(static_cast<std::int32_t>(i));
    }
    if (level + 1 == count_) fetch_results();
    BlockWriter::Block block = writer_.finish();
    Code& code = kernel_.codes_.emplace_back();
    code.code = std::move(block.code);
    code.before = block.before;
    code.registers = std::max<std::size_t>(block.registers, 1);  // The caller writes input values even if no code reads them.
    code.across = std::move(block.across);
    for (const std::uint32_t i : by_level_[level]) {
      if (!kept_[i]) continue;
      at_[i] = writer_.register_of(static_cast<std::int32_t>(i));
      of_level_[i] = add_source(false, level, at_[i]);
    }
  }

  /// Fetches results of earlier levels and reserves the registers of all results that are not fixed, at the last level.
  void fetch_results() {
    for (const Scalar& result : results_) {
      if (result.constant() || level_[result.symbol] < 0) continue;
      fetch_value(count_ - 1, result.symbol, false);
      writer_.reserve(result.symbol);
    }
  }

  /// Appends a fetch of a value that an earlier level computed.
  void fetch_value(std::size_t level, std::int32_t symbol, bool early) {
    if (level_[symbol] < 0 || writer_.available(symbol)) return;
    const auto from = static_cast<std::size_t>(level_[symbol]);
    need_ancestor(level, from, early);
    writer_.fetch(symbol, of_level_[symbol], static_cast<std::uint32_t>(from));
  }

  /// Records that the code of `level` needs the position of each lane's ancestor at level `from`, for its checks if
  /// `early`. A position that the checks need is available to the remaining code too, so it is recorded once.
  void need_ancestor(std::size_t level, std::size_t from, bool early) {
    std::uint64_t(&now)[2] = needs_[level].levels;
    if ((now[0] & bit(from)) != 0) return;
    if (early) now[1] &= ~bit(from);
    now[early ? 0 : 1] |= bit(from);
  }

  /// Records that the code of `level` needs the position of each lane in a table, and the ancestors that have its codes.
  void need_table(std::size_t level, std::uint32_t table, bool early) {
    std::vector<std::uint32_t>(&tables)[2] = needs_[level].tables;
    if (std::find(tables[0].begin(), tables[0].end(), table) != tables[0].end()) return;
    std::vector<std::uint32_t>& now = tables[early ? 0 : 1];
    if (std::find(now.begin(), now.end(), table) != now.end()) return;
    now.push_back(table);
    for (const std::uint32_t l : kernel_.tables_[table].levels) {
      if (l != level) need_ancestor(level, l, early);
    }
  }

  /// Propagates needed ancestors from the last level to the first. A lane finds its ancestors through its parent, so the
  /// previous level must have the position of every ancestor that this level needs. `needs_[level].levels` has two bit
  /// masks of ancestor levels: [0] for the checks, [1] for the remaining code. The caller's own requests (`reads`) are
  /// added to [1]. Parents are left out of the lists, because the caller writes them. Finally the needed tables move to
  /// the code of their levels. The time is linear in levels and needs.
  void propagate_needs() {
    for (std::size_t level = count_; level-- > 0;) {
      Needs& own = needs_[level];
      own.levels[1] |= kernel_.levels_[level].reads & ~own.levels[0];
      if (level == 0) break;
      const std::uint64_t above = (own.levels[0] | own.levels[1]) & (bit(level - 1) - 1);
      needs_[level - 1].levels[1] |= above & ~needs_[level - 1].levels[0];
      const std::uint64_t parent = bit(level - 1);
      Code& code = kernel_.codes_[level];
      for (const int when : {0, 1}) {
        for (std::uint64_t rest = own.levels[when] & ~parent; rest != 0; rest &= rest - 1)
          code.ancestors[when].push_back(static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
    for (std::size_t level = 0; level < count_; ++level) {
      for (const int when : {0, 1}) kernel_.codes_[level].tables[when] = std::move(needs_[level].tables[when]);
    }
  }

  /// Returns the place of a check or result: a constant, a register of the check's level, or of the last level.
  Output output(const Scalar& scalar, bool result) {
    if (scalar.constant()) return {-1, constants_.literal(scalar.value)};
    if (level_[scalar.symbol] < 0) return {-1, constants_.place(scalar.symbol)};
    if (!result) return {level_[scalar.symbol], at_[scalar.symbol]};
    return {static_cast<int>(count_) - 1, writer_.register_of(scalar.symbol)};  // the last level was written last, so its registers are still known
  }

  struct Needs {
    std::uint64_t levels[2] = {};  ///< Levels whose ancestors are needed: [0] for the checks, [1] for the remaining code.
    std::vector<std::uint32_t> tables[2];
  };

  LevelKernel& kernel_;
  const Tape& tape_;
  std::span<const Scalar> checks_, results_;
  std::size_t size_, count_;
  std::vector<int> level_;                                      ///< Level of each instruction; -1: fixed, or not live.
  std::vector<std::uint64_t> reads_;                            ///< Levels that each instruction reads, as a mask.
  std::vector<std::uint32_t> table_;                            ///< Table of each instruction; kNone: none.
  std::vector<bool> early_, kept_, looked_;                     ///< Marks by instruction; see `find_early` and `find_uses`.
  std::vector<std::uint32_t> source_;                           ///< Source of each tabulated instruction.
  std::vector<std::uint32_t> of_level_, at_;                    ///< Source and register of each instruction kept at its level.
  std::vector<std::vector<std::uint32_t>> by_level_, members_;  ///< Instructions of each level; instructions of each table.
  std::vector<std::uint32_t> fixed_;                            ///< Instructions with fixed values.
  std::vector<Needs> needs_;
  Constants constants_;
  BlockWriter writer_;
};

LevelKernel::LevelKernel(const Tape& tape, std::span<const Scalar> checks, std::span<const Scalar> results, std::vector<Level> levels)
    : levels_(std::move(levels)) {
  Builder(*this, tape, checks, results).run();
  UsedTables read;
  read.collect(tape, fixed_);
  for (Table& table : tables_) read.collect(tape, table.code);
  for (Code& code : codes_) read.collect(tape, code.code);
  lists_ = std::move(read.tables);
  curves_ = std::move(read.curves);
}

}  // namespace opledger
