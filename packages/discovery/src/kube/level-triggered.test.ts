import type { KubeObject } from "@pilothouse/api"
import fc from "fast-check"
import { expect, test } from "vitest"
import { auditIndex } from "../audit.ts"
import { TestKube } from "../testing/kube.ts"
import { type EndpointShape, kubeNamespace, kubeNode, kubePod, kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { type RegistryFixture, registryFixture } from "../testing/registry-fixture.ts"

/*
 * Whatever happened and in whatever order, the registry knows in the end what one knows that is started then and reads the same objects:
 * no event, no order and no waiting leaves a trace.
 */

const namespace = fc.constantFrom("shop", "shop", "shop", "infra")
const number = fc.integer({ min: 1, max: 2 })
const ip = number.map((n) => `10.0.0.${n}`)

const service = fc
  .record({
    namespace,
    n: number,
    kind: fc.constantFrom("plain", "headless", "external", "dual", "near"),
    label: fc.constantFrom("a", "b"),
  })
  .map(({ namespace: ns, n, kind, label }) => {
    const specs = {
      plain: {},
      headless: { clusterIP: "None" },
      external: { type: "ExternalName" as const, externalName: "api.example.com" },
      dual: { clusterIPs: ["10.96.0.1", "fd00::1"], publishNotReadyAddresses: true },
      near: { trafficDistribution: "PreferClose" },
    }
    return kubeService(`${ns}/s${n}`, specs[kind as keyof typeof specs], { labels: { label } })
  })

const pod = fc
  .record({
    namespace,
    n: number,
    ip,
    second: fc.boolean(),
    node: fc.constantFrom("node-1", "node-2"),
    phase: fc.constantFrom("Running" as const, "Failed" as const, "Pending" as const),
    label: fc.constantFrom("a", "b"),
  })
  .map(({ namespace: ns, n, ip: first, second, node, phase, label }) =>
    kubePod(`${ns}/p${n}`, { ips: second ? [first, `fd00::${n}`] : [first], node, phase, labels: { label }, account: label }),
  )

const endpoint: fc.Arbitrary<EndpointShape> = fc
  .record({ n: number, hasPod: fc.boolean(), ready: fc.boolean(), terminating: fc.boolean() })
  .map(({ n, hasPod, ready, terminating }) => ({
    ip: `10.0.0.${n}`,
    pod: hasPod ? `p${n}` : undefined,
    ready,
    terminating,
    node: "node-1",
  }))

const slice = fc
  .record({ namespace, n: number, of: number, endpoints: fc.array(endpoint, { maxLength: 3 }), six: fc.boolean() })
  .map(({ namespace: ns, n, of, endpoints, six }) =>
    kubeSlice(`${ns}/e${n}`, { service: `s${of}`, endpoints, addressType: six ? "IPv6" : "IPv4" }),
  )

const node = fc
  .record({ n: fc.integer({ min: 1, max: 2 }), zone: fc.constantFrom("z1", "z2") })
  .map(({ n, zone }) => kubeNode(`node-${n}`, { "topology.kubernetes.io/zone": zone }))

const space = fc
  .record({
    name: fc.constantFrom("shop", "infra", "istio-system"),
    mesh: fc.constantFrom("on", "off"),
    network: fc.constantFrom("x", "y"),
  })
  .map(({ name, mesh, network }) => kubeNamespace(name, { mesh, "topology.istio.io/network": network }))

const step = fc.record({
  object: fc.oneof({ weight: 3, arbitrary: service }, { weight: 4, arbitrary: pod }, { weight: 5, arbitrary: slice }, node, {
    weight: 2,
    arbitrary: space,
  }) as fc.Arbitrary<KubeObject>,
  gone: fc.constantFrom(true, false, false, false, false),
  settle: fc.constantFrom(true, true, false),
})

function known({ registry }: RegistryFixture) {
  const services = registry.services()
  // Two slices may have one address: which of them counts depends on which came first, so only places are compared then.
  const endpoints = services.map(({ hostname }) => [
    hostname,
    registry
      .endpoints(hostname)
      .map(({ addresses, portName }) => `${addresses[0]} ${portName}`)
      .sort(),
  ])
  const addresses = [1, 2, 3].map((n) => [...registry.state.podCache.at(`10.0.0.${n}`)].sort())
  return { services, endpoints, addresses, waiting: registry.state.waiting.count }
}

for (const discovery of ["every namespace", "selected namespaces"] as const)
  test(`with ${discovery}, the end depends only on what is there`, async () => {
    const selectors = discovery === "every namespace" ? undefined : [{ matchLabels: { mesh: "on" } }]
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      const kube = new TestKube()
      await using lived = await registryFixture({ kube, discoverySelectors: selectors })
      const truth = new Map<string, KubeObject>()
      for (const { object, gone, settle } of steps) {
        const key = `${object.kind} ${object.metadata.namespace} ${object.metadata.name}`
        if (gone) kube.remove(object)
        else kube.put(object)
        if (gone) truth.delete(key)
        else truth.set(key, object)
        if (settle) await lived.clock.settle()
      }
      await lived.clock.settle()
      await using fresh = await registryFixture({ objects: [...truth.values()], discoverySelectors: selectors })
      expect(known(lived)).toEqual(known(fresh))
      expect(auditIndex(lived.registry.state)).toEqual([])
      expect(lived.registry.stuck).toEqual([])
    })
    await fc.assert(property, { numRuns: 60 })
  })
