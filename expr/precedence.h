#pragma once

/// Precedence levels of the formula language, shared by the parser and the printer.
namespace opledger {

/// Grammar levels, loosest first. An operand whose level is below the one that its position requires needs brackets.
enum Precedence { kAny, kOr, kAnd, kNot, kComparison, kSum, kTerm, kUnary, kPower, kPostfix };

}  // namespace opledger
