// "comments are no texts", and a quote in a character ends nothing.
LogicalResult verify(Operation *op, char c) {
  assert(c != '"' && "what the code claims is no message");
  if (c == '(')
    return op->emitOpError("expected one text of two literals, "
                           "got ")
           << c << ", which \"opens\" a group";
  if (!op)
    llvm_unreachable("every character is met");
  refuse(op, "a helper takes parts");
  reason = llvm::formatv("program {0} waits for a signal, and {1} is on its way",
                         c, c);
  option("Help begins with a capital.", clEnumValN(c, "c", "the name of a value"));
  note = R"(a raw text)";
  return builder.getStringAttr("gridir.name"), success();
}
