#include "formulas/evaluate/render_message.h"

namespace opledger {

std::optional<std::string> render_message(Evaluator& evaluator, const std::vector<MessagePart>& message, const Point& point, Diagnostics& diagnostics) {
  std::string out;
  for (const MessagePart& part : message) {
    out += part.text;
    if (part.value == nullptr) continue;
    const Answer answer = evaluator.ask(*part.value, point);
    if (!answer.report_unless_absent(diagnostics)) return std::nullopt;
    out += human(answer.value, part.digits);
  }
  return out;
}

}  // namespace opledger
