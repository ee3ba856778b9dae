#pragma once
#include "formulas/program.h"

/// Which sets the value of a name may depend on: found from its formulas, never declared. It keys what is remembered, and tells a metric that
/// varies with something nobody chose.
namespace opledger {

/// Fills Name::varies, Name::needs and Name::key, to a fixed point over all definitions.
void find_variance(Program& program);

/// Whether a definition that a node gives of `name` varies with more than is known of it, so that all must be found again.
bool widens(const Program& program, const Name& name, const Def& def);

/// The sets that a formula's value may depend on.
std::uint64_t varies(const Program& program, const Formula& formula);

inline std::uint64_t bit(SetId set) { return std::uint64_t{1} << set; }

}  // namespace opledger
