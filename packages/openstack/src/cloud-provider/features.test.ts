import { expect, test } from "vitest"
import { desiredListeners } from "./desired-listeners.ts"
import { supportedFeatures } from "./features.ts"
import { readServiceOptions } from "./service-options.ts"
import { nodeAt, providerWith, serviceWith } from "./testing/provider.ts"

const none = { timeouts: false, tags: false, flavors: false, sourceRanges: false, availabilityZones: false }

test.each([
  [0, undefined, none],
  [1, undefined, { ...none, timeouts: true }],
  [5, undefined, { ...none, timeouts: true, tags: true }],
  [6, undefined, { ...none, timeouts: true, tags: true, flavors: true }],
  [12, undefined, { timeouts: true, tags: true, flavors: true, sourceRanges: true, availabilityZones: false }],
  [14, "amphora", { timeouts: true, tags: true, flavors: true, sourceRanges: true, availabilityZones: true }],
  [26, "ovn", { timeouts: false, tags: true, flavors: true, sourceRanges: false, availabilityZones: true }],
])("Octavia v2.%i with the provider %s", (minor, provider, expected) => {
  expect(supportedFeatures(minor, provider)).toEqual(expected)
})

test("what Octavia cannot do is not asked of it", () => {
  const service = serviceWith({ spec: { loadBalancerSourceRanges: ["10.0.0.0/8"] } })
  const desired = { service, nodes: [], options: readServiceOptions(service, {}), memberSubnet: undefined, name: "x" }
  const [old] = desiredListeners({ ...desired, features: none })
  for (const name of ["allowed_cidrs", "tags", "timeout_client_data"]) expect(Object.keys(old!)).not.toContain(name)
  const [now] = desiredListeners({ ...desired, features: supportedFeatures(26, undefined) })
  expect(now).toMatchObject({ allowed_cidrs: ["10.0.0.0/8"], tags: ["x"], timeout_client_data: 50_000 })
})

test("an Octavia without tags: created, left unchanged, and deleted; sharing is refused", async () => {
  await using stage = providerWith()
  stage.embedded.knobs.octaviaMinor = 4
  const service = serviceWith()
  const nodes = [nodeAt("a", "192.168.0.10")]
  const { changed, annotations } = await stage.balancers.ensure(service, nodes, stage.signal)
  const again = await stage.balancers.ensure(service, nodes, stage.signal)
  expect([changed, again.changed]).toEqual([true, false])
  const id = annotations?.["loadbalancer.openstack.org/load-balancer-id"] ?? ""
  const guest = serviceWith({ name: "guest", uid: "guest", annotations: { "load-balancer-id": id } })
  await expect(stage.balancers.ensure(guest, nodes, stage.signal)).rejects.toThrow(/only supported with the tag feature/)
  await stage.balancers.ensureDeleted(service, stage.signal)
  expect(stage.embedded.octavia.balancers.rows.size).toBe(0)
})

test("with enable-ingress-hostname the address behind PROXY is published as a host name", async () => {
  await using stage = providerWith(() => ({ enableIngressHostname: true }))
  const service = serviceWith({ annotations: { "proxy-protocol": "true" } })
  const { status, annotations } = await stage.balancers.ensure(service, [nodeAt("a", "192.168.0.10")], stage.signal)
  const address = annotations?.["loadbalancer.openstack.org/load-balancer-address"]
  expect(status).toEqual({ ingress: [{ hostname: `${address}.nip.io` }] })
})
