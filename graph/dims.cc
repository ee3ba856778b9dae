#include "graph/dims.h"

namespace opledger {

DimList join(const DimList& a, const DimList& b) {
  DimList all = a;
  for (DimId d : b) {
    if (!contains(a, d)) all.push_back(d);
  }
  return all;
}

DimList without(const DimList& a, const DimList& b) {
  DimList rest;
  for (DimId d : a) {
    if (!contains(b, d)) rest.push_back(d);
  }
  return rest;
}

DimList difference(const DimList& a, const DimList& b) { return join(without(a, b), without(b, a)); }

bool same_set(const DimList& a, const DimList& b) { return without(a, b).empty() && without(b, a).empty(); }

}  // namespace opledger
