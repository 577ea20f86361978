import fc from "fast-check"
import { expect, test } from "vitest"
import { requestInfoOf } from "./request/request-info.ts"
import { everyWay, statusIn } from "./testing/server.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"

// What a client sends is measured before it is read: no length of it holds the process up.
everyWay("bounds of a request", (testServer, way) => {
  const get = (path: string, query: Record<string, string> = {}) => testServer().transport({ verb: "GET", path, query, headers: {} })

  test("a path of more than 8 KiB is refused, also below a public one", async () => {
    for (const path of [`/healthz${"/".repeat(10_000)}x`, `/api/v1/${"/".repeat(10_000)}`]) {
      const response = await get(path)
      expect(response.status).toBe(414)
      expect(statusIn(response)).toMatchObject({ code: 414, message: "the path of the request is too long: limit is 8192" })
    }
  })

  test("a path of 8 KiB is read", async () => {
    expect((await get(`/healthz/${"/".repeat(8000)}x`)).status).toBe(404)
  })

  test.each([
    ["timeout", `${"1".repeat(10_000)}x`, `invalid timeout specified in the request URL - time: invalid duration "${"1".repeat(10_000)}x"`],
    ["labelSelector", "!a,".repeat(30_000), "labelSelector is too long: expected at most 65536 characters, found 90000"],
    ["fieldSelector", "a=b,".repeat(20_000), "fieldSelector is too long: expected at most 65536 characters, found 80000"],
    ["continue", "a".repeat(5000), "invalid continue token: continue key is not valid: expected at most 4096 characters, found 5000"],
    [
      "resourceVersion",
      "1".repeat(21),
      `invalid resource version: resourceVersion: Invalid value: "${"1".repeat(21)}": strconv.ParseUint: parsing "${"1".repeat(21)}": value out of range`,
    ],
  ])("%s", async (name, value, message) => {
    // Node's client does not send headers of that length over HTTP/2.
    if (way.startsWith("over TLS") && value.length > 64_000) return
    const response = await get(configMaps, { [name]: value })
    // Only the HTTP edge has a time limit.
    if (name === "timeout" && response.status === 200) return
    expect(statusIn(response)).toMatchObject({ code: 400, message })
  })

  test.each([
    ["aliases", `a: &a [x]\nb: [${"*a,".repeat(76_000)}]`],
    ["fields", "k: v\n".repeat(30_000)],
  ])("YAML of more than 150,000 tokens in %s is refused before it is composed", async (_what, text) => {
    const body = { type: "bytes", bytes: new TextEncoder().encode(text), contentType: "application/yaml" } as const
    const response = await testServer().transport({ verb: "POST", path: configMaps, query: {}, headers: {}, body })
    expect(statusIn(response)).toMatchObject({ code: 413, message: "Request entity too large: limit of YAML is 150000 tokens; send JSON" })
  })

  test("YAML of more than 256 KiB is refused", async () => {
    const bytes = new TextEncoder().encode(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: ${"x".repeat(256 * 1024)}}`)
    const body = { type: "bytes", bytes, contentType: "application/yaml" } as const
    const response = await testServer().transport({ verb: "POST", path: configMaps, query: {}, headers: {}, body })
    expect(statusIn(response)).toMatchObject({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: limit of YAML is 262144 bytes; send JSON",
    })
  })
})

everyWay("bodies with very many fields", (testServer, way) => {
  const post = (text: string, query: Record<string, string> = {}) => {
    const body = { type: "bytes", bytes: new TextEncoder().encode(text), contentType: "application/json" } as const
    return testServer().transport({ verb: "POST", path: configMaps, query, headers: {}, body })
  }

  test("more than 75,000 values are refused before they are checked", async () => {
    const response = await post(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":[${"{},".repeat(300_000)}{}]}}`)
    expect(statusIn(response)).toMatchObject({ code: 413, message: "Request entity too large: limit of fields and list items is 75000" })
  })

  test("paths of unknown and duplicate fields are cut: a key as long as the body was repeated for each", async () => {
    // Node's client takes no warnings of that length over HTTP/1.1 and HTTP/2.
    if (way.startsWith("over TLS")) return
    const key = "k".repeat(100_000)
    const unknown = Array.from({ length: 500 }, (_, at) => `"u${at}":1`).join(",")
    const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","${key}":1,"ownerReferences":[{${unknown}}],"name":"a"}}`
    const response = await post(text, { fieldValidation: "Strict" })
    const { message = "" } = statusIn(response)
    expect(message).toContain(`unknown field "metadata.${"k".repeat(512)}…"`)
    expect(message.match(/unknown field/g)).toHaveLength(100)
    expect(message.length).toBeLessThan(10_000)
  })
})

test("slashes at both ends of a path are passed over, as before", () => {
  const old = (path: string) => path.replace(/^\/+|\/+$/g, "")
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("/", "a"), maxLength: 12 }), (tail) => {
      expect(requestInfoOf(`/api/v1/${tail}`)).toEqual(requestInfoOf(`/${old(`/api/v1/${tail}`)}`))
    }),
  )
})
