#pragma once

/// How tightly the signs of the formula language bind: what the parser and the printer agree on.
namespace opledger {

/// The levels are the grammar's rules. What binds less tightly than its place asks for stands in brackets.
enum Precedence { kAny, kOr, kAnd, kNot, kComparison, kSum, kTerm, kUnary, kPower, kPostfix };

}  // namespace opledger
