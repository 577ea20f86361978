import type { Service } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { readCloudConf } from "./cloud-conf.ts"
import { openStackProvider } from "./load-balancers.ts"
import { nodeAt, prefix, providerWith, serviceWith, type TestProvider } from "./testing/provider.ts"

const node = nodeAt("a", "192.168.0.10")
const withMonitor = { annotations: { "enable-health-monitor": "true" } }

/** The provider under another name of its cluster. */
function renamed({ cloud, embedded }: TestProvider, clusterName = "two") {
  return openStackProvider({ cloud, clusterName, settings: { subnetId: embedded.seed.nodeSubnet } }).loadBalancers!
}

function annotated(service: Service, id: string): Service {
  return {
    ...service,
    metadata: { ...service.metadata, annotations: { ...service.metadata.annotations, [`${prefix}load-balancer-id`]: id } },
  }
}

/** A Service that the cluster had under the name "one". */
async function made(stage: TestProvider, setup: Parameters<typeof serviceWith>[0] = withMonitor) {
  const service = serviceWith(setup)
  await stage.balancers.ensure(service, [node], stage.signal)
  const { id } = stage.embedded.octavia.balancers.where(() => true).at(-1)!
  return { id, service: annotated(service, id) }
}

function names({ embedded: { octavia, neutron } }: TestProvider): readonly string[] {
  return [
    ...[octavia.balancers, octavia.listeners, octavia.pools, octavia.monitors].flatMap((table) =>
      (table.where(() => true) as readonly { readonly name: string; readonly tags?: readonly string[] }[]).flatMap(
        ({ name, tags = [] }) => [name, ...tags],
      ),
    ),
    ...octavia.balancers.where(() => true).map(({ description }) => description),
    ...[...neutron.floatingIps.values()].map(({ description }) => description),
  ]
}

describe("the cluster has another name", () => {
  test("its balancer keeps its address, and everything on it says the new name", async () => {
    await using stage = providerWith()
    const { service, id } = await made(stage)
    const addresses = () => [...stage.embedded.neutron.floatingIps.values()].map((one) => one.floating_ip_address)
    const before = addresses()
    const after = await renamed(stage).ensure(service, [node], stage.signal)
    expect([stage.embedded.octavia.balancers.where(() => true).map((one) => one.id), addresses()]).toEqual([[id], before])
    expect(after.changed).toBe(true)
    const all = names(stage)
    expect(all.filter((text) => /kube_service_one_|cluster one$/.test(text))).toEqual([])
    expect(all.filter((text) => /kube_service_two_|cluster two$/.test(text))).toHaveLength(all.length)
    expect((await renamed(stage).ensure(service, [node], stage.signal)).changed).toBe(false)
  })

  test("stopped half-way, it is completed by the next ensure", async () => {
    await using stage = providerWith()
    const { service } = await made(stage)
    let failed = 0
    stage.embedded.fault = ({ verb, path }) =>
      verb === "PUT" && path.includes("/listeners/") && failed++ === 0 ? { status: 500 } : undefined
    await expect(renamed(stage).ensure(service, [node], stage.signal)).rejects.toThrow(/500/)
    await renamed(stage).ensure(service, [node], stage.signal)
    expect(names(stage).filter((text) => /kube_service_one_|cluster one$/.test(text))).toEqual([])
  })

  test("a Service that goes before it was looked at takes all of it along", async () => {
    await using stage = providerWith()
    const { service } = await made(stage)
    await renamed(stage).ensureDeleted(service, stage.signal)
    expect(names(stage)).toEqual([])
  })

  test("a Service that shares the balancer has its tag renamed too", async () => {
    await using stage = providerWith()
    const { service, id } = await made(stage)
    const ports = [{ name: "more", port: 81, nodePort: 30_081, protocol: "TCP" as const }]
    const guest = serviceWith({ name: "guest", uid: "guest-uid", annotations: { "load-balancer-id": id }, spec: { ports } })
    await stage.balancers.ensure(guest, [node], stage.signal)
    await renamed(stage).ensure(service, [node], stage.signal)
    await renamed(stage).ensure(guest, [node], stage.signal)
    expect(names(stage).filter((text) => /kube_service_one_/.test(text))).toEqual([])
    await renamed(stage).ensureDeleted(guest, stage.signal)
    await renamed(stage).ensureDeleted(service, stage.signal)
    expect(names(stage)).toEqual([])
  })

  test("another cluster's Service of the same name does not rename it", async () => {
    await using stage = providerWith()
    const { service } = await made(stage)
    const before = names(stage)
    const other = { ...service, metadata: { ...service.metadata, uid: "another-uid" } }
    await expect(renamed(stage).ensure(other, [node], stage.signal)).rejects.toThrow(/already exists/)
    expect(names(stage)).toEqual(before)
  })
})

describe("cascade-delete", () => {
  const deletes = (stage: TestProvider) =>
    stage.embedded.calls
      .filter(({ service, verb }) => service === "octavia" && verb === "DELETE")
      .map(({ path, query }) => `${path.split("/")[3]}${query.cascade === undefined ? "" : ` cascade=${String(query.cascade)}`}`)

  test("by default a balancer is deleted in one call", async () => {
    await using stage = providerWith()
    const { service } = await made(stage)
    await stage.balancers.ensureDeleted(service, stage.signal)
    expect([deletes(stage), names(stage)]).toEqual([["loadbalancers cascade=true"], []])
  })

  test("false: monitor, pool, listener and balancer go one after the other", async () => {
    expect(readCloudConf("[LoadBalancer]\ncascade-delete = false").cascadeDelete).toBe(false)
    await using stage = providerWith(() => ({ cascadeDelete: false }))
    const { service } = await made(stage)
    await stage.balancers.ensureDeleted(service, stage.signal)
    expect([deletes(stage), names(stage)]).toEqual([["healthmonitors", "pools", "listeners", "loadbalancers"], []])
  })
})
