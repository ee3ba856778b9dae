#pragma once
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "search/sweep/plan.h"

namespace opledger {

/// A plan that is made by the thread that needs it first.
class LaterPlan {
 public:
  LaterPlan(std::vector<Sibling> siblings, std::size_t metrics, PlanRequest request) : of_(Of{std::move(siblings), metrics, std::move(request)}) {}

  const Plan& get() {
    std::call_once(made_, [this] {
      plan_.emplace(of_->siblings, of_->metrics, of_->request);
      of_.reset();
    });
    return *plan_;
  }

 private:
  struct Of {
    std::vector<Sibling> siblings;
    std::size_t metrics;
    PlanRequest request;
  };
  std::optional<Of> of_;  ///< Until it is made.
  std::once_flag made_;
  std::optional<Plan> plan_;
};

}  // namespace opledger
