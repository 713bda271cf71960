#!/usr/bin/env python3
"""Trains the recurrent net that reads replies and writes net.bin beside this file.

    cargo run --release -p language --example train_reply -- --words words.txt
    python3 pipeline/language/data/reply/train_net.py words.txt models          # half an hour on one core
    python3 pipeline/language/data/reply/train_net.py words.txt models states   # writes what the encoder makes of each word, for --judge

Needs torch, numpy, onnxruntime and tokenizers, and the sentence encoder (scripts/models.sh).

The recipe: two layers of bidirectional long short-term memory (96 numbers each way) over what pipeline/language/src/reply/net.rs says of a
word, cross-entropy over its label, Adam, seven rounds, a third of the numbers dropped; rare words are shown as unknown ones. What the
encoder makes of a word (the mean of its pieces) is left out of every fourth reply, so that the net can do without.
"""
import collections
import pathlib
import random
import struct
import sys
import time

import numpy as np
import onnxruntime
import tokenizers
import torch
from torch import nn
from torch.nn import functional

LABELS, ASKED, TAGS, FORMS, LISTS = 31, 13, 10, 8, 24
WORDS, ENDS, MEMORY = 1 << 14, 1 << 13, 96
SEEN, OF_SEEN = 384, 64
ROUNDS = 7
BATCH, RATE, DROPPED, UNKNOWN, UNSEEN = 64, 2e-3, 0.35, 0.05, 0.25


def read(path):
    for line in open(path):
        line, text = line.rstrip("\n").rsplit("\t=", 1)
        head, *words = line.split("\t")
        asked, language = map(int, head.split())
        columns = list(zip(*(map(int, word.split()) for word in words)))
        label, word, lists, form, tag, *ends, start, end = columns
        # Bytes there, characters here.
        letter = lambda at: len(text.encode()[:at].decode())
        spans = [(letter(a), letter(b)) for a, b in zip(start, end)]
        yield dict(asked=asked, language=language, label=label, lists=lists, form=form, tag=tag, text=text, spans=spans,
                   word=[2 + w % (WORDS - 2) for w in word], ends=[[e % ENDS for e in four] for four in zip(*ends)])


def see(replies, models):
    """Adds to each reply what the encoder makes of its words."""
    tokenizer = tokenizers.Tokenizer.from_file(f"{models}/minilm-tokenizer.json")
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    encoder = onnxruntime.InferenceSession(f"{models}/minilm.onnx", options)
    for reply in replies:
        pieces = tokenizer.encode(reply["text"])
        ids = np.array([pieces.ids], np.int64)
        named = dict(input_ids=ids, attention_mask=np.ones_like(ids), token_type_ids=np.zeros_like(ids))
        states, = encoder.run(["last_hidden_state"], named)
        of = lambda a, b: [n for n, (x, y) in enumerate(pieces.offsets) if x < y and x < b and y > a]
        mean = lambda found: states[0][found].mean(0) if found else np.zeros(SEEN)
        reply["seen"] = np.array([mean(of(a, b)) for a, b in reply["spans"]], np.float16)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.ends = nn.Embedding(WORDS, 96, padding_idx=0), nn.Embedding(ENDS, 32)
        nn.init.normal_(self.words.weight, 0, 0.3)
        nn.init.normal_(self.ends.weight, 0, 0.3)
        self.forms, self.tags = nn.Embedding(FORMS, 8), nn.Embedding(TAGS, 12)
        self.asked, self.languages = nn.Embedding(ASKED, 16), nn.Embedding(2, 4)
        self.lists = nn.Linear(LISTS, 24, bias=False)
        self.seen = nn.Linear(SEEN, OF_SEEN, bias=False)
        self.first = nn.LSTM(96 + 32 + 8 + 12 + 16 + 4 + 24 + OF_SEEN, MEMORY, bidirectional=True, batch_first=True)
        self.second = nn.LSTM(2 * MEMORY + 16, MEMORY, bidirectional=True, batch_first=True)
        self.out, self.drop = nn.Linear(2 * MEMORY, LABELS), nn.Dropout(DROPPED)

    def forward(self, b):
        width = b["word"].shape[1]
        asked = self.asked(b["asked"])[:, None].expand(-1, width, -1)
        language = self.languages(b["language"])[:, None].expand(-1, width, -1)
        seen = [self.words(b["word"]), self.ends(b["ends"]).sum(2), self.forms(b["form"]), self.tags(b["tag"]),
                asked, language, self.lists(b["lists"]), self.seen(b["seen"])]
        seen = self.both(self.first, self.drop(torch.cat(seen, -1)), b["length"])
        seen = self.both(self.second, torch.cat([self.drop(seen), asked], -1), b["length"])
        return self.out(self.drop(seen))

    @staticmethod
    def both(layer, seen, length):
        packed = nn.utils.rnn.pack_padded_sequence(seen, length, batch_first=True)
        return nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)[0]


def batch(replies, counts):
    replies = sorted(replies, key=lambda reply: -len(reply["word"]))
    width = len(replies[0]["word"])
    pad = lambda values, fill=0: list(values) + [fill] * (width - len(values))
    rare = lambda word: random.random() < 0.25 / (0.25 + counts[word]) or random.random() < UNKNOWN
    lists = torch.tensor([pad(reply["lists"]) for reply in replies])
    out = {name: torch.tensor([pad(reply[name]) for reply in replies]) for name in ("label", "form", "tag")}
    out["word"] = torch.tensor([pad([1 if rare(word) else word for word in reply["word"]]) for reply in replies])
    out["ends"] = torch.tensor([pad(reply["ends"], [0] * 4) for reply in replies])
    seen = np.zeros((len(replies), width, SEEN), np.float32)
    for row, reply in zip(seen, replies):
        if random.random() >= UNSEEN:
            row[:len(reply["word"])] = reply["seen"]
    out["seen"] = torch.from_numpy(seen)
    out["lists"] = ((lists[..., None] >> torch.arange(LISTS)) & 1).float()
    out["length"] = torch.tensor([len(reply["word"]) for reply in replies])
    return out | {name: torch.tensor([reply[name] for reply in replies]) for name in ("asked", "language")}


def write(net, path):
    def rounded(weights):
        numbers = weights.detach().numpy().astype(np.float32)
        sizes = np.sort(np.abs(numbers).ravel())
        # A few giants would cost all others their precision.
        scale = (sizes[len(sizes) - 1 - len(sizes) // 5000] or 1.0) / 127
        return struct.pack("<f", scale) + np.clip(np.round(numbers / scale), -127, 127).astype(np.int8).tobytes()

    floats = lambda weights: weights.detach().numpy().astype("<f4").tobytes()
    tables = [net.words, net.ends, net.forms, net.tags, net.asked, net.languages]
    out = b"".join(rounded(table.weight) for table in tables) + rounded(net.lists.weight.T.contiguous())
    out += rounded(net.seen.weight.T.contiguous())
    for layer in (net.first, net.second):
        for way in ("", "_reverse"):
            of = lambda name: getattr(layer, f"{name}_l0{way}")
            out += rounded(of("weight_ih").T.contiguous()) + rounded(of("weight_hh").T.contiguous())
            out += floats(of("bias_ih") + of("bias_hh"))
    path.write_bytes(out + rounded(net.out.weight.T.contiguous()) + floats(net.out.bias))


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random.seed(1)
    replies = list(read(sys.argv[1]))
    see(replies, sys.argv[2])
    if sys.argv[3:] == ["states"]:
        pathlib.Path(sys.argv[1]).with_suffix(".states").write_bytes(
            b"".join(reply["seen"].astype("<f4").tobytes() for reply in replies))
        return
    counts = collections.Counter(word for reply in replies for word in reply["word"])
    net, start, step = Net(), time.time(), 0
    adam, steps = torch.optim.Adam(net.parameters(), RATE), ROUNDS * len(replies) // BATCH
    for number in range(ROUNDS):
        random.shuffle(replies)
        # Of like length, so that little is padded.
        near = [sorted(replies[at:at + 40 * BATCH], key=lambda reply: len(reply["word"])) for at in range(0, len(replies), 40 * BATCH)]
        batches = [some[at:at + BATCH] for some in near for at in range(0, len(some), BATCH)]
        random.shuffle(batches)
        total = 0.0
        for chosen in batches:
            adam.param_groups[0]["lr"] = RATE * max(0.02, 1 - step / steps) * min(1, (step + 1) / 200)
            step += 1
            b = batch(chosen, counts)
            is_word = torch.arange(b["label"].shape[1])[None] < b["length"][:, None]
            loss = functional.cross_entropy(net(b)[is_word], b["label"][is_word])
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            adam.step()
            total += loss.item()
        print(f"round {number + 1}: loss {total / len(batches):.3f}, {time.time() - start:.0f} s", flush=True)
    write(net, pathlib.Path(__file__).with_name("net.bin"))


main()
