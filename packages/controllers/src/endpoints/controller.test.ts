import { forbidden } from "@pilothouse/api"
import { type Endpoints, endpoints, events, namespaces, pods, services } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { newPod, newService, writesOf } from "../service-endpoints/testing/cluster.ts"
import { endpointsController } from "./controller.ts"

const only = { controllers: ["endpoints"] }

async function addresses(running: Cluster, key = "default/web"): Promise<readonly string[]> {
  const { subsets = [] } = await running.client.get(endpoints, key)
  return subsets.flatMap((subset) => subset.addresses?.map(({ targetRef }) => targetRef?.name ?? "") ?? []).sort()
}

/** The API server has Endpoints of its own. */
async function theirs(running: Cluster): Promise<readonly Endpoints[]> {
  return (await running.list(endpoints)).filter(({ metadata }) => metadata.name !== "kubernetes")
}

async function names(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await theirs(running)).map(({ metadata }) => metadata.name)
}

function handWritten(name: string): Endpoints {
  const subsets = [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80, protocol: "TCP" as const }] }]
  return { apiVersion: "v1", kind: "Endpoints", metadata: { name, namespace: "default" }, subsets }
}

describe("Endpoints of a Service", () => {
  test("follow its pods, and go with it", async () => {
    await using running = await cluster(only)
    await running.apply(newService())
    await running.apply(newPod(1))
    await running.apply(newPod(2))
    await running.settled()
    expect(await addresses(running)).toEqual(["web-1", "web-2"])
    await running.client.delete(pods, "default/web-1")
    await running.settled()
    expect(await addresses(running)).toEqual(["web-2"])
    await running.client.delete(services, "default/web")
    await running.settled()
    expect(await names(running)).toEqual([])
  })

  test("follow its selector", async () => {
    await using running = await cluster(only)
    await running.apply(newService({ selector: { app: "other" } }))
    await running.apply(newPod(1))
    await running.settled()
    expect(await addresses(running)).toEqual([])
    await running.client.patch(services, "default/web", { spec: { selector: { app: "web" } } })
    await running.settled()
    expect(await addresses(running)).toEqual(["web-1"])
    await running.client.patch(pods, "default/web-1", { metadata: { labels: { app: "other" } } })
    await running.settled()
    expect(await addresses(running)).toEqual([])
  })

  test("EndpointsDeletionEvents: come back when a user deletes or edits them", async () => {
    await using running = await cluster(only)
    await running.apply(newService())
    await running.apply(newPod(1))
    await running.settled()
    await running.client.delete(endpoints, "default/web")
    await running.settled()
    expect(await addresses(running)).toEqual(["web-1"])
    await running.client.patch(endpoints, "default/web", { subsets: null })
    await running.settled()
    expect(await addresses(running)).toEqual(["web-1"])
  })

  test("a conflict is retried, and what others wrote stays", async () => {
    const writes = writesOf("endpoints")
    // The layer is made before the cluster that it wraps.
    const late: { running?: Cluster } = {}
    const disturbed = (inner: Parameters<typeof writes.layer>[0]) => {
      const noted = writes.layer(inner)
      return async (request: Parameters<typeof noted>[0]) => {
        const first =
          request.verb === "PUT" && request.path.endsWith("/endpoints/web") && writes.seen.filter((one) => one === "PUT web").length === 0
        if (first) await late.running?.client.patch(endpoints, "default/web", { metadata: { annotations: { theirs: "1" } } })
        return noted(request)
      }
    }
    await using made = await cluster({ ...only, layer: disturbed })
    late.running = made
    await made.apply(newService())
    await made.settled()
    await made.apply(newPod(1))
    await made.settled()
    expect(await addresses(made)).toEqual(["web-1"])
    expect((await made.client.get(endpoints, "default/web")).metadata.annotations?.theirs).toBe("1")
    expect(writes.seen.filter((one) => one === "PUT web").length).toBe(2)
  })
})

describe("leftovers", () => {
  test("Endpoints whose Service was deleted while no controller ran are deleted at the start; a leader's record stays", async () => {
    await using running = await cluster({ controllers: [] })
    await running.apply(handWritten("gone"))
    const leader = handWritten("leader")
    await running.apply({ ...leader, metadata: { ...leader.metadata, annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } } })
    await using started = await cluster({ ...only, layer: () => running.transport })
    await started.settled()
    expect(await names(running)).toEqual(["leader"])
  })

  test("Endpoints that come before their Service wait for it", async () => {
    await using running = await cluster(only)
    // What is there when the controller starts is a leftover, and this is not.
    await running.settled()
    await running.apply(handWritten("db"))
    await running.settled()
    await running.apply(newService({ selector: undefined }, { name: "db" }))
    await running.settled()
    expect((await running.client.get(endpoints, "default/db")).subsets).toHaveLength(1)
  })
})

describe("batching", () => {
  const changes: Readonly<Record<string, (running: Cluster, number: number) => Promise<unknown>>> = {
    adds: (running, number) => running.apply(newPod(number)),
    updates: (running, number) => running.client.patch(pods, `default/web-${number}`, { status: { podIP: `10.9.9.${number}` } }, inStatus),
    deletes: (running, number) => running.client.delete(pods, `default/web-${number}`, { gracePeriodSeconds: 0 }),
  }
  const inStatus = { subresource: "status" } as const

  test.each(
    Object.keys(changes).flatMap((change) => [
      { change, name: "with no batching", period: "0s" as const, gap: "200ms" as const, expected: 3 },
      { change, name: "in one batch", period: "1s" as const, gap: "200ms" as const, expected: 1 },
      { change, name: "in two batches", period: "1s" as const, gap: "600ms" as const, expected: 2 },
    ]),
  )("Pod{Adds,Updates,Delete}Batching: three $change $name", async ({ change, period, gap, expected }) => {
    const writes = writesOf("endpoints")
    const extra = [endpointsController({ updatesBatchPeriod: period })]
    await using running = await cluster({ controllers: [], extra, layer: writes.layer })
    await running.apply(newService())
    for (const number of [1, 2, 3]) if (change !== "adds") await running.apply(newPod(number))
    await running.advance("10s")
    writes.seen.length = 0
    for (const number of [1, 2, 3]) {
      await changes[change]!(running, number)
      await running.advance(gap)
    }
    await running.advance("5s")
    expect(await addresses(running)).toEqual(change === "deletes" ? [] : ["web-1", "web-2", "web-3"])
    expect(writes.seen).toEqual(Array(expected).fill("PUT web"))
  })
})

describe("bad weather", () => {
  test("what the server refuses is said and tried fifteen times, then left until something changes", async () => {
    const writes = writesOf("endpoints")
    let refuse = true
    const layer = (inner: Parameters<typeof writes.layer>[0]) => {
      const noted = writes.layer(inner)
      return async (request: Parameters<typeof noted>[0]) => {
        if (refuse && request.verb === "POST" && request.path.endsWith("/endpoints")) {
          writes.seen.push("refused")
          throw forbidden({ plural: "endpoints", group: "" }, "web", "no more of them")
        }
        return noted(request)
      }
    }
    await using running = await cluster({ ...only, layer })
    await running.apply(newService())
    await running.advance("1h")
    expect(writes.seen.filter((one) => one === "refused")).toHaveLength(16)
    const said = (await running.list(events)).filter(({ reason }) => reason === "FailedToCreateEndpoint")
    expect(said[0]).toMatchObject({ type: "Warning", source: { component: "endpoint-controller" } })
    expect(said[0]?.message).toContain("Failed to create endpoint for service default/web: ")
    refuse = false
    await running.apply(newPod(1))
    await running.settled()
    expect(await addresses(running)).toEqual(["web-1"])
  })

  test("a namespace that goes away refuses the Endpoints: no event, no second try", async () => {
    const writes = writesOf("endpoints")
    await using running = await cluster({ ...only, layer: writes.layer })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "going" } })
    await running.client.patch(namespaces, "going", { metadata: { finalizers: ["example.com/held"] } })
    await running.client.create(services, newService({}, { namespace: "going" }))
    await running.settled()
    await running.client.delete(namespaces, "going")
    writes.seen.length = 0
    await running.client.delete(endpoints, "going/web")
    await running.advance("10m")
    expect(writes.seen).toEqual(["POST"])
    expect((await running.list(events)).filter(({ reason }) => reason?.startsWith("FailedTo"))).toEqual([])
  })

  test("a crash at any call ends the same", async () => {
    const report = await crashPoints(
      {
        cluster: only,
        async run(running) {
          await running.apply(newService({}, { labels: { tier: "front" } }))
          for (const number of [1, 2, 3]) await running.apply(newPod(number))
          await running.advance("40s")
          await running.client.delete(pods, "default/web-2")
          await running.apply(newService({}, { name: "short" }))
          await running.advance("20s")
          await running.client.delete(services, "default/short")
          await running.advance("40s")
        },
        async end(running) {
          const all = await theirs(running)
          return all.map(({ metadata: { name, labels }, subsets = [] }) => ({
            name,
            labels,
            pods: subsets.map((subset) => subset.addresses?.map(({ targetRef }) => targetRef?.name).sort()),
          }))
        },
      },
      { sample: 10, seed: 7, writers: ["endpoints-controller"] },
    )
    expect(report.tried).toBe(10)
  })
})
