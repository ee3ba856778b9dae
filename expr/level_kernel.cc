#include "expr/level_kernel.h"

#include <algorithm>

namespace opledger {
namespace {

/// Fills the lanes past `count`, up to a whole group, with the position of the last lane. These lanes are computed too, so
/// their positions must be valid.
void pad(std::uint32_t* positions, std::size_t count) {
  for (std::size_t i = count; i < lanes_for(count); ++i) positions[i] = positions[count - 1];
}

}  // namespace

LevelKernel::Frame::Frame(const LevelKernel& kernel) : constants_(kernel.constants_), fixed_(kernel.fixed_registers_), lanes_(kernel.levels_.size()) {
  // Allocates the working memory of one thread: all registers and tables in one array of doubles, all codes and positions
  // in another. The first loops add up the sizes, the later loops assign the parts. `each_index` visits the arrays of
  // positions that a level needs: the parents, in slot `level - 1`, further ancestors in the slot of their level, and
  // positions in tables after the slots of levels. `sources_` finally points to the register of each fetchable value.
  std::size_t numbers = 0, positions = 0;
  for (const Code& code : kernel.codes_) numbers += code.registers * kLanes;
  for (const Table& table : kernel.tables_) numbers += table.registers * table.padded_size();
  const std::size_t indexes = kernel.levels_.size() + kernel.tables_.size();
  const auto each_index = [&](std::size_t level, const auto& visit) {
    visit(level == 0 ? 0 : level - 1);
    for (const auto& ancestors : kernel.codes_[level].ancestors) std::for_each(ancestors.begin(), ancestors.end(), visit);
    for (const auto& tables : kernel.codes_[level].tables) std::for_each(tables.begin(), tables.end(), [&](std::size_t t) { visit(lanes_.size() + t); });
  };
  for (std::size_t level = 0; level < lanes_.size(); ++level) {
    positions += kLanes;
    each_index(level, [&](std::size_t) { positions += kLanes; });
  }
  numbers_.reset(new double[numbers]);  // uninitialized: every value is written before it is read, except in unused lanes
  positions_.reset(new std::uint32_t[positions]);
  double* number = numbers_.get();
  std::uint32_t* position = positions_.get();
  for (std::size_t level = 0; level < lanes_.size(); ++level) {
    Lanes& lanes = lanes_[level];
    lanes.registers = number;
    number += kernel.codes_[level].registers * kLanes;
    lanes.codes = position;
    position += kLanes;
    lanes.indexes.resize(indexes);
    each_index(level, [&](std::size_t index) {
      lanes.indexes[index] = position;
      position += kLanes;
    });
  }
  for (const Table& table : kernel.tables_) {
    tables_.push_back(number);
    number += table.registers * table.padded_size();
  }
  for (const Source& source : kernel.sources_)
    sources_.push_back(source.table ? tables_[source.of] + source.at * kernel.tables_[source.of].padded_size()
                                    : lanes_[source.of].registers + source.at * kLanes);
}

void LevelKernel::fix(Frame& frame, std::span<const double> inputs, std::span<const std::vector<double>> values) const {
  // Computes the fixed values as one candidate and copies them to the constants that levels and tables read. Then fills
  // the tables in order, because later tables fetch from earlier ones. A table of one level's input (`loads`) begins with
  // the values of this input.
  std::vector<const double*> from;
  for (const double& value : inputs) from.push_back(&value);
  KernelBlock block{fixed_, frame.constants_.data(), lists_.data(), curves_.data(), from.data()};
  block.registers = frame.fixed_.data();
  block.count = 1;
  run_single(block);
  for (const auto& [r, constant] : fixed_constants_) frame.constants_[constant] = frame.fixed_[r];
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    if (tables_[t].loads) std::copy(values[tables_[t].levels[0]].begin(), values[tables_[t].levels[0]].end(), frame.tables_[t]);
    fill(frame, tables_[t], frame.tables_[t]);
  }
}

void LevelKernel::fill(Frame& frame, const Table& table, double* registers) const {
  // Computes a table block by block, as if each combination of codes were a candidate. Smaller tables are fetched at
  // the positions of the combination's parts.
  std::vector<const std::uint32_t*> parts;
  for (const auto& part : table.parts) parts.push_back(part.data());
  KernelBlock block{table.code, frame.constants_.data(), lists_.data(), curves_.data()};
  block.stride = table.padded_size();
  block.sources = frame.sources_.data();
  block.indexes = parts.data();
  for (; block.offset < table.size; block.offset += kLanes) {
    block.count = std::min(kLanes, table.size - block.offset);
    block.registers = registers + block.offset;
    run_block(block);
  }
}

void LevelKernel::find_positions(Frame& frame, std::size_t level, int when) const {
  // Computes where the lanes of a level find fetched values, for its checks (`when` 0) or the remaining code (1).
  // `indexes[l]` has by lane the position of its ancestor at level l; slots after the levels have positions in tables. An
  // ancestor is the parent's ancestor, so the parent's positions are looked up at the lane's parent. A position in a
  // table is the mixed-radix number of the codes of the table's levels, taken from the lane or from its ancestors. The
  // time is linear in lanes, for each ancestor and each level of a table.
  Frame::Lanes& lanes = frame.lanes_[level];
  const std::size_t count = lanes.count;
  for (const std::uint32_t of : codes_[level].ancestors[when]) {
    pick(frame.lanes_[level - 1].indexes[of], lanes.indexes[level - 1], lanes.indexes[of], count);
    pad(lanes.indexes[of], count);
  }
  for (const std::uint32_t t : codes_[level].tables[when]) {
    const Table& table = tables_[t];
    std::uint32_t* const to = lanes.indexes[levels_.size() + t];
    std::fill_n(to, count, 0);
    for (std::size_t l = 0; l < table.levels.size(); ++l) {
      const std::uint32_t* const codes = frame.lanes_[table.levels[l]].codes;
      const std::uint32_t stride = table.strides[l];
      if (table.levels[l] == level) {
        for (std::size_t i = 0; i < count; ++i) to[i] += stride * codes[i];
      } else {
        const std::uint32_t* const at = lanes.indexes[table.levels[l]];
        for (std::size_t i = 0; i < count; ++i) to[i] += stride * codes[at[i]];
      }
    }
    pad(to, count);
  }
}

/// Executes a part of a level's code on all its lanes.
void LevelKernel::run(Frame& frame, std::size_t level, std::span<const KernelCode> code) const {
  const Frame::Lanes& lanes = frame.lanes_[level];
  KernelBlock block{code, frame.constants_.data(), lists_.data(), curves_.data()};
  block.registers = lanes.registers;
  block.stride = kLanes;
  block.count = lanes.count;
  block.sources = frame.sources_.data();
  block.indexes = lanes.indexes.data();
  run_block(block);
}

void LevelKernel::begin(Frame& frame, std::size_t level, std::size_t count) const {
  const Code& code = codes_[level];
  frame.lanes_[level].count = count;
  if (level > 0) pad(frame.lanes_[level].indexes[level - 1], count);
  find_positions(frame, level, 0);
  run(frame, level, std::span(code.code).subspan(0, code.before));
}

const double* LevelKernel::check(const Frame& frame, std::size_t check) const {
  return frame.lanes_[static_cast<std::size_t>(checks_[check].level)].registers + checks_[check].at * kLanes;
}

void LevelKernel::narrow(Frame& frame, std::size_t level, std::span<const std::uint32_t> left) const {
  // Drops lanes between the checks of a level and its remaining code. Every array of the level that exists so far is
  // compacted to the lanes in `left`: codes, positions of parents, of ancestors and in tables, and registers. Positions in
  // `left` increase, so the arrays are compacted in place. Only registers with values needed after the checks are moved.
  Frame::Lanes& lanes = frame.lanes_[level];
  const Code& code = codes_[level];
  const std::size_t count = left.size();
  lanes.count = count;
  const auto take = [&](auto* all) { pick(all, left.data(), all, count); };
  take(lanes.codes);
  const auto take_index = [&](std::size_t index) {
    take(lanes.indexes[index]);
    pad(lanes.indexes[index], count);
  };
  if (level > 0) take_index(level - 1);
  for (const std::uint32_t of : code.ancestors[0]) take_index(of);
  for (const std::uint32_t t : code.tables[0]) take_index(levels_.size() + t);
  for (const std::uint32_t r : code.across) take(lanes.registers + r * kLanes);
}

void LevelKernel::finish(Frame& frame, std::size_t level) const {
  const Code& code = codes_[level];
  find_positions(frame, level, 1);
  run(frame, level, std::span(code.code).subspan(code.before));
}

const double* LevelKernel::result(const Frame& frame, std::size_t result) const {
  const Output& o = results_[result];
  return o.level < 0 ? nullptr : frame.lanes_[static_cast<std::size_t>(o.level)].registers + o.at * kLanes;
}

std::size_t LevelKernel::instructions(std::size_t level) const {
  const auto& code = codes_[level].code;
  return static_cast<std::size_t>(std::count_if(code.begin(), code.end(), [](const KernelCode& c) { return c.kind != KernelCode::Kind::fetch; }));
}

std::size_t LevelKernel::looked_up(std::size_t level) const {
  const auto& code = codes_[level].code;
  return static_cast<std::size_t>(
      std::count_if(code.begin(), code.end(), [&](const KernelCode& c) { return c.kind == KernelCode::Kind::fetch && c.from[1] >= levels_.size(); }));
}

}  // namespace opledger
