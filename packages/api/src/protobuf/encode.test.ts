import { expect, test } from "vitest"
import { encodeProtobuf } from "./encode.ts"

const configMap = { apiVersion: "v1", kind: "ConfigMap" }

test.each([
  ["text", "only an object with apiVersion and kind can be a protobuf body"],
  [{ apiVersion: "example.com/v1", kind: "Widget" }, 'the kind "Widget" of "example.com/v1" has no protobuf form here; send it as JSON'],
  [{ ...configMap, metadata: 5 }, "metadata: expected an object, found 5"],
  [{ ...configMap, metadata: { name: 5 } }, "metadata.name: expected a string, found 5"],
  [{ ...configMap, metadata: { generation: 1.5 } }, "metadata.generation: expected a whole number, found 1.5"],
  [
    { ...configMap, metadata: { creationTimestamp: "yesterday" } },
    'metadata.creationTimestamp: expected an RFC 3339 time, found "yesterday"',
  ],
  [{ ...configMap, metadata: { finalizers: ["a", 1] } }, "metadata.finalizers[1]: expected a string, found 1"],
  [{ ...configMap, metadata: { finalizers: "a" } }, 'metadata.finalizers: expected a list, found "a"'],
  [{ ...configMap, immutable: "yes" }, 'immutable: expected true or false, found "yes"'],
  [{ ...configMap, binaryData: { key: "#" } }, 'binaryData["key"]: expected base64 text, found "#"'],
  [{ ...configMap, data: [] }, "data: expected an object, found []"],
])("%j is refused: %s", (object, message) => {
  expect(() => encodeProtobuf(object)).toThrow(expect.objectContaining({ code: "INVALID", message }))
})
