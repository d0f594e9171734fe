# RUN: %python %s %tools/gridir-lsp-server | FileCheck %s

# Requests of an editor while a kernel is written, through pipes and with no test mode of the server: hover,
# diagnostics, go to definition, references, symbols and completion.
import json
import subprocess
import sys

TEXT = """grid.kernel @k grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i))
    outputs(%o: f32 [32] block [8] at (%i)) {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = arith.negf %v : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}
"""
URI = "file:///kernel.mlir"


class Client:
    """Speaks the language server protocol with a process."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            [command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.asked = 0

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        return json.loads(self.process.stdout.read(length))

    def notify(self, method, **parameters):
        self.send(method=method, params=parameters)

    def ask(self, method, **parameters):
        self.asked += 1
        self.send(id=self.asked, method=method, params=parameters)
        while (message := self.receive()).get("id") != self.asked:
            pass
        return message["result"]

    def change(self, text, version):
        """Sends a document and returns the messages of the diagnostics that come back."""
        if version == 1:
            document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
            self.notify("textDocument/didOpen", textDocument=document)
        else:
            document = {"uri": URI, "version": version}
            self.notify("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])
        while (message := self.receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        return [(d["range"]["start"]["line"], d["message"]) for d in message["params"]["diagnostics"]]

    def at(self, method, line, word, **more):
        """Asks at the end of a word."""
        character = TEXT.splitlines()[line].index(word) + len(word)
        position = {"line": line, "character": character}
        return self.ask(method, textDocument={"uri": URI}, position=position, **more)


client = Client(sys.argv[1])
server = client.ask("initialize", processId=None, rootUri=None, capabilities={})
# CHECK: hover definition references completion
print(
    *(name for name in ("hover", "definition", "references", "completion") if server["capabilities"][f"{name}Provider"])
)

# CHECK-NEXT: opened: []
client.notify("initialized")
print("opened:", client.change(TEXT, 1))

# An op has its generic form and its documentation, also one of MLIR's; an argument of a kernel has its block's type.
# CHECK-NEXT: op: "grid.load" {{.*}} %0 = "grid.load"(%arg2) {{.*}} --- _Load from a Ref_ Masked elements are not read
# CHECK-NEXT: upstream: "arith.negf" {{.*}} --- _Floating point negation_
# CHECK-NEXT: operand: Operation: "grid.kernel" Block: <Block #0> Argument #0 Type: `memref<8xf32, {{.*}}>`
for what, line, word in (("op", 3, "grid.lo"), ("upstream", 4, "arith.ne"), ("operand", 3, "load %")):
    print(f"{what}:", *client.at("textDocument/hover", line, word)["contents"]["value"].split())

# CHECK-NEXT: defined: 1 11
# CHECK-NEXT: referred to: 2
[definition] = client.at("textDocument/definition", 3, "load %")
print("defined:", definition["range"]["start"]["line"], definition["range"]["start"]["character"])
references = client.at("textDocument/references", 3, "load %", context={"includeDeclaration": True})
print("referred to:", len(references))

# Values are completed where an operand stands, dialects where an op does, and then the ops of the dialect.
# CHECK-NEXT: values: %x %o
# CHECK-NEXT: dialects: True
# CHECK-NEXT: changed: {{.*}}(3, "Dialect `' not found
# CHECK-NEXT: ops: True
print("values:", *(item["label"] for item in client.at("textDocument/completion", 3, "grid.load ")["items"]))
print(
    "dialects:",
    {"grid", "arith"} <= {item["label"] for item in client.at("textDocument/completion", 3, "%v = ")["items"]},
)
TEXT = "\n".join([*TEXT.splitlines()[:3], "  grid.\n}"])
print("changed:", client.change(TEXT, 2))
print(
    "ops:", {"load", "store"} <= {item["label"] for item in client.at("textDocument/completion", 3, "grid.")["items"]}
)

# CHECK-NEXT: ended: 0
client.ask("shutdown")
client.notify("exit")
print("ended:", client.process.wait(timeout=10))
