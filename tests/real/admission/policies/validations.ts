import type { ScenarioRequest } from "../scenarios.ts"
import {
  configMap,
  create,
  createDeployment,
  deployment,
  get,
  merge,
  type PolicyDefinition,
  type PolicyScenario,
  rulesOf,
  validating,
} from "./policy-scenario.ts"

const wrong = { expression: "object.data.a == 'x'" }
const broken = { expression: "object.data.missing == 'x'" }
const dear =
  "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a != b + c + d + e + 1000)))))"
const check = "authorizer.group('').resource('pods').namespace('default').check('get').allowed()"

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

const hpa: ScenarioRequest = {
  verb: "POST",
  path: "autoscaling/v2/horizontalpodautoscalers",
  body: { metadata: { name: "h" }, spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } } },
}
const labelled = { ...create, body: { ...configMap, metadata: { name: "c", labels: { team: "a" } } } }
const never = { validations: [{ expression: "false", message: "matched" }] }
const narrowed = (matchConstraints: object): PolicyDefinition => validating(never, { matchConstraints })
const bound = (matchResources: object): PolicyDefinition => validating(never, { binding: { matchResources } })

const matches: readonly PolicyScenario[] = [
  {
    name: "an object selector that matches",
    policies: [narrowed({ objectSelector: { matchLabels: { team: "a" } } })],
    requests: [create, labelled],
  },
  {
    name: "a resource name",
    policies: [
      narrowed({
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"], resourceNames: ["c"] }],
      }),
    ],
    requests: [create, { ...create, body: { ...configMap, metadata: { name: "other" } } }],
  },
  {
    name: "a resource name and a generated name",
    policies: [
      narrowed({
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"], resourceNames: ["g-"] }],
      }),
    ],
    requests: [{ ...create, body: { ...configMap, metadata: { generateName: "g-" } } }],
  },
  {
    name: "an excluded resource",
    policies: [
      narrowed({
        resourceRules: [{ apiGroups: ["", "apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps", "deployments"] }],
        excludeResourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
      }),
    ],
    requests: [create, createDeployment],
  },
  {
    name: "a rule for cluster-scoped objects",
    policies: [
      narrowed({
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"], scope: "Cluster" }],
      }),
    ],
    requests: [create],
  },
  {
    name: "a rule for other operations",
    policies: [narrowed(rulesOf("configmaps", "", "v1", ["UPDATE"]))],
    requests: [create, merge("/configmaps/c", { data: { b: "c" } })],
  },
  {
    name: "a delete",
    policies: [
      validating(
        {
          validations: [
            { expression: "object == null && oldObject.data.a == 'x'", messageExpression: "'it was ' + oldObject.data.a + request.name" },
          ],
        },
        { matchConstraints: rulesOf("configmaps", "", "v1", ["DELETE"]) },
      ),
    ],
    requests: [create, { verb: "DELETE", path: "/configmaps/c" }],
  },
  {
    name: "a delete of a collection",
    policies: [
      validating(
        { validations: [{ expression: "false", messageExpression: "'name: ' + (has(request.name) ? request.name : 'none')" }] },
        { matchConstraints: rulesOf("configmaps", "", "v1", ["DELETE"]) },
      ),
    ],
    requests: [create, { verb: "DELETE", path: "/configmaps", query: { labelSelector: "!none" } }],
  },
  {
    name: "a delete with options",
    policies: [
      validating(
        {
          validations: [{ expression: "request.options.propagationPolicy == 'x'", messageExpression: "request.options.propagationPolicy" }],
        },
        { matchConstraints: rulesOf("configmaps", "", "v1", ["DELETE"]) },
      ),
    ],
    requests: [
      create,
      { verb: "DELETE", path: "/configmaps/c", body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" } },
    ],
  },
  {
    name: "another version of the same objects",
    policies: [
      validating(
        {
          validations: [
            {
              expression: "request.kind.version == 'x'",
              messageExpression: "request.kind.version + request.requestKind.version + request.resource.version + object.apiVersion",
            },
          ],
        },
        { matchConstraints: rulesOf("horizontalpodautoscalers", "autoscaling") },
      ),
    ],
    requests: [hpa],
  },
  {
    name: "another version, exactly",
    policies: [narrowed({ ...rulesOf("horizontalpodautoscalers", "autoscaling"), matchPolicy: "Exact" })],
    requests: [hpa],
  },
  {
    name: "a status",
    policies: [
      validating({ validations: [{ expression: "request.subResource != 'status'" }] }, { matchConstraints: rulesOf("deployments/status") }),
    ],
    requests: [createDeployment, merge("apps/v1/deployments/d/status", { status: { replicas: 1 } })],
  },
  {
    name: "a scale",
    policies: [
      validating(
        {
          validations: [
            {
              expression: "object.spec.replicas < 3 || oldObject.spec.replicas > 3",
              messageExpression: "object.kind + string(object.spec.replicas) + request.kind.kind + request.requestKind.kind",
            },
          ],
        },
        { matchConstraints: rulesOf("deployments/scale") },
      ),
    ],
    requests: [
      createDeployment,
      merge("apps/v1/deployments/d/scale", { spec: { replicas: 3 } }),
      merge("apps/v1/deployments/d/scale", { spec: { replicas: 2 } }),
    ],
  },
  {
    name: "all subresources",
    policies: [
      validating(
        { validations: [{ expression: "false", messageExpression: "request.subResource" }] },
        { matchConstraints: rulesOf("deployments/*") },
      ),
    ],
    requests: [createDeployment, merge("apps/v1/deployments/d/scale", { spec: { replicas: 3 } })],
  },
  {
    name: "a binding for other objects",
    policies: [bound({ objectSelector: { matchLabels: { team: "a" } } })],
    requests: [create, labelled],
  },
  { name: "a binding for other resources", policies: [bound(rulesOf("secrets", ""))], requests: [create] },
  {
    name: "a binding for other operations",
    policies: [bound(rulesOf("configmaps", "", "v1", ["UPDATE"]))],
    requests: [create, merge("/configmaps/c", { data: { b: "c" } })],
  },
  {
    name: "a binding that excludes",
    policies: [bound({ excludeResourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }] })],
    requests: [create],
  },
  { name: "a binding for other namespaces", policies: [bound({ namespaceSelector: { matchLabels: { team: "a" } } })], requests: [create] },
  {
    name: "two bindings",
    policies: [
      { type: "validating", spec: { validations: [wrong] }, bindings: [{ validationActions: ["Warn"] }, { validationActions: ["Audit"] }] },
    ],
    requests: [create],
  },
  { name: "no binding", policies: [{ type: "validating", spec: { validations: [wrong] }, bindings: [] }], requests: [create] },
  {
    name: "a generated name",
    policies: [
      validating({
        validations: [
          {
            expression: "false",
            messageExpression:
              "object.metadata.generateName + (has(object.metadata.name) ? 'named' : 'unnamed') + (has(request.name) ? 'named' : 'unnamed')",
          },
        ],
      }),
    ],
    requests: [{ ...create, body: { ...configMap, metadata: { generateName: "g-" } } }],
  },
  {
    name: "a dry run",
    policies: [validating({ validations: [{ expression: "!request.dryRun", message: "dry" }] })],
    requests: [{ ...create, query: { dryRun: "All" } }, create],
  },
  {
    name: "an update",
    policies: [
      validating({
        validations: [
          {
            expression: "oldObject == null || object.data.a == oldObject.data.a",
            messageExpression: "'from ' + oldObject.data.a + ' to ' + object.data.a",
          },
        ],
      }),
    ],
    requests: [
      create,
      merge("/configmaps/c", { data: { a: "c" } }),
      { verb: "PUT", path: "/configmaps/c", body: { ...configMap, data: { a: "d" } } },
      get,
    ],
  },
  {
    name: "an apply that creates",
    policies: [
      validating({
        validations: [
          { expression: "false", messageExpression: "request.operation + request.options.kind + request.options.fieldManager" },
        ],
      }),
    ],
    requests: [
      {
        verb: "PATCH",
        path: "/configmaps/c",
        body: configMap,
        contentType: "application/apply-patch+yaml",
        query: { fieldManager: "applier" },
      },
    ],
  },
  {
    name: "a patch of nothing",
    policies: [validating({ validations: [{ expression: "request.operation == 'CREATE'" }] })],
    requests: [create, merge("/configmaps/c", {})],
  },
  {
    name: "a list of a Deployment",
    policies: [
      validating(
        {
          validations: [
            {
              expression: "object.spec.template.spec.containers.all(c, c.image.startsWith('x'))",
              messageExpression: "object.spec.template.spec.containers.map(c, c.name + ':' + c.image + c.imagePullPolicy).join(',')",
            },
          ],
        },
        { matchConstraints: rulesOf("deployments") },
      ),
    ],
    requests: [createDeployment],
  },
  {
    name: "numbers",
    policies: [
      validating(
        {
          validations: [
            {
              expression:
                "object.spec.replicas == 1 && type(object.spec.replicas) == int && object.spec.replicas / 2 == 0 && object.spec.strategy.rollingUpdate.maxSurge == '25%'",
            },
          ],
        },
        { matchConstraints: rulesOf("deployments") },
      ),
    ],
    requests: [
      createDeployment,
      { ...createDeployment, body: { ...deployment, metadata: { name: "e" }, spec: { ...deployment.spec, replicas: 2 } } },
    ],
  },
]

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
  ...matches,
  ...Object.entries(refused).map(([name, policy]): PolicyScenario => ({ name: `refused: ${name}`, policies: [policy], requests: [] })),
]
