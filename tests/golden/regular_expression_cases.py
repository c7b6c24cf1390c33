"""Regular expressions and texts: fixed ones, and some made by a seed. Runs beside TensorFlow (it records) and graphrt (it compares)."""

import base64
import random

ATOMS = (
    "a b k S é . \\d \\w \\W \\s [ab] [^a] [a-k] [^\\d] ^ $ \\b \\pL \\PL \\p{Lu} \\p{Greek} [[:alpha:]] [[:^space:]] \\n "
    "\\x{e9} 1 - \\. \\z \\A (?i) (?s) (?m) (?U) (?-i) ſ [\\pN_] { } ] \\Qa*\\E \\101"
).split()
REFUSED = (
    "(a;a);[a;*;a**;a*+;a{2}{3};a{1001};(a{100}){100};(?=a);(?<=a);(?!a);\\1;(a)\\1;\\Z;\\;[z-a];[[:foo:]];\\p{Foo};\\pX;"
    "(?P<n;(?i;(?z);(?P=n);a{2,1};\\x{110000};\\xZ;[\\;[a-\\d];\\8;(?#c);a|*;(|*);\\18;\\e;\\cA;\\u0041;\\é;a?+;\\N;\\G;[\\b];"
    "\\K;(?>a);a++;\\p{L&};[\\Qa\\E];(?P>n);\\E"
).split(";")
TAKEN = (
    "a{,3};a{;^*;\\b*;(?i)(?-i)a;\\Qa*\\E*;[a-];[]a];[^]a];\\p{^Lu};[\\pL-z];\\07;\\123;\\0;\\_;x{0};[a&&b];\\v;[[:word:]];"
    "\\p{Any};;[a\\]b];\\-;(?U)a+;(?m)^a$;(a+)+;(a|b|ab)*c;(|a)*;(|a)+;(a*)*;(a*)+;(a?b??)*;(?i:k)s"
).split(";")
TEXTS = (
    ["", "a", "aab", "k", "\u212a", "ſS", "é", "É1", "α-я", "a\nb\n", "b a\n", "_-. ", "abcabc", "aaab", "😀a", "{,3}", "\\"]
)  # fmt: skip
RAW = [text.encode() for text in TEXTS] + [b"\xff", b"a\xffb", b"\xc3"]


def patterns():
    made, chance = [], random.Random(20)

    def some(depth):
        kind = chance.random()
        if not depth or kind < 0.35:
            return chance.choice(ATOMS)
        if kind < 0.6:
            return some(depth - 1) + some(depth - 1)
        if kind < 0.7:
            return f"{some(depth - 1)}|{some(depth - 1)}"
        if kind < 0.82:
            return f"({some(depth - 1)})"
        return f"(?:{some(depth - 1)}){chance.choice('* + ? *? +? ?? {2} {1,3} {2,}'.split())}"

    while len(made) < 300:
        made.append(some(chance.randint(1, 5)))
    return [*REFUSED, *TAKEN, *made]


def encoded(value):
    return base64.b64encode(value).decode()


def results(tf):
    """Of each pattern: what it is refused with, or of all texts whether it matches them, and what replacing gives."""
    out = {}
    for pattern in patterns():
        try:
            whole = tf.strings.regex_full_match(RAW, pattern).numpy().tolist()
        except tf.errors.InvalidArgumentError as error:
            out[pattern] = str(error).partition("error: ")[2].partition(" [Op:")[0]
            continue
        every = [encoded(v) for v in tf.strings.regex_replace(RAW, pattern, "<\\0>").numpy()]
        first = [encoded(v) for v in tf.strings.regex_replace(RAW, pattern, "\\\\-", replace_global=False).numpy()]
        out[pattern] = [whole, every, first]
    return out
