import { namespaces, type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { aPod } from "@pilothouse/testing/builders"
import { expect, test } from "vitest"
import { newFiles, root, withVolumes } from "../persistent-volume/testing/cluster.ts"
import { storageClass } from "../persistent-volume/testing/objects.ts"
import { doubling, noting } from "../testing/layers.ts"

const only = { controllers: ["ephemeral-volume"] }

function pod(name: string, namespace = "default", storageClassName = "gold"): Pod {
  const spec = { accessModes: ["ReadWriteOnce" as const], storageClassName, resources: { requests: { storage: "1Gi" } } }
  const volumes = ["one", "two"].map((volume) => ({ name: volume, ephemeral: { volumeClaimTemplate: { spec } } }))
  return aPod(name, { namespace, spec: { volumes } })
}

async function claims(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(persistentVolumeClaims)).map(({ metadata }) => metadata.name)
}

test("each ephemeral volume has its claim, once, which comes back while the pod is there", async () => {
  const writes: string[] = []
  await using running = await cluster({ ...only, layer: (inner) => noting(writes)(doubling()(inner)) })
  await running.apply(pod("web"))
  await running.advance("1m")
  expect(await claims(running)).toEqual(["web-one", "web-two"])
  await running.client.delete(persistentVolumeClaims, "default/web-one")
  await running.advance("1m")
  expect(await claims(running)).toEqual(["web-one", "web-two"])
  expect(writes.filter((write) => write.includes("persistentvolumeclaims"))).toHaveLength(3)
})

test("with all controllers a pod brings its directories and takes them with it", async () => {
  const files = newFiles()
  const controllers = ["ephemeral-volume", "persistentvolume-binder", "pv-protection", "pvc-protection", "garbagecollector"]
  await using running = await cluster(withVolumes(files, { controllers }))
  await running.apply(storageClass("gold"))
  await running.apply(pod("web"))
  await running.advance("1m")
  expect(files.list(root)).toHaveLength(2)
  await running.client.delete(pods, "default/web")
  await running.advance("2m")
  expect([await claims(running), files.list(root)]).toEqual([[], []])
})

test("a namespace that goes away gets no claims, and the tries end", async () => {
  const writes: string[] = []
  await using running = await cluster({ ...only, layer: noting(writes) })
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
  await running.apply(pod("web", "shop"))
  await running.settled()
  await running.client.delete(namespaces, "shop")
  writes.length = 0
  await running.client.delete(persistentVolumeClaims, "shop/web-one")
  await running.advance("10m")
  expect(writes.filter((write) => write.includes("persistentvolumeclaims")).length).toBeLessThanOrEqual(1)
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        for (const name of ["a", "b"]) await running.apply(pod(name))
        await running.advance("30s")
        await running.client.delete(persistentVolumeClaims, "default/a-one")
        await running.advance("60s")
      },
    },
    { sample: 10, seed: 9, writers: ["ephemeral-volume-controller"] },
  )
  expect(report.tried).toBe(10)
})
