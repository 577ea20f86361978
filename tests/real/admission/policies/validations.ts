import { broken, check, dear, wrong } from "./expressions.ts"
import { invalidPolicyScenarios } from "./invalid-policies.ts"
import { matchingScenarios } from "./matching.ts"
import { create, type PolicyScenario, validating } from "./policy-scenario.ts"

/** Each with both failure policies. */
const validations: Readonly<Record<string, object>> = {
  "that holds": { validations: [{ expression: "object.data.a == 'b'" }] },
  "that does not hold": { validations: [wrong] },
  "with spaces": { validations: [{ expression: "  object.data.a == 'x'  " }] },
  "with a message": { validations: [{ ...wrong, message: "a is not x" }] },
  "with a message of spaces around": { validations: [{ ...wrong, message: "  a is not x " }] },
  "with a message expression": { validations: [{ ...wrong, message: "no", messageExpression: "'a is ' + object.data.a" }] },
  "with a message expression that fails": { validations: [{ ...wrong, message: "no", messageExpression: "'a is ' + object.data.z" }] },
  "with a message expression of lines": { validations: [{ ...wrong, message: "no", messageExpression: "'a\\nb'" }] },
  "with a message expression of nothing": { validations: [{ ...wrong, message: "no", messageExpression: "'  '" }] },
  "with a message expression that is long": {
    validations: [
      {
        ...wrong,
        messageExpression:
          "[1,2,3,4,5,6,7,8,9,10].map(x, '0123456789'.replace('0', '0123456789'.replace('0', '0123456789'.replace('0', '0123456789'.replace('0','0123456789012345678901234567890123456789'.replace('0', '0123456789012345678901234567890123456789012345678901234567890123456789')))))).join('')",
      },
    ],
  },
  "with a reason": { validations: [{ ...wrong, reason: "Forbidden" }] },
  "with another reason": { validations: [{ ...wrong, reason: "RequestEntityTooLarge" }] },
  "with the reason Unauthorized": { validations: [{ ...wrong, reason: "Unauthorized" }] },
  "that fails": { validations: [broken] },
  "two that do not hold": {
    validations: [
      { ...wrong, message: "one" },
      { ...wrong, message: "two" },
    ],
  },
  "the second of which fails": { validations: [{ expression: "true" }, broken] },
  "of the request": {
    validations: [
      "request.operation == 'CREATE'",
      "request.name == 'c' && request.namespace == '{namespace}'",
      "request.kind.kind == 'ConfigMap' && request.kind.version == 'v1' && request.kind.group == ''",
      "request.resource.resource == 'configmaps' && !has(request.subResource)",
      "request.requestKind.kind == 'ConfigMap' && request.requestResource.resource == 'configmaps'",
      "request.userInfo.username == 'admin' && 'system:masters' in request.userInfo.groups",
      "request.dryRun == false",
      "request.options.fieldManager == 'tester' && request.options.kind == 'CreateOptions'",
      "oldObject == null",
      "has(object.metadata) && object.metadata.name == 'c' && !has(object.metadata.labels)",
    ].map((expression) => ({ expression })),
  },
  "of a uid that the request does not show": { validations: [{ expression: "request.uid == ''" }] },
  "of the namespace": {
    validations: [{ expression: "namespaceObject.metadata.name == 'x'", messageExpression: "namespaceObject.metadata.name" }],
  },
  "of fields that the namespace does not show": { validations: [{ expression: "size(namespaceObject.metadata.managedFields) == 0" }] },
  "of the managers": { validations: [{ expression: "object.metadata.managedFields.all(m, m.manager == 'other')" }] },
  "of a variable": { variables: [{ name: "a", expression: "object.data.a" }], validations: [{ expression: "variables.a == 'x'" }] },
  "of variables of variables": {
    variables: [
      { name: "a", expression: "object.data.a" },
      { name: "b", expression: "variables.a + '!'" },
    ],
    validations: [{ expression: "variables.b == 'x'", messageExpression: "'b is ' + variables.b" }],
  },
  "of a variable that fails": {
    variables: [{ name: "a", expression: "object.data.z" }],
    validations: [{ expression: "variables.a == 'x'" }],
  },
  "beside a variable that fails": {
    variables: [{ name: "a", expression: "object.data.z" }],
    validations: [{ expression: "object.data.a == 'b'" }],
  },
  "of rights": { validations: [{ expression: `!${check}`, message: "may read pods" }] },
  "of the right to this resource": { validations: [{ expression: "!authorizer.requestResource.check('update').allowed()" }] },
  "with rights in the message": { validations: [{ ...wrong, message: "no", messageExpression: "'a'" }] },
  "that costs too much": { validations: [{ expression: dear }] },
  "with a variable that costs too much": { variables: [{ name: "x", expression: dear }], validations: [{ expression: "variables.x" }] },
  "with a message that costs too much": { validations: [{ ...wrong, message: "no", messageExpression: `${dear} ? 'a' : 'b'` }] },
  "that cost too much together": {
    validations: Array.from({ length: 15 }, () => ({
      expression:
        "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6].all(e, a != b + c + d + e + 1000)))))",
    })),
  },
  "that asks for rights too often": { validations: [{ expression: `[1,2,3].all(x, ${check})` }] },
}

const actions: Readonly<Record<string, readonly string[]>> = {
  Deny: ["Deny"],
  Warn: ["Warn"],
  Audit: ["Audit"],
  "Warn, Audit": ["Warn", "Audit"],
  "Deny, Audit": ["Deny", "Audit"],
}

const enforced = Object.entries(actions).flatMap(([name, validationActions]) =>
  Object.entries({ "does not hold": wrong, fails: broken, holds: { expression: "true" } }).map(
    ([what, one]): PolicyScenario => ({
      name: `one that ${what}, ${name}`,
      policies: [validating({ validations: [one] }, { binding: { validationActions } })],
      requests: [create],
    }),
  ),
)

const annotations: Readonly<Record<string, string>> = {
  "a text": "'a is ' + object.data.a",
  null: "object.data.a == 'x' ? 'a' : null",
  nothing: "'  '",
  "an error": "object.data.z",
  "what cannot be afforded": `${dear} ? 'a' : 'b'`,
}

const conditions: Readonly<Record<string, readonly string[]>> = {
  "that holds": ["object.data.a == 'b'"],
  "that does not hold": ["object.data.a == 'x'"],
  "that fails": ["object.data.z == 'x'"],
  "that fails, and one that does not hold": ["object.data.z == 'x'", "object.data.a == 'x'"],
  "two that fail": ["object.data.z == 'x'", "object.data.y == 'x'"],
  "of rights": [check],
  "of a variable": ["variables.v == 'b'"],
  "that costs too much": [dear],
  "that cost too much together": Array.from(
    { length: 4 },
    () =>
      "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6].all(e, a != b + c + d + e + 1000)))))",
  ),
}

export const validatingScenarios: readonly PolicyScenario[] = [
  ...Object.entries(validations).flatMap(([name, spec]) =>
    ["Fail", "Ignore"].map(
      (failurePolicy): PolicyScenario => ({
        name: `a validation ${name}, ${failurePolicy}`,
        policies: [validating({ failurePolicy, ...spec })],
        requests: [create],
      }),
    ),
  ),
  ...enforced,
  ...Object.entries(annotations).flatMap(([name, valueExpression]) =>
    ["Fail", "Ignore"].map(
      (failurePolicy): PolicyScenario => ({
        name: `an annotation of ${name}, ${failurePolicy}`,
        policies: [validating({ failurePolicy, auditAnnotations: [{ key: "k", valueExpression }] })],
        requests: [create],
      }),
    ),
  ),
  ...Object.entries(conditions).flatMap(([name, expressions]) =>
    ["Fail", "Ignore"].map(
      (failurePolicy): PolicyScenario => ({
        name: `a condition ${name}, ${failurePolicy}`,
        policies: [
          validating({
            failurePolicy,
            matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
            variables: [{ name: "v", expression: "object.data.a" }],
            validations: [wrong],
          }),
        ],
        requests: [create],
      }),
    ),
  ),
  ...matchingScenarios,
  ...invalidPolicyScenarios,
]
