# RUN: %python %s | FileCheck %s
"""Texts that are no PTX, or none that the executor knows: each row is the words of an error and a text that has it."""

from gridir.runtime import ptx
from refusals import report

HEADER = ".version 8.5\n.target sm_90a\n.address_size 64\n"


def module(text, header=HEADER):
    return lambda: ptx.load(header + text)


def kernel(body, variables=""):
    return lambda: ptx.load(f"{HEADER}{variables}.visible .entry k() {{ {body} ret; }}").function().prepare()


def nested(before, inside, after, depth=300):
    return before * depth + inside + after * depth


DEEP = "{ " * 258 + "} " * 258

# CHECK: PtxError: 40 of 40 refused in these words
report(
    ptx.PtxError,
    {
        # Characters, numbers and what has an end.
        "expected '*/' after this '/*', got the end of the text": module("/* no end"),
        "expected '\"' after this one, got the end of the text": module('.file 1 "author.py'),
        "expected PTX, got '`'": module("`"),
        "expected a number of at most 64 bits, got '0x10000000000000000'": kernel("mov.b64 %r, 0x10000000000000000;"),
        "expected a number, got '1.5x'": kernel("mov.b64 %r, 1.5x;"),
        # The parts of a module.
        "expected a directive, got 'no'": module("no PTX"),
        "expected a directive of a module, got '.other'": module(".other"),
        "expected addresses of 64 bits, got 32": module("", header=".version 8.5\n.address_size 32\n"),
        "expected 64, got 'wide'": module("", header=".version 8.5\n.address_size wide\n"),
        "expected a chip, got '90'": module("", header=".version 8.5\n.target 90\n"),
        "expected the number of a file, got 'one'": module('.file one "author.py"'),
        "expected the name of a file, got 'author'": module(".file 1 author"),
        "expected the name of a function, got '1'": module(".visible .entry 1()"),
        "expected '}', got the end of the text": module(".visible .entry k() { ret;"),
        # Variables.
        "expected a type, got '.b31'": module(".global .b31 x;"),
        "expected a type, got 'x'": module(".global x;"),
        "expected a name, got '1'": module(".global .b32 1;"),
        "expected an alignment, got 'four'": module(".global .align four .b32 x;"),
        "expected an alignment that is a power of two of at most 4096, got 3": module(".global .align 3 .b8 x;"),
        "expected an array of less than 2^40 elements": module(".global .b8 x[1048576][2097152];"),
        "expected a variable of at most 1073741824 bytes, got 1073741828": module(".global .b32 x[268435457];"),
        "expected a divisor other than 0": module(".global .b32 x[4 / (2 - 2)];"),
        "expected an expression of at most 64 levels": module(f".global .b32 x[{nested('(', '1', ')')}];"),
        "expected at most 1 initial values": module(".global .b32 x[1] = {1, 2};"),
        "expected a constant of the type": module(".global .f32 x = 0d3FF0000000000000;"),
        "expected a constant or a variable, got 'other'": module(".global .b64 x = other;"),
        "expected a name that is new in this module, got 'x'": module(".global .b32 x; .global .b32 x;"),
        "expected at most 1000000 registers, got 1000001": kernel(".reg .b32 %r<1000001>;"),
        "expected a number of registers, got 'n'": kernel(".reg .b32 %r<n>;"),
        "expected a name that is new in this block, got '%r'": kernel(".reg .b32 %r; .reg .b64 %r;"),
        # Statements and operands.
        "expected at most 256 nested blocks": kernel(DEEP),
        "expected an instruction or the declaration of a variable, got '.entry'": kernel(".entry"),
        "expected an instruction, got '1'": kernel("1;"),
        "expected a predicate, got '0'": kernel("@0 ret;"),
        "expected an integer, got 'line'": kernel(".loc 1 line 3"),
        "expected at most 4 nested lists": kernel(f"mov.b32 {nested('{', '%r', '}')}, 1;"),
        "expected operands in the braces": kernel("mov.b32 {}, 1;"),
        "expected an address in the brackets": kernel("ld.global.b32 %r, [];"),
        "expected a label that is new in this block, got 'A'": kernel("A: A:"),
        "expected a label, got 'B'": kernel("WAYS: .branchtargets B;"),
    },
)
