//===- HoverDocumentation.cpp - Documentation for an editor ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Driver/HoverDocumentation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cstdlib>

using namespace llvm;

namespace {
struct Row {
  StringLiteral name;
  StringLiteral text;
};
} // namespace

/// Sorted by name.
static constexpr Row kRows[] = {
#include "dialects/Driver/OpDocumentation.inc"
};

StringRef gridir::driver::getOpDocumentation(StringRef name) {
  const Row *row = partition_point(
      kRows, [&](const Row &row) { return StringRef(row.name) < name; });
  if (row == std::end(kRows) || row->name != name)
    return {};
  return row->text;
}

/// Adds the description of an op to the answer to a hover; returns any other
/// message unchanged.
static std::string document(std::string body) {
  Expected<json::Value> message = json::parse(body);
  if (!message) {
    consumeError(message.takeError());
    return body;
  }
  json::Object *object = message->getAsObject();
  json::Object *result = object ? object->getObject("result") : nullptr;
  json::Object *contents = result ? result->getObject("contents") : nullptr;
  std::optional<StringRef> value =
      contents ? contents->getString("value") : std::nullopt;
  // It begins with the name in quotes.
  if (!value || !value->starts_with("\""))
    return body;
  StringRef text =
      gridir::driver::getOpDocumentation(value->drop_front().split('"').first);
  if (text.empty())
    return body;
  (*contents)["value"] = formatv("{0}\n\n---\n\n{1}", *value, text).str();
  // In its test mode the server writes for people.
  bool isPretty = StringRef(body).contains('\n');
  return (isPretty ? formatv("{0:2}", *message) : formatv("{0}", *message))
      .str();
}

void gridir::driver::sendMessage(raw_ostream &editor, StringRef body) {
  editor << "Content-Length: " << body.size() << "\r\n\r\n" << body;
  editor.flush();
}

void gridir::driver::forwardMessages(std::FILE *server, raw_ostream &editor) {
  char *buffer = nullptr;
  size_t capacity = 0;
  ssize_t length = 0;
  while ((length = getline(&buffer, &capacity, server)) > 0) {
    StringRef line(buffer, length);
    StringRef header = line.trim();
    size_t size = 0;
    // Only its help is no message.
    if (!header.consume_front("Content-Length: ") ||
        header.getAsInteger(10, size)) {
      editor << line;
      continue;
    }
    (void)getline(&buffer, &capacity, server);
    std::string body(size, '\0');
    body.resize(std::fread(body.data(), 1, size, server));
    sendMessage(editor, body.size() < size ? body : document(std::move(body)));
  }
  std::free(buffer);
  editor.flush();
}
