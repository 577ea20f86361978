import { expect, test } from "vitest"
import type { Pod } from "../generated/core/v1.types.ts"
import type { DeviceClass, ResourceClaim } from "../generated/resource/v1.types.ts"
import { formatResources } from "../quantity/resource-list.ts"
import { deviceClassNames } from "./extended-devices.ts"
import { type DeviceFacts, quotaNamesFor, quotaUsage } from "./quota-usage.ts"

const kind = { group: "resource.k8s.io", plural: "resourceclaims" }
const now = Date.parse("2026-01-05T09:00:00Z")
const deviceClass = (name: string, extendedResourceName?: string) => ({ metadata: { name }, spec: { extendedResourceName } }) as DeviceClass
const classes = deviceClassNames([deviceClass("gpu", "example.com/gpu"), deviceClass("big", "example.com/gpu"), deviceClass("nic")])

const made = { namespace: "n", creationTimestamp: "2026-01-05T08:00:00Z", resourceVersion: "7" }
const annotations = { "resource.kubernetes.io/extended-resource-claim": "true" }
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }
/** As the scheduler makes it for the pod p. */
const ofPod = { name: "c", ...made, annotations, ownerReferences: [owner] }

function claim(metadata: ResourceClaim["metadata"], asked: Readonly<Record<string, number>> = { gpu: 3 }): ResourceClaim {
  const requests = Object.entries(asked).map(([deviceClassName, count]) => ({ name: deviceClassName, exactly: { deviceClassName, count } }))
  return { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata, spec: { devices: { requests } } }
}

function pod(amounts: Readonly<Record<string, string>>, status?: Pod["status"]): Pod {
  const metadata = { name: "p", namespace: "n", uid: "u" }
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: "c", resources: { requests: amounts } }] }, status } as Pod
}

function extended(object: ResourceClaim, having: Partial<DeviceFacts> = {}): Readonly<Record<string, string>> {
  const facts = { classes, pod: () => undefined, claimsOf: () => [], ...having }
  const all = Object.entries(formatResources(quotaUsage(kind, object, now, facts)))
  return Object.fromEntries(
    all.filter(([name]) => name.startsWith("requests.")).map(([name, amount]) => [name.slice("requests.".length), amount]),
  )
}

const implicit = "deviceclass.resource.kubernetes.io/"
const whole = { [`${implicit}gpu`]: "3", "example.com/gpu": "3" }

test.each([
  ["a class that stands for a resource", { gpu: 3 }, whole],
  ["a class that stands for none", { nic: 2 }, { [`${implicit}nic`]: "2" }],
  ["a class that does not exist", { ghost: 1 }, { [`${implicit}ghost`]: "1" }],
  [
    "two classes that stand for the same: the dearer",
    { gpu: 1, big: 4 },
    { [`${implicit}gpu`]: "1", [`${implicit}big`]: "4", "example.com/gpu": "4" },
  ],
])("devices are counted as extended resources: %s", (_what, asked, expected) => {
  expect(extended(claim({ name: "c", ...made }, asked))).toEqual(expected)
})

test.each([
  ["for as many as it asks for", { "example.com/gpu": "3" }, { [`${implicit}gpu`]: "3" }],
  ["for fewer", { "example.com/gpu": "1" }, { ...whole, "example.com/gpu": "2" }],
  ["for more", { "example.com/gpu": "8" }, { [`${implicit}gpu`]: "3" }],
  ["by the name of the class", { [`${implicit}gpu`]: "3" }, { "example.com/gpu": "3" }],
  ["for something else", { "example.com/nic": "3" }, whole],
])("what the pod of a claim is charged with is not charged twice: %s", (_what, amounts, expected) => {
  expect(extended(claim(ofPod), { pod: () => pod(amounts) })).toEqual(expected)
})

const asking = { "example.com/gpu": "3" }
const other = (name: string, creationTimestamp: string) => claim({ ...ofPod, name, creationTimestamp })
const own = claim(ofPod)
const spared = { [`${implicit}gpu`]: "3" }
const { resourceVersion: _none, ...unmade } = ofPod

test.each<readonly [string, ResourceClaim, Partial<DeviceFacts>, object]>([
  ["it says nothing of a pod", claim({ ...ofPod, annotations: {} }), {}, whole],
  ["the pod does not control it", claim({ ...ofPod, ownerReferences: [{ ...owner, controller: false }] }), {}, whole],
  ["something else controls it", claim({ ...ofPod, ownerReferences: [{ ...owner, kind: "Job", apiVersion: "batch/v1" }] }), {}, whole],
  ["the pod is gone", own, { pod: () => undefined }, whole],
  ["another pod has its name", claim({ ...ofPod, ownerReferences: [{ ...owner, uid: "v" }] }), {}, whole],
  ["the pod is over", own, { pod: () => pod(asking, { phase: "Failed" }) }, whole],
  ["the pod names it", own, { pod: () => pod(asking, naming("c")), claimsOf: () => [other("a", "2026-01-05T07:00:00Z")] }, spared],
  ["the pod names another", own, { pod: () => pod(asking, naming("d")) }, whole],
  ["it is the only one", own, { claimsOf: () => [own] }, spared],
  ["there is an older one", own, { claimsOf: () => [own, other("d", "2026-01-05T07:59:59Z")] }, whole],
  ["there is a younger one", own, { claimsOf: () => [own, other("a", "2026-01-05T08:00:01Z")] }, spared],
  ["there is one as old that comes before it", own, { claimsOf: () => [own, other("b", made.creationTimestamp)] }, whole],
  ["there is one as old that comes after it", own, { claimsOf: () => [own, other("d", made.creationTimestamp)] }, spared],
  ["it is being made, and is the first", claim(unmade), {}, spared],
  ["it is being made, and there is one", claim(unmade), { claimsOf: () => [other("d", made.creationTimestamp)] }, whole],
])("whether a claim is spared what its pod is charged with: %s", (_what, object, having, expected) => {
  expect(extended(object, { pod: () => pod(asking), ...having })).toEqual(expected)
})

function naming(resourceClaimName: string): Pod["status"] {
  return { extendedResourceClaimStatus: { resourceClaimName, requestMappings: [] } }
}

test("claims are counted under the names that classes stand for, and under no other extended resource", () => {
  const known = ["requests.example.com/gpu", `requests.${implicit}gpu`, `requests.${implicit}nic`]
  const names = [...known, "requests.example.com/fpga", `requests.${implicit}ghost`, "example.com/gpu", "requests.cpu"]
  const limits = Object.fromEntries(names.map((name) => [name, "1"]))
  expect(quotaNamesFor(kind, limits, classes)).toEqual(known)
  expect(quotaNamesFor(kind, limits)).toEqual([])
})
