import { type Descriptor, type KubeObject, noDeviceFacts, quotaNamesFor } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import {
  configMaps,
  persistentVolumeClaims,
  pods,
  type ResourceQuota,
  type ResourceQuotaSpec,
  type ResourceQuotaStatus,
  services,
} from "@pilothouse/api/core/v1"
import { describePlan } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { configMap, pod, quota } from "./testing/quotas.ts"

const now = Date.parse("2026-01-05T09:00:00Z")
const options = { now, syncPeriod: 300_000 }

function observed(
  made: ResourceQuota,
  having: readonly (readonly [Descriptor, readonly KubeObject[]])[],
  unsynced: readonly string[] = [],
): Observed {
  const hard = made.spec?.hard ?? {}
  const collections = having.map(([of, objects]) => ({ of, objects, accumulated: new Map(), names: quotaNamesFor(of, hard) }))
  return { quota: made, collections: collections.filter(({ names }) => names.length > 0), unsynced, devices: noDeviceFacts }
}

/** The status that is written; undefined for none. */
function written(seen: Observed): unknown {
  const [operation] = decide(seen, options).steps.flatMap((step) => step.operations)
  return operation?.do === "status" && "status" in operation ? operation.status : undefined
}

const three = [pod("a", { cpu: "1" }), pod("b", { cpu: "500m" }), pod("c", { cpu: "1", phase: "Succeeded" })]
const free = [pod("a"), pod("b")]
const hard = { cpu: "3", memory: "100Gi", pods: "5" }

function ofClass(operator: string, values?: readonly string[]): ResourceQuotaSpec["scopeSelector"] {
  return { matchExpressions: [{ scopeName: "PriorityClass", operator, ...(values && { values }) }] } as ResourceQuotaSpec["scopeSelector"]
}
const classes = [pod("a", { cpu: "500m", priorityClass: "high" }), pod("b", { cpu: "500m", priorityClass: "high" })]
const low = [pod("a", { cpu: "500m", priorityClass: "low" })]
const none = { cpu: "0", memory: "0", pods: "0" }
const both = { cpu: "1", memory: "2Gi", pods: "2" }

describe("SyncResourceQuota", () => {
  const rows: readonly (readonly [string, Partial<ResourceQuotaSpec>, readonly KubeObject[], ResourceQuotaStatus["used"]])[] = [
    ["non-matching-best-effort-scoped-quota", { scopes: ["BestEffort"] }, three, none],
    ["matching-best-effort-scoped-quota", { scopes: ["BestEffort"] }, free, { ...none, pods: "2" }],
    ["non-matching-priorityclass-scoped-quota-OpExists", { scopeSelector: ofClass("Exists") }, three, none],
    ["matching-priorityclass-scoped-quota-OpExists", { scopeSelector: ofClass("Exists") }, classes, both],
    ["matching-priorityclass-scoped-quota-OpIn", { scopeSelector: ofClass("In", ["high", "low"]) }, classes, both],
    ["matching-priorityclass-scoped-quota-OpIn-high", { scopeSelector: ofClass("In", ["high"]) }, classes, both],
    [
      "matching-priorityclass-scoped-quota-OpIn-low",
      { scopeSelector: ofClass("In", ["low"]) },
      low,
      { cpu: "500m", memory: "1Gi", pods: "1" },
    ],
    [
      "matching-priorityclass-scoped-quota-OpNotIn-low",
      { scopeSelector: ofClass("NotIn", ["high"]) },
      low,
      { cpu: "500m", memory: "1Gi", pods: "1" },
    ],
    ["non-matching-priorityclass-scoped-quota-OpIn", { scopeSelector: ofClass("In", ["random"]) }, classes, none],
    ["non-matching-priorityclass-scoped-quota-OpNotIn", { scopeSelector: ofClass("NotIn", ["high"]) }, classes, none],
    [
      "matching-priorityclass-scoped-quota-OpDoesNotExist",
      { scopeSelector: ofClass("DoesNotExist") },
      three,
      { cpu: "1500m", memory: "2Gi", pods: "2" },
    ],
    ["pods", {}, three, { cpu: "1500m", memory: "2Gi", pods: "2" }],
  ]
  test.each(rows)("%s", (_name, spec, objects, used) => {
    expect(written(observed(quota({ hard, ...spec }), [[pods, objects]]))).toEqual({ hard, used })
  })

  test("quota-spec-hard-updated", () => {
    const old = { hard: { cpu: "3" }, used: { cpu: "0" } }
    expect(written(observed(quota({ hard: { cpu: "4" } }, old), [[pods, []]]))).toEqual({ hard: { cpu: "4" }, used: { cpu: "0" } })
  })

  test("quota-unchanged: however the amounts are written", () => {
    const same = { hard: { cpu: "4000m", memory: "1Gi" }, used: { cpu: "1500m", memory: "2Gi" } }
    const seen = observed(quota({ hard: { cpu: "4", memory: "1024Mi" } }, same), [[pods, three]])
    expect(written(seen)).toBeUndefined()
    expect(describePlan(decide(seen, options))).toEqual([
      "nothing to do: its status is what was counted",
      "requeue in 5m, because everything is counted again periodically",
    ])
  })

  test("quota-missing-status-with-calculation-error", () => {
    const seen = observed(quota({ hard: { pods: "1" } }), [], ["pods"])
    expect(written(seen)).toEqual({ hard: { pods: "1" }, used: {} })
    expect(decide(seen, options).requeue).toEqual({ after: 5000, reason: "pods may have synced then" })
  })

  test("quota-missing-status-with-partial-calculation-error", () => {
    const seen = observed(quota({ hard: { pods: "1", configmaps: "1" } }), [[configMaps, []]], ["pods"])
    expect(written(seen)).toEqual({ hard: { pods: "1", configmaps: "1" }, used: { configmaps: "0" } })
  })

  test("what could be counted before and cannot now keeps its number", () => {
    const old = { hard: { pods: "9", configmaps: "9" }, used: { pods: "4", configmaps: "0" } }
    const seen = observed(quota({ hard: old.hard }, old), [[configMaps, [configMap("a")]]], ["pods"])
    expect(written(seen)).toEqual({ hard: old.hard, used: { pods: "4", configmaps: "1" } })
  })
})

describe("what is counted", () => {
  const service = (type: string): KubeObject =>
    ({ apiVersion: "v1", kind: "Service", metadata: { name: type }, spec: { type, ports: [{ port: 1 }, { port: 2 }] } }) as KubeObject
  const claim = (name: string, storageClassName: string): KubeObject => {
    const spec = { storageClassName, resources: { requests: { storage: "2Gi" } } }
    return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name }, spec } as KubeObject
  }
  const gold = "gold.storageclass.storage.k8s.io/requests.storage"
  const rows: readonly (readonly [string, Descriptor, readonly KubeObject[], Record<string, string>])[] = [
    ["all pods, the ended ones too, under count/pods", pods, three, { "count/pods": "3", pods: "2" }],
    ["limits", pods, three, { "limits.cpu": "1500m", "limits.memory": "4Gi" }],
    ["a pod that should be gone", pods, [pod("a", { deleted: "2026-01-05T08:59:00Z" })], { pods: "0" }],
    ["a pod that has its grace yet", pods, [pod("a", { deleted: "2026-01-05T08:59:45Z" })], { pods: "1" }],
    [
      "services by type",
      services,
      [service("ClusterIP"), service("NodePort"), service("LoadBalancer")],
      { services: "3", "services.nodeports": "4", "services.loadbalancers": "1" },
    ],
    [
      "claims by class",
      persistentVolumeClaims,
      [claim("a", "gold"), claim("b", "tin")],
      { persistentvolumeclaims: "2", "requests.storage": "4Gi", [gold]: "2Gi" },
    ],
    ["older names", configMaps, [configMap("a")], { configmaps: "1", "count/configmaps": "1" }],
    ["anything by its number", deployments, [configMap("a"), configMap("b")], { "count/deployments.apps": "2" }],
  ]
  test.each(rows)("%s", (_name, of, objects, used) => {
    expect(written(observed(quota({ hard: used }), [[of, objects]]))).toEqual({ hard: used, used })
  })

  test("a name that nothing is counted under has no number", () => {
    const limits = { "count/widgets.example.com": "1", pods: "1" }
    expect(written(observed(quota({ hard: limits }), [[pods, []]]))).toEqual({ hard: limits, used: { pods: "0" } })
  })

  test("a limit that was taken away has none either", () => {
    const old = { hard: { pods: "1", cpu: "1" }, used: { pods: "1", cpu: "1" } }
    expect(written(observed(quota({ hard: { pods: "1" } }, old), [[pods, free]]))).toEqual({ hard: { pods: "1" }, used: { pods: "2" } })
  })

  test("an impossible quota is counted like any other", () => {
    const limits = { pods: "0", cpu: "0" }
    expect(written(observed(quota({ hard: limits }), [[pods, three]]))).toEqual({ hard: limits, used: { pods: "2", cpu: "1500m" } })
  })

  test("a scope that does not fit a resource counts none of it", () => {
    const seen = observed(quota({ hard: { configmaps: "1" }, scopes: ["BestEffort"] }), [[configMaps, [configMap("a")]]])
    expect(written(seen)).toEqual({ hard: { configmaps: "1" }, used: { configmaps: "0" } })
  })
})

test("says what changed", () => {
  const old = { hard: { pods: "5", cpu: "5" }, used: { pods: "3", cpu: "1500m" } }
  expect(describePlan(decide(observed(quota({ hard: old.hard }, old), [[pods, three]]), { ...options, syncPeriod: 0 }))).toEqual([
    "write the status of ResourceQuota default/quota, because it was counted: pods 3 → 2",
  ])
})
