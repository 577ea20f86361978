import { describe, expect, test } from "vitest"
import { inTurns } from "../../request/turns.ts"
import { compactRules, ruleText, TooManyRights, uncovered, uncoveredInSteps } from "./covers.ts"
import { policyRule } from "./rule-text.ts"

const rules = (lines: readonly string[]) => lines.map(policyRule)

describe("rights that the owner's rules do not cover", () => {
  test.each([
    ["an exact match", ["get v1: builds"], ["get v1: builds"], []],
    ["a star for a subresource of all", ["get v1: */scale"], ["get v1: foo/scale"], []],
    [
      "several rules together",
      ["delete v1: deployments", "delete v1: builds", "update v1: builds deployments"],
      ["delete,update v1: builds deployments"],
      [],
    ],
    [
      "several groups together",
      ["delete g1: a", "delete g1: b", "update g1: a b", "delete g2: a", "delete g2: b", "update g2: a b"],
      ["delete,update g1,g2: a b"],
      [],
    ],
    [
      "one rule of several groups",
      ["delete,update g1,g2: a b"],
      ["delete g1: a", "delete g1: b", "update g1: a b", "delete g2: a", "delete g2: b", "update g2: a b"],
      [],
    ],
    [
      "one verb of one resource is missing",
      ["delete,update v1: builds deployments", "delete v1: pods"],
      ["delete,update v1: builds deployments pods"],
      ["update v1: pods"],
    ],
    ["a star of groups covers groups", ["get *: roles"], ["get g1,g2: roles"], []],
    ["groups do not cover a star", ["get g1: roles"], ["get *: roles"], ["get *: roles"]],
    ["a star of groups covers a star", ["get *: roles"], ["get *: roles"], []],
    ["a star of verbs covers verbs", ["* v1: roles"], ["list,watch v1: roles"], []],
    ["verbs do not cover a star", ["read,write,exec v1: roles"], ["* v1: roles"], ["* v1: roles"]],
    ["a star of verbs covers a star", ["* v1: roles"], ["* v1: roles"], []],
    ["a star of resources covers resources", ["get v1: *"], ["get v1: group:deployments"], []],
    ["resources do not cover a star", ["get v1: roles deployments"], ["get v1: *"], ["get v1: *"]],
    ["a star of resources covers a star", ["get v1: *"], ["get v1: *"], []],
    ["all names cover some", ["get v1: pods"], ["get v1: pods named foo bar"], []],
    ["some names do not cover all", ["get v1: pods named foo bar"], ["get v1: pods"], ["get v1: pods"]],
    ["a name that is missing", ["get v1: pods named foo"], ["get v1: pods named foo bar"], ["get v1: pods named bar"]],
    ["a path", ["* /apis"], ["* /apis"], []],
    ["a star of paths", ["* *"], ["* /apis /apis/v1 /"], []],
    ["a star behind a prefix does not cover the prefix", ["* /apis/*"], ["get /apis /apis/v1"], ["get /apis"]],
    ["a star behind a prefix", ["* /apis/*"], ["get /apis/v1/foo /apis/v1"], []],
  ] as const)("%s", (_name, owner, servant, missing) => {
    expect(uncovered(rules(owner), rules(servant))).toEqual(rules(missing))
  })

  const both = { ...policyRule("get v1: builds"), nonResourceURLs: ["/apis"] }

  test("a rule of both forms covers itself, and one of resources does not cover its paths", () => {
    expect(uncovered([both], [both])).toEqual([])
    expect(uncovered(rules(["get v1: builds"]), [both])).toEqual(rules(["get /apis"]))
  })
})

describe("compact rules", () => {
  test.each([
    ["nothing", [], []],
    [
      "verbs of one resource and one name are joined",
      ["get core: builds", "list core: builds", "patch,update core: builds", "create e: d", "get e: d named foo", "list e: d named foo"],
      ["get,list,patch,update core: builds", "create e: d", "get,list e: d named foo"],
    ],
    [
      "rules of several groups stay",
      ["get core,b.io: builds", "list core,b.io: builds"],
      ["get core,b.io: builds", "list core,b.io: builds"],
    ],
    [
      "rules of several resources stay",
      ["get core: builds images", "list core: builds images"],
      ["get core: builds images", "list core: builds images"],
    ],
    ["names differ", ["get core: builds named a", "list core: builds named b"], ["get core: builds named a", "list core: builds named b"]],
    [
      "several names stay",
      ["get core: builds named a b", "list core: builds named a b"],
      ["get core: builds named a b", "list core: builds named a b"],
    ],
    ["paths stay", ["get /", "get /foo"], ["get /", "get /foo"]],
  ] as const)("%s", (_name, given, expected) => {
    const compacted = compactRules(rules(given))
    expect(compacted).toEqual(rules(expected))
    expect(uncovered(compacted, rules(given))).toEqual([])
    expect(uncovered(rules(given), compacted)).toEqual([])
  })

  test.each([
    ["no group", { verbs: ["get"], apiGroups: [], resources: ["builds"] }],
    ["no resource", { verbs: ["get"], apiGroups: [""], resources: [] }],
    ["nothing but verbs", { verbs: ["get"] }],
    ["paths beside resources", { verbs: ["get"], apiGroups: [""], resources: ["builds"], nonResourceURLs: ["/"] }],
  ])("a rule with %s is not joined", (_name, rule) => {
    expect(compactRules([rule, rule])).toEqual([rule, rule])
  })

  test("an empty name is a name", () => {
    const named = { ...policyRule("get core: builds"), resourceNames: [""] }
    expect(compactRules([named, policyRule("list core: builds"), named])).toEqual([
      { ...named, verbs: ["get", "get"] },
      policyRule("list core: builds"),
    ])
  })

  test("verbs keep the order in which they come", () => {
    expect(compactRules(rules(["watch core: pods", "get core: pods"]))).toMatchObject([{ verbs: ["watch", "get"] }])
  })

  test.each([
    ["get,list core: pods", '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}'],
    ["get apps: deployments named a", '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["a"], Verbs:["get"]}'],
    ["get /healthz", '{NonResourceURLs:["/healthz"], Verbs:["get"]}'],
  ])("%s is shown as %s", (line, text) => {
    expect(ruleText(policyRule(line))).toBe(text)
  })
})

const inOneTurn = (...rights: Parameters<typeof uncoveredInSteps>) => inTurns(uncoveredInSteps(...rights), () => undefined)
const texts = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

test("a rule of 27 million rights is refused before they are made", () => {
  const wide = { apiGroups: texts(300, "g"), resources: texts(300, "r"), verbs: texts(300, "v") }
  expect(() => inOneTurn([], [wide])).toThrow(new TooManyRights("expected a role of at most 100000 single rights, found 27000000"))
})

test("rights that would be compared with too many rules are refused", () => {
  const owner = texts(20_000, "g").map((group) => ({ apiGroups: [group], resources: ["r"], verbs: ["get"] }))
  expect(() => inOneTurn(owner, [{ apiGroups: texts(1000, "h"), resources: ["r"], verbs: ["get"] }])).toThrow(TooManyRights)
})

test("50,000 rights of one resource are joined and looked up in linear time", () => {
  const rule = { apiGroups: ["g"], resources: ["r"], verbs: texts(50_000, "v") }
  const start = process.cpuUsage()
  expect(inOneTurn([rule], [rule])).toEqual([])
  const missing = inOneTurn([], [rule])
  if (missing instanceof Promise) throw new Error("expected no pause")
  expect(compactRules(missing)).toEqual([rule])
  const { user, system } = process.cpuUsage(start)
  expect((user + system) / 1000).toBeLessThan(500)
})
