"""Documents: from the library, from files, in memory, and imported."""

import os
import pickle

import pytest

import opledger as ol
from support import ROOT, answer, printed

TINY = {
    "name": "tiny",
    "uses": ["embeddings", "decoder", "heads"],
    "parameters": {"layers": 12, "hidden": 1024, "heads": 8, "kv_heads": 2, "ffn": 4096, "vocab": 32000, "seq": 2048},
    "graph": [
        {"name": "embedding", "block": "token_embedding"},
        {"name": "decoder", "block": "llama_layer", "repeat": "layers"},
        {"name": "head", "block": "rmsnorm_head"},
    ],
}
EXECUTION = {"mesh": {"dp": 4, "tp": 2}, "batch_size": 64, "microbatch_size": 2, "rules": ["megatron"]}


def test_a_model_of_the_library():
    model = ol.Model("llama-3-8b")
    assert model.parameters["hidden"] == 4096 and model.doc == "Llama 3 with 8 billion parameters." and str(model) == model.text
    assert str(ol.Run(model)).startswith("model       llama-3-8b\n")
    assert ol.Run(model, *("llama-3-8b-16xh100", "h100-80g-sxm")).mfu == ol.Run("llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm").mfu
    with pytest.raises(ol.DocumentError, match="did you mean `llama-3-8b`"):
        ol.Model("llama3-8b")


def test_documents_in_memory(tmp_path, monkeypatch):
    run = ol.Run(TINY, EXECUTION, "h100-80g-sxm")
    assert run.parameters_total == 248013824 and repr(run).startswith("<opledger.Run tiny execution h100-80g-sxm: step ")
    model = ol.Model.from_dict(TINY)
    model.write(tmp_path / "tiny.yaml")
    assert ol.Run(tmp_path / "tiny.yaml", EXECUTION, "h100-80g-sxm").mfu == run.mfu
    monkeypatch.chdir(tmp_path)
    assert ol.Run("tiny.yaml", EXECUTION, "h100-80g-sxm").mfu == ol.Run("tiny", EXECUTION, "h100-80g-sxm", path=".").mfu == run.mfu
    found = ol.search("standard", model, "h100-80g-sxm", processors=8, batch_size=64)
    assert found.run(0).tokens_per_second == found.best["tokens_per_second"][0]
    assert ol.evaluate({"seq": [1024, 2048]}, model=model, execution=EXECUTION, system="h100-80g-sxm")["mfu"][1] == run.mfu
    assert pickle.loads(pickle.dumps(model)).text == model.text and run.explain("decoder.mlp.up").nodes


def test_a_name_on_disk_may_be_anything(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"\xff \"'<b>.yaml")
    with open(path, "w") as file:
        file.write(ol.Model.from_dict({**TINY, "name": "tiny"}).text.replace(' "name": "tiny",\n', "", 1))
    assert ol.Run(os.fsdecode(path)).parameters_total == 248013824


def test_documents_of_one_name(tmp_path):
    run = ol.Run(TINY, {**EXECUTION, "name": "tiny"}, {**ol.Document("h100-80g-sxm").data, "name": "tiny"})
    assert run.mfu == ol.Run(TINY, EXECUTION, "h100-80g-sxm").mfu


def test_mistakes_in_memory_have_places():
    with pytest.raises(ol.DocumentError) as raised:
        ol.Run(ol.Model.from_yaml("kind: model\nname: mine\nparameters: {}\ngraph: [{name: head, block: rmsnorm_head}]\ngrph: []\n"))
    assert str(raised.value).startswith("<mine>:5:1: error: ") and "grph: []" in str(raised.value)
    for text in ("", "a: [", "- 1\n- 2\n", "kind: nonsense\n", "kind: rules\nname: x\n", "\0", "a: &a [*a]\n", "x" * 100000, "{" * 1000):
        with pytest.raises(ol.DocumentError):
            ol.Run(ol.Model.from_yaml(text, "mine"))
    with pytest.raises(ol.DocumentError, match="there is one of kind `system`"):
        ol.Run(ol.Document("h100-80g-sxm"))


def test_a_config_of_hugging_face(tmp_path):
    config = ROOT / "tests/data/import/hf/deepseek_v2_unshared.json"
    with pytest.warns(ol.DocumentWarning, match="weights are quantized"):
        model = ol.Model.from_hf(config)
    assert model.text == printed("import", "hf", str(config)) and model.name == "deepseek_v2_unshared"
    quantised = ol.Model.from_hf(config, rules="fp8")
    assert quantised.rules.name == "fp8" and quantised.rules.data["kind"] == "rules"
    assert ol.Run(model).parameters_total == answer("params", str(_written(tmp_path, model)))["total"]
    with pytest.raises(ol.DocumentError, match="there is no file|can't read|not found|No such"):
        ol.Model.from_hf(tmp_path / "config.json")
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "config.json").write_text(config.read_text())
    assert ol.Model.from_hf(tmp_path / "named", unquantized=True).name == "named"


def _written(folder, model):
    model.write(folder / f"{model.name}.yaml")
    return folder / f"{model.name}.yaml"


def test_catalogues():
    assert "llama-3-8b" in ol.documents() and "megatron" in ol.documents("rules") and "standard" in ol.documents("search")
    metrics = ol.catalogue("metrics")
    assert metrics.loc["mfu", "unit"] == "ratio" and metrics.loc["mfu", "doc"] and len(ol.catalogue("operators")) > 50
    with pytest.raises(ol.UnknownNameError, match="did you mean `metrics`"):
        ol.catalogue("metric")


def test_a_run_is_exported_as_the_program_does():
    llama = ("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm")
    run = ol.Run(*llama)
    assert run.export("megatron") == ol.Model("llama-3-70b").export("megatron", run.execution, run.system) == printed("export", "megatron", *llama)
    with pytest.raises(ol.DocumentError, match="did you mean `megatron`"):
        run.export("megatrn")
