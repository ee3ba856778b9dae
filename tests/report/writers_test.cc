#include "report/writers.h"

#include <doctest/doctest.h>

#include "report/cells.h"
#include "tests/report/sample.h"

namespace opledger {

TEST_CASE("text: sections and tables, values by their units, empty tables left out") {
  CHECK(write_text(sample_report()) == R"(model       tiny
execution   one, two
system      box
accounting  standard

Model
  parameters  8,030,261,248
  used share         41.2 %

Memory
  total         80.0 GiB
  step time       100 ms
  FLOP/s     312 Tflop/s
  fits               yes

Stages
  stage            kept bytes   share  last
  first, "of" two    1.00 KiB  25.0 %  no
  last|one                0 B  75.0 %  yes
)");
}

TEST_CASE("JSON: base units, whole numbers whole, keys that programs can use") {
  Report report = sample_report();
  report.violations = {{"needs 90 GiB", "out of memory", {}}};
  CHECK(write_json(report) == R"({
  "format": 1,
  "model": "tiny",
  "execution": "one, two",
  "system": "box",
  "accounting": "standard",
  "parameters": 8030261248,
  "mfu": 0.4125,
  "total": 85899345920,
  "step_time": 0.1,
  "flops_per_second": 312000000000000,
  "fits": true,
  "units": {
    "parameters": "count",
    "mfu": "ratio",
    "total": "byte",
    "step_time": "s",
    "flops_per_second": "flop/s",
    "stages.kept_bytes": "byte",
    "stages.share": "1"
  },
  "metrics": {
    "parameters": "parameters_total",
    "mfu": "mfu",
    "total": "memory",
    "step_time": "iteration_time",
    "flops_per_second": "flops_per_second",
    "fits": "fits"
  },
  "labels": {
    "parameters": "parameters",
    "mfu": "used share",
    "total": "total",
    "step_time": "step_time",
    "flops_per_second": "FLOP/s",
    "fits": "fits"
  },
  "tables": {
    "stages": [
      {
        "stage": "first, \"of\" two",
        "kept_bytes": 1024,
        "share": 0.25,
        "last": false
      },
      {
        "stage": "last|one",
        "kept_bytes": 0,
        "share": 0.75,
        "last": true
      }
    ],
    "none": []
  },
  "violations": [
    {
      "reason": "out of memory",
      "message": "needs 90 GiB"
    }
  ]
}
)");
}

TEST_CASE("JSON: numbers read back the same") {
  const std::pair<double, const char*> cases[] = {
      {0.1, "0.1"}, {1.0 / 3, "0.3333333333333333"}, {4611686018427387904.0, "4611686018427387904"}, {1e19, "1e+19"}, {-5, "-5"}};
  for (const auto& [value, text] : cases) {
    Report report;
    report.sections.push_back({"S", {metric("x", "x", number_value(real(value)), "", "")}});
    CHECK(write_json(report).find(std::string("\n  \"x\": ") + text + ",\n") != std::string::npos);
  }
}

TEST_CASE("JSON: invalid UTF-8 is replaced") {
  Report report;
  report.model = "a\xff";
  CHECK(write_json(report).rfind("{\n  \"format\": 1,\n  \"model\": \"a\ufffd\",\n", 0) == 0);
}

TEST_CASE("CSV: quoted where needed, each table with its name") {
  CHECK(write_csv(sample_report()) == R"(name,value,unit,metric,label
parameters,8030261248,count,parameters_total,parameters
mfu,0.4125,ratio,mfu,used share
total,85899345920,byte,memory,total
step_time,0.1,s,iteration_time,step_time
flops_per_second,312000000000000,flop/s,flops_per_second,FLOP/s
fits,true,,fits,fits

table,stage,kept_bytes,share,last
stages,"first, ""of"" two",1024,0.25,false
stages,last|one,0,0.75,true
)");
}

TEST_CASE("one part alone is a plain table, in a separate file or on request") {
  Report report = sample_report();
  report.tables.push_back({"metrics", "A table called so", {"a"}, {{number_value(integer(1))}}});
  report.tables[0].total = {sample_text("all"), {}, {}, {}};
  const auto files = write_csv_files(report);
  REQUIRE(files.size() == 4);
  CHECK(files[0].first == "metrics");
  CHECK(files[0].second.rfind("name,value,unit,metric,label\nparameters,8030261248,count,parameters_total,parameters\n", 0) == 0);
  CHECK(files[1] ==
        std::pair<std::string, std::string>("stages", "stage,kept_bytes,share,last\n\"first, \"\"of\"\" two\",1024,0.25,false\nlast|one,0,0.75,true\n"));
  CHECK(files[2] == std::pair<std::string, std::string>("none", "name\n"));
  CHECK(files[3] == std::pair<std::string, std::string>("table.metrics", "a\n1\n"));
  Diagnostics diagnostics;
  REQUIRE(keep_only("metrics", report, diagnostics));  // A table with this name takes precedence.
  CHECK(write_csv(report) == "a\n1\n");
  CHECK(write_json(report) == "[\n  {\n    \"a\": 1\n  }\n]\n");
  report = sample_report();
  REQUIRE(keep_only("metrics", report, diagnostics));
  CHECK(write_csv(report) == files[0].second);
  CHECK_FALSE(keep_only("stages", report, diagnostics));
}

TEST_CASE("Markdown: characters that would end a cell are escaped") {
  CHECK(write_markdown(sample_report()) == R"(# tiny

execution one, two, system box, accounting standard

## Model

| | | |
| --- | ---: | --- |
| parameters | 8,030,261,248 | Elements of every weight. |
| used share | 41.2 % | A \| B. |

## Memory

| | | |
| --- | ---: | --- |
| total | 80.0 GiB | Peak of the fullest rank. |
| step time | 100 ms | One step. |
| FLOP/s | 312 Tflop/s | Speed. |
| fits | yes | Whether it fits. |

## Stages

| stage | kept bytes | share | last |
| --- | ---: | ---: | --- |
| first, "of" two | 1.00 KiB | 25.0 % | no |
| last\|one | 0 B | 75.0 % | yes |
)");
}

TEST_CASE("every format has a name") {
  for (const std::string& name : format_names()) CHECK(find_format(name).has_value());
  CHECK(write(sample_report(), *find_format("csv")) == write_csv(sample_report()));
  CHECK(!find_format("yaml").has_value());
}

TEST_CASE("a terminal too narrow for a table cuts the middle of its longest texts, never a number, and in a file nothing is cut") {
  Report report;
  ReportTable table{"t", "T", {"name", "size"}, {}};
  table.rows.push_back({sample_text(std::string(60, 'a') + std::string(60, 'b')), number_value(integer(123456789))});
  report.tables.push_back(table);
  CHECK(write_text(report) == "\nT\n  name" + std::string(118, ' ') + "       size\n" + "  " + std::string(60, 'a') + std::string(60, 'b') + "  123,456,789\n");
  CHECK(write_text(report, {30, true}) == "\nT\n  name" + std::string(20, ' ') + "size\n" + "  aaaaaaa\u2026bbbbbbb  123,456,789\n");
  CHECK(write_text(report, {1, true}) == "\nT\n  name           size\n  aa\u2026bbb  123,456,789\n");
  CHECK(write_text(report, {100, true}) ==
        "\nT\n  name" + std::string(82, ' ') + "        size\n" + "  " + std::string(42, 'a') + "\u2026" + std::string(42, 'b') + "  123,456,789\n");
}

TEST_CASE("a document can't write to the terminal") { CHECK(display_text(sample_text("a\x1b[31m\nb")) == "a\\x1b[31m\\x0ab"); }

TEST_CASE("shares") {
  const std::pair<double, const char*> cases[] = {{0, "0.0 %"},        {0.00012, "0.01 %"}, {0.0999, "9.99 %"},
                                                  {0.09999, "10.0 %"}, {0.41249, "41.2 %"}, {1, "100.0 %"}};
  for (const auto& [value, expected] : cases) CHECK(display_text(number_value(real(value)), true) == expected);
}

TEST_CASE("widths count characters") {
  CHECK(width("a\u00b7b") == 3);
  CHECK(padded("\u00b7", 3, true) == "  \u00b7");
  CHECK(shortened("a\u00b7b\u00b7c", 3) == "a\u00b7\u2026");
  CHECK(shortened_in_middle("abcdef", 4) == "a\u2026ef");
}

}  // namespace opledger
