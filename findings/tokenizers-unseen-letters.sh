#!/bin/sh
# Games as texts for a language model: a BPE of tokenizers 0.23.3 (PyPI, 2026; Hugging Face) that was trained
# on openings, in which both sides castle, no pawn promotes and nothing is mate. What it encodes later loses
# the letters that it has not seen, without an error: Kh2 becomes h2, a pawn's move, exd8=Q exd8Q and Qxf7#
# Qxf7, in the tokens and in what is decoded. The places of the tokens in the text are then wrong too. The
# ByteLevel of GPT, which stands for having every byte, loses them likewise, unless the trainer is given
# its alphabet (ByteLevelBPETokenizer does so by itself). With an unk_token the tokens show it, but decode()
# leaves special tokens out. Unigram raises an error.
#
# Output seen on 29 November 2026, of "Kh2 exd8=Q Qxf7#":
#| Metaspace: h2 exd8Q Qxf7
#| Metaspace, token h: begins at 0, where the text has K
#| Metaspace, unk_token: h2 exd8Q Qxf7
#| Metaspace, unk_token, with special tokens: [UNK]h2 exd8[UNK]Q Qxf7[UNK]
#| ByteLevel: h2 exd8Q Qxf7
#| ByteLevel, its alphabet: Kh2 exd8=Q Qxf7#
#| ByteLevelBPETokenizer: Kh2 exd8=Q Qxf7#
#| Unigram: Exception
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check tokenizers==0.23.3
cat > seen.py <<'PY'
from tokenizers import ByteLevelBPETokenizer, Tokenizer, decoders, models, pre_tokenizers, trainers
OPENINGS = ["e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O",
            "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O Nf3 Nbd7 Rc1 c6 Bd3 dxc4",
            "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O Qd2 Nc6 O-O-O Bd7",
            "e4 e6 d4 d5 Nc3 Bb4 e5 c5 a3 Bxc3+ bxc3 Ne7 Qg4 Qc7 Qxg7 Rg8 Qxh7 cxd4"] * 20
GAME = "Kh2 exd8=Q Qxf7#"
def trained(pieces, model, trainer):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = getattr(pre_tokenizers, pieces)()
    tokenizer.decoder = getattr(decoders, pieces)()
    tokenizer.train_from_iterator(OPENINGS, trainer)
    return tokenizer
def bpe(pieces, unknown=None, **options):
    special = [unknown] if unknown else []
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, show_progress=False, **options)
    return trained(pieces, models.BPE(unk_token=unknown), trainer)
def decoded(tokenizer, **options):
    return tokenizer.decode(tokenizer.encode(GAME).ids, **options).strip()
plain = bpe("Metaspace")
print("Metaspace:", decoded(plain))
first = plain.encode(GAME)
print("Metaspace, token h:", "begins at {}, where the text has {}".format(*next(
    (begin, GAME[begin]) for token, (begin, _) in zip(first.tokens, first.offsets) if token.lstrip("\u2581") == "h")))
unknown = bpe("Metaspace", "[UNK]")
print("Metaspace, unk_token:", decoded(unknown))
print("Metaspace, unk_token, with special tokens:", decoded(unknown, skip_special_tokens=False))
print("ByteLevel:", decoded(bpe("ByteLevel")))
print("ByteLevel, its alphabet:", decoded(bpe("ByteLevel", initial_alphabet=pre_tokenizers.ByteLevel.alphabet())))
ready = ByteLevelBPETokenizer()
ready.train_from_iterator(OPENINGS, vocab_size=400, show_progress=False)
print("ByteLevelBPETokenizer:", decoded(ready))
unigram = trained("Metaspace", models.Unigram(), trainers.UnigramTrainer(vocab_size=100, show_progress=False))
try:
    print("Unigram:", decoded(unigram))
except Exception as error:
    print("Unigram:", type(error).__name__)
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
