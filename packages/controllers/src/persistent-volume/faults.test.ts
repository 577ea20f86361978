import { conflict, type StatusError, serviceUnavailable } from "@pilothouse/api"
import { namespaces, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { type Duration, seededRandom, type TransportRequest } from "@pilothouse/seams"
import { type Cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { doubling, held, refusing } from "../testing/layers.ts"
import { claim, claims, newFiles, root, start, told, volumes, withVolumes } from "./testing/cluster.ts"
import { volume as fullVolume, storageClass } from "./testing/objects.ts"
import { broken, memoryPlugin } from "./testing/plugin.ts"

const gold = storageClass("gold")
const memory = storageClass("memory", { provisioner: "kubernetes.io/memory" })

function volume(name: string, policy: "Retain" | "Recycle" | "Delete" = "Retain") {
  const { apiVersion, kind, spec } = fullVolume(name, { spec: { persistentVolumeReclaimPolicy: policy } })
  return { apiVersion, kind, metadata: { name }, spec }
}

/** One of each: made and deleted, made and kept, bound, recycled. */
async function life(running: Cluster, pace: Duration = "30s"): Promise<void> {
  await running.apply(gold)
  await running.apply(volume("kept"))
  await running.apply(claim("data", { class: "gold" }))
  await running.apply(claim("stays", { class: "gold" }))
  await running.apply(claim("static"))
  await running.advance(pace)
  await running.apply(volume("again", "Recycle"))
  await running.apply(claim("scrubbed"))
  await running.advance(pace)
  for (const name of ["data", "scrubbed", "static"]) await running.client.delete(persistentVolumeClaims, `default/${name}`)
  await running.advance(pace)
  await running.advance("2m")
}

const afterwards = { claims: ["stays Bound"], volumes: ["again Available", "kept Released static", "made Bound stays"], directories: 2 }

async function end(running: Cluster, files: ReturnType<typeof newFiles>): Promise<typeof afterwards> {
  return { claims: [...(await claims(running))], volumes: [...(await volumes(running))], directories: files.list(root).length }
}

describe("ends the same", () => {
  test("with every event told twice", async () => {
    const files = newFiles()
    await using running = await start(files, { layer: doubling() })
    await life(running)
    expect(await end(running, files)).toEqual(afterwards)
  })

  test("through JSON", async () => {
    const files = newFiles()
    await using running = await start(files, { throughJson: true })
    await life(running)
    expect(await end(running, files)).toEqual(afterwards)
  })

  test.each<[string, (request: TransportRequest) => StatusError]>([
    ["a conflict", ({ path }) => conflict({ group: "", plural: "persistentvolumes" }, path, "another client was quicker")],
    ["an unavailable server", () => serviceUnavailable("not now")],
  ])("with %s at every second write, by lot", async (_name, refusal) => {
    const files = newFiles()
    const random = seededRandom(3)
    const layer = refusing((request) => (isVolumeWrite(request) && random.int(2) === 0 ? refusal(request) : undefined))
    await using running = await start(files, { layer })
    // After a write without a response a controller waits for its cache, which takes a minute each time.
    await life(running, "30m")
    expect(await end(running, files)).toEqual(afterwards)
  })

  test("with a crash at any call, and no directory is left over", async () => {
    const files = newFiles()
    const report = await crashPoints(
      {
        cluster: withVolumes(files),
        run: async (running) => {
          files.remove(root)
          await life(running)
        },
        end: (running) => end(running, files),
      },
      {
        sample: 10,
        seed: 14,
        writers: ["persistentvolume-binder-controller", "persistentvolume-provisioner-controller", "persistentvolume-reclaimer-controller"],
      },
    )
    expect(report.tried).toBe(10)
    const controllers = ["binder", "provisioner", "reclaimer", "sweeper"].map((part) => `persistentvolume-${part}-controller`)
    expect(report.controllers).toEqual(expect.arrayContaining(controllers))
  })
})

function isVolumeWrite({ verb, path }: TransportRequest): boolean {
  return verb !== "GET" && path.includes("persistentvolume")
}

describe("a stale cache", () => {
  test("does not give one volume to two claims", async () => {
    const stale = held("persistentvolumes")
    await using running = await start(newFiles(), { layer: stale.layer, controllers: ["persistentvolume-binder"] })
    await running.apply(volume("v"))
    await running.settled()
    stale.hold()
    for (const name of ["a", "b"]) await running.apply(claim(name))
    await running.advance("5s")
    expect((await claims(running)).filter((text) => text.endsWith("Bound"))).toHaveLength(1)
    stale.release()
    await running.advance("30s")
    expect((await claims(running)).map((text) => text.split(" ")[1]).sort()).toEqual(["Bound", "Pending"])
  })

  test("does not call a volume released whose claim is too new for it", async () => {
    const stale = held("persistentvolumeclaims")
    await using running = await start(newFiles(), { layer: stale.layer })
    await running.settled()
    stale.hold()
    const { metadata } = await running.apply(claim("data"))
    const reserved = fullVolume("v", { for: `data#${metadata.uid}`, spec: { persistentVolumeReclaimPolicy: "Delete" } })
    await running.apply({ ...reserved, metadata: { name: "v" } })
    await running.advance("1m")
    expect((await running.client.get(persistentVolumes, "v")).status?.phase).toBe("Pending")
    stale.release()
    await running.advance("30s")
    expect([await claims(running), await volumes(running)]).toEqual([["data Bound"], ["v Bound data"]])
  })

  test("does not delete a volume that was bound to another claim in the meantime", async () => {
    const files = newFiles()
    const stale = held("persistentvolumes")
    files.write(`${root}/v/file`, "x")
    await using running = await start(files, { layer: stale.layer, controllers: ["persistentvolume-binder"] })
    await running.apply(volume("v"))
    await running.apply(claim("data"))
    await running.settled()
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.settled()
    stale.hold()
    // Released by Retain; a person frees it and changes the policy, and then the old event of the policy alone would delete it.
    await running.client.patch(persistentVolumes, "v", { spec: { claimRef: null, persistentVolumeReclaimPolicy: "Delete" } })
    await running.apply(claim("next"))
    await running.advance("1m")
    stale.release()
    await running.advance("1m")
    expect([await claims(running), files.list(`${root}/v`)]).toEqual([["next Bound"], ["file"]])
  })
})

test("a vanished namespace takes its claims, and what was made for them, with it", async () => {
  const files = newFiles()
  await using running = await start(files, { controllers: ["namespace", "persistentvolume-binder", "pv-protection", "pvc-protection"] })
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
  await running.apply(gold)
  for (const name of ["a", "b"]) await running.apply(claim(name, { class: "gold", metadata: { namespace: "shop" } }))
  await running.settled()
  expect(files.list(root)).toHaveLength(2)
  await running.client.delete(namespaces, "shop")
  await running.advance("2m")
  expect([await running.list(namespaces, { fieldSelector: "metadata.name=shop" }), await volumes(running), files.list(root)]).toEqual([
    [],
    [],
    [],
  ])
})

test("a claim that goes between the directory and the volume leaves no directory behind", async () => {
  const files = newFiles()
  const layer = refusing(({ verb, path }) =>
    verb === "POST" && path.endsWith("/persistentvolumes") ? serviceUnavailable("not now") : undefined,
  )
  await using running = await start(files, { layer })
  await running.apply(gold)
  await running.apply(claim("data", { class: "gold" }))
  await running.advance("10s")
  expect([files.list(root).length, await volumes(running)]).toEqual([1, []])
  expect((await told(running))[0]).toMatch(/^ProvisioningFailed: Error creating provisioned PV object for claim default\/data: .*not now/)
  await running.client.delete(persistentVolumeClaims, "default/data")
  await running.advance("1m")
  expect(files.list(root)).toEqual([])
})

test("what a crash left behind is swept by the next process; what holds data is not", async () => {
  const files = newFiles()
  files.makeDirectory(`${root}/pvc-1`)
  files.write(`${root}/pvc-2/file`, "x")
  files.makeDirectory(`${root}/mine`)
  await using running = await start(files)
  await running.apply(gold)
  await running.restartControllers()
  await running.advance("1m")
  expect(files.list(root)).toEqual(["mine", "pvc-2"])
})

describe("no retries without backoff", () => {
  async function afterAnHour(running: Cluster, requests: string[]): Promise<{ requests: number; events: number }> {
    await running.settled()
    requests.length = 0
    await running.advance("1h")
    const isEvent = (request: string) => request.includes("/events")
    return { requests: requests.filter((request) => !isEvent(request)).length, events: requests.filter(isEvent).length }
  }

  const counting = (requests: string[]) =>
    refusing(({ verb, path }) => {
      // Watches end and begin again every few minutes.
      if (path.includes("/events")) requests.push(`${verb} ${path}`)
      if (path.includes("persistentvolume") && (verb !== "GET" || !/\/persistentvolume(claim)?s$/.test(path)))
        requests.push(`${verb} ${path}`)
      return undefined
    })

  test.each<[string, ReturnType<typeof claim>, string]>([
    [
      "a claim that nothing fits",
      claim("data", { size: "1Ei" }),
      "FailedBinding: no persistent volumes available for this claim and no storage class is set",
    ],
    ["an unknown class", claim("data", { class: "lead" }), 'ProvisioningFailed: storageclass.storage.k8s.io "lead" not found'],
  ])("%s: an event, and nothing else is asked or written in an hour", async (_name, asked, event) => {
    const requests: string[] = []
    await using running = await start(newFiles(), { controllers: ["persistentvolume-binder"], layer: counting(requests) })
    await running.apply(asked)
    const seen = await afterAnHour(running, requests)
    expect([await told(running), await claims(running)]).toEqual([[event], ["data Pending"]])
    expect(seen.requests).toBe(0)
    // At most every 15 s, and after 25 of them one in 5 minutes.
    expect(seen.events).toBeLessThan(45)
  })

  test("a broken plugin: tried every period, told in an event, and others are not held up; mended, it goes on", async () => {
    const plugin = memoryPlugin()
    plugin.failure = broken("the disk is on fire")
    await using running = await start(newFiles(), { needs: { volumePlugins: [plugin] } })
    await running.apply(memory)
    await running.apply(gold)
    await running.apply(claim("data", { class: "memory" }))
    await running.apply(claim("other", { class: "gold" }))
    await running.settled()
    expect(await claims(running)).toEqual(["data Pending", "other Bound"])
    await running.advance("1h")
    expect(plugin.calls.length).toBeLessThanOrEqual(245)
    expect(plugin.calls.length).toBeGreaterThan(230)
    expect(await told(running)).toContain('ProvisioningFailed: Failed to provision volume with StorageClass "memory": the disk is on fire')
    plugin.failure = undefined
    await running.advance("15s")
    expect(await claims(running)).toEqual(["data Bound", "other Bound"])
    plugin.failure = broken("the disk is on fire again")
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.settled()
    expect(await volumes(running)).toEqual(["made Bound other", "made Failed data"])
    plugin.failure = undefined
    await running.advance("15s")
    expect([await volumes(running), [...plugin.store.keys()]]).toEqual([["made Bound other"], []])
  })

  test("the period is that of --pvclaimbinder-sync-period", async () => {
    const plugin = memoryPlugin()
    plugin.failure = broken("the disk is on fire")
    const settings = { "pvclaimbinder-sync-period": "5m" }
    await using running = await start(newFiles(), { settings, needs: { volumePlugins: [plugin] } })
    await running.apply(memory)
    await running.apply(claim("data", { class: "memory" }))
    await running.advance("1h")
    expect(plugin.calls.length).toBeGreaterThan(10)
    expect(plugin.calls.length).toBeLessThanOrEqual(16)
  })

  test("a plugin that never answers does not hold up the others", async () => {
    const plugin = memoryPlugin()
    const stuck = { ...plugin, provisioner: { ...plugin.provisioner!, provision: () => new Promise<void>(() => {}) } }
    await using running = await start(newFiles(), { needs: { volumePlugins: [stuck] } })
    for (const object of [memory, gold]) await running.apply(object)
    for (let at = 0; at < 20; at++) await running.apply(claim(`stuck-${at}`, { class: "memory" }))
    await running.apply(claim("other", { class: "gold" }))
    await running.settled()
    expect(await claims(running)).toContain("other Bound")
  })
})
