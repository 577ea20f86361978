import {
  events,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
} from "@pilothouse/api/core/v1"
import { type CSINode, csiNodes, type StorageClass } from "@pilothouse/api/storage/v1"
import type { TransportRequest } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { testPod } from "../testing/objects.ts"

const withBinder: ClusterOptions = { nodes: 2, controllers: ["persistentvolume-binder"] }

function late(provisioner: string): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "late" },
    provisioner,
    volumeBindingMode: "WaitForFirstConsumer",
  }
}

function claim(name: string, storageClassName = "late"): PersistentVolumeClaim {
  const spec = { accessModes: ["ReadWriteOnce" as const], storageClassName, resources: { requests: { storage: "1Gi" } } }
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace: "default" }, spec }
}

function volume(name: string, node: string): PersistentVolume {
  const term = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In" as const, values: [node] }] }
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "late",
      hostPath: { path: "/tmp" },
      nodeAffinity: { required: { nodeSelectorTerms: [term] } },
    },
  }
}

function user(name: string, claimName = "data"): Pod {
  const { metadata, ...pod } = testPod(name)
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName } }]
  return { ...pod, metadata: { name, namespace: metadata.namespace }, spec: { containers: [{ name: "a", image: "a" }], volumes } }
}

async function nodeOf(running: Cluster, name: string): Promise<string | undefined> {
  return (await running.client.get(pods, `default/${name}`)).spec?.nodeName
}

async function message(running: Cluster, name: string): Promise<string | undefined> {
  return (await running.client.get(pods, `default/${name}`)).status?.conditions?.find(({ type }) => type === "PodScheduled")?.message
}

async function selectedNode(running: Cluster): Promise<string | undefined> {
  return (await running.client.get(persistentVolumeClaims, "default/data")).metadata.annotations?.["volume.kubernetes.io/selected-node"]
}

/** What a provisioner does: a volume where the claim says, and both bound. */
async function provision(running: Cluster, node: string): Promise<void> {
  const { metadata } = await running.client.get(persistentVolumeClaims, "default/data")
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "default", name: "data", uid: metadata.uid }
  const made = volume("made", node)
  await running.apply({ ...made, spec: { ...made.spec, claimRef } })
}

describe("a claim that waits for its first consumer", () => {
  test("gets the free volume of one node, and the pod goes there", async () => {
    await using running = await cluster(withBinder)
    for (const object of [late("kubernetes.io/no-provisioner"), volume("v", "node-2"), claim("data")]) await running.apply(object)
    await running.settled()
    expect((await running.client.get(persistentVolumeClaims, "default/data")).status?.phase).toBe("Pending")
    await running.apply(user("p"))
    await running.advance("5s")
    expect(await nodeOf(running, "p")).toBe("node-2")
    expect((await running.client.get(persistentVolumes, "v")).spec?.claimRef?.name).toBe("data")
  })

  test("waits for a volume, whose change enqueues it", async () => {
    await using running = await cluster(withBinder)
    for (const object of [late("kubernetes.io/no-provisioner"), claim("data"), user("p")]) await running.apply(object)
    await running.settled()
    expect(await message(running, "p")).toMatch(/^0\/2 nodes are available: 2 node\(s\) didn't find available persistent volumes to bind\./)
    await running.apply(volume("v", "node-1"))
    await running.advance("5s")
    expect(await nodeOf(running, "p")).toBe("node-1")
  })

  test("is provisioned where the pod will go, which waits for it", async () => {
    await using running = await cluster(withBinder)
    for (const object of [late("example.com/disks"), claim("data"), user("p")]) await running.apply(object)
    await running.settled()
    const node = await selectedNode(running)
    expect([node?.startsWith("node-"), await nodeOf(running, "p")]).toEqual([true, undefined])
    await provision(running, node ?? "")
    await running.advance("5s")
    expect(await nodeOf(running, "p")).toBe(node)
  })

  test("gets another selected node when it could not be provisioned on the first", async () => {
    await using running = await cluster(withBinder)
    for (const object of [late("example.com/disks"), claim("data"), user("p")]) await running.apply(object)
    await running.settled()
    await running.client.patch(persistentVolumeClaims, "default/data", {
      metadata: { annotations: { "volume.kubernetes.io/selected-node": null } },
    })
    await running.settled()
    expect(await selectedNode(running)).toMatch(/^node-/)
  })

  test("keeps the place of its pod", async () => {
    await using running = await cluster({ ...withBinder, nodes: 1 })
    const onPort80 = (pod: Pod): Pod => ({
      ...pod,
      spec: { ...pod.spec, containers: [{ name: "a", image: "a", ports: [{ containerPort: 80, hostPort: 80 }] }] },
    })
    for (const object of [late("example.com/disks"), claim("data"), onPort80(user("p"))]) await running.apply(object)
    await running.settled()
    const { metadata, ...other } = onPort80(testPod("other"))
    await running.apply({ ...other, metadata: { name: metadata.name, namespace: "default" } })
    await running.advance("10s")
    expect(await message(running, "other")).toContain("1 node(s) didn't have free ports for the requested pod ports")
    await provision(running, "node-1")
    await running.advance("5s")
    expect([await nodeOf(running, "p"), await nodeOf(running, "other")]).toEqual(["node-1", undefined])
  })
})

describe("the place that is kept for a pod with a claim", () => {
  const onPort80 = (pod: Pod): Pod => ({
    ...pod,
    spec: { ...pod.spec, containers: [{ name: "a", image: "a", ports: [{ containerPort: 80, hostPort: 80 }] }] },
  })
  const other = (): Pod => {
    const { metadata, ...pod } = onPort80(testPod("other"))
    return { ...pod, metadata: { name: metadata.name, namespace: "default" } }
  }
  const setsSelectedNode = ({ verb, path }: TransportRequest) => verb === "PATCH" && path.endsWith("/persistentvolumeclaims/data")

  test("stayed for ever when the pod was deleted while its claim was written", async () => {
    const hold: { until?: Promise<unknown> } = {}
    const layer: ClusterOptions["layer"] = (inner) => async (request) => {
      const answer = await inner(request)
      if (setsSelectedNode(request)) await hold.until
      return answer
    }
    await using running = await cluster({ ...withBinder, nodes: 1, layer })
    hold.until = running.clock.sleep(5000)
    for (const object of [late("example.com/disks"), claim("data"), onPort80(user("p"))]) await running.apply(object)
    await running.advance("1s")
    expect(await selectedNode(running)).toBe("node-1")
    await running.client.delete(pods, "default/p")
    await running.advance("10s")
    await running.apply(other())
    await running.advance("5s")
    expect(await nodeOf(running, "other")).toBe("node-1")
  })

  test("enqueues waiting pods when the pod is deleted", async () => {
    await using running = await cluster({ ...withBinder, nodes: 1 })
    for (const object of [late("example.com/disks"), claim("data"), onPort80(user("p"))]) await running.apply(object)
    await running.settled()
    await running.apply(other())
    await running.settled()
    await running.client.delete(pods, "default/p")
    await running.advance("1s")
    expect(await nodeOf(running, "other")).toBe("node-1")
  })

  test("stayed for ever when its volume never came", async () => {
    await using running = await cluster({ ...withBinder, nodes: 1 })
    for (const object of [late("example.com/disks"), claim("data"), onPort80(user("p"))]) await running.apply(object)
    await running.settled()
    await running.apply(other())
    await running.advance("9m")
    expect(await nodeOf(running, "other")).toBeUndefined()
    await running.advance("61s")
    expect(await nodeOf(running, "other")).toBe("node-1")
    const told = (await running.list(events)).map(({ involvedObject, message: said }) => `${involvedObject.name}: ${said}`)
    expect(told).toContain('p: running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded')
  })
})

test("a pod whose claim has an unknown class is tried again when the class is created", async () => {
  await using running = await cluster(withBinder)
  for (const object of [claim("data"), user("p")]) await running.apply(object)
  await running.settled()
  expect(await message(running, "p")).toContain("pod has unbound immediate PersistentVolumeClaims")
  await running.apply(late("example.com/disks"))
  await running.advance("5s")
  expect(await selectedNode(running)).toMatch(/^node-/)
})

describe("a pod waits for its claim", () => {
  test.each([
    ["that is missing", [], 'persistentvolumeclaim "data" not found'],
    ["that is not bound", [claim("data", "slow")], "pod has unbound immediate PersistentVolumeClaims"],
  ])("%s", async (_what, objects, expected) => {
    await using running = await cluster({ ...withBinder, nodes: 1 })
    for (const object of [...objects, user("p")]) await running.apply(object)
    await running.settled()
    expect(await message(running, "p")).toBe(
      `0/1 nodes are available: ${expected}. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`,
    )
  })
})

test("whichever API call the controllers crash at, the pod comes to its volume", async () => {
  const report = await crashPoints(
    {
      cluster: withBinder,
      async run(running) {
        for (const object of [late("kubernetes.io/no-provisioner"), volume("v", "node-2"), claim("data"), user("p")])
          await running.apply(object)
        await running.advance("2m")
      },
      async end(running) {
        return [await nodeOf(running, "p"), (await running.client.get(persistentVolumeClaims, "default/data")).status?.phase]
      },
    },
    { sample: 12 },
  )
  expect(report.tried).toBe(12)
})

describe("a driver that can attach one volume to the node", () => {
  const driver = "csi.example.com"
  const csiNode = (count: number): CSINode => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name: "node-1" },
    spec: { drivers: [{ name: driver, nodeID: "node-1", allocatable: { count } }] },
  })
  const ways: readonly [string, (running: Cluster) => Promise<unknown>][] = [
    ["the driver can attach more", (running) => running.client.patch(csiNodes, "node-1", { spec: csiNode(2).spec })],
    ["the pod with the volume leaves", (running) => running.client.delete(pods, "default/first")],
  ]
  test.each(ways)("the next pod waits with a reason, until %s", async (_what, help) => {
    await using running = await cluster({ nodes: 1, controllers: ["persistentvolume-binder"] })
    await running.apply(csiNode(1))
    for (const name of ["first", "second"]) {
      const { nodeAffinity: _anywhere, hostPath: _none, ...spec } = volume(name, "").spec!
      await running.apply({ ...volume(name, ""), spec: { ...spec, storageClassName: "own", csi: { driver, volumeHandle: name } } })
      const wants = claim(name, "own")
      await running.apply({ ...wants, spec: { ...wants.spec, volumeName: name } })
      await running.apply(user(name, name))
      await running.advance("1m")
    }
    expect([await nodeOf(running, "first"), await nodeOf(running, "second")]).toEqual(["node-1", undefined])
    expect(await message(running, "second")).toContain("0/1 nodes are available: 1 node(s) exceed max volume count.")
    await help(running)
    await running.advance("1m")
    expect(await nodeOf(running, "second")).toBe("node-1")
  })
})
