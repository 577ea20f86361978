import type { PolicyRule } from "@pilothouse/api/rbac/v1"
import { describe, expect, test } from "vitest"
import type { Attributes } from "../authorizer.ts"
import { RuleLists, ruleAllows, urlMatches } from "./rule-allows.ts"
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

const lists = new RuleLists()
const others = Array.from({ length: 40 }, (_, at) => [policyRule(`get g${at}: r${at} r${at}/s`), policyRule(`get /path${at}/*`)]).flat()

/** Whether a rule allows a request, alone and among many that do not: both have to say the same. */
function isAllowed(rule: PolicyRule, what: Attributes): boolean {
  const alone = ruleAllows(rule, what)
  expect(lists.allow([...others, rule], what)).toBe(alone)
  expect(lists.allow([rule], what)).toBe(alone)
  return alone
}

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
      return isAllowed(rule, request(verb, group === "core" ? "" : group, resource, subresource === "_" ? "" : subresource, name))
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
      return isAllowed(policyRule(line), { verb, path })
    }
    expect(allowed.filter((text) => !allows(text))).toEqual([])
    expect(refused.filter(allows)).toEqual([])
  })
})

test("a long list allows what any of its rules does, and is found again", () => {
  expect(others.length).toBeGreaterThan(32)
  for (const at of [0, 20, 39]) {
    expect(lists.allow(others, request("get", `g${at}`, `r${at}`))).toBe(true)
    expect(lists.allow(others, request("get", `g${at}`, `r${at}`, "s"))).toBe(true)
    expect(lists.allow(others, request("get", `g${at + 1}`, `r${at}`))).toBe(false)
    expect(lists.allow(others, { verb: "get", path: `/path${at}/x` })).toBe(true)
  }
  expect(lists.allow(others, { verb: "get", path: "/other" })).toBe(false)
})

test("a rule of one form allows nothing of the other", () => {
  expect(isAllowed(policyRule("* *: *"), { verb: "get", path: "/api" })).toBe(false)
  expect(isAllowed(policyRule("* *"), request("get", "", "pods"))).toBe(false)
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
