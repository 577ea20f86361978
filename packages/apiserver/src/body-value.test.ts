import { encodeProtobuf } from "@pilothouse/api/protobuf"
import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "./test-server.ts"

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

  test("another type is a 415 that lists what is accepted", async () => {
    expect(statusIn(await send(text("x"), "text/plain"))).toMatchObject({
      code: 415,
      message:
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    })
  })
})
