import { expect, test } from "vitest"
import type { Authorizer, Decision } from "../authorizer.ts"
import { noRules } from "../authorizer.ts"
import { alwaysDeny, privilegedGroupAuthorizer } from "../fixed-authorizers.ts"
import { unionAuthorizer } from "./modes.ts"

const who = { name: "u", groups: [] }
const what = { verb: "get", path: "/x" }
const saying = (decision: Decision | Promise<Decision>): Authorizer => ({ authorize: () => decision, rules: () => noRules })
const no = (reason?: string): Decision => ({ allowed: false, ...(reason !== undefined && { reason }) })

test.each([
  ["the first that allows decides", [no("a"), { allowed: true, reason: "b" }, no("c")], { allowed: true, reason: "b" }],
  [
    "the first that denies decides",
    [no("a"), { allowed: false, denied: true, reason: "b" }, { allowed: true }],
    { allowed: false, denied: true, reason: "b" },
  ],
  ["reasons of no opinion are joined", [no("a"), no(), no("c")], { allowed: false, reason: "a\nc" }],
  ["no authorizer has no opinion", [], { allowed: false }],
] as const)("%s", async (_name, decisions, expected) => {
  const all = decisions.map((decision) => saying(decision))
  expect(unionAuthorizer(all).authorize(who, what)).toEqual(expected)
  const later = decisions.map((decision) => saying(Promise.resolve(decision)))
  expect(await unionAuthorizer(later).authorize(who, what)).toEqual(expected)
})

test("rules of all authorizers are joined, with their errors", async () => {
  const some = { resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }], nonResourceRules: [], incomplete: true }
  const one: Authorizer = { authorize: () => no(), rules: () => ({ ...some, evaluationError: "e1" }) }
  const two: Authorizer = { authorize: () => no(), rules: () => Promise.resolve({ ...noRules, evaluationError: "e2" }) }
  expect(await unionAuthorizer([alwaysDeny, one, two]).rules(who, "ns")).toEqual({ ...some, evaluationError: "[e1, e2]" })
})

test("system:masters passes before a mode that refuses everything", () => {
  const union = unionAuthorizer([privilegedGroupAuthorizer, alwaysDeny])
  expect(union.authorize({ name: "u", groups: ["system:masters"] }, what)).toEqual({ allowed: true })
  expect(union.authorize(who, what)).toEqual({ allowed: false, reason: "Everything is forbidden." })
})
