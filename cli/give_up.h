#pragma once

namespace opledger {

/// Ends the program with a message where an exception can't be caught: in a library that can't start a thread, or before
/// `main`. Needs no memory of its own.
[[noreturn]] void give_up();

}  // namespace opledger
