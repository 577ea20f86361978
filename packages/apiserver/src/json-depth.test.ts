import { expect, test } from "vitest"
import { tooDeep } from "./json-depth.ts"
import { everyWay, statusIn, type TestServer } from "./test-server.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`

test.each([
  ["as deep as it may be", nested(999), undefined],
  ["one deeper", nested(1000), "["],
  ["objects", '{"a":'.repeat(1001), "{"],
  ["brackets in a text", `{"a":"${"[".repeat(5000)}"}`, undefined],
  ["brackets behind a mark that is escaped", String.raw`{"a":"\"` + "[".repeat(5000) + '"}', undefined],
  ["a text that does not end", `{"a":"${"x".repeat(5000)}`, undefined],
  ["many beside each other", `[${"[],".repeat(5000)}[]]`, undefined],
])("%s", (_what, text, bracket) => {
  expect(tooDeep(bytes(text))).toBe(bracket)
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

  function send(
    api: TestServer,
    { verb, path, contentType }: { verb: "POST" | "PUT" | "PATCH" | "DELETE"; path: string; contentType: string },
  ) {
    return api.transport({
      verb,
      path,
      query: {},
      headers: { "content-type": contentType },
      body: { type: "bytes", bytes: deep, contentType },
    })
  }
})

const path = "/api/v1/namespaces/default/configmaps"
