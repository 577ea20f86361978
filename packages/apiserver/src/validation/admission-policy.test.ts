import { describe, expect, test } from "vitest"
import { statusIn, testServer } from "../testing/server.ts"

const group = "/apis/admissionregistration.k8s.io/v1"
const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }]
const validations = [{ expression: "true" }]

async function causesOf(plural: string, spec: object): Promise<readonly string[]> {
  const status = statusIn(await testServer().post(`${group}/${plural}`, { metadata: { name: "p" }, spec }))
  expect(status.code).toBe(422)
  return (status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
}

describe("a ValidatingAdmissionPolicy is refused", () => {
  const spec = { matchConstraints: { resourceRules }, validations }

  test.each([
    ["without rules", { ...spec, matchConstraints: {} }, "spec.matchConstraints.resourceRules: Required value"],
    [
      "without validations",
      { ...spec, validations: [] },
      "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
    ],
    [
      "with another failure policy",
      { ...spec, failurePolicy: "Other" },
      'spec.failurePolicy: Unsupported value: "Other": supported values: "Fail", "Ignore"',
    ],
    [
      "with an expression of another type",
      { ...spec, validations: [{ expression: "'a'" }] },
      `spec.validations[0].expression: Invalid value: "'a'": must evaluate to bool but got string`,
    ],
    [
      "with an expression of no type",
      { ...spec, validations: [{ expression: "object" }] },
      `spec.validations[0].expression: Invalid value: "object": must evaluate to bool but got dyn`,
    ],
    [
      "without an expression",
      { ...spec, validations: [{ expression: " " }] },
      "spec.validations[0].expression: Required value: expression is not specified",
    ],
    [
      "with a blank message",
      { ...spec, validations: [{ expression: "true", message: " " }] },
      'spec.validations[0].message: Invalid value: " ": must be non-empty if specified',
    ],
    [
      "with a message of two lines",
      { ...spec, validations: [{ expression: "true", message: "a\nb" }] },
      'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
    ],
    [
      "with another reason",
      { ...spec, validations: [{ expression: "true", reason: "Unauthorized" }] },
      'spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
    [
      "with a message of another type",
      { ...spec, validations: [{ expression: "true", messageExpression: "1" }] },
      'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
    ],
    [
      "with an annotation of another type",
      { ...spec, auditAnnotations: [{ key: "k", valueExpression: "1" }] },
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    ],
    [
      "with a reserved name",
      { ...spec, variables: [{ name: "for", expression: "1" }] },
      'spec.variables[0].name: Invalid value: "for": must be a valid CEL identifier',
    ],
    [
      "with a kind of params without a version",
      { ...spec, paramKind: { apiVersion: "a.b/", kind: "K" } },
      'spec.paramKind.apiVersion: Invalid value: "a.b/": version must be specified',
    ],
    [
      "with a condition without a name",
      { ...spec, matchConditions: [{ expression: "true" }] },
      "spec.matchConditions[0].name: Required value",
    ],
  ])("%s", async (_what, body, cause) => {
    expect(await causesOf("validatingadmissionpolicies", body)).toContain(cause)
  })

  test.each([
    ["params", "params == null"],
    ["variables", "variables.x == 1"],
    ["variables that come later", "variables.b == 1"],
  ])("for %s that it has not", async (_what, expression) => {
    const variables = expression.includes(".b")
      ? [
          { name: "a", expression },
          { name: "b", expression: "1" },
        ]
      : []
    const causes = await causesOf("validatingadmissionpolicies", { ...spec, variables, validations: [{ expression }] })
    expect(causes[0]).toMatch(/Invalid value: ".*": compilation failed: ERROR: <input>:1:\d+: (undeclared reference|undefined field)/s)
  })
})

describe("a MutatingAdmissionPolicy is refused", () => {
  const apply = { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }
  const spec = { matchConstraints: { resourceRules }, mutations: [apply], reinvocationPolicy: "Never" }
  const patch = (expression: string) => ({ ...spec, mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }] })

  test.each([
    ["without mutations", { ...spec, mutations: [] }, "spec.mutations: Required value: mutations must contain at least one item"],
    ["without a reinvocation policy", { ...spec, reinvocationPolicy: "" }, "spec.reinvocationPolicy: Required value"],
    [
      "for deletes",
      { ...spec, matchConstraints: { resourceRules: [{ ...resourceRules[0], operations: ["DELETE"] }] } },
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
    [
      "with another type of patch",
      { ...spec, mutations: [{ patchType: "Other" }] },
      'spec.mutations[0].patchType: Unsupported value: "Other": supported values: "ApplyConfiguration", "JSONPatch"',
    ],
    [
      "without the patch",
      { ...spec, mutations: [{ patchType: "JSONPatch" }] },
      "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
    ],
    [
      "with both patches",
      { ...spec, mutations: [{ ...apply, jsonPatch: { expression: "[]" } }] },
      'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
    [
      "with a patch of another type",
      patch("Object{}"),
      'spec.mutations[0].jsonPatch.expression: Invalid value: "Object{}": must evaluate to list(JSONPatch) but got Object',
    ],
  ])("%s", async (_what, body, cause) => {
    expect(await causesOf("mutatingadmissionpolicies", body)).toContain(cause)
  })
})

describe("a binding is refused", () => {
  const spec = { policyName: "p", validationActions: ["Deny"] }

  test.each([
    ["that denies and warns", { ...spec, validationActions: ["Deny", "Warn"] }, /must not contain both Deny and Warn/],
    ["without actions", { policyName: "p" }, /spec.validationActions: Required value: at least one validation action is required/],
    ["without a policy", { validationActions: ["Deny"] }, /spec.policyName: Required value/],
    [
      "with params that are not named",
      { ...spec, paramRef: { parameterNotFoundAction: "Deny" } },
      /spec.paramRef: Required value: one of name or selector must be specified/,
    ],
    [
      "with params named twice",
      { ...spec, paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Deny" } },
      /spec.paramRef.name: Forbidden: name and selector are mutually exclusive/,
    ],
    [
      "without what becomes of missing params",
      { ...spec, paramRef: { name: "a" } },
      /spec.paramRef.parameterNotFoundAction: Required value/,
    ],
  ])("%s", async (_what, body, cause) => {
    expect((await causesOf("validatingadmissionpolicybindings", body)).join("\n")).toMatch(cause)
  })
})
