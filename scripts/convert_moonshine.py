"""Converts Moonshine base-en, as its wheel ships it, to the three ONNX files that the gateway runs.

    convert_moonshine.py SOURCE_FOLDER OUTPUT_FOLDER

SOURCE_FOLDER holds encoder_model.ort and decoder_model_merged.ort. Written are, 16 kHz mono in, tokens out:

    moonshine-encoder.onnx  input_values [1,n] -> last_hidden_state [1,T,416]
    moonshine-cross.onnx    encoder_hidden_states -> present.L.encoder.{key,value}, once an utterance
    moonshine-step.onnx     input_ids [1,1], past_key_values.L.{decoder,encoder}.* -> logits, present.L.decoder.*

The shipped decoder unpacks its int8 weights for every token, which is 90 % of its time. Folding and re-quantising
removes that. Its two branches (first token, later tokens) hold the same weights; the later-token branch also
serves the first token when its past is empty, so only that branch is kept, and the float embedding table becomes
int8 with one scale a row. Weights use seven of the eight bits: processors without VNNI instructions add two products
in 16 bits, which full bytes overflow, and the recogniser mishears. Tokens come out identical; the decoder shrinks from 111 to 56 MB.
"""
import os
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

LAYERS, HIDDEN = 8, 416
EMBEDDING = "model.decoder.embed_tokens.weight_merged_0_add_tensor"


def resave(src, dst):
    """Loads and saves as ONNX; the second pass over its own output folds the weight unpacking away."""
    so = ort.SessionOptions()
    so.log_severity_level = 3
    so.optimized_model_filepath = dst
    so.add_session_config_entry("session.save_model_format", "ONNX")
    so.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    ort.InferenceSession(src, so, providers=["CPUExecutionProvider"])
    model = onnx.load(dst)
    model.graph.name = model.graph.name or "main"
    for node in model.graph.node:  # saved sub-graphs have empty names, which the loader rejects
        for attribute in node.attribute:
            if attribute.g.node and not attribute.g.name:
                attribute.g.name = attribute.name
    onnx.save(model, dst)


def quantise(src_folder, name, out):
    raw, folded = out + ".raw.onnx", out + ".f32.onnx"
    resave(f"{src_folder}/{name}.ort", raw)
    resave(raw, folded)
    quantize_dynamic(folded, out, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"],
                     per_channel=True, reduce_range=True, extra_options={"EnableSubgraph": True, "MatMulConstBOnly": True})
    os.remove(raw)
    os.remove(folded)


def caches(prefix, side):
    return [f"{prefix}.{layer}.{side}.{part}" for layer in range(LAYERS) for part in ("key", "value")]


def flatten(graph, branch_name, wanted):
    """Nodes and weights of one branch of the decoder's If, together with what lies outside it."""
    the_if = next(n for n in graph.node if n.op_type == "If")
    branch = next(a.g for a in the_if.attribute if a.name == branch_name)
    nodes = [n for n in graph.node if n is not the_if] + list(branch.node)
    for outer, inner in zip(the_if.output, branch.output):
        if outer in wanted and outer != inner.name:
            nodes.append(helper.make_node("Identity", [inner.name], [outer]))
    return nodes, list(graph.initializer) + list(branch.initializer)


def save_reachable(model, nodes, weights, outputs, path):
    """Saves the part of the graph that the outputs need."""
    maker = {o: n for n in nodes for o in n.output}
    needed, stack = set(), list(outputs)
    while stack:
        tensor = stack.pop()
        if tensor not in needed:
            needed.add(tensor)
            stack += [i for i in maker[tensor].input if i] if tensor in maker else []
    graph = helper.make_graph(
        [n for n in nodes if any(o in needed for o in n.output)],
        "main",
        [i for i in model.graph.input if i.name in needed],
        [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs],
        [w for w in weights if w.name in needed],
    )
    onnx.save(helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version), path)


def fix_token_shape(nodes, weights):
    """The cross caches take their batch size from the token's hidden state, which would drag the whole decoder
    along. One call decodes one token of one utterance, so that shape is a constant."""
    maker = {o: n for n in nodes for o in n.output}
    from_token = {"input_ids"}
    for node in nodes:  # nodes are in topological order
        if any(i in from_token for i in node.input):
            from_token.update(node.output)
    for node in nodes:
        for k, name in enumerate(node.input):
            if name in maker and maker[name].op_type == "Shape" and maker[name].input[0] in from_token:
                node.input[k] = "one_token_shape"
    weights.append(numpy_helper.from_array(np.array([1, 1, HIDDEN], np.int64), "one_token_shape"))


def shrink_embedding(nodes, weights):
    """Stores the embedding table as int8 rows with a scale each; a token gathers one row and scales it."""
    table = numpy_helper.to_array(next(w for w in weights if w.name == EMBEDDING))
    scale = np.maximum(np.abs(table).max(1, keepdims=True) / 127, 1e-12).astype(np.float32)
    rows = np.round(table / scale).astype(np.int8)
    weights = [w for w in weights if w.name != EMBEDDING]
    weights += [numpy_helper.from_array(rows, "embedding_rows"), numpy_helper.from_array(scale, "embedding_scale")]
    out = []
    for node in nodes:
        if EMBEDDING not in node.input:
            out.append(node)
            continue
        ids, result = node.input[1], node.output[0]
        out.append(helper.make_node("Gather", ["embedding_rows", ids], ["embedding_row"]))
        out.append(helper.make_node("Gather", ["embedding_scale", ids], ["embedding_row_scale"]))
        out.append(helper.make_node("Cast", ["embedding_row"], ["embedding_row_f32"], to=TensorProto.FLOAT))
        out.append(helper.make_node("Mul", ["embedding_row_f32", "embedding_row_scale"], [result]))
    return out, weights


def split_decoder(merged, cross, step):
    model = onnx.load(merged)
    outputs = caches("present", "encoder")
    nodes, weights = flatten(model.graph, "else_branch", outputs)
    fix_token_shape(nodes, weights)
    save_reachable(model, nodes, weights, outputs, cross)
    model = onnx.load(merged)
    outputs = ["logits"] + caches("present", "decoder")
    nodes, weights = flatten(model.graph, "then_branch", outputs)
    nodes, weights = shrink_embedding(nodes, weights)
    save_reachable(model, nodes, weights, outputs, step)


def check(encoder, cross, step):
    """Runs a second of silence through all three: the files load and their shapes fit."""
    load = lambda path: ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    hidden = load(encoder).run(None, {"input_values": np.zeros((1, 16000), np.float32)})[0]
    keys = load(cross).run(None, {"encoder_hidden_states": hidden})
    feed = dict(zip(caches("past_key_values", "encoder"), keys))
    feed |= {name: np.zeros((1, 8, 0, 52), np.float32) for name in caches("past_key_values", "decoder")}
    logits = load(step).run(["logits"], {**feed, "input_ids": np.array([[1]], np.int64)})[0]
    assert logits.shape == (1, 1, 32768) and np.isfinite(logits).all(), "decoder gives no usable logits"


def main():
    src, dst = sys.argv[1], sys.argv[2]
    encoder, cross, step = (f"{dst}/moonshine-{n}.onnx" for n in ("encoder", "cross", "step"))
    merged = f"{dst}/decoder.merged.onnx"
    quantise(src, "encoder_model", encoder)
    quantise(src, "decoder_model_merged", merged)
    split_decoder(merged, cross, step)
    os.remove(merged)
    check(encoder, cross, step)


if __name__ == "__main__":
    main()
