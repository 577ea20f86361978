import { describe, expect, test } from "vitest"
import { ruleAllows, urlMatches } from "./rule-allows.ts"
import { policyRule } from "./rule-text.ts"

const request = (verb: string, group: string, resource: string, subresource = "", name = "") => ({
  verb,
  group,
  version: "v1",
  resource,
  subresource,
  namespace: "",
  name,
})

describe("a rule of resources allows what all of its lists name", () => {
  test.each([
    ["* g1: r1", ["v1 g1 r1", "v2 g1 r1"], ["v1 g2 r1", "v1 g1 r2", "v2 g2 r2"]],
    ["v1 *: r1", ["v1 g1 r1", "v1 g2 r1"], ["v1 g1 r2", "v2 g1 r1", "v2 g2 r2"]],
    ["v1 g1: *", ["v1 g1 r1", "v1 g1 r2", "v1 g1 r2 sub"], ["v1 g2 r1", "v2 g1 r1", "v2 g2 r2"]],
    ["v1,v2 g1,g2: r1 r2", ["v1 g1 r1", "v2 g2 r2", "v1 g2 r1", "v2 g1 r2"], ["v3 g1 r1", "v1 g3 r1", "v1 g1 r3"]],
    ["* *: r1/s1", ["v1 g1 r1 s1", "v2 g1 r1 s1"], ["v1 g1 r1", "v1 g2 r1 s2", "v1 g1 r2 s1"]],
    ["* *: */scale", ["v1 g1 r1 scale", "v1 g1 r2 scale"], ["v1 g1 r1", "v1 g1 r1 status", "v1 g1 r1 autoscale"]],
    ["get *: pods", ["get core pods"], ["get core pods log"]],
    ["get *: pods/*", [], ["get core pods", "get core pods log"]],
    ["get core: pods named a b", ["get core pods _ a", "get core pods _ b"], ["get core pods", "get core pods _ c", "list core pods"]],
  ] as const)("%s", (line, allowed, refused) => {
    const rule = policyRule(line)
    const allows = (text: string) => {
      const [verb = "", group = "", resource = "", subresource = "", name = ""] = text.split(" ")
      return ruleAllows(rule, request(verb, group === "core" ? "" : group, resource, subresource === "_" ? "" : subresource, name))
    }
    expect(allowed.filter((text) => !allows(text))).toEqual([])
    expect(refused.filter(allows)).toEqual([])
  })
})

describe("a rule of paths allows exact paths, and all behind a star", () => {
  test.each([
    ["v1 *", ["v1 /foo", "v1 /foo/bar", "v1 /foo/bar/one"], ["v2 /foo", "v2 /foo/bar"]],
    ["v1 /foo/*", ["v1 /foo/bar", "v1 /foo/baz/one"], ["v1 /foo", "v1 /notfoo", "v1 /notfoo/bar", "v2 /foo/bar"]],
    ["* /foo /foo/bar/one", ["v1 /foo", "v2 /foo", "v1 /foo/bar/one"], ["v1 /foo/bar", "v1 /foo/baz", "v2 /foo/baz/one"]],
  ] as const)("%s", (line, allowed, refused) => {
    const allows = (text: string) => {
      const [verb = "", path = ""] = text.split(" ")
      return ruleAllows(policyRule(line), { verb, path })
    }
    expect(allowed.filter((text) => !allows(text))).toEqual([])
    expect(refused.filter(allows)).toEqual([])
  })
})

test("a rule of one form allows nothing of the other", () => {
  expect(ruleAllows(policyRule("* *: *"), { verb: "get", path: "/api" })).toBe(false)
  expect(ruleAllows(policyRule("* *"), request("get", "", "pods"))).toBe(false)
})

test.each([
  ["*", "", true],
  ["*", "/", true],
  ["*", "/api", true],
  ["/*", "", false],
  ["/*", "/", true],
  ["/*", "/foo", true],
  ["/api", "/api", true],
  ["/apis", "/api", false],
  ["/api/v1", "/api", false],
  ["/api/v1", "/api/v1", true],
  ["/api/*", "/api/v1", true],
  ["/api/*", "/api", false],
  ["/api/*/*", "/api/v1", false],
  ["/*/v1/*", "/api/v1", false],
])("the URL %s stands for %s: %s", (url, path, matches) => {
  expect(urlMatches(url, path)).toBe(matches)
})
