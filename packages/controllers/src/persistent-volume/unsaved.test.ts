import { serviceUnavailable } from "@pilothouse/api"
import { persistentVolumeClaims } from "@pilothouse/api/core/v1"
import type { Transport } from "@pilothouse/seams"
import type { Cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { refusing } from "../testing/layers.ts"
import type { VolumePlugin } from "./plugins/volume-plugin.ts"
import { claim, claims, newFiles, start, told, volumes } from "./testing/cluster.ts"
import { storageClass } from "./testing/objects.ts"
import { broken, type MemoryPlugin, memoryPlugin } from "./testing/plugin.ts"

const memory = storageClass("memory", { provisioner: "kubernetes.io/memory" })
const notSaved = /^ProvisioningFailed: Error creating provisioned PV object for claim default\/data: .*not now/

/** A server that does not take the first volumes it is given. */
function refusingVolumes(times: number): { readonly layer: (inner: Transport) => Transport; refused(): number } {
  let refused = 0
  const layer = refusing(({ verb, path }) => {
    if (verb !== "POST" || !path.endsWith("/persistentvolumes") || refused >= times) return undefined
    refused++
    return serviceUnavailable("not now")
  })
  return { layer, refused: () => refused }
}

async function startWithClaim(layer: (inner: Transport) => Transport, plugins: readonly VolumePlugin[]): Promise<Cluster> {
  const running = await start(newFiles(), { layer, needs: { volumePlugins: plugins } })
  await running.apply(memory)
  await running.apply(claim("data", { class: "memory" }))
  return running
}

/** Fails every removal. */
function unwillingPlugin(failures: number): MemoryPlugin & { readonly tries: () => number } {
  const plugin = memoryPlugin()
  let tries = 0
  const discard = async (name: string, signal: AbortSignal) => {
    tries++
    if (tries <= failures) throw broken("it is stuck")
    await plugin.provisioner!.discard(name, signal)
  }
  return { ...plugin, provisioner: { ...plugin.provisioner!, discard }, tries: () => tries }
}

/** Upstream tries five times and then deletes what it made. Here it is kept while its claim exists, and swept afterwards. */
describe("cannot save provisioned volume", () => {
  test("11-8 - the server takes it later: nothing is made a second time", async () => {
    const plugin = memoryPlugin()
    await using running = await startWithClaim(refusingVolumes(1).layer, [plugin])
    await running.advance("2m")
    expect([await claims(running), await volumes(running)]).toEqual([["data Bound"], ["made Bound data"]])
    expect(plugin.store.size).toBe(1)
    expect(await told(running)).toEqual([
      expect.stringMatching(notSaved),
      "ProvisioningSucceeded: Successfully provisioned volume made using kubernetes.io/memory",
    ])
  })

  test("11-9 - delete succeeds: five refusals and more lose nothing, and once the claim is gone so is what was made", async () => {
    const plugin = memoryPlugin()
    const server = refusingVolumes(Number.POSITIVE_INFINITY)
    await using running = await startWithClaim(server.layer, [plugin])
    await running.advance("10m")
    expect(server.refused()).toBeGreaterThan(5)
    expect([plugin.store.size, await claims(running), await volumes(running)]).toEqual([1, ["data Pending"], []])
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.advance("1m")
    expect([plugin.store.size, await volumes(running)]).toEqual([0, []])
    expect(await told(running)).toEqual([expect.stringMatching(notSaved)])
  })

  test("11-10 - no delete plugin found: what was made waits for a process that has the plugin again", async () => {
    const plugin = memoryPlugin()
    const plugins: VolumePlugin[] = [plugin]
    await using running = await startWithClaim(refusingVolumes(Number.POSITIVE_INFINITY).layer, plugins)
    await running.advance("30s")
    plugins.length = 0
    await running.restartControllers()
    await running.advance("1m")
    expect(await told(running)).toContain("ProvisioningFailed: no volume plugin matched name: kubernetes.io/memory")
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.advance("10m")
    expect(plugin.store.size).toBe(1)
    plugins.push(plugin)
    await running.restartControllers()
    await running.advance("1m")
    expect(plugin.store.size).toBe(0)
  })

  test("11-11 - deleter fails: it is tried again every 15 s, and nothing else is touched", async () => {
    const plugin = unwillingPlugin(Number.POSITIVE_INFINITY)
    await using running = await startWithClaim(refusingVolumes(Number.POSITIVE_INFINITY).layer, [plugin])
    plugin.store.set("pvc-of-another", ["data"])
    await running.advance("30s")
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.advance("1h")
    expect(plugin.tries()).toBeGreaterThan(230)
    expect(plugin.tries()).toBeLessThanOrEqual(245)
    expect([plugin.store.size, plugin.store.get("pvc-of-another")]).toEqual([2, ["data"]])
  })

  test("11-12 - delete succeeds 2nd time", async () => {
    const plugin = unwillingPlugin(1)
    await using running = await startWithClaim(refusingVolumes(Number.POSITIVE_INFINITY).layer, [plugin])
    await running.advance("30s")
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.advance("5m")
    expect([plugin.tries(), plugin.store.size]).toEqual([2, 0])
  })
})

describe("the whole course", () => {
  test("12-1 - successful provision: made, saved and bound in both directions", async () => {
    const plugin = memoryPlugin()
    await using running = await startWithClaim((inner) => inner, [plugin])
    await running.settled()
    expect([await claims(running), await volumes(running)]).toEqual([["data Bound"], ["made Bound data"]])
    const { metadata, spec } = await running.client.get(persistentVolumeClaims, "default/data")
    expect(spec?.volumeName).toBe(`pvc-${metadata.uid}`)
    expect(metadata.annotations).toEqual({
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
      "volume.kubernetes.io/storage-provisioner": "kubernetes.io/memory",
      "volume.beta.kubernetes.io/storage-provisioner": "kubernetes.io/memory",
    })
    expect(plugin.calls).toEqual([`provision pvc-${metadata.uid}`])
  })

  test("12-3 - external provisioner with volume to be provisioned: marked for them, and it stays Pending", async () => {
    await using running = await start(newFiles())
    await running.apply(storageClass("disks", { provisioner: "example.com/disks" }))
    await running.apply(claim("data", { class: "disks" }))
    await running.advance("10m")
    expect([await claims(running), await volumes(running)]).toEqual([["data Pending"], []])
    const { metadata, spec } = await running.client.get(persistentVolumeClaims, "default/data")
    expect(spec?.volumeName).toBeUndefined()
    expect(metadata.annotations).toEqual({
      "volume.kubernetes.io/storage-provisioner": "example.com/disks",
      "volume.beta.kubernetes.io/storage-provisioner": "example.com/disks",
    })
    expect(await told(running)).toEqual([expect.stringMatching(/^ExternalProvisioning: Waiting for a volume/)])
  })
})
