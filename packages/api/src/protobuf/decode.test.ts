import { describe, expect, test } from "vitest"
import { decodeProtobuf } from "./decode.ts"
import { encodeProtobuf } from "./encode.ts"
import { isProtobuf } from "./envelope.ts"

const ascii = (text: string) => Array.from(new TextEncoder().encode(text))
const field = (number: number, content: readonly number[]) => [(number << 3) | 2, ...length(content.length), ...content]
const length = (size: number) => (size < 128 ? [size] : [(size & 127) | 128, size >>> 7])

/** A body of a kind with these bytes as its object. */
function body(apiVersion: string, kind: string, object: readonly number[]): Uint8Array {
  const type = [...field(1, ascii(apiVersion)), ...field(2, ascii(kind))]
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, ...field(1, type), ...field(2, object)])
}

describe("the object is what Go's JSON has", () => {
  test("for a body with nothing in it: required fields have their zero values", () => {
    expect(decodeProtobuf(body("v1", "Pod", []))).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {},
      spec: { containers: [] },
      status: {},
    })
    expect(decodeProtobuf(body("v1", "PodList", []))).toEqual({ apiVersion: "v1", kind: "PodList", metadata: {}, items: [] })
  })

  test("zero values are dropped where Go omits them, kept where it does not", () => {
    const replicasZero = [0x08, 0]
    const minReadyZero = [0x28, 0]
    const decoded = decodeProtobuf(body("apps/v1", "Deployment", field(2, [...replicasZero, ...minReadyZero])))
    expect(decoded).toMatchObject({ spec: { replicas: 0, strategy: {}, template: { metadata: {}, spec: { containers: [] } } } })
    expect((decoded as { spec: object }).spec).not.toHaveProperty("minReadySeconds")
  })

  test("embedded structs stand among their parent's fields", () => {
    const volume = { name: "v", configMap: { name: "c", items: [{ key: "k", path: "p" }] } }
    const probe = { httpGet: { port: "http" }, periodSeconds: 3 }
    const container = {
      name: "c",
      resources: {},
      livenessProbe: probe,
      env: [{ name: "E", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
    }
    const spec = {
      volumes: [volume],
      containers: [container],
      ephemeralContainers: [{ name: "e", resources: {}, targetContainerName: "c" }],
    }
    const pod = { apiVersion: "v1", kind: "Pod", metadata: {}, spec, status: {} }
    expect(decodeProtobuf(encodeProtobuf(pod))).toEqual(pod)
  })

  test("JSON schemas: lists, booleans, nulls and odd names", () => {
    const schema = {
      $ref: "#/x",
      default: { a: [1, null] },
      enum: ["a", null, 0],
      items: { type: "string" },
      additionalProperties: false,
      additionalItems: { type: "object", additionalProperties: true },
      dependencies: { a: ["b"], c: { type: "object" } },
      properties: { list: { items: [{ type: "integer" }, { nullable: true }] } },
      "x-kubernetes-preserve-unknown-fields": false,
    }
    const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }
    const names = { plural: "widgets", kind: "Widget" }
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com", creationTimestamp: "2026-01-02T03:04:05Z" },
      spec: { group: "example.com", scope: "Namespaced", names, versions: [version] },
      status: { acceptedNames: { plural: "", kind: "" }, conditions: [], storedVersions: [] },
    }
    expect(decodeProtobuf(encodeProtobuf(crd))).toEqual(crd)
  })

  test("a map may have the key __proto__, and an entry without key or value", () => {
    const labels = [...field(11, [...field(1, ascii("__proto__")), ...field(2, ascii("x"))]), ...field(11, [])]
    const { metadata } = decodeProtobuf(body("v1", "ConfigMap", field(1, labels))) as { metadata: { labels: object } }
    expect(Object.entries(metadata.labels)).toEqual([
      ["__proto__", "x"],
      ["", ""],
    ])
    expect(Object.getPrototypeOf(metadata.labels)).toBe(Object.prototype)
  })

  test("fields of the future are passed over", () => {
    const future = [0x98, 0x06, 1, 0x9a, 0x06, 2, 1, 2, 0x9d, 0x06, 1, 2, 3, 4, 0x99, 0x06, 1, 2, 3, 4, 5, 6, 7, 8]
    const bytes = body("v1", "ConfigMap", [...future, ...field(1, [...future, ...field(1, ascii("settings"))])])
    expect(decodeProtobuf(bytes)).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } })
  })

  test("a message that comes twice is merged, and a later value replaces an earlier one, zero or not", () => {
    const first = field(1, [...field(1, ascii("a")), ...field(3, ascii("default"))])
    const bytes = body("v1", "ConfigMap", [...first, ...field(1, field(1, ascii("b"))), ...field(1, field(3, []))])
    expect(decodeProtobuf(bytes)).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "default" } })
    const twice = body("v1", "ConfigMap", field(1, [...field(1, ascii("a")), ...field(1, [])]))
    expect(decodeProtobuf(twice)).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: {} })
  })

  test("numbers may be packed", () => {
    const groups = field(2, field(14, field(4, [1, 2, 0x83, 0x01])))
    expect(decodeProtobuf(body("v1", "Pod", groups))).toMatchObject({ spec: { securityContext: { supplementalGroups: [1, 2, 131] } } })
  })

  test("an int64 beyond 2^53 has all its digits", () => {
    const generation = [0x38, ...Array(8).fill(0xff), 0x7f]
    expect(decodeProtobuf(body("v1", "ConfigMap", field(1, generation)))).toMatchObject({
      metadata: { generation: 9223372036854775807n },
    })
  })

  test("a list of anything holds JSON or whole bodies", () => {
    const inner = encodeProtobuf({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "inner" } })
    const items = [...field(2, field(1, ascii('{"kind":"X"}'))), ...field(2, field(1, Array.from(inner)))]
    const expected = [{ kind: "X" }, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "inner" } }]
    expect(decodeProtobuf(body("v1", "List", items))).toMatchObject({ items: expected })
  })
})

test("where the envelope names no type, the expected one stands in", () => {
  const bytes = Uint8Array.from([0x6b, 0x38, 0x73, 0, ...field(2, field(1, field(1, ascii("a"))))])
  const expected = { apiVersion: "v1", kind: "ConfigMap" }
  expect(decodeProtobuf(bytes, expected)).toEqual({ ...expected, metadata: { name: "a" } })
  expect(decodeProtobuf(body("v1", "Secret", []), expected)).toMatchObject({ kind: "Secret" })
})

test("protobuf bodies are known by their first four bytes", () => {
  expect(isProtobuf(Uint8Array.from([0x6b, 0x38, 0x73, 0]))).toBe(true)
  expect(isProtobuf(Uint8Array.from([0x6b, 0x38, 0x73]))).toBe(false)
  expect(isProtobuf(Uint8Array.from(ascii('{"kind":"Pod"}')))).toBe(false)
})

describe("bad bodies: the error names byte, message, field and rule", () => {
  const containerNameAsNumber = field(2, [...field(2, field(1, ascii("ok"))), ...field(2, [0x08, 1])])

  const cases: [name: string, bytes: Uint8Array, message: string][] = [
    ["nothing", new Uint8Array(), 'protobuf, byte 0: a Kubernetes protobuf body begins with the bytes 6b 38 73 00 ("k8s\\0")'],
    ["JSON", Uint8Array.from(ascii("{}")), 'protobuf, byte 0: a Kubernetes protobuf body begins with the bytes 6b 38 73 00 ("k8s\\0")'],
    [
      "a custom resource",
      body("example.com/v1", "Widget", []),
      'protobuf, byte 0: the kind "Widget" of "example.com/v1" has no protobuf form here; send it as JSON',
    ],
    ["no type", Uint8Array.from([0x6b, 0x38, 0x73, 0]), 'protobuf, byte 0: the kind "" of "" has no protobuf form here; send it as JSON'],
    [
      "another encoding",
      Uint8Array.from([0x6b, 0x38, 0x73, 0, ...field(3, ascii("gzip"))]),
      'protobuf, byte 4: the content encoding is empty, not "gzip"',
    ],
    [
      "a wrong wire type",
      body("v1", "Pod", containerNameAsNumber),
      "protobuf v1 Pod, core/v1.Container at spec.containers[1].name, byte 28: name has wire type 2, not 0",
    ],
    [
      "a length past the end",
      body("v1", "Pod", [0x0a, 9, 0x0a]),
      "protobuf v1 Pod, core/v1.Pod at metadata, byte 18: a length of 9 passes the end of its message, 1 bytes ahead",
    ],
    [
      "a group",
      body("v1", "Pod", [0x9b, 0x06]),
      "protobuf v1 Pod, core/v1.Pod, byte 19: field 99 is a group; groups are not used by Kubernetes",
    ],
    [
      "a bad IntOrString",
      body("v1", "Service", field(2, field(1, field(4, [8, 2])))),
      "protobuf v1 Service, core/v1.ServicePort at spec.ports[0].targetPort, byte 26: the type of an IntOrString is 0 or 1, not 2",
    ],
  ]
  test.each(cases)("%s", (_name, bytes, message) => {
    expect(() => decodeProtobuf(bytes)).toThrow(expect.objectContaining({ code: "INVALID", message }))
  })

  test("text that should be JSON", () => {
    const entry = field(7, field(1, ascii("{")))
    const bytes = body("v1", "Pod", field(1, [0x8a, 0x01, entry.length, ...entry]))
    expect(() => decodeProtobuf(bytes)).toThrow(
      "meta/v1.ManagedFieldsEntry at metadata.managedFields[0].fieldsV1, byte 26: these bytes are JSON text",
    )
  })

  test("messages in messages without end", () => {
    const not = (content: readonly number[]) => [0xe2, 0x01, ...length(content.length), ...content]
    let schema: number[] = []
    for (let depth = 0; depth < 300; depth++) schema = not(schema)
    const version = field(7, field(4, field(1, schema)))
    const bytes = body("apiextensions.k8s.io/v1", "CustomResourceDefinition", field(2, version))
    expect(() => decodeProtobuf(bytes)).toThrow("messages are nested at most 256 deep")
  })
})
