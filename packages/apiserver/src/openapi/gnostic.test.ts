import { expect, test } from "vitest"
import { everyWay } from "../testing/server.ts"
import { blockYaml } from "./block-yaml.ts"
import { documentV3 } from "./gnostic-v3.ts"
import { protobufForm } from "./swagger-form.ts"

/** The fields of a message with a number, as bytes or as the number they are. */
function fieldsIn(bytes: Uint8Array, wanted: number): readonly (Buffer | number)[] {
  const found: (Buffer | number)[] = []
  let at = 0
  const varint = () => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
  }
  while (at < bytes.length) {
    const key = varint()
    const wire = key % 8
    const length = wire === 0 ? varint() : wire === 1 ? 8 : varint()
    if (Math.floor(key / 8) === wanted) found.push(wire === 0 ? length : Buffer.from(bytes.subarray(at, at + length)))
    if (wire !== 0) at += length
  }
  return found
}

/** What stands at the end of a way of field numbers, the first of each. */
function at(bytes: Uint8Array, ...numbers: readonly number[]): Buffer | number | undefined {
  let here: Buffer | number | undefined = Buffer.from(bytes)
  for (const number of numbers) here = here instanceof Buffer ? fieldsIn(here, number)[0] : undefined
  return here
}

const textAt = (bytes: Uint8Array, ...numbers: readonly number[]) => String(at(bytes, ...numbers))

// Every byte of a real 1.36.3's documents was seen to be the same as ours of their JSON (v2, and v3 of core, apps, coordination and apiextensions).

test("a document of version 3 is gnostic's message", () => {
  const bytes = documentV3.encode({
    openapi: "3.0.0",
    paths: { "/a": { get: { operationId: "o", "x-kubernetes-action": "get", responses: { 200: { description: "OK" } } } } },
    components: {
      schemas: { S: { type: "object", properties: { "x-y": { $ref: "#/T" }, n: { default: 0, "x-z": ["a"] }, e: { default: {} } } } },
    },
  })
  expect(textAt(bytes, 1)).toBe("3.0.0")
  const [path, operation] = [
    [4, 1],
    [4, 1, 2, 4],
  ]
  expect([textAt(bytes, ...path, 1), textAt(bytes, ...operation, 5)]).toEqual(["/a", "o"])
  expect([textAt(bytes, ...operation, 13, 1), textAt(bytes, ...operation, 13, 2, 2)]).toEqual(["x-kubernetes-action", "get\n"])
  expect([textAt(bytes, ...operation, 8, 2, 1), textAt(bytes, ...operation, 8, 2, 2, 1, 1)]).toEqual(["200", "OK"])
  const schema = at(bytes, 5, 1, 1, 2, 1) as Buffer
  expect(textAt(schema, 25)).toBe("object")
  const [reference, number, empty] = fieldsIn(at(schema, 31) as Buffer, 1) as Buffer[]
  expect([textAt(reference!, 1), textAt(reference!, 2, 2, 1)]).toEqual(["x-y", "#/T"])
  expect((at(number!, 2, 1, 33, 1) as Buffer).readDoubleLE()).toBe(0)
  expect([textAt(number!, 2, 1, 36, 1), textAt(number!, 2, 1, 36, 2, 2)]).toEqual(["x-z", "- a\n"])
  expect(at(empty!, 2, 1, 33)).toHaveLength(0)
})

test("a document of version 2 is gnostic's message", () => {
  const body = { in: "body", name: "body", required: true, schema: { $ref: "#/definitions/S" } }
  const parameters = [body, { in: "query", name: "q", type: "string" }, { in: "path", name: "p", type: "string" }]
  const paths = protobufForm.paths({ "/a": { post: { parameters } } })
  const definitions = protobufForm.definitions({ S: { type: "array", items: { type: "string" } } })
  const bytes = Buffer.concat(protobufForm.pieces({ swagger: "2.0", security: [{ BearerToken: [] }] }, [paths], [definitions]))
  expect([textAt(bytes, 1), textAt(bytes, 8, 2, 1)]).toEqual(["2.0", "/a"])
  const [first, query, path] = fieldsIn(at(bytes, 8, 2, 2, 4) as Buffer, 8) as Buffer[]
  expect([textAt(first!, 1, 1, 2), at(first!, 1, 1, 4), textAt(first!, 1, 1, 5, 1)]).toEqual(["body", 1, "#/definitions/S"])
  expect([textAt(query!, 1, 2, 3, 4), textAt(path!, 1, 2, 4, 4)]).toEqual(["q", "p"])
  expect([textAt(bytes, 9, 1, 2, 22, 1), textAt(bytes, 9, 1, 2, 23, 1, 22, 1)]).toEqual(["array", "string"])
  expect(textAt(bytes, 12, 1, 1)).toBe("BearerToken")
})

everyWay("OpenAPI in protobuf", (testServer) => {
  test.each([
    ["/openapi/v2", "v2", "2.0"],
    ["/openapi/v3/apis/coordination.k8s.io/v1", "v3", "3.0.0"],
  ])("%s, by its name and by its older one (seen)", async (path, version, release) => {
    const api = testServer()
    const contentType = `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`
    for (const accept of [contentType, contentType.replace(`${version}.`, `${version}@`), `${contentType}, application/json`]) {
      const { status, body } = await api.ask("GET", path, { headers: { accept } })
      expect([status, body.type === "bytes" && body.contentType]).toEqual([200, contentType])
      expect(body.type === "bytes" && textAt(body.bytes, 1)).toBe(release)
    }
    const { body } = await api.ask("GET", path, { headers: { accept: `application/json, ${contentType}` } })
    expect(body.type === "bytes" ? body.contentType : "application/json").toBe("application/json")
  })
})

test.each([
  ["a word", "map", "map\n"],
  ["words", "client auth", "client auth\n"],
  ["a star", "*", "'*'\n"],
  ["nothing", "", '""\n'],
  ["what looks like no text", "true", '"true"\n'],
  ["what looks like a number", "1e3", '"1e3"\n'],
  ["what looks like a date", "2026-01-01", '"2026-01-01"\n'],
  ["what older readers take for a truth", "yes", "yes\n"],
  ["a rule", "self.a >= 0 && self.b != 'x'", "self.a >= 0 && self.b != 'x'\n"],
  ["what looks like an entry", "a: b", "'a: b'\n"],
  ["what looks like a comment", "a #b", "'a #b'\n"],
  ["an address", "10.0.0.1", "10.0.0.1\n"],
  ["a long integer", 9223372036854775807n, "9223372036854775807\n"],
  ["lists in maps in lists", [{ a: [{ b: { c: 1 } }] }, [[1], {}]], "- a:\n    - b:\n        c: 1\n- - - 1\n  - {}\n"],
  ["a list", ["uid", "name"], "- uid\n- name\n"],
  ["a map", { group: "", version: "v1", kind: "Pod" }, 'group: ""\nversion: v1\nkind: Pod\n'],
  ["a list of maps", [{ a: "b", c: { d: "e" } }], "- a: b\n  c:\n    d: e\n"],
  ["a truth", true, "true\n"],
  ["a number", 3, "3\n"],
  ["an empty list", [], "[]\n"],
])("%s in YAML, as Go writes it", (_what, value, expected) => {
  expect(blockYaml(value)).toBe(expected)
})
