"""Runs: numbers and texts in Python equal the output of the program."""

import copy
import pickle
import sys
import subprocess
import threading

import pytest

import opledger as ol
from support import DEEPSEEK, LLAMA, answer, printed


@pytest.fixture(scope="module")
def run():
    return ol.Run(*LLAMA)


def test_metrics_equal_the_program(run):
    expected = answer("eval", *LLAMA)
    assert set(expected["metrics"].values()) <= set(run.metrics)
    for id, name in expected["metrics"].items():
        assert run.metrics[name] == expected[id] == run[name], name
        assert getattr(run[name], "unit", "") == expected["units"].get(id, "")


def test_a_quantity_is_a_number_with_unit_and_doc(run):
    time = run.iteration_time
    assert isinstance(time, float) and time.unit == "s" and time.doc == "Time of one training step."
    assert repr(time) == str(time) == f"{time}" == "9.27 s" and f"{time:.1f}" == "9.3"
    assert type(time * 2) is float and hash(time) == hash(float(time)) and sorted([time, 1.0]) == [1.0, time]
    for other in (pickle.loads(pickle.dumps(time)), copy.deepcopy(time)):
        assert other == time and (other.unit, other.doc, other.name) == ("s", time.doc, "iteration_time")
    assert repr(run.mfu) == "36.8 %" and run.mfu.unit == "ratio"
    assert repr(ol.Quantity(3.5)) == "3.5" and repr(ol.Quantity(3.0, unit="byte")) == "3.0 byte"


@pytest.mark.parametrize("report", ["eval", "memory", "params", "flops", "comm"])
def test_reports_print_as_the_program(run, report):
    assert run.report(report).to_text() == printed(report, *LLAMA)
    assert run.report(report).to_text("json") == printed(report, *LLAMA, "--format", "json")


def test_tables_are_frames_with_units_and_categories():
    run = ol.Run(*DEEPSEEK)
    operators = run.table("operators")
    assert operators.attrs["units"]["forward"] == "s" and operators.attrs["title"].startswith("Operators of one layer")
    assert len(operators.query("forward > 1e-3")) >= 5 and operators["weights"].dtype == "int64"
    expected = answer("eval", *DEEPSEEK, "--only", "communication")
    communication = run.table("communication")
    assert communication["bytes"].tolist() == [row["bytes"] for row in expected]
    assert {"category"} == {str(communication[c].dtype) for c in ("phase", "collective")}
    assert set(run.table("stages").columns) == set(answer("eval", *DEEPSEEK, "--only", "stages")[0])
    assert "stages" in run.tables and "eval" in run.reports


def test_every_table_is_available(run):
    for table in run.tables:
        frame = run.table(table)
        assert len(frame.columns) > 0, table


def test_settings_equal_set_options(run):
    other = ol.Run(*LLAMA, tp=2, fsdp=8, set={"system.memory.capacity": "96 GiB", "seq": 4096})
    expected = answer("eval", *LLAMA, "--set", "tp=2", "--set", "fsdp=8", "--set", "system.memory.capacity=96 GiB", "--set", "seq=4096")
    assert other.iteration_time == expected["iteration_time"] if "iteration_time" in expected else other["iteration_time"] == expected["iteration"]
    assert other["memory_capacity"] == 96 * 2**30
    assert ol.Run(*LLAMA, set={"system.memory.capacity": other["memory_capacity"]})["memory_capacity"] == 96 * 2**30
    assert other.settings == {"tp": "2", "fsdp": "8", "system.memory.capacity": "96 GiB", "seq": "4096"}
    numpy = pytest.importorskip("numpy")
    assert run.with_(seq=numpy.int64(4096), batch_size=numpy.float64(128)).settings == {"seq": "4096", "batch_size": "128"}
    for bad in (None, object(), float("nan")):
        with pytest.raises((TypeError, ValueError), match="no value that can be set"):
            run.with_(tp=bad)


def test_rules_replace_the_rules_of_the_execution(run):
    plain = run.with_(rules=["megatron"])
    assert plain.memory > run.memory
    assert run.with_(rules=["megatron", {"zero_3": "fsdp > 1"}]).feasible in (True, False)
    with pytest.raises(ol.DocumentError, match="did you mean `megatron`"):
        run.with_(rules=["megatrn"])


def test_without_a_system_its_metrics_are_missing():
    run = ol.Run("llama-3-8b")
    assert "parameters_total" in run.metrics and "iteration_time" not in run.metrics
    with pytest.raises(ol.DocumentError, match="needs|without|system"):
        run["iteration_time"]


ERRORS = [
    (lambda: ol.Run("lama-3-8b"), ol.DocumentError, "did you mean `llama-3-8b`"),
    (lambda: ol.Run(*LLAMA, batch_sizes=4), ol.DocumentError, "setting:1:1: error: unknown field `batch_sizes` (did you mean `batch_size`?)"),
    (lambda: ol.Run(*LLAMA, batch_size="4 x"), ol.DocumentError, "setting:1:14: error:"),
    (lambda: ol.Run(*LLAMA, path="no-such-folder"), ol.DocumentError, "there is no such folder"),
    (lambda: ol.Run(*LLAMA)["iteration_tim"], ol.UnknownNameError, "did you mean `iteration_time`"),
    (lambda: ol.Run(*LLAMA).mfuu, AttributeError, "did you mean `mfu`"),
    (lambda: ol.Run(*LLAMA).tabel("stages"), AttributeError, "did you mean `table`"),
    (lambda: ol.Run(*LLAMA).table("stage"), ol.UnknownNameError, "did you mean `stages`"),
    (lambda: ol.Run(*LLAMA).report("evall"), ol.UnknownNameError, "did you mean `eval`"),
    (lambda: ol.Run(*LLAMA).report()["stage"], ol.UnknownNameError, "did you mean `stages`"),
    (lambda: ol.Run(*LLAMA).explain("decoder.atention.*"), ol.UnknownNameError, "there is no metric, name or node"),
    (lambda: ol.Run(*LLAMA).explain("memory", at={"stag": 0}), ol.DocumentError, "there is no set `stag` (did you mean `stage`?)"),
    (lambda: ol.Run(*LLAMA).explain("mfu").tree["x"], ol.UnknownNameError, "is not made of `x`"),
    (lambda: ol.documents("modl"), ol.UnknownNameError, "is no kind of document"),
    (lambda: ol.Run(*LLAMA).timeline(ranks="some"), ValueError, "stages, kinds, all"),
]


@pytest.mark.parametrize("mistake, error, text", ERRORS)
def test_mistakes_tell_the_place_and_a_suggestion(mistake, error, text):
    with pytest.raises(error) as raised:
        mistake()
    assert text in str(raised.value)
    if issubclass(error, ol.Error):
        assert isinstance(raised.value, (ValueError, KeyError)) and pickle.loads(pickle.dumps(raised.value)).text == raised.value.text


def test_a_message_has_its_place(tmp_path):
    model = tmp_path / "mine.yaml"
    model.write_text("kind: model\nname: mine\nuses: [decoder]\nparameters: {layers: 2}\ngraph: [{name: head, block: rmsnorm_head}]\ngraf: []\n")
    with pytest.raises(ol.DocumentError) as raised:
        ol.Run(model)
    message = raised.value.messages[0]
    assert (message.severity, message.file, message.line, message.column) == ("error", str(model), 6, 1)
    assert "did you mean `graph`" in message.message and "graf: []\n" in message.text


def test_an_explanation_is_a_tree(run):
    explanation = run.explain("iteration_time", depth=2)
    assert str(explanation) == printed("explain", *LLAMA, "iteration_time", "--depth", "2").strip("\n")
    assert explanation.tree.value == run.iteration_time and explanation.tree.formula == "working_time + waiting_time"
    assert sum(step.value for step in explanation.tree) == run.iteration_time and explanation.tree["working_time"].place.endswith("schedule.yaml:121:5")
    html = explanation._repr_html_()
    assert "<details open>" in html and "<script" not in html
    node = run.explain("decoder.mlp.up")
    assert node.tree is None and node.nodes[0]["name"] == "decoder.mlp.up" and "<details" in node._repr_html_()


def test_differences_have_reasons(run):
    frame = run.diff(run.with_(tp=2, fsdp=8))
    inputs = frame[frame["of"] == "inputs"].set_index("name")
    assert inputs.loc["tp", ["first", "second"]].tolist() == [1, 2]
    assert (frame["second_rule"].str.contains("megatron")).any() and str(frame["of"].dtype) == "category"
    assert frame.attrs["text"] == printed("diff", *LLAMA, "--against", "tp=2", "--against", "fsdp=8").strip("\n")
    assert len(run.diff(run)) == 0 and list(run.diff(run).columns) == list(frame.columns)


def test_an_accounting_translates_inputs(run):
    text = printed("diff", *LLAMA, "--against", "accounting=cookbook_flops").strip("\n")
    assert run.diff(run.with_(accounting="cookbook_flops")).attrs["text"] == text


def test_simulated_steps_and_audits(run):
    assert run.timeline().to_text() == printed("timeline", *LLAMA)
    assert len(run.timeline(operators=True)["operators"]) > 100
    audit = run.audit({"memory": "1 GiB"})
    assert audit.failures and "memory" in audit.failures[0] and not run.audit().failures
    assert run.groups().tables


def test_the_memory_curve_is_the_curve_of_the_page():
    played = ol.Run(*DEEPSEEK).timeline()
    curve, resident = played["memory"], played["resident"]
    assert {"at": "s", "activations": "byte", "resident": "byte", "memory": "byte"}.items() <= curve.attrs["units"].items()
    assert (curve["memory"] == curve["activations"] + curve["resident"]).all()
    timeline = answer("explore", *DEEPSEEK)["runs"][0]["timeline"]
    page = timeline["stages"]
    assert len(page) == curve["stage"].nunique() == resident["stage"].nunique() > 1
    for stage, of in enumerate(page):
        ours = curve[curve["stage"] == stage]
        assert ours["activations"].tolist() == of["levels"]["activations"] and len(ours) > 4
        assert ours["at"].tolist() == pytest.approx(of["levels"]["at"], abs=timeline["end"] * 1e-5)  # The page rounds times.
        own = resident[resident["stage"] == stage]
        assert dict(zip(own["kind"], own["bytes"])) == of["standing"]
        assert ours["resident"].iloc[0] == sum(of["standing"].values())
        assert played["stages"]["activations"][stage] == ours["activations"].max()


def test_a_notebook_sees_no_scripts(run):
    html = run._repr_html_()
    assert "9.27 s" in html and "80.0 GiB" in html and "Stages" in html and "<script" not in html
    assert "script" not in run.report("memory")._repr_html_()
    hostile = ol.Run(ol.Document.from_yaml(ol.Model("llama-3-8b").text.replace("name: llama-3-8b", 'name: "<b onclick=x>"')), *LLAMA[1:])
    assert "<b onclick" not in hostile._repr_html_() and "<b onclick" not in hostile.explain("memory")._repr_html_()


def test_a_page(run, tmp_path):
    run.explore().save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text() == printed("explore", *LLAMA)
    both = run.explore(run.with_(tp=2, fsdp=8))
    assert "against tp=2 fsdp=8" in both.html and both._repr_html_().startswith("<iframe src=")
    with pytest.raises(OSError, match="can't write"):
        run.explore().save(tmp_path / "no" / "run.html")


def test_an_infeasible_run_says_why(run):
    large = run.with_(seq=131072, batch_size=16)
    assert not large.feasible and "needs" in large.violations[0] and "infeasible" in repr(large) and "infeasible: " in large._repr_html_()


def test_names_complete(run):
    assert {"mfu", "memory", "explain"} <= set(dir(run)) and "iteration_time" in run._ipython_key_completions_()


def test_a_run_is_pickled_by_its_inputs(run):
    tiny = ol.Run(ol.Model.from_yaml(ol.Model("llama-3-8b").text), *LLAMA[1:], tp=2, fsdp=8)
    assert pickle.loads(pickle.dumps(tiny)).memory == tiny.memory and copy.copy(run) is run and copy.deepcopy([run])[0] is run


def test_threads_share_runs_and_have_their_own():
    run, found, wrong = ol.Run(*LLAMA), [], []

    def work(tp):
        try:
            own = ol.Run(*LLAMA, tp=tp, fsdp=16 // tp)
            own.explore(), run.explore(own), own.diff(run)
            found.append((tp, own.iteration_time))
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(tp,)) for tp in (1, 2, 4, 8)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not wrong and dict(found) == {tp: ol.Run(*LLAMA, tp=tp, fsdp=16 // tp).iteration_time for tp in (1, 2, 4, 8)}


def test_neither_numpy_nor_pandas_is_needed_for_numbers():
    code = f"import sys, opledger as ol; r = ol.Run(*{LLAMA}); r.mfu, r.explain('mfu'), r._repr_html_(), str(r); print({{'numpy', 'pandas'}} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_tables_can_be_changed(run):
    stages = run.table("stages")
    stages.loc[0, "memory"] = 1
    assert stages["memory"][0] == 1 and run.table("stages")["memory"][0] > 1


@pytest.mark.parametrize("document", [3, b"gpt2", ["gpt2"], object()])
def test_a_document_is_a_name_a_path_a_dict_or_a_document(document):
    with pytest.raises(TypeError, match="a document is a name, a path, a dict"):
        ol.Run(document)


HOSTILE = ["", "\0", "\n", "../../etc/passwd", "/dev/zero", "x" * 100000, "\ud800", "{}", "[", "a=b", "%s%n", "\x1b[2J"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_errors(run, text):
    for mistake in (
        lambda: ol.Run(text or " "),
        lambda: ol.Run("gpt2", text or " "),
        lambda: run.with_(set={text: 1}),
        lambda: run.with_(tp=text),
        lambda: run[text],
        lambda: run.table(text),
        lambda: run.explain(text),
        lambda: run.explain("memory", at={text: text}),
        lambda: run.audit({text: text}),
        lambda: ol.Run("gpt2", path=text or " "),
        lambda: run.with_(rules=[text]),
    ):
        with pytest.raises((ol.Error, ValueError) if text.isascii() else (ol.Error, ValueError, TypeError)) as raised:
            mistake()
        assert "\x1b" not in str(raised.value)
