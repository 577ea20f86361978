import type { ScenarioRequest } from "../scenarios.ts"
import { wrong } from "./expressions.ts"
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

const hpa: ScenarioRequest = {
  verb: "POST",
  path: "autoscaling/v2/horizontalpodautoscalers",
  body: { metadata: { name: "h" }, spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } } },
}
const labelled = { ...create, body: { ...configMap, metadata: { name: "c", labels: { team: "a" } } } }
const never = { validations: [{ expression: "false", message: "matched" }] }
const narrowed = (matchConstraints: object): PolicyDefinition => validating(never, { matchConstraints })
const bound = (matchResources: object): PolicyDefinition => validating(never, { binding: { matchResources } })

/** Which requests a policy and its binding match. */
export const matchingScenarios: readonly PolicyScenario[] = [
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
