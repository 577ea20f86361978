import { encodeProtobuf } from "@pilothouse/api/protobuf"
import { describe, expect, test, vi } from "vitest"
import { everyWay, objectIn, statusIn, testServer } from "../testing/server.ts"

const path = "/api/v1/namespaces/default/configmaps"
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } }

const text = (value: string) => new TextEncoder().encode(value)

everyWay("a body of bytes", (testServer) => {
  const send = (bytes: Uint8Array, contentType: string) =>
    testServer().transport({ verb: "POST", path, query: {}, headers: {}, body: { type: "bytes", bytes, contentType } })

  test.each([
    ["application/json", text(JSON.stringify(configMap))],
    ["", text(JSON.stringify(configMap))],
    ["application/json; charset=utf-8", text(JSON.stringify(configMap))],
    ["application/yaml", text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n")],
    ["application/vnd.kubernetes.protobuf", encodeProtobuf(configMap)],
  ])("bytes of type %j are understood", async (contentType, bytes) => {
    expect(objectIn(await send(bytes, contentType), 201)).toMatchObject({ metadata: { name: "a", namespace: "default" }, data: { k: "v" } })
  })

  test.each([
    ["application/json", "{"],
    ["application/yaml", "a: [b"],
    ["application/vnd.kubernetes.protobuf", "nonsense"],
    ["application/json", "[]"],
    ["application/json", ""],
  ])("a broken body of type %s is a 400: %j", async (contentType, body) => {
    expect(statusIn(await send(text(body), contentType))).toMatchObject({ code: 400, reason: "BadRequest" })
  })

  test.each([
    ["refused in YAML's words in an apply", "PATCH", "application/apply-patch+yaml", undefined],
    ["replaced in JSON", "POST", "application/json", "\ufffd"],
  ] as const)("bytes that are no text are %s", async (_title, verb, contentType, expected) => {
    const [before = "", after = ""] = JSON.stringify({ ...configMap, data: { k: "?" } }).split("?")
    const bytes = Uint8Array.from([...text(before), 0xff, ...text(after)])
    const body = { type: "bytes", bytes, contentType } as const
    const query = { fieldManager: "m" }
    const answer = await testServer().transport({ verb, path: verb === "POST" ? path : `${path}/a`, query, headers: {}, body })
    if (expected !== undefined) expect(objectIn(answer, 201).data).toEqual({ k: expected })
    else expect(statusIn(answer)).toMatchObject({ code: 400, message: expect.stringContaining("yaml: invalid leading UTF-8 octet") })
  })

  test("another type is a 415 that lists what is accepted", async () => {
    expect(statusIn(await send(text("x"), "text/plain"))).toMatchObject({
      code: 415,
      message:
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    })
  })

  describe.each([
    [
      "application/yaml",
      'metadata:\n  name: a\n  name: b\ndata:\n  k: "1"\n  k: "2"\nfoo: 1\nfoo: 2\nbar: 1\n',
      [
        'line 3: key "name" already set in map',
        'line 6: key "k" already set in map',
        'line 8: key "foo" already set in map',
        'unknown field "bar"',
        'unknown field "foo"',
      ],
      'yaml: unmarshal errors:\n  line 3: key "name" already set in map\n  line 6: key "k" already set in map\n  line 8: key "foo" already set in map, unknown field "bar", unknown field "foo"',
    ],
    [
      "application/json",
      '{"zed":1,"metadata":{"name":"a","name":"b","bad":1},"data":{"k":"1","k":"2"},"foo":1,"foo":2,"bar":{"a":1,"a":2}}',
      [
        'unknown field "zed"',
        'duplicate field "metadata.name"',
        'unknown field "metadata.bad"',
        'duplicate field "data.k"',
        'unknown field "foo"',
        'unknown field "bar"',
      ],
      'unknown field "zed", duplicate field "metadata.name", unknown field "metadata.bad", duplicate field "data.k", unknown field "foo", unknown field "bar"',
    ],
  ])("fields that %s has twice", (contentType, body, warnings, refusal) => {
    const sendWith = (fieldValidation: string) =>
      testServer().transport({
        verb: "POST",
        path,
        query: fieldValidation === "" ? {} : { fieldValidation },
        headers: {},
        body: { type: "bytes", bytes: text(body), contentType },
      })

    test.each(["", "Warn"])("are warned of with fieldValidation=%s, and the last one counts", async (fieldValidation) => {
      const answer = await sendWith(fieldValidation)
      expect(objectIn(answer, 201)).toMatchObject({ metadata: { name: "b" }, data: { k: "2" } })
      expect(answer.headers.warning).toBe(warnings.map((warning) => `299 - ${JSON.stringify(warning)}`).join(", "))
    })

    test("are taken without a word with Ignore", async () => {
      const answer = await sendWith("Ignore")
      expect(objectIn(answer, 201).data).toEqual({ k: "2" })
      expect(answer.headers.warning).toBeUndefined()
    })

    test("are refused with Strict", async () => {
      expect(statusIn(await sendWith("Strict"))).toMatchObject({
        code: 400,
        message: `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${refusal}`,
      })
    })
  })

  describe.each([
    [
      "application/merge-patch+json",
      '{"data":{"a":"1","a":"2"},"zed":1,"zed":2}',
      ['duplicate field "data.a"', 'duplicate field "zed"', 'unknown field "zed"'],
    ],
    ["application/strategic-merge-patch+json", '{"data":{"a":"1","a":"2"},"zed":1}', ['duplicate field "data.a"', 'unknown field "zed"']],
    [
      "application/json-patch+json",
      '[{"op":"add","path":"/data","value":{"a":"1","a":"2"},"value":{"a":"2"},"foo":1},{"op":"add","path":"/zed","value":1}]',
      [
        'json patch duplicate field "[0].value.a"',
        'json patch duplicate field "[0].value"',
        'json patch unknown field "[0].foo"',
        'unknown field "zed"',
      ],
    ],
  ])("fields that %s has twice", (contentType, body, warnings) => {
    const patchWith = async (fieldValidation: string) => {
      const api = testServer()
      await api.post(path, { metadata: { name: "a" } })
      return api.transport({
        verb: "PATCH",
        path: `${path}/a`,
        query: { fieldValidation },
        headers: {},
        body: { type: "bytes", bytes: text(body), contentType },
      })
    }

    test("are warned of, and the last one counts", async () => {
      const answer = await patchWith("Warn")
      expect(objectIn(answer).data).toEqual({ a: "2" })
      expect(answer.headers.warning).toBe(warnings.map((warning) => `299 - ${JSON.stringify(warning)}`).join(", "))
    })

    test("are refused with Strict, and taken without a word with Ignore", async () => {
      const status = statusIn(await patchWith("Strict"))
      expect(status).toMatchObject({ code: 422, reason: "Invalid" })
      expect(status.message).toContain(`strict decoding error: ${warnings.join(", ")}`)
      expect((await patchWith("Ignore")).headers.warning).toBeUndefined()
    })
  })
})

test("virtual time stands still while the library of YAML is loaded", async () => {
  const { clock, transport } = testServer()
  const external = vi.spyOn(clock, "external")
  const body = { type: "bytes", bytes: text("metadata: {name: a}"), contentType: "application/yaml" } as const
  expect(await transport({ verb: "POST", path, query: {}, headers: {}, body })).toMatchObject({ status: 201 })
  expect(external.mock.calls.map(([, name]) => name)).toEqual(["loading the YAML library"])
})
