import type { KubeObject } from "@pilothouse/api"
import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { aPod } from "@pilothouse/testing/builders"
import { expect, test } from "vitest"
import { claimUsers, unboundClaims } from "./volume-claims.ts"

const claim = (name: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default" },
    spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }) as KubeObject

function pod(name: string, ...claims: readonly string[]): Pod {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }))
  return aPod(name, { spec: { volumes } })
}

test("a pod waited for claims, and nothing said for which: each that is not bound or not there is named", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  for (const name of ["waits", "bound"]) await running.apply(claim(name))
  const found = await running.client.get(persistentVolumeClaims, "default/bound")
  await running.client.updateStatus(persistentVolumeClaims, { ...found, status: { phase: "Bound" } } as PersistentVolumeClaim)
  expect(await unboundClaims(running.client, pod("web", "bound", "waits", "forgotten"))).toEqual([
    'its claim waits is not bound: "pilothouse explain pvc/waits" says why',
    "its claim forgotten does not exist",
  ])
})

test("a hint that was followed did not find the claim: it names the namespace, unless that is the context's", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await running.apply(claim("waits"))
  const said = async (defaultNamespace: string) => (await unboundClaims(running.client, pod("web", "waits"), { defaultNamespace }))[0]
  expect(await said("default")).toContain('"pilothouse explain pvc/waits" says why')
  expect(await said("team")).toContain('"pilothouse explain pvc/waits -n default" says why')
})

test("names the pods that use a claim", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await running.apply(claim("data"))
  const found = await running.client.get(persistentVolumeClaims, "default/data")
  expect(await claimUsers(running.client, found)).toEqual([])
  for (const one of [pod("a", "data"), pod("b", "other"), pod("c", "data")]) await running.apply(one)
  expect(await claimUsers(running.client, found)).toEqual(["used by the pods a, c"])
})
