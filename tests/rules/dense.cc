#include "tests/rules/dense.h"

#include <algorithm>
#include <cmath>

namespace opledger::testing {

Dense::Dense(DimList d, std::vector<int> s, std::vector<int> from) : dims(std::move(d)), shape(std::move(s)), start(std::move(from)) {
  std::size_t size = 1;
  for (int n : shape) size *= static_cast<std::size_t>(n);
  data.assign(size, 0);
}

std::size_t Dense::offset(const Index& ix) const {
  std::size_t at = 0;
  for (std::size_t k = 0; k < dims.size(); ++k) at = at * static_cast<std::size_t>(shape[k]) + static_cast<std::size_t>(ix[dims[k]]);
  return at;
}

double Dense::at(const Index& ix) const {
  if (!readable) throw Wrong("a gradient reads what it does not declare");
  return data[offset(ix)];
}

double& Dense::operator[](const Index& ix) { return data[offset(ix)]; }

int Dense::from(DimId d) const { return start[std::find(dims.begin(), dims.end(), d) - dims.begin()]; }
int Dense::extent(DimId d) const { return shape[std::find(dims.begin(), dims.end(), d) - dims.begin()]; }

Dense Dense::renamed(const std::vector<std::pair<DimId, DimId>>& renames) const {
  Dense copy = *this;
  for (const auto& [from, to] : renames) {
    auto place = std::find(dims.begin(), dims.end(), from);
    if (place != dims.end()) copy.dims[place - dims.begin()] = to;
  }
  return copy;
}

void add_to(Dense& a, const Dense& b) {
  if (a.dims == b.dims) {
    for (std::size_t i = 0; i < a.data.size(); ++i) a.data[i] += b.data[i];
  } else {
    every(a, [&](const Index& ix) { a[ix] += b.at(ix); });
  }
}

double difference(const Dense& a, const Dense& b) {
  double worst = 0;
  every(a, [&](const Index& ix) { worst = std::max(worst, std::abs(a.at(ix) - b.at(ix))); });
  return worst;
}

}  // namespace opledger::testing
