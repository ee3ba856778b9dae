#include "report/set_up.h"

#include "compare/input_translation.h"
#include "measured/corrections.h"
#include "play/played_step.h"
#include "play/streamed_layers.h"
#include "run/extensions.h"

namespace opledger {

void set_up_runs() {
  extend_runs({corrected, translate_inputs,
               [](Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph) {
                 provide_played(evaluator, run, graph);
                 provide_streamed(evaluator, run, graph);
               },
               describe_played});
}

}  // namespace opledger
