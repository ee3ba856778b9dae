#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/curve.h"

/// The tables and curves in which instructions of a tape look up values, each stored once.
namespace opledger {

class Lookups {
 public:
  Lookups() = default;
  /// Takes tables and curves with their numbers, as by `append`.
  Lookups(std::vector<std::vector<double>> tables, std::vector<std::shared_ptr<const Curve>> curves) : tables_(std::move(tables)), curves_(std::move(curves)) {}

  /// Adds a table or curve that differs from all others and returns its number. A later `add` may store an equal table
  /// again; it finds equal curves.
  std::uint32_t append(std::vector<double> table);
  std::uint32_t append(std::shared_ptr<const Curve> curve);
  /// Returns the number of a table, which is added if no table has equal bytes.
  std::uint32_t add(std::span<const double> table);
  /// Returns the number of a curve, which is added if it is new. Curves of another tape are different objects, so contents
  /// are compared, in linear time, if the pointer is unknown.
  std::uint32_t add(const std::shared_ptr<const Curve>& curve);

  const std::vector<std::vector<double>>& tables() const { return tables_; }
  const std::vector<std::shared_ptr<const Curve>>& curves() const { return curves_; }

 private:
  std::vector<std::vector<double>> tables_;
  std::unordered_map<std::string, std::uint32_t> table_index_;  ///< Tables by the bytes of their content.
  std::vector<std::shared_ptr<const Curve>> curves_;
  std::unordered_map<const Curve*, std::uint32_t> curve_index_;
};

}  // namespace opledger
