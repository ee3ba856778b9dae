#include "report/table_stream.h"

#include "base/csv.h"
#include "report/csv_json.h"

namespace opledger {

std::string TableStream::open(const std::string& path) {
  std::string problem = out_.open(path);
  return problem.empty() ? out_.write(json_ ? "[" : csv_line(columns_)) : problem;
}

std::string TableStream::write(const std::vector<std::string>& cells) {
  if (!json_) return out_.write(csv_line(cells));
  const char* const between = any_ ? ",\n" : "\n";
  any_ = true;
  return out_.write(between + csv_as_json(columns_, cells));
}

std::string TableStream::finish() {
  const std::string problem = json_ ? out_.write(any_ ? "\n]\n" : "]\n") : std::string();
  return problem.empty() ? out_.finish(true) : problem;
}

}  // namespace opledger
