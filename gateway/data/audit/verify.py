#!/usr/bin/env python3
"""Checks an export of an audit. Needs Python 3.8 and nothing else.

    python3 verify.py export.jsonl [--head NUMBER:HASH]

Exit code 0: no entry of the export was changed, taken out, added or moved since it was written. What was left out of
the export (withheld entries, redacted details, personal parts) is stood for by hashes, and the chain holds over them.
Exit code 1: the first line that is wrong is named. --head: an end of the chain that was noted elsewhere, as
`quandura audit verify` prints it; where its number is in the export, the hashes must be the same.
"""
import hashlib
import json
import struct
import sys

FIELDS = ["tenant_id", "seq", "id", "at", "trace_id", "actor_kind", "actor_id", "action", "subject_kind", "subject_id",
          "outcome"]


class Wrong(Exception):
    pass


def sha256(name, *parts):
    return hashlib.sha256(b"quandura.audit." + name + b".v1\n" + b"".join(parts)).digest()


def field(value):
    return struct.pack(">I", len(value)) + value


def commitment(entry, name):
    """The hash of a text that is there, or the hash that stands for it; nothing where there was no text."""
    if name in entry:
        return sha256(b"text", bytes.fromhex(entry[name + "_salt"]), entry[name].encode())
    return bytes.fromhex(entry[name + "_hash"] or "")


def body_hash(entry, tenant_id):
    if entry.get("withheld"):
        return bytes.fromhex(entry["body_hash"])
    known = dict(entry, tenant_id=tenant_id)
    texts = [str(known[name]).encode() for name in FIELDS]
    texts += [commitment(entry, "details"), commitment(entry, "personal")]
    return sha256(b"body", *map(field, texts))


def check(lines, head):
    first = json.loads(next(lines))
    if first.get("format") != "quandura.audit.v1":
        raise Wrong("line 1: not an export of this format")
    tenant, seq, before = first["tenant_id"], first["first_seq"], bytes.fromhex(first["before_hash"])
    if seq == 1 and before != bytes(32):
        raise Wrong("line 1: the first entry of a chain follows nothing")
    count = withheld = redacted = 0
    number = 1
    for number, line in enumerate(lines, 2):
        entry = json.loads(line)
        if entry.get("end"):
            if entry["entries"] != count or bytes.fromhex(entry["last_hash"]) != before or seq != first["last_seq"] + 1:
                raise Wrong("line %d: the export does not end where it says" % number)
            if next(lines, None) is not None:
                raise Wrong("line %d: there is something behind the end" % (number + 1))
            return first, count, withheld, redacted, before
        if entry["seq"] != seq:
            raise Wrong("line %d: entry %d is missing" % (number, seq))
        before = sha256(b"link", before, body_hash(entry, tenant))
        if before != bytes.fromhex(entry["hash"]):
            raise Wrong("line %d: entry %d was changed, or does not follow the one before it" % (number, seq))
        if head and head[0] == seq and head[1] != before:
            raise Wrong("line %d: entry %d is not the one that was noted elsewhere" % (number, seq))
        count, seq = count + 1, seq + 1
        withheld += bool(entry.get("withheld"))
        redacted += "details_hash" in entry
    raise Wrong("line %d: the export was cut off" % (number + 1))


def main(arguments):
    head = None
    if len(arguments) == 3 and arguments[1] == "--head":
        number, _, digest = arguments.pop().partition(":")
        arguments.pop()
        head = int(number), bytes.fromhex(digest)
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8", newline="\n") as lines:
            first, count, withheld, redacted, last = check(lines, head)
    except Wrong as wrong:
        print("BROKEN %s" % wrong)
        return 1
    except (KeyError, ValueError, TypeError, AttributeError, StopIteration) as wrong:
        print("BROKEN not readable as an export: %s %s" % (type(wrong).__name__, wrong))
        return 1
    print("WHOLE %s: entries %d to %d, %d withheld, %d without details; the last hash is %d:%s"
          % (first["tenant"], first["first_seq"], first["last_seq"], withheld, redacted, first["last_seq"], last.hex()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
