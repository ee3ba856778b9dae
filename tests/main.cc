#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstring>
#include <ostream>

namespace {

/// Prints a line about messages of skipped test cases if some case was skipped and none failed. CTest runs all cases of a file together and reports a run that prints
/// this line as skipped, even if its exit status is not 0.
class SkippedCases : public doctest::IReporter {
 public:
  explicit SkippedCases(const doctest::ContextOptions& options) : out_(*options.cout) {}

  void log_message(const doctest::MessageData& message) override { skipped_ += std::strncmp(message.m_string.c_str(), "skipped: ", 9) == 0; }
  void test_run_end(const doctest::TestRunStats& run) override {
    if (skipped_ > 0 && run.numTestCasesFailed == 0) out_ << "messages of skipped test cases: " << skipped_ << "\n";
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::ostream& out_;
  int skipped_ = 0;
};

REGISTER_LISTENER("skipped", 1, SkippedCases);

}  // namespace
