import { expect, test } from "vitest"
import { foreignRequest } from "./request-guard.ts"

test.each([
  ["127.0.0.1"],
  ["127.0.0.1:15014"],
  ["10.244.0.7:8080"],
  ["localhost:15014"],
  ["LocalHost"],
  ["[::1]:15014"],
  ["[fe80::1%eth0]:80"],
  ["metrics.example:9090"],
])("Host %s is taken", (host) => {
  expect(foreignRequest({ host }, ["metrics.example"])).toBeUndefined()
})

test("a configured name is accepted in any case", () => {
  expect(foreignRequest({ host: "metrics.EXAMPLE:9090" }, ["Metrics.Example"])).toBeUndefined()
})

test.each([
  ["evil.example"],
  ["evil.example:15014"],
  ["127.0.0.1.evil.example"],
  ["localhost.evil.example"],
  ["127.0.0.256"],
  ["1.2.3"],
  ["127.0.0.1:port"],
  ["127.0.0.1:1:2"],
  ["[abc]"],
  ["[::1"],
  ["localhost@evil.example"],
  [""],
])("Host %s, a name that DNS may resolve to this machine, is refused", (host) => {
  expect(foreignRequest({ host })).toContain(`found ${JSON.stringify(host)}`)
})

test("a request without Host is refused", () => {
  expect(foreignRequest({})).toContain("expected an IP address or localhost as Host")
})

test.each([["http://evil.example"], ["null"], ["http://127.0.0.1:1"], ["https://127.0.0.1:15014"]])(
  "a page from %s has no access",
  (origin) => {
    expect(foreignRequest({ host: "127.0.0.1:15014", origin })).toContain(`found one from ${JSON.stringify(origin)}`)
  },
)

test("a page of the port itself has access", () => {
  expect(foreignRequest({ host: "127.0.0.1:15014", origin: "http://127.0.0.1:15014" })).toBeUndefined()
})
