import { check, wrong } from "./expressions.ts"
import { type PolicyDefinition, type PolicyScenario, validating } from "./policy-scenario.ts"

const refused: Readonly<Record<string, PolicyDefinition>> = {
  "nothing to do": validating({}),
  "an expression that does not compile": validating({ validations: [{ expression: "object." }] }),
  "an expression of no bool": validating({ validations: [{ expression: "'a'" }] }),
  "params without a kind": validating({ validations: [{ expression: "params == null" }] }),
  "an unknown variable": validating({ validations: [{ expression: "variables.a" }] }),
  "a variable that does not compile": validating({
    variables: [{ name: "a", expression: "nothing" }],
    validations: [{ expression: "true" }],
  }),
  "variables of one name": validating({
    variables: [
      { name: "a", expression: "1" },
      { name: "a", expression: "2" },
    ],
    validations: [{ expression: "true" }],
  }),
  "a later variable": validating({
    variables: [
      { name: "a", expression: "variables.b" },
      { name: "b", expression: "1" },
    ],
    validations: [{ expression: "true" }],
  }),
  "a message expression of no text": validating({ validations: [{ expression: "true", messageExpression: "1" }] }),
  "rights in a message expression": validating({ validations: [{ expression: "true", messageExpression: `${check} ? 'a' : 'b'` }] }),
  "an unknown reason": validating({ validations: [{ expression: "true", reason: "Other" }] }),
  "a message of lines": validating({ validations: [{ expression: "true", message: "a\nb" }] }),
  "an annotation of no text": validating({ auditAnnotations: [{ key: "a", valueExpression: "1" }] }),
  "an annotation without a key": validating({ auditAnnotations: [{ key: "", valueExpression: "'a'" }] }),
  "no rules": validating({ validations: [{ expression: "true" }] }, { matchConstraints: { resourceRules: [] } }),
  "an unknown failure policy": validating({ failurePolicy: "Maybe", validations: [{ expression: "true" }] }),
  "Deny with Warn": validating({ validations: [wrong] }, { binding: { validationActions: ["Deny", "Warn"] } }),
  "no action": validating({ validations: [wrong] }, { binding: { validationActions: [] } }),
  "an action twice": validating({ validations: [wrong] }, { binding: { validationActions: ["Deny", "Deny"] } }),
  "a param by name and selector": validating(
    { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations: [wrong] },
    { binding: { paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Deny" } } },
  ),
  "a param without an action": validating(
    { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations: [wrong] },
    { binding: { paramRef: { name: "a" } } },
  ),
  "a param kind without a version": validating({ paramKind: { kind: "ConfigMap" }, validations: [wrong] }),
}

/** Policies and bindings that the API server refuses. */
export const invalidPolicyScenarios: readonly PolicyScenario[] = Object.entries(refused).map(
  ([name, policy]): PolicyScenario => ({ name: `refused: ${name}`, policies: [policy], requests: [] }),
)
