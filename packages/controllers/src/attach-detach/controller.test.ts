import { type KubeObject, serviceUnavailable } from "@pilothouse/api"
import { events, type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { csiDrivers, volumeAttachments } from "@pilothouse/api/storage/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { noting, refusing } from "../testing/layers.ts"
import { boundVolume, csiNode, driver, externalAttacher, inUse, podOn, volumeReporter } from "./testing/csi.ts"

const claimOf = ({ spec }: Pod) => spec?.volumes?.[0]?.persistentVolumeClaim?.claimName
const volumeOf = (pod: Pod) => (claimOf(pod) === undefined ? undefined : inUse(claimOf(pod)!))
const options = (more: { readonly stuck?: () => boolean; readonly fault?: () => string | undefined } = {}): ClusterOptions => ({
  nodes: 0,
  controllers: ["attachdetach", "persistentvolume-binder"],
  extra: () => [externalAttacher(more.fault), volumeReporter(volumeOf, more.stuck)],
})

/** "data on n1 attached" of every VolumeAttachment. */
async function attachments(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(volumeAttachments)
  return all
    .map(({ spec, status }) => `${spec.source.persistentVolumeName} on ${spec.nodeName}${status?.attached ? " attached" : ""}`)
    .sort()
}

async function statusOf(running: Cluster, name: string): Promise<readonly [attached: string, used: string]> {
  const { status = {} } = await running.client.get(nodes, name)
  return [
    (status.volumesAttached ?? []).map((one) => one.name.split("^").pop()).join(),
    (status.volumesInUse ?? []).map((one) => one.split("^").pop()).join(),
  ]
}

async function remove(running: Cluster, name: string): Promise<void> {
  await running.client.delete(pods, `default/${name}`, { gracePeriodSeconds: 0 })
}

async function start(
  more: Parameters<typeof options>[0] & { readonly layer?: ClusterOptions["layer"] } = {},
  ...objects: readonly KubeObject[]
): Promise<Cluster> {
  const running = await cluster({ ...options(more), ...(more.layer && { layer: more.layer }) })
  await running.apply([csiNode("n1"), csiNode("n2"), ...boundVolume("data"), ...objects])
  await running.settled()
  return running
}

test("a volume is attached for a pod, listed on its node, and detached after it", async () => {
  const writes: string[] = []
  await using running = await start({ layer: noting(writes, "persistentvolume-attach-detach-controller") })
  await running.apply([podOn("n1", "data")])
  await running.settled()
  expect(await attachments(running)).toEqual(["data on n1 attached"])
  expect(await statusOf(running, "n1")).toEqual(["data", "data"])
  await remove(running, "web")
  await running.settled()
  expect(await attachments(running)).toEqual([])
  expect(await statusOf(running, "n1")).toEqual(["", ""])
  const va = "/apis/storage.k8s.io/v1/volumeattachments"
  // Upstream writes the same.
  expect(writes.map((write) => write.replace(/csi-[0-9a-f]{64}/, "csi-…"))).toEqual([
    `POST ${va}`,
    "PATCH /api/v1/nodes/n1/status",
    "PATCH /api/v1/nodes/n1/status",
    `DELETE ${va}/csi-…`,
  ])
  const reasons = (await running.list(events, { namespace: "default" })).map(({ reason, message, source }) => [
    reason,
    message,
    source?.component,
  ])
  expect(reasons).toEqual([["SuccessfulAttachVolume", 'AttachVolume.Attach succeeded for volume "data" ', "attachdetach-controller"]])
})

test("a volume for one node follows its pod to another only when the first has detached it", async () => {
  await using running = await start()
  await running.apply([podOn("n1", "data", "one")])
  await running.settled()
  await running.apply([podOn("n2", "data", "two")])
  await running.settled()
  expect(await attachments(running)).toEqual(["data on n1 attached"])
  const messages = (await running.list(events, { namespace: "default" })).map(({ message }) => message)
  expect(messages).toContain('Multi-Attach error for volume "data" Volume is already used by pod(s) one')
  await remove(running, "one")
  await running.advance("5s")
  expect(await attachments(running)).toEqual(["data on n2 attached"])
  expect([await statusOf(running, "n1"), await statusOf(running, "n2")]).toEqual([
    ["", ""],
    ["data", "data"],
  ])
})

test("pods on two nodes at the same instant: one node gets the volume", async () => {
  await using running = await start()
  await running.apply([podOn("n1", "data", "one"), podOn("n2", "data", "two")])
  await running.advance("10m")
  expect(await attachments(running)).toHaveLength(1)
})

test("a shared volume is attached to every node", async () => {
  await using running = await start({}, ...boundVolume("shared", ["ReadWriteMany"]))
  await running.apply([podOn("n1", "shared", "one"), podOn("n2", "shared", "two")])
  await running.settled()
  expect(await attachments(running)).toEqual(["shared on n1 attached", "shared on n2 attached"])
})

test("a kubelet that does not answer keeps the volume for six minutes, a healthy one for ever", async () => {
  let stuck = false
  await using running = await start({ stuck: () => stuck })
  await running.apply([podOn("n1", "data")])
  await running.settled()
  stuck = true
  await remove(running, "web")
  await running.advance("1h")
  expect(await attachments(running)).toEqual(["data on n1 attached"])
  const conditions = [{ type: "Ready", status: "Unknown" }]
  await running.client.patch(nodes, "n1", { status: { conditions } } as unknown as Partial<Node>, { subresource: "status" })
  await running.advance("1m")
  expect(await attachments(running)).toEqual([])
})

test("a node out of service loses its volumes at once", async () => {
  let stuck = false
  await using running = await start({ stuck: () => stuck })
  await running.apply([podOn("n1", "data")])
  await running.settled()
  stuck = true
  await remove(running, "web")
  await running.settled()
  expect(await attachments(running)).toEqual(["data on n1 attached"])
  const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" as const }]
  await running.client.patch(nodes, "n1", { spec: { taints } })
  await running.settled()
  expect(await attachments(running)).toEqual([])
})

test("volumes of drivers that attach none, and of nodes whose kubelets do it, are left alone", async () => {
  await using running = await start({}, csiNode("own", { managed: false }), ...boundVolume("more"))
  await running.apply([podOn("own", "more", "own")])
  await running.settled()
  expect(await attachments(running)).toEqual([])
  await running.client.create(csiDrivers, {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: driver },
    spec: { attachRequired: false },
  })
  await running.settled()
  await running.apply([podOn("n1", "data")])
  await running.settled()
  expect(await attachments(running)).toEqual([])
})

test("a VolumeAttachment that a user deletes is created again", async () => {
  await using running = await start()
  await running.apply([podOn("n1", "data")])
  await running.settled()
  const [found] = await running.list(volumeAttachments)
  await running.client.delete(volumeAttachments, found!)
  await running.advance("5s")
  expect(await attachments(running)).toEqual(["data on n1 attached"])
})

test("a failure of the driver is reported once, and ends when the pod goes", async () => {
  await using running = await start({ fault: () => "no such disk" })
  await running.apply([podOn("n1", "data")])
  await running.advance("30m")
  const failed = (await running.list(events, { namespace: "default" })).filter(({ reason }) => reason === "FailedAttachVolume")
  expect(failed.map(({ message, count }) => [message, count ?? 1])).toEqual([
    ['AttachVolume.Attach failed for volume "data" : no such disk', 1],
  ])
  await remove(running, "web")
  await running.settled()
  expect(await attachments(running)).toEqual([])
})

test("creates that are refused for ever are tried with growing waits", async () => {
  let tries = 0
  const layer = refusing(({ verb, path }) =>
    verb === "POST" && path.endsWith("/volumeattachments") && ++tries > 0 ? serviceUnavailable("no") : undefined,
  )
  await using running = await start({ layer })
  await running.apply([podOn("n1", "data")])
  await running.advance("30m")
  expect(tries).toBeGreaterThan(5)
  expect(tries).toBeLessThan(40)
})

test("a crash at any call ends the same, and two nodes never have the volume", async () => {
  const report = await crashPoints(
    {
      cluster: options(),
      async run(running) {
        await running.apply([csiNode("n1"), csiNode("n2"), ...boundVolume("data"), podOn("n1", "data", "one")])
        await running.advance("30s")
        await remove(running, "one")
        await running.apply([podOn("n2", "data", "two")])
        await running.advance("10m")
        expect(await attachments(running)).toEqual(["data on n2 attached"])
      },
    },
    { sample: 8, seed: 3, writers: ["persistentvolume-attach-detach-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
