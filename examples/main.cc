#include <cstdio>

#include "base/units.h"

/// Reads a unit and prints an amount of it as opledger's reports would.
int main() {
  const auto unit = opledger::parse_unit("GiB");
  if (!unit) return 1;
  std::printf("80 GiB is %s bytes, %s\n", opledger::exact(80 * unit->factor).c_str(), opledger::human(80 * unit->factor, unit->dimension).c_str());
  return 0;
}
