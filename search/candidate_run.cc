#include "search/candidate_run.h"

#include "base/lists.h"
#include "search/space/written_axes.h"

namespace opledger {

std::string as_written(const Value& value) {
  if (value.kind == Value::Kind::truth) return value.scalar.value != 0 ? "true" : "false";
  if (value.text != nullptr) return *value.text;
  return exact(value.scalar.value) + (value.unit.plain() ? "" : " " + to_string(value.unit));
}

RunRequest candidate_run(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate) {
  RunRequest run = request.run;
  for (std::size_t a = 0; a < answer.axes.size(); ++a) {
    const Value& value = candidate.execution[a];
    if (answer.axes[a] == kSystemAxis)
      run.system = as_written(value);
    else if (value.kind != Value::Kind::nothing)
      run.fields.push_back({answer.axes[a], Datum::scalar(as_written(value), false, {}), {}, false});
  }
  // Overrides of an axis would win over the value of the candidate.
  std::erase_if(run.overrides, [&](const auto& setting) { return contains(answer.axes, setting.first); });
  return run;
}

}  // namespace opledger
