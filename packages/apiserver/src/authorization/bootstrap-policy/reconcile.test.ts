import type { ClusterRole, ClusterRoleBinding } from "@pilothouse/api/rbac/v1"
import { describe, expect, test } from "vitest"
import { policyRule } from "../rbac/rule-text.ts"
import { bootstrapPolicy } from "./policy-objects.ts"
import { reconcileBinding, reconcileRole } from "./reconcile.ts"

type Texts = Readonly<Record<string, string>>

const role = (lines: readonly string[], labels?: Texts, annotations?: Texts): ClusterRole => ({
  kind: "ClusterRole",
  apiVersion: "rbac.authorization.k8s.io/v1",
  metadata: { name: "r", ...(labels && { labels }), ...(annotations && { annotations }) },
  rules: lines.map(policyRule),
})
const aggregated = (names: readonly string[], lines: readonly string[] = []): ClusterRole => ({
  ...role(lines),
  aggregationRule: { clusterRoleSelectors: names.map((name) => ({ matchLabels: { [name]: "bar" } })) },
})

const [get, write, both] = ["get core: pods", "create,delete,update core: pods", ["get core: pods", "create core: pods"]] as const

describe("a role keeps what it has and gets what is missing", () => {
  test.each([
    ["equal", role([get]), role([get]), undefined],
    ["other rules", role([get]), role([write]), role([get, "create core: pods", "delete core: pods", "update core: pods"])],
    ["rules that are covered", role(["* *: *"]), role([get, write]), undefined],
    ["more rules than expected", role([get, write]), role([get]), undefined],
    ["equal labels", role([get], { a: "1" }), role([get], { a: "1" }), undefined],
    ["other labels", role([get], { a: "1" }), role([get], { b: "2" }), role([get], { a: "1", b: "2" })],
    ["other labels and rules", role([get], { a: "1" }), role(["create core: pods"], { b: "2" }), role(both, { a: "1", b: "2" })],
    ["labels of the user win", role([get], { a: "1" }), role(["create core: pods"], { a: "2" }), role(both, { a: "1" })],
    ["equal annotations", role([get], {}, { a: "1" }), role([get], {}, { a: "1" }), undefined],
    [
      "other annotations",
      role([get], undefined, { a: "1" }),
      role([get], undefined, { b: "2" }),
      role([get], undefined, { a: "1", b: "2" }),
    ],
    [
      "annotations of the user win",
      role([get], undefined, { a: "1" }),
      role(["create core: pods"], undefined, { a: "2" }),
      role(both, undefined, { a: "1" }),
    ],
    [
      "labels and annotations and rules",
      role([get], { p: "x", c: "user" }, { p: "x", c: "user" }),
      role(["create core: pods"], { c: "system", n: "y" }, { c: "system", n: "y" }),
      role(both, { p: "x", c: "user", n: "y" }, { p: "x", c: "user", n: "y" }),
    ],
    ["equal selectors", aggregated(["foo"]), aggregated(["foo"]), undefined],
    ["other selectors", aggregated(["foo"]), aggregated(["baz"]), aggregated(["foo", "baz"])],
    ["a role that is not aggregated yet", role([get]), aggregated(["foo"]), aggregated(["foo"], [get])],
    ["a role that should not be aggregated", aggregated(["foo"], [get]), role([get]), role([get])],
    ["such a role with other rules", aggregated(["foo"], [get]), role(["create core: pods"]), role(both)],
    ["a role that its user protects", role([], {}, { "rbac.authorization.kubernetes.io/autoupdate": "false" }), role([get]), undefined],
  ])("%s", (_name, existing, expected, result) => {
    const reconciled = reconcileRole(existing, expected)
    expect(reconciled).toEqual(result === undefined ? { operation: "none" } : { operation: "update", object: result })
  })

  test("a role that is missing is created", () => {
    expect(reconcileRole(undefined, role([get]))).toEqual({ operation: "create", object: role([get]) })
  })
})

const binding = (ref: string, subjects: readonly string[], annotations?: Texts): ClusterRoleBinding => ({
  kind: "ClusterRoleBinding",
  apiVersion: "rbac.authorization.k8s.io/v1",
  metadata: { name: "b", ...(annotations && { annotations }) },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: ref },
  subjects: subjects.map((name) => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name })),
})

describe("a binding keeps its subjects and gets those that are missing", () => {
  test.each([
    ["equal", binding("a", ["u"]), binding("a", ["u"]), { operation: "none" }],
    ["equal in another order", binding("a", ["u", "v"]), binding("a", ["v", "u"]), { operation: "none" }],
    ["more subjects than expected", binding("a", ["u", "v"]), binding("a", ["u"]), { operation: "none" }],
    ["subjects are missing", binding("a", ["u"]), binding("a", ["v", "w"]), { operation: "update", object: binding("a", ["u", "v", "w"]) }],
    ["a partial match", binding("a", ["u", "v"]), binding("a", ["v", "w"]), { operation: "update", object: binding("a", ["u", "v", "w"]) }],
    ["no subjects", binding("a", []), binding("a", ["u"]), { operation: "update", object: binding("a", ["u"]) }],
    ["another role", binding("a", ["u"]), binding("b", ["u"]), { operation: "recreate", object: binding("b", ["u"]) }],
    [
      "annotations are added",
      binding("a", ["u"]),
      binding("a", ["u"], { x: "1" }),
      { operation: "update", object: binding("a", ["u"], { x: "1" }) },
    ],
    [
      "its user protects it",
      binding("a", [], { "rbac.authorization.kubernetes.io/autoupdate": "false" }),
      binding("b", ["u"]),
      { operation: "none" },
    ],
    ["it is missing", undefined, binding("a", ["u"]), { operation: "create", object: binding("a", ["u"]) }],
  ])("%s", (_name, existing, expected, result) => {
    expect(reconcileBinding(existing, expected)).toEqual(result)
  })
})

describe("the bootstrap policy", () => {
  const policy = bootstrapPolicy()

  test("has as many objects as upstream's", () => {
    expect(Object.values(policy).map((objects: readonly unknown[]) => objects.length)).toEqual([69, 50, 7, 7])
  })

  test("agrees with itself", () => {
    for (const one of policy.clusterRoles) expect(reconcileRole(one, one)).toEqual({ operation: "none" })
    for (const one of policy.clusterRoleBindings) expect(reconcileBinding(one, one)).toEqual({ operation: "none" })
  })

  test("every binding grants a role that is there, and no wildcard but the administrator's and those of collectors is unlimited", () => {
    const names = new Set(policy.clusterRoles.map(({ metadata }) => metadata.name))
    expect(policy.clusterRoleBindings.filter(({ roleRef }) => !names.has(roleRef.name))).toEqual([])
    const unlimited = policy.clusterRoles.filter(({ rules = [] }) =>
      rules.some(({ verbs, resources }) => verbs.includes("*") && resources?.includes("*")),
    )
    expect(unlimited.map(({ metadata }) => metadata.name)).toEqual(["cluster-admin"])
  })
})
