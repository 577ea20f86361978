import type { ScenarioRequest } from "../scenarios.ts"

/** A policy and its bindings, without names. */
export interface PolicyDefinition {
  readonly type: "validating" | "mutating"
  /** Rules for ConfigMaps of the scenario's namespace stand in front of it. */
  readonly spec: object
  readonly matchConstraints?: object
  readonly bindings: readonly object[]
}

/** Policies of one namespace, and the requests that are sent there. A text {namespace} stands for its name everywhere. */
export interface PolicyScenario {
  readonly name: string
  readonly policies: readonly PolicyDefinition[]
  /** Created before the policies. */
  readonly params?: readonly ScenarioRequest[]
  readonly requests: readonly ScenarioRequest[]
}

export const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "b" } }
export const create: ScenarioRequest = { verb: "POST", path: "/configmaps", body: configMap, query: { fieldManager: "tester" } }
export const get: ScenarioRequest = { verb: "GET", path: "/configmaps/c" }

export const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
}
export const createDeployment: ScenarioRequest = {
  verb: "POST",
  path: "apps/v1/deployments",
  body: deployment,
  query: { fieldManager: "tester" },
}

/** Rules of this resource instead of ConfigMaps. */
export function rulesOf(resource: string, group = "apps", version = "v1", operations: readonly string[] = ["CREATE", "UPDATE"]): object {
  return { resourceRules: [{ apiGroups: [group], apiVersions: [version], operations, resources: [resource] }] }
}

export function merge(path: string, body: object, query = {}): ScenarioRequest {
  return { verb: "PATCH", path, body, contentType: "application/merge-patch+json", query: { fieldManager: "tester", ...query } }
}

/** A validating policy with one binding that denies. */
export function validating(
  spec: object,
  { binding = {}, matchConstraints }: { binding?: object; matchConstraints?: object } = {},
): PolicyDefinition {
  return {
    type: "validating",
    spec,
    bindings: [{ validationActions: ["Deny"], ...binding }],
    ...(matchConstraints && { matchConstraints }),
  }
}

/** A mutating policy with one binding. */
export function mutating(
  spec: object,
  { binding = {}, matchConstraints }: { binding?: object; matchConstraints?: object } = {},
): PolicyDefinition {
  const own = { reinvocationPolicy: "Never", failurePolicy: "Fail", ...spec }
  return { type: "mutating", spec: own, bindings: [binding], ...(matchConstraints && { matchConstraints }) }
}

export function jsonPatch(expression: string): object {
  return { patchType: "JSONPatch", jsonPatch: { expression } }
}

export function applied(expression: string): object {
  return { patchType: "ApplyConfiguration", applyConfiguration: { expression } }
}
