import { expect, test } from "vitest"
import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from "../generated/core/v1.types.ts"
import type { KubeObject } from "../meta/object.ts"
import { formatResources, type ResourceList } from "../quantity/resource-list.ts"
import { isInQuotaScopes } from "./quota-scopes.ts"
import { quotaNamesFor, quotaUsage } from "./quota-usage.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const pods = { group: "", plural: "pods" }
const claims = { group: "", plural: "persistentvolumeclaims" }
const used = (kind: { group: string; plural: string }, object: KubeObject) => formatResources(quotaUsage(kind, object, now))

const pod = (resources = {}, more: object = {}) =>
  ({
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "i", resources }] },
    ...more,
  }) as Pod

test.each([
  ["asks for nothing", pod(), { "count/pods": "1", pods: "1" }],
  [
    "has requests and limits",
    pod({ requests: { cpu: "1", memory: "1Gi", "ephemeral-storage": "5Gi" }, limits: { cpu: "2", memory: "2Gi" } }),
    {
      "count/pods": "1",
      pods: "1",
      cpu: "1",
      "requests.cpu": "1",
      memory: "1Gi",
      "requests.memory": "1Gi",
      "ephemeral-storage": "5Gi",
      "requests.ephemeral-storage": "5Gi",
      "limits.cpu": "2",
      "limits.memory": "2Gi",
    },
  ],
  [
    "has huge pages and devices",
    pod({ requests: { "hugepages-2Mi": "100Mi", "nvidia.com/gpu": "2" }, limits: { "hugepages-2Mi": "100Mi", "nvidia.com/gpu": "2" } }),
    { "count/pods": "1", pods: "1", "hugepages-2Mi": "100Mi", "requests.hugepages-2Mi": "100Mi", "requests.nvidia.com/gpu": "2" },
  ],
  ["is over", pod({ requests: { cpu: "1" } }, { status: { phase: "Succeeded" } }), { "count/pods": "1" }],
  [
    "should be gone",
    pod({}, { metadata: { name: "p", deletionTimestamp: "2025-12-31T23:59:00Z", deletionGracePeriodSeconds: 30 } }),
    { "count/pods": "1" },
  ],
  [
    "has its grace yet",
    pod({}, { metadata: { name: "p", deletionTimestamp: "2025-12-31T23:59:00Z", deletionGracePeriodSeconds: 90 } }),
    { "count/pods": "1", pods: "1" },
  ],
])("a pod that %s", (_what, object, expected) => {
  expect(used(pods, object)).toEqual(expected)
})

const claim = (spec = {}, status = {}) =>
  ({ kind: "PersistentVolumeClaim", apiVersion: "v1", metadata: { name: "c" }, spec, status }) as PersistentVolumeClaim
const storage = (amount: string) => ({ resources: { requests: { storage: amount } } })
const one = { "count/persistentvolumeclaims": "1", persistentvolumeclaims: "1" }

test.each([
  ["without a class", claim(storage("1Gi")), { ...one, "requests.storage": "1Gi" }],
  [
    "of a class",
    claim({ ...storage("1Gi"), storageClassName: "gold" }),
    {
      ...one,
      "requests.storage": "1Gi",
      "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
      "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
    },
  ],
  ["that grows", claim(storage("1Gi"), { allocatedResources: { storage: "2Gi" } }), { ...one, "requests.storage": "2Gi" }],
  ["that was to grow", claim(storage("2Gi"), { allocatedResources: { storage: "1Gi" } }), { ...one, "requests.storage": "2Gi" }],
  ["of a part of a byte", claim(storage("1500m")), { ...one, "requests.storage": "2" }],
])("a claim %s", (_what, object, expected) => {
  expect(used(claims, object)).toEqual(expected)
})

const service = (spec: object) => ({ kind: "Service", apiVersion: "v1", metadata: { name: "s" }, spec }) as Service
const ports = [{ port: 1 }, { port: 2, nodePort: 30000 }]

test.each([
  ["ClusterIP", service({ type: "ClusterIP", ports }), "0", "0"],
  ["NodePort", service({ type: "NodePort", ports }), "2", "0"],
  ["LoadBalancer", service({ type: "LoadBalancer", ports }), "2", "1"],
  ["LoadBalancer that does without", service({ type: "LoadBalancer", ports, allocateLoadBalancerNodePorts: false }), "1", "1"],
])("a service of type %s", (_what, object, nodePorts, balancers) => {
  expect(used({ group: "", plural: "services" }, object)).toEqual({
    "count/services": "1",
    services: "1",
    "services.nodeports": nodePorts,
    "services.loadbalancers": balancers,
  })
})

test.each([
  [
    { group: "", plural: "secrets" },
    { "count/secrets": "1", secrets: "1" },
  ],
  [{ group: "", plural: "endpoints" }, { "count/endpoints": "1" }],
  [{ group: "apps", plural: "deployments" }, { "count/deployments.apps": "1" }],
  [{ group: "example.com", plural: "secrets" }, { "count/secrets.example.com": "1" }],
])("an object of %o is counted by its kind", (kind, expected) => {
  expect(used(kind, pod())).toEqual(expected)
})

const devices = { group: "resource.k8s.io", plural: "resourceclaims" }
const deviceClaim = (...requests: object[]) =>
  ({ kind: "ResourceClaim", apiVersion: "resource.k8s.io/v1", metadata: { name: "d" }, spec: { devices: { requests } } }) as KubeObject
const ofClass = (deviceClassName: string, count?: number, allocationMode = "ExactCount") => ({ deviceClassName, count, allocationMode })
const claimed = { "count/resourceclaims.resource.k8s.io": "1" }
/** Under the class, and under the extended resource that every class stands for. */
const ofGpu = (count: string) => ({
  "gpu.deviceclass.resource.k8s.io/devices": count,
  "requests.deviceclass.resource.kubernetes.io/gpu": count,
})
const ofNic = (count: string) => ({
  "nic.deviceclass.resource.k8s.io/devices": count,
  "requests.deviceclass.resource.kubernetes.io/nic": count,
})

test.each([
  ["nothing", deviceClaim(), claimed],
  [
    "some of two classes",
    deviceClaim(
      { name: "a", exactly: ofClass("gpu", 2) },
      { name: "b", exactly: ofClass("nic", 1) },
      { name: "c", exactly: ofClass("gpu", 3) },
    ),
    { ...claimed, ...ofGpu("5"), ...ofNic("1") },
  ],
  ["all there are", deviceClaim({ name: "a", exactly: ofClass("gpu", undefined, "All") }), { ...claimed, ...ofGpu("32") }],
  [
    "one of several",
    deviceClaim({ name: "a", firstAvailable: [ofClass("gpu", 4), ofClass("gpu", 1), ofClass("nic", 2)] }),
    { ...claimed, ...ofGpu("4"), ...ofNic("2") },
  ],
  [
    "in an unknown way",
    deviceClaim({ name: "a", exactly: ofClass("gpu", 4, "Later") }),
    { ...claimed, "gpu.deviceclass.resource.k8s.io/devices": "0" },
  ],
])("a claim of devices that asks for %s", (_what, object, expected) => {
  expect(used(devices, object)).toEqual(expected)
})

const limits = (of: readonly string[]): ResourceList => Object.fromEntries(of.map((name) => [name, "1"]))

const names = [
  "gpu.deviceclass.resource.k8s.io/devices",
  "count/resourceclaims.resource.k8s.io",
  "pods",
  "count/pods",
  "limits.cpu",
  "hugepages-2Mi",
  "requests.nvidia.com/gpu",
  "requests.storage",
  "gold.storageclass.storage.k8s.io/requests.storage",
  "services.nodeports",
  "secrets",
  "count/deployments.apps",
  "nvidia.com/gpu",
]

test.each([
  [pods, ["pods", "count/pods", "limits.cpu", "hugepages-2Mi", "requests.nvidia.com/gpu"]],
  [claims, ["requests.storage", "gold.storageclass.storage.k8s.io/requests.storage"]],
  [devices, ["gpu.deviceclass.resource.k8s.io/devices", "count/resourceclaims.resource.k8s.io"]],
  [{ group: "", plural: "services" }, ["services.nodeports"]],
  [{ group: "", plural: "secrets" }, ["secrets"]],
  [{ group: "apps", plural: "deployments" }, ["count/deployments.apps"]],
  [{ group: "", plural: "configmaps" }, []],
])("the names of a quota that %o is counted under", (kind, expected) => {
  expect(quotaNamesFor(kind, limits(names))).toEqual(expected)
})

test("a kind that is counted under fixed names does not go through those of a quota", () => {
  const untouchable = new Proxy(limits([...names, "count/secrets"]), { ownKeys: () => expect.unreachable() })
  expect(quotaNamesFor({ group: "", plural: "secrets" }, untouchable)).toEqual(["count/secrets", "secrets"])
  expect(quotaNamesFor({ group: "apps", plural: "deployments" }, untouchable)).toEqual(["count/deployments.apps"])
  expect(quotaNamesFor({ group: "", plural: "services" }, untouchable)).toEqual(["services.nodeports"])
})

test("pods go through the names of frozen limits once, and through others each time", () => {
  let reads = 0
  const noted = (hard: ResourceList) =>
    new Proxy(hard, {
      ownKeys(target) {
        reads++
        return Reflect.ownKeys(target)
      },
    })
  const [frozen, open] = [noted(Object.freeze(limits(names))), noted(limits(names))]
  const expected = quotaNamesFor(pods, frozen)
  reads = 0
  expect([quotaNamesFor(pods, frozen), reads]).toEqual([expected, 0])
  quotaNamesFor(pods, open)
  reads = 0
  quotaNamesFor(pods, open)
  expect(reads).toBeGreaterThan(0)
})

const inClass = (scopeName: string, operator: string, values?: readonly string[]) =>
  ({ scopeSelector: { matchExpressions: [{ scopeName, operator, values }] } }) as ResourceQuota["spec"]
const withClass = pod({}, { spec: { priorityClassName: "high", containers: [] } })
const attributed = claim({ volumeAttributesClassName: "a" }, { currentVolumeAttributesClassName: "b" })
const affine = pod(
  {},
  {
    spec: {
      containers: [],
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "h", namespaces: ["x"] }] } },
    },
  },
)

test.each([
  ["no scope", {}, pods, pod(), true],
  ["Terminating", { scopes: ["Terminating"] }, pods, pod({}, { spec: { activeDeadlineSeconds: 0 } }), true],
  ["NotTerminating", { scopes: ["NotTerminating"] }, pods, pod({}, { spec: { activeDeadlineSeconds: 0 } }), false],
  ["BestEffort", { scopes: ["BestEffort"] }, pods, pod(), true],
  ["two scopes of which one fits", { scopes: ["BestEffort", "Terminating"] }, pods, pod(), false],
  ["NotBestEffort", { scopes: ["NotBestEffort"] }, pods, pod({ limits: { cpu: "1" } }), true],
  ["In", inClass("PriorityClass", "In", ["high"]), pods, withClass, true],
  ["In, without a class", inClass("PriorityClass", "In", ["high"]), pods, pod(), false],
  ["NotIn", inClass("PriorityClass", "NotIn", ["high"]), pods, withClass, false],
  ["NotIn, without a class", inClass("PriorityClass", "NotIn", ["high"]), pods, pod(), true],
  ["Exists", inClass("PriorityClass", "Exists"), pods, withClass, true],
  ["DoesNotExist", inClass("PriorityClass", "DoesNotExist"), pods, withClass, false],
  ["CrossNamespacePodAffinity", { scopes: ["CrossNamespacePodAffinity"] }, pods, affine, true],
  ["CrossNamespacePodAffinity of another pod", { scopes: ["CrossNamespacePodAffinity"] }, pods, pod(), false],
  ["VolumeAttributesClass", inClass("VolumeAttributesClass", "In", ["b"]), claims, attributed, true],
  ["VolumeAttributesClass of others", inClass("VolumeAttributesClass", "In", ["c"]), claims, attributed, false],
  ["VolumeAttributesClass, without one", inClass("VolumeAttributesClass", "DoesNotExist"), claims, claim(), true],
  ["a scope of pods on claims", { scopes: ["BestEffort"] }, claims, claim(), false],
  ["a scope of claims on pods", { scopes: ["VolumeAttributesClass"] }, pods, pod(), false],
  ["a scope on anything else", { scopes: ["BestEffort"] }, { group: "", plural: "secrets" }, pod(), false],
])("%s", (_what, spec, kind, object, expected) => {
  expect(isInQuotaScopes({ spec } as ResourceQuota, kind, object)).toBe(expected)
})
