"""Evaluation of a run for each row of a frame."""

import csv

import numpy
import pandas
import pytest

import opledger as ol
from support import printed

MODEL = {"model": "llama-3-70b", "execution": "llama-3-70b-64xh100", "system": "h100-80g-sxm"}
GRID = pandas.DataFrame({"microbatch_size": [1, 2, 4, 1, 4], "seq": [4096, 4096, 4096, 8192, 8192]}, index=list("abcde"))


def test_figures_equal_the_program(tmp_path):
    GRID.to_csv(tmp_path / "grid.csv", index=False)
    rows = list(csv.DictReader(printed("eval", *MODEL.values(), "--table", str(tmp_path / "grid.csv")).splitlines()))
    frame = ol.evaluate(GRID, **MODEL)
    assert list(frame.columns) == list(rows[0]) and list(frame.index) == list("abcde")
    assert frame["outcome"].tolist() == [row["outcome"] for row in rows]
    for column in frame.columns[3:]:
        ours = [None if value != value else value for value in frame[column].tolist()]
        assert ours == [float(row[column]) if row[column] else None for row in rows], column
    assert frame.attrs["units"]["memory"] == "byte" and not frame["memory"].isna().any()  # an infeasible row keeps its metrics
    assert frame["outcome"].str.split(":").str[0].tolist() == ["ok"] * 4 + ["infeasible"]


def test_fields_of_the_system_are_columns():
    frame = ol.evaluate({"system.memory.capacity": ["80 GiB", "20 GiB"], "system.memory.bandwidth": ["3 TB/s", "1 TB/s"]}, **MODEL, metrics=["memory_capacity"])
    assert frame["memory_capacity"].tolist() == [80 * 2**30, 20 * 2**30] and frame["outcome"].str.startswith("infeasible: a rank needs").tolist() == [False, True]
    with pytest.raises(ol.DocumentError, match="there is no `system.memory.capacty`"):
        ol.evaluate({"system.memory.capacty": ["80 GiB"]}, **MODEL)


def test_some_metrics_of_rows_with_other_documents():
    frame = ol.evaluate([{"model": "llama-3-8b", "tp": 1}, {"model": "llama-3-8b", "tp": 2}, {"model": "llama-3-70b", "tp": None}], metrics="parameters_total")
    assert list(frame.columns) == ["model", "tp", "outcome", "parameters_total"]
    assert frame["parameters_total"].tolist() == [8030261248, 8030261248, 70553706496]


def test_values_of_all_kinds():
    frame = ol.evaluate({"microbatch_size": numpy.array([1.0, numpy.nan]), "rules": ["megatron", "[megatron, zero_1]"], "sequence_parallel": [True, False]},
                        **MODEL, metrics=["memory"])
    assert frame["outcome"].tolist() == ["ok", "ok"] or all(o.startswith(("ok", "infeasible", "error")) for o in frame["outcome"])
    again = ol.evaluate(ol.evaluate(GRID, **MODEL), **MODEL, metrics=["mfu"])
    assert again["mfu"].tolist()[:4] == ol.evaluate(GRID, **MODEL)["mfu"].tolist()[:4] and "memory" not in again.columns


def test_mistakes():
    with pytest.raises(ol.DocumentError, match="frame:1:1: error: unknown column `microbatch_sizes` .did you mean `microbatch_size`"):
        ol.evaluate({"microbatch_sizes": [1]}, **MODEL)
    with pytest.raises(ol.UnknownNameError, match="did you mean `memory`"):
        ol.evaluate(GRID, **MODEL, metrics=["memry"])
    with pytest.raises(ol.DocumentError, match="the table has no rows"):
        ol.evaluate(GRID[:0], **MODEL)
    with pytest.raises(ValueError, match="duplicate columns"):
        ol.evaluate(pandas.concat([GRID, GRID], axis=1), **MODEL)
    assert ol.evaluate({"seq": ["x\ny", "4096\0"]}, **MODEL)["outcome"].str.startswith("error: ").all()


def test_rows_share_compiled_programs():
    rows = pandas.DataFrame({"batch_size": numpy.arange(1, 2001) * 64})
    frame = ol.evaluate(rows, **MODEL, metrics=["iteration_time"])
    assert (frame["outcome"] == "ok").sum() > 1000 and frame["iteration_time"].is_monotonic_increasing
