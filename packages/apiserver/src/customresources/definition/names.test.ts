import type { CustomResourceDefinition, CustomResourceDefinitionNames } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import { widgets } from "../testing/definitions.ts"
import { approvalCondition } from "./api-approval.ts"
import { isConditionTrue, withCondition } from "./conditions.ts"
import { acceptNames, establishedCondition } from "./names.ts"

/** "plural singular kind listKind short…", of which "-" is none. */
function namesOf(text: string): CustomResourceDefinitionNames {
  const [plural = "", singular = "", kind = "", listKind = "", ...shortNames] = text.split(" ").map((word) => (word === "-" ? "" : word))
  return { plural, singular, kind, listKind, ...(shortNames.length === 0 ? {} : { shortNames }) }
}

function definition(requested: string, accepted = "- - - -", group = "one.com"): CustomResourceDefinition {
  const { spec, ...rest } = widgets()
  return { ...rest, spec: { ...spec, group, names: namesOf(requested) }, status: { acceptedNames: namesOf(accepted) } }
}

const other = (accepted: string, group?: string) => definition(accepted, accepted, group)
const good = ["True", "NoConflicts", "no conflicts found"]
const used = (sort: string, name: string) => ["False", `${sort}Conflict`, `"${name}" is already in use`]

test.each([
  ["the first definition of a group gets what it asks for", "as a A AList", [], "as a A AList", good],
  ["names of another group are no conflict", "as a A AList", [other("as a A AList", "two.com")], "as a A AList", good],
  ["a plural that is a singular", "as a A AList", [other("xs as X XList")], "- a A AList", used("Plural", "as")],
  ["a singular that is a short name", "as a A AList", [other("xs x X XList a")], "as - A AList", used("Singular", "a")],
  ["a short name that is a short name", "as a A AList s1", [other("xs x X XList s1")], "as a A AList", used("ShortNames", "s1")],
  ["a kind that is a list kind", "as a A AList", [other("xs x X A")], "as a - AList", used("Kind", "A")],
  ["a list kind that is a kind", "as a A AList", [other("xs x AList XList")], "as a A -", used("ListKind", "AList")],
  ["resources and kinds are apart", "as a A AList", [other("a1 AList as a")], "as a A AList", good],
  ["the last conflict is shown", "as a A AList s", [other("as x A XList")], "- a - AList s", used("Kind", "A")],
  [
    "short names are accepted together or not at all",
    "as a A AList s1 s2 s3",
    [other("s1 x X XList s2")],
    "as a A AList",
    ["False", "ShortNamesConflict", '["s1" is already in use, "s2" is already in use]'],
  ],
] as const)("%s", (_, requested, others, accepted, condition) => {
  const decision = acceptNames(definition(requested), others)
  expect(decision.acceptedNames).toEqual(namesOf(accepted))
  const { status, reason, message } = decision.namesAccepted
  expect([status, reason, message]).toEqual(condition)
  const first = status === "True" ? ["Installing", "the initial names have been accepted"] : ["NotAccepted", "not all names are accepted"]
  expect(decision.established).toEqual({ type: "Established", status: "False", reason: first[0], message: first[1] })
})

test("names that a definition has are no conflict with itself, and short names may be removed", () => {
  expect(acceptNames(definition("as a A AList s1", "as a A AList s1"), [other("as a A AList s1")]).namesAccepted.status).toBe("True")
  expect(acceptNames(definition("as a A AList s1", "as a A AList s1 s2"), []).acceptedNames).toEqual(namesOf("as a A AList s1"))
})

test("a definition keeps the names that it has where those that it asks for are in use", () => {
  const decision = acceptNames(definition("as a A AList s", "bs b B BList t"), [other("as x X XList s"), other("ys y Y A")])
  expect(decision.acceptedNames).toEqual(namesOf("bs a B AList t"))
})

test("its own plural is no short name for it once the plural is accepted", () => {
  expect(acceptNames(definition("as a A AList as"), []).namesAccepted.status).toBe("True")
  expect(acceptNames(definition("as a A AList as", "as a A AList"), []).namesAccepted.reason).toBe("ShortNamesConflict")
})

test.each([
  ["True", "True", "Ready"],
  ["False", "False", "Installing"],
])("a definition that is established stays so, with status %s before", (before, status, reason) => {
  const condition = { type: "Established", status: before, reason: "Ready", message: "" }
  const { established } = acceptNames(withCondition(definition("as a A AList"), condition, 0), [])
  expect([established.status, established.reason]).toEqual([status, reason])
})

test.each(["True", "False"])("a conflict leaves the condition Established %s as it is", (status) => {
  const condition = { type: "Established", status, reason: "Ready", message: "" }
  const { established } = acceptNames(withCondition(definition("as a A AList"), condition, 0), [other("as x X XList")])
  expect(established).toEqual(condition)
})

test("a definition whose webhook has no certificates that can be read is not established", () => {
  const { spec, ...rest } = definition("as a A AList")
  const webhook = { clientConfig: { caBundle: "bm8=", url: "https://x" }, conversionReviewVersions: ["v1"] }
  expect(establishedCondition({ ...rest, spec: { ...spec, conversion: { strategy: "Webhook", webhook } } }).reason).toBe("InvalidCABundle")
  expect(establishedCondition({ ...rest, spec }).status).toBe("True")
})

test("the time of a condition moves with its status alone", () => {
  const condition = { type: "NamesAccepted", status: "True", reason: "A", message: "a" }
  const first = withCondition(definition("as a A AList"), condition, 0)
  expect(withCondition(first, condition, 5000)).toBe(first)
  const second = withCondition(first, { ...condition, reason: "B" }, 5000)
  expect(second.status?.conditions).toEqual([{ ...condition, reason: "B", lastTransitionTime: "1970-01-01T00:00:00Z" }])
  const third = withCondition(second, { ...condition, status: "False" }, 5000)
  expect(third.status?.conditions?.[0]?.lastTransitionTime).toBe("1970-01-01T00:00:05Z")
  expect([
    isConditionTrue(second, "NamesAccepted"),
    isConditionTrue(third, "NamesAccepted"),
    isConditionTrue(third, "Established"),
  ]).toEqual([true, false, false])
})

test.each([
  ["other.com", undefined, undefined, ""],
  ["sigs.k8s.io", undefined, "MissingAnnotation", "protected groups must have approval annotation"],
  ["sigs.k8s.io", "bad value", "InvalidAnnotation", 'with either a URL or a reason starting with "unapproved"'],
  ["sigs.k8s.io", "https://github.com/x", "ApprovedAnnotation", "approved in https://github.com/x"],
  ["kubernetes.io", "unapproved for now", "UnapprovedAnnotation", 'not approved: "unapproved for now"'],
])("the approval of group %s with annotation %s is %s", (group, value, reason, message) => {
  const object = definition("as a A AList", "as a A AList", group)
  const annotations: Record<string, string> = value === undefined ? {} : { "api-approved.kubernetes.io": value }
  const condition = approvalCondition({ ...object, metadata: { ...object.metadata, annotations } })
  expect(condition?.reason).toBe(reason)
  expect(condition?.message ?? "").toContain(message)
  expect(condition?.status).toBe(reason && (reason === "ApprovedAnnotation" ? "True" : "False"))
})
