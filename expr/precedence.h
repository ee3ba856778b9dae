#pragma once

/// Precedence levels of the formula language, shared by the parser and the printer.
namespace opledger {

/// Grammar levels, loosest first: any expression with `if`, `or`, `and`, `not`, comparisons with `in`, sums, products, the
/// sign `-`, powers, and suffixes such as calls. An operand below the level that its position requires needs brackets.
enum Precedence { kAny, kOr, kAnd, kNot, kComparison, kSum, kTerm, kUnary, kPower, kPostfix };

}  // namespace opledger
