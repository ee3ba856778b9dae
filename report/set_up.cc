#include "report/set_up.h"

#include "compare/asking.h"
#include "measured/corrections.h"
#include "play/played_step.h"
#include "play/streamed_layers.h"
#include "run/extensions.h"

namespace opledger {

void set_up_runs() {
  extend_runs({corrected, ask_documents,
               [](Evaluator& evaluator, const Linked& run, const GraphRun& graph) {
                 provide_played(evaluator, run, graph);
                 provide_streamed(evaluator, run, graph);
               },
               describe_played});
}

}  // namespace opledger
