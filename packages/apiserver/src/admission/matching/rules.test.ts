import { describe, expect, test } from "vitest"
import { type MatchRule, type RuleTarget, ruleMatches } from "./rules.ts"

const everything: MatchRule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }
const target: RuleTarget = {
  operation: "CREATE",
  group: "apps",
  version: "v1",
  plural: "deployments",
  subresource: "",
  isNamespaced: true,
  name: "web",
}

const matching: Record<string, [Partial<MatchRule>, Partial<RuleTarget>]> = {
  "every list has a star": [{}, {}],
  "the group is listed": [{ apiGroups: ["batch", "apps"] }, {}],
  "the core group is the empty word": [{ apiGroups: [""] }, { group: "" }],
  "the version is listed": [{ apiVersions: ["v1beta1", "v1"] }, {}],
  "the operation is listed": [{ operations: ["UPDATE", "CREATE"] }, {}],
  "a connection": [{ operations: ["CONNECT"] }, { operation: "CONNECT", subresource: "exec" }],
  "the resource is listed": [{ resources: ["pods", "deployments"] }, {}],
  "a star is every resource": [{ resources: ["*"] }, {}],
  "a subresource by its name": [{ resources: ["deployments/scale"] }, { subresource: "scale" }],
  "every subresource of one resource": [{ resources: ["deployments/*"] }, { subresource: "status" }],
  "every subresource of one resource, and the resource itself": [{ resources: ["deployments/*"] }, {}],
  "one subresource of every resource": [{ resources: ["*/scale"] }, { subresource: "scale" }],
  "scope Namespaced in a namespace": [{ scope: "Namespaced" }, {}],
  "scope Cluster outside of one": [{ scope: "Cluster" }, { isNamespaced: false }],
  "scope * is both": [{ scope: "*" }, { isNamespaced: false }],
  "an object by its name": [{ resourceNames: ["web"] }, {}],
  "no names are every name": [{ resourceNames: [] }, {}],
}

const others: Record<string, [Partial<MatchRule>, Partial<RuleTarget>]> = {
  "another group": [{ apiGroups: ["batch"] }, {}],
  "another version": [{ apiVersions: ["v1beta1"] }, {}],
  "another operation": [{ operations: ["DELETE"] }, {}],
  "another resource": [{ resources: ["pods"] }, {}],
  "a star leaves subresources out": [{ resources: ["*"] }, { subresource: "status" }],
  "a resource leaves its subresources out": [{ resources: ["deployments"] }, { subresource: "status" }],
  "another subresource": [{ resources: ["deployments/scale"] }, { subresource: "status" }],
  "a subresource leaves its resource out": [{ resources: ["deployments/scale"] }, {}],
  "a subresource of every resource leaves those out": [{ resources: ["*/scale"] }, {}],
  "scope Namespaced outside of a namespace": [{ scope: "Namespaced" }, { isNamespaced: false }],
  "scope Cluster in one": [{ scope: "Cluster" }, {}],
  "a scope that does not exist": [{ scope: "Planet" as never }, {}],
  "another name": [{ resourceNames: ["api"] }, {}],
  "a name that the server makes": [{ resourceNames: ["web"] }, { name: "" }],
  "an empty list": [{ apiGroups: [] }, {}],
}

describe("a rule matches", () => {
  test.each(Object.entries(matching))("%s", (_, [rule, about]) => {
    expect(ruleMatches({ ...everything, ...rule }, { ...target, ...about })).toBe(true)
  })
})

describe("a rule does not match", () => {
  test.each(Object.entries(others))("%s", (_, [rule, about]) => {
    expect(ruleMatches({ ...everything, ...rule }, { ...target, ...about })).toBe(false)
  })
})
