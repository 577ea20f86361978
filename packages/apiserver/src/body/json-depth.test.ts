import { expect, test } from "vitest"
import { everyWay, statusIn, type TestServer } from "../testing/server.ts"
import { cutDeep, tooDeep } from "./json-depth.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`

test.each([
  ["as deep as it may be", nested(9_999), undefined],
  ["one deeper", nested(10_000), "["],
  ["objects", '{"a":'.repeat(10_001), "{"],
  ["brackets in a text", `{"a":"${"[".repeat(50_000)}"}`, undefined],
  ["brackets behind a mark that is escaped", String.raw`{"a":"\"` + "[".repeat(50_000) + '"}', undefined],
  ["a text that does not end", `{"a":"${"x".repeat(50_000)}`, undefined],
  ["many beside each other", `[${"[],".repeat(50_000)}[]]`, undefined],
])("%s", (_what, text, bracket) => {
  expect(tooDeep(bytes(text))).toBe(bracket)
})

test("what is too deep to be worked with is cut off, and can still be seen to be", () => {
  const value: unknown = JSON.parse(nested(9_000))
  cutDeep(value)
  expect(tooDeep(bytes(JSON.stringify(value)), 1000)).toBe("[")
  expect(tooDeep(bytes(JSON.stringify(value)), 1002)).toBeUndefined()
  const shallow = { a: [{ b: { c: 1 } }] }
  cutDeep(shallow)
  expect(shallow).toEqual({ a: [{ b: { c: 1 } }] })
})

everyWay("a body that is nested too deep", (testServer) => {
  const deep = bytes(`{"metadata":{"name":"a"},"data":${"[".repeat(50_000)}${"]".repeat(50_000)}}`)

  test.each([
    ["POST", "", "application/json"],
    ["PUT", "/a", "application/json"],
    ["DELETE", "/a", "application/json"],
    ["PATCH", "/a", "application/merge-patch+json"],
    ["PATCH", "/a", "application/strategic-merge-patch+json"],
    ["PATCH", "/a", "application/json-patch+json"],
  ] as const)("%s %s of %s is a 400", async (verb, rest, contentType) => {
    const api = testServer()
    await api.post(path, { metadata: { name: "a" } })
    const status = statusIn(await send(api, { verb, path: `${path}${rest}`, contentType }))
    expect(status).toMatchObject({ kind: "Status", code: 400, reason: "BadRequest" })
    expect(status.message).toContain("exceeded max depth")
  })

  test("what no schema knows may be nested as deep as upstream lets it", async () => {
    const body = bytes(`{"metadata":{"name":"a"},"strange":${"[".repeat(9_999)}${"]".repeat(9_999)}}`)
    const answer = await send(testServer(), { verb: "POST", path, contentType: "application/json" }, body)
    expect(answer.status).toBe(201)
    expect(answer.headers.warning).toBe('299 - "unknown field \\"strange\\""')
  })

  test.each([
    ["what is kept", `{"metadata":{"name":"a"},"revision":1,"data":{"a":${"[".repeat(2000)}${"]".repeat(2000)}}}`],
    ["a list", `${"[".repeat(9_999)}${"]".repeat(9_999)}`],
    ["a label", `{"metadata":{"name":"a","labels":{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}}}`],
    ["one with a kind that is none", `{"kind":1,"data":${"[".repeat(9_000)}${"]".repeat(9_000)}}`],
  ])("%s may not: a 400", async (_what, body) => {
    const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions"
    const answer = await send(testServer(), { verb: "POST", path: revisions, contentType: "application/json" }, bytes(body))
    expect(statusIn(answer)).toMatchObject({ code: 400, reason: "BadRequest" })
  })

  test.each([
    ["PUT", `{"metadata":{"name":"a","labels":${"[".repeat(9_000)}${"]".repeat(9_000)}}}`],
    ["DELETE", `{"metadata":${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}}`],
    ["DELETE", `{"apiVersion":${"[".repeat(9_000)}${"]".repeat(9_000)}}`],
  ] as const)("%s of such a body is no fault of the server", async (verb, body) => {
    const api = testServer()
    await api.post(path, { metadata: { name: "a" } })
    const answer = await send(api, { verb, path: `${path}/a`, contentType: "application/json" }, bytes(body))
    expect(answer.status).toBeLessThan(500)
    expect(api.lines).toEqual([])
  })

  test("YAML that is nested too deep is a 400", async () => {
    const body = bytes(`metadata: {name: a}\ndata: ${"[".repeat(20_000)}${"]".repeat(20_000)}`)
    const answer = await send(testServer(), { verb: "POST", path, contentType: "application/yaml" }, body)
    expect(statusIn(answer)).toMatchObject({ code: 400, reason: "BadRequest" })
  })

  function send(
    api: TestServer,
    { verb, path, contentType }: { verb: "POST" | "PUT" | "PATCH" | "DELETE"; path: string; contentType: string },
    body = deep,
  ) {
    return api.transport({
      verb,
      path,
      query: {},
      headers: { "content-type": contentType },
      body: { type: "bytes", bytes: body, contentType },
    })
  }
})

const path = "/api/v1/namespaces/default/configmaps"
