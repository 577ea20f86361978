import type { ApiRequest } from "../api-client.ts"
import { answers, patches } from "./programs.ts"

export interface Hook {
  readonly program: string
  /** Of the webhook, beside its address. */
  readonly more?: object
  /** Where it is, if not at the programs: a function of the port and the certificate of those. */
  readonly clientConfig?: (port: number, ca: string) => object
}

/** Webhooks of one namespace, and the requests that are sent there. */
export interface Scenario {
  readonly name: string
  readonly mutating?: readonly Hook[]
  readonly validating?: readonly Hook[]
  readonly requests: readonly ScenarioRequest[]
}

/** The path stands below the namespace; a body may hold {namespace}. */
export type ScenarioRequest = Pick<ApiRequest, "verb" | "path" | "query" | "contentType" | "body">

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "b" } }
const create: ScenarioRequest = { verb: "POST", path: "/configmaps", body: configMap, query: { fieldManager: "tester" } }
const get: ScenarioRequest = { verb: "GET", path: "/configmaps/c" }
const rules = (more: object) => ({ rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], ...more }] })
const merge = (path: string, body: object, query = {}): ScenarioRequest => ({
  verb: "PATCH",
  path,
  body,
  contentType: "application/merge-patch+json",
  query: { fieldManager: "tester", ...query },
})

/** Each answer of a program, for both types, with both failure policies where they can make a difference. */
function answersTo(): readonly Scenario[] {
  const kinds = ["mutating", "validating"] as const
  const names = [...Object.keys(answers), ...Object.keys(patches)]
  return names.flatMap((program) =>
    kinds.flatMap((kind) =>
      ["Fail", "Ignore"].map((failurePolicy) => ({
        name: `${kind} ${program} ${failurePolicy}`,
        [kind]: [{ program, more: { failurePolicy, timeoutSeconds: program === "hang" ? 1 : 10 } }],
        requests: [create, get],
      })),
    ),
  )
}

const unreachable: Readonly<Record<string, NonNullable<Hook["clientConfig"]>>> = {
  "nothing listens": () => ({ url: "https://127.0.0.1:1/hook" }),
  "no such service": () => ({ service: { name: "none", namespace: "default", path: "/p" } }),
  "unknown authority": (port) => ({ url: `https://127.0.0.1:${port}/x/allow` }),
  "a path that is cleaned": () => ({ url: "https://127.0.0.1:1//a//b/" }),
  "no path": () => ({ url: "https://127.0.0.1:1" }),
}

function failing(): readonly Scenario[] {
  return Object.entries(unreachable).flatMap(([name, clientConfig]) =>
    ["Fail", "Ignore"].map((failurePolicy) => ({
      name: `${name} ${failurePolicy}`,
      validating: [{ program: "allow", clientConfig, more: { failurePolicy } }],
      requests: [create],
    })),
  )
}

const again = { reinvocationPolicy: "IfNeeded" }
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
}

const rounds: readonly Scenario[] = [
  { name: "in order", mutating: [{ program: "label-b" }, { program: "label-a" }], requests: [create] },
  { name: "again", mutating: [{ program: "changes-once", more: again }, { program: "label-a" }], requests: [create] },
  {
    name: "again and again",
    mutating: [
      { program: "count-calls", more: again },
      { program: "label-a", more: again },
    ],
    requests: [create],
  },
  { name: "never again", mutating: [{ program: "count-calls" }, { program: "label-a" }], requests: [create] },
  {
    name: "two that undo each other",
    mutating: [
      { program: "label-a", more: again },
      { program: "undo-a", more: again },
    ],
    requests: [create],
  },
  { name: "both types", mutating: [{ program: "label-a" }], validating: [{ program: "allow" }], requests: [create, get] },
  {
    name: "an object selector that a webhook makes true",
    mutating: [{ program: "label-a" }, { program: "label-b", more: { objectSelector: { matchLabels: { a: "yes" } } } }],
    requests: [create],
  },
  {
    name: "skipped in the first round",
    mutating: [{ program: "label-b", more: { ...again, objectSelector: { matchLabels: { a: "yes" } } } }, { program: "label-a" }],
    requests: [create],
  },
]

const writes: readonly Scenario[] = [
  {
    name: "generated name",
    mutating: [{ program: "label-a" }],
    validating: [{ program: "allow" }],
    requests: [{ ...create, body: { ...configMap, metadata: { generateName: "g-", labels: { scenario: "generated" } } } }],
  },
  {
    name: "dry run",
    mutating: [{ program: "label-a" }],
    validating: [{ program: "allow", more: { sideEffects: "NoneOnDryRun" } }],
    requests: [{ ...create, query: { dryRun: "All" } }, get],
  },
  {
    name: "update",
    mutating: [{ program: "allow" }],
    validating: [{ program: "allow" }],
    requests: [create, merge("/configmaps/c", { data: { b: "c" } })],
  },
  {
    name: "delete",
    mutating: [{ program: "allow" }],
    validating: [{ program: "deny-deletes" }],
    requests: [create, { verb: "DELETE", path: "/configmaps/c" }],
  },
  {
    name: "delete with options",
    validating: [{ program: "allow" }],
    requests: [
      create,
      { verb: "DELETE", path: "/configmaps/c", body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" } },
    ],
  },
  {
    name: "delete that is changed",
    mutating: [{ program: "patch-deletes" }],
    requests: [create, { verb: "DELETE", path: "/configmaps/c" }],
  },
  {
    name: "delete of a collection",
    validating: [{ program: "deny-deletes" }],
    requests: [create, { verb: "DELETE", path: "/configmaps", query: { labelSelector: "!none" } }],
  },
  {
    name: "apply",
    mutating: [{ program: "label-a" }],
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
    name: "scale",
    mutating: [{ program: "allow", more: rules({ resources: ["deployments/scale"] }) }],
    validating: [{ program: "allow", more: rules({ resources: ["*/scale"] }) }],
    requests: [
      { verb: "POST", path: "apps/v1/deployments", body: deployment },
      merge("apps/v1/deployments/d/scale", { spec: { replicas: 3 } }),
    ],
  },
  {
    name: "status",
    validating: [{ program: "allow", more: rules({ resources: ["deployments/status"] }) }],
    requests: [
      { verb: "POST", path: "apps/v1/deployments", body: deployment },
      merge("apps/v1/deployments/d/status", { status: { replicas: 1 } }),
    ],
  },
  {
    name: "defaults after a patch",
    mutating: [{ program: "label-a", more: rules({ resources: ["deployments"] }) }],
    requests: [{ verb: "POST", path: "apps/v1/deployments", body: deployment }],
  },
  {
    name: "another version of the same objects",
    validating: [{ program: "allow", more: rules({ apiGroups: ["autoscaling"], apiVersions: ["v1"] }) }],
    requests: [
      {
        verb: "POST",
        path: "autoscaling/v2/horizontalpodautoscalers",
        body: {
          metadata: { name: "h" },
          spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
        },
      },
    ],
  },
  {
    name: "another version, exactly",
    validating: [{ program: "deny", more: { ...rules({ apiGroups: ["autoscaling"], apiVersions: ["v1"] }), matchPolicy: "Exact" } }],
    requests: [
      {
        verb: "POST",
        path: "autoscaling/v2/horizontalpodautoscalers",
        body: {
          metadata: { name: "h" },
          spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
        },
      },
    ],
  },
  { name: "v1beta1", mutating: [{ program: "label-a", more: { admissionReviewVersions: ["v1beta1"] } }], requests: [create] },
  {
    name: "v1beta1 without uid",
    validating: [{ program: "no-uid", more: { admissionReviewVersions: ["v2", "v1beta1", "v1"] } }],
    requests: [create],
  },
]

const conditions: readonly Scenario[] = Object.entries({
  true: "true",
  false: "false",
  "by name": "object.metadata.name == 'c'",
  "by user": "request.userInfo.username == 'stranger'",
  "an error": "object.data.missing == 'x'",
  "the authorizer": "authorizer.group('').resource('pods').namespace('default').check('get').allowed()",
}).flatMap(([name, expression]) =>
  ["Fail", "Ignore"].map((failurePolicy) => ({
    name: `condition ${name} ${failurePolicy}`,
    validating: [{ program: "deny", more: { failurePolicy, matchConditions: [{ name: "c", expression }] } }],
    requests: [create],
  })),
)

export const scenarios: readonly Scenario[] = [...answersTo(), ...failing(), ...rounds, ...writes, ...conditions]
