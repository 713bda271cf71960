"""Rewrites Whisper base (multilingual), as its wheels ship it for CTranslate2, to what the gateway runs.

    convert_whisper.py SOURCE_FOLDER OUTPUT_FOLDER

SOURCE_FOLDER holds model.bin (the two parts joined), vocabulary.txt and config.json. Written are:

    whisper-encoder.onnx   features [1,80,n] -> cross.L.{key,value} [1,8,t,64], n even and any length up to 3000, t = n/2
    whisper-decoder.onnx   ids [b,l], rows [b], mask [l,p+l], cross.*, past.L.{key,value} [c,8,p,64]
                           -> logits [b,v] of the last position, present.L.{key,value} [b,8,p+l,64]
    whisper-tokens.bin     text of the v tokens: a length (one byte, or two when the first is 128 or more), the bytes

The encoder takes features of the utterance's length, not of 30 s: its positions are cut to fit. `rows` names the
row of the past that each row of `ids` goes on from, so beams may be reordered. Matrices become int8 with one scale a
column and are multiplied by what is quantised at run time; the rest stays float. Of the vocabulary those tokens are
kept that English and Spanish are written with, which halves the last matrix.
"""
import json
import struct
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, HIDDEN, MELS = 6, 8, 512, 80
HEAD = HIDDEN // HEADS
TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
KEPT_SPECIALS = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|es|>", "<|transcribe|>", "<|nocaptions|>",
                 "<|notimestamps|>"]
LETTERS = "áéíóúüñÁÉÍÓÚÜÑ¿¡’‘“”—–…°ºª"


def read_model(path):
    """Variables of a CTranslate2 file: a header, then name, shape, type and bytes of each, then aliases."""
    with open(path, "rb") as file:
        def number(form):
            return struct.unpack(form, file.read(struct.calcsize(form)))[0]

        def text():
            return file.read(number("<H"))[:-1].decode()

        version, spec, _, count = number("<I"), text(), number("<I"), number("<I")
        assert (version, spec) == (6, "WhisperSpec"), f"not a model that is known: {spec} {version}"
        variables = {}
        for _ in range(count):
            name = text()
            shape = [number("<I") for _ in range(number("B"))]
            kind = TYPES[number("B")]
            variables[name] = np.frombuffer(file.read(number("<I")), kind).reshape(shape)
    return variables


def byte_of():
    """The byte that each character of a token stands for, as GPT-2 writes them."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {chr(b): b for b in plain}
    others = [b for b in range(256) if b not in plain]
    return table | {chr(256 + i): b for i, b in enumerate(others)}


def read_tokens(folder):
    """Ids of the tokens that are kept, in order, and their texts."""
    table = byte_of()
    with open(f"{folder}/vocabulary.txt", encoding="utf-8") as file:
        tokens = file.read().split("\n")
    with open(f"{folder}/config.json", encoding="utf-8") as file:
        suppressed = set(json.load(file)["suppress_ids"])
    kept = []
    for number, token in enumerate(tokens):
        if token in KEPT_SPECIALS:
            kept.append((number, token.encode()))
        elif token and not token.startswith("<|") and number not in suppressed:
            raw = bytes(table[c] for c in token)
            if is_written(raw):
                kept.append((number, raw))
    assert sum(text.startswith(b"<|") for _, text in kept) == len(KEPT_SPECIALS), "a special token is missing"
    return kept


def is_written(raw):
    """English and Spanish use these bytes: whole characters, or one byte of a character of two."""
    if len(raw) == 1 and raw[0] >= 128:
        return raw[0] in (0xC2, 0xC3) or raw[0] < 0xC0
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return False
    return all(" " <= c <= "~" or c in LETTERS for c in text)


class Graph:
    """Nodes and weights on the way to a model."""

    def __init__(self, weights):
        self.source, self.nodes, self.weights, self.count = weights, [], [], 0

    def fresh(self):
        self.count += 1
        return f"t{self.count}"

    def const(self, value, name=None):
        name = name or self.fresh()
        self.weights.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def op(self, kind, *inputs, outputs=1, domain="", names=None, **attributes):
        names = names or [self.fresh() for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names[0] if len(names) == 1 else names

    def floats(self, name):
        return self.source[name].astype(np.float32)

    def matmul(self, x, weight, bias=None):
        """x times a matrix [out, in] in int8. Rows of x are brought to one range first, since all are quantised alike."""
        rows, scale = quantised(weight)
        largest = self.op("ReduceMax", self.op("Abs", x), self.const(np.array([-1], np.int64)), keepdims=1)
        largest = self.op("Max", largest, self.const(np.array([1e-6], np.float32)))
        y = self.op("DynamicQuantizeMatMul", self.op("Div", x, largest), self.const(rows.T), self.const(scale), "", "",
                    domain="com.microsoft")
        y = self.op("Mul", y, largest)
        return y if bias is None else self.op("Add", y, self.const(bias))

    def linear(self, x, name):
        return self.matmul(x, self.floats(f"{name}/weight"), self.floats(f"{name}/bias"))

    def norm(self, x, name):
        return self.op("LayerNormalization", x, self.const(self.floats(f"{name}/gamma")),
                       self.const(self.floats(f"{name}/beta")), axis=-1, epsilon=1e-5)

    def feed_forward(self, x, name):
        y = self.op("Gelu", self.linear(self.norm(x, f"{name}/layer_norm"), f"{name}/linear_0"))
        return self.op("Add", x, self.linear(y, f"{name}/linear_1"))

    def heads(self, x, names=None):
        """[b,l,512] to [b,8,l,64]."""
        split = self.op("Reshape", x, self.const(np.array([0, 0, HEADS, HEAD], np.int64)))
        return self.op("Transpose", split, perm=[0, 2, 1, 3], names=names)

    def save(self, inputs, outputs, path):
        graph = helper.make_graph(self.nodes, "main", inputs, outputs, self.weights)
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


def quantised(weight):
    """int8 rows and a scale each. Seven of the eight bits are used: processors without VNNI instructions add two
    products in 16 bits, which full bytes overflow."""
    scale = np.maximum(np.abs(weight).max(1) / 63, 1e-12).astype(np.float32)
    return np.round(weight / scale[:, None]).astype(np.int8), scale


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def pairs(prefix):
    return [f"{prefix}.{layer}.{part}" for layer in range(LAYERS) for part in ("key", "value")]


def write_encoder(weights, path):
    g = Graph(weights)
    x = "features"
    for name, stride in (("conv1", 1), ("conv2", 2)):
        kernel, bias = (g.const(g.floats(f"encoder/{name}/{part}")) for part in ("weight", "bias"))
        x = g.op("Gelu", g.op("Conv", x, kernel, bias, kernel_shape=[3], pads=[1, 1], strides=[stride]))
    x = g.op("Transpose", x, perm=[0, 2, 1])
    table = g.const(g.floats("encoder/position_encodings/encodings"))
    length = g.op("Shape", x, start=1, end=2)
    zero = g.const(np.array([0], np.int64))
    x = g.op("Add", x, g.op("Slice", table, zero, length, zero))
    for layer in range(LAYERS):
        name = f"encoder/layer_{layer}"
        y = g.linear(g.norm(x, f"{name}/self_attention/layer_norm"), f"{name}/self_attention/linear_0")
        query, key, values = g.op("Split", y, outputs=3, axis=-1, num_outputs=3)
        y = g.op("MultiHeadAttention", query, key, values, domain="com.microsoft", num_heads=HEADS)
        x = g.op("Add", x, g.linear(y, f"{name}/self_attention/linear_1"))
        x = g.feed_forward(x, f"{name}/ffn")
    x = g.norm(x, "encoder/layer_norm")
    for layer in range(LAYERS):
        both = g.linear(x, f"decoder/layer_{layer}/attention/linear_1")
        key, values = g.op("Split", both, outputs=2, axis=-1, num_outputs=2)
        g.heads(key, [f"cross.{layer}.key"])
        g.heads(values, [f"cross.{layer}.value"])
    g.save([value("features", [1, MELS, "n"])], [value(n, [1, HEADS, "t", HEAD]) for n in pairs("cross")], path)


def attention(g, query, key, values, mask=None):
    """Of heads [b,8,l,64] over [.,8,t,64]; keys of one row serve all rows."""
    query = g.op("Mul", query, g.const(np.float32(HEAD ** -0.5)))
    scores = g.op("MatMul", query, g.op("Transpose", key, perm=[0, 1, 3, 2]))
    if mask:
        scores = g.op("Add", scores, mask)
    mixed = g.op("MatMul", g.op("Softmax", scores, axis=-1), values)
    joined = g.op("Transpose", mixed, perm=[0, 2, 1, 3])
    return g.op("Reshape", joined, g.const(np.array([0, 0, HIDDEN], np.int64)))


def write_decoder(weights, ids, path):
    g = Graph(weights)
    rows, scale = quantised(g.floats("decoder/embeddings/weight")[ids])
    row = g.op("Cast", g.op("Gather", g.const(rows), "ids"), to=TensorProto.FLOAT)
    x = g.op("Mul", row, g.op("Gather", g.const(scale[:, None]), "ids"))
    zero = g.const(np.array([0], np.int64))
    table = g.const(g.floats("decoder/position_encodings/encodings"))
    past = g.op("Shape", "past.0.key", start=2, end=3)
    end = g.op("Add", past, g.op("Shape", "ids", start=1, end=2))
    x = g.op("Add", x, g.op("Slice", table, past, end, zero))
    for layer in range(LAYERS):
        name = f"decoder/layer_{layer}"
        y = g.linear(g.norm(x, f"{name}/self_attention/layer_norm"), f"{name}/self_attention/linear_0")
        parts = [g.heads(part) for part in g.op("Split", y, outputs=3, axis=-1, num_outputs=3)]
        for k, part in ((1, "key"), (2, "value")):
            before = g.op("Gather", f"past.{layer}.{part}", "rows", axis=0)
            parts[k] = g.op("Concat", before, parts[k], axis=2, names=[f"present.{layer}.{part}"])
        y = attention(g, *parts, mask="mask")
        x = g.op("Add", x, g.linear(y, f"{name}/self_attention/linear_1"))
        query = g.heads(g.linear(g.norm(x, f"{name}/attention/layer_norm"), f"{name}/attention/linear_0"))
        y = attention(g, query, f"cross.{layer}.key", f"cross.{layer}.value")
        x = g.op("Add", x, g.linear(y, f"{name}/attention/linear_2"))
        x = g.feed_forward(x, f"{name}/ffn")
    last = g.op("Gather", g.norm(x, "decoder/layer_norm"), g.const(np.int64(-1)), axis=1)
    logits = g.op("DynamicQuantizeMatMul", last, g.const(rows.T), g.const(scale), "", "", domain="com.microsoft",
                  names=["logits"])
    inputs = [value("ids", ["b", "l"], TensorProto.INT64), value("rows", ["b"], TensorProto.INT64),
              value("mask", ["l", "all"])]
    inputs += [value(n, [1, HEADS, "t", HEAD]) for n in pairs("cross")]
    inputs += [value(n, ["c", HEADS, "p", HEAD]) for n in pairs("past")]
    outputs = [value(logits, ["b", len(ids)])] + [value(n, ["b", HEADS, "all", HEAD]) for n in pairs("present")]
    g.save(inputs, outputs, path)


def write_tokens(tokens, path):
    with open(path, "wb") as file:
        for text in tokens:
            assert len(text) < 128, "a token is longer than its length byte can say"
            file.write(bytes([len(text)]) + text)


def check(encoder, decoder, tokens):
    """A second of silence goes through both: the files load, and their shapes fit."""
    load = lambda path: ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    silence = np.full((1, MELS, 100), -1, np.float32)
    feed = dict(zip(pairs("cross"), load(encoder).run(None, {"features": silence})))
    feed |= {name: np.zeros((1, HEADS, 0, HEAD), np.float32) for name in pairs("past")}
    feed |= {"ids": np.array([[tokens.index(b"<|startoftranscript|>")]], np.int64), "rows": np.array([0], np.int64),
             "mask": np.zeros((1, 1), np.float32)}
    logits = load(decoder).run(["logits"], feed)[0]
    assert logits.shape == (1, len(tokens)) and np.isfinite(logits).all(), "the decoder gives no usable logits"


def main():
    src, dst = sys.argv[1], sys.argv[2]
    weights = read_model(f"{src}/model.bin")
    kept = read_tokens(src)
    tokens = [text for _, text in kept]
    encoder, decoder = f"{dst}/whisper-encoder.onnx", f"{dst}/whisper-decoder.onnx"
    write_encoder(weights, encoder)
    write_decoder(weights, [number for number, _ in kept], decoder)
    write_tokens(tokens, f"{dst}/whisper-tokens.bin")
    check(encoder, decoder, tokens)


if __name__ == "__main__":
    main()
