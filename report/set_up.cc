#include "report/set_up.h"

#include "compare/input_translation.h"
#include "measured/corrections.h"
#include "play/step_simulation.h"
#include "play/streamed_layers.h"
#include "run/extensions.h"

namespace opledger {

void set_up_runs() {
  extend_runs({corrected, translate_inputs,
               [](Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph) {
                 provide_simulated_step(evaluator, run, graph);
                 provide_simulated_layers(evaluator, run, graph);
               },
               describe_simulated_step});
}

}  // namespace opledger
