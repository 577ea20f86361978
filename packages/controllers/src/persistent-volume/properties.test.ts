import { isNotFound } from "@pilothouse/api"
import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import type { Clock, Files } from "@pilothouse/seams"
import type { Cluster, ClusterOptions } from "@pilothouse/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { watching } from "../testing/layers.ts"
import { claim, newFiles, root, start } from "./testing/cluster.ts"
import { volume as fullVolume, storageClass } from "./testing/objects.ts"

type Action =
  | { readonly do: "claim"; readonly name: string; readonly size: number; readonly class?: string; readonly volume?: string }
  | {
      readonly do: "volume"
      readonly name: string
      readonly size: number
      readonly policy: "Retain" | "Recycle" | "Delete"
      readonly for?: string
    }
  | { readonly do: "delete-claim" | "delete-volume"; readonly name: string }
  | { readonly do: "take-volume"; readonly name: string }
  | { readonly do: "crash" | "wait" | "write" }

const claimName = fc.constantFrom("a", "b", "c")
const volumeName = fc.constantFrom("v", "w", "x")
const size = fc.integer({ min: 1, max: 3 })
const policy = fc.constantFrom("Retain" as const, "Recycle" as const, "Delete" as const)
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 2 })

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    do: fc.constant("claim" as const),
    name: claimName,
    size,
    class: maybe(fc.constantFrom("made", "kept")),
    volume: maybe(volumeName),
  }),
  fc.record({ do: fc.constant("volume" as const), name: volumeName, size, policy, for: maybe(claimName) }),
  fc.record({ do: fc.constant("delete-claim" as const), name: claimName }),
  fc.record({ do: fc.constant("delete-volume" as const), name: volumeName }),
  fc.record({ do: fc.constant("take-volume" as const), name: volumeName }),
  fc.record({ do: fc.constantFrom("crash" as const, "wait" as const, "write" as const) }),
)

/** Files beside and above the root that must not be touched. */
const precious = ["/etc/passwd", "/srv/secret", "/srv/volumes-old/file"]

/** A cache that is behind still shows the volume as free when the claim comes. */
const takenMeanwhile: Action[] = [
  { do: "volume", name: "v", size: 2, policy: "Retain" },
  { do: "wait" },
  { do: "take-volume", name: "v" },
  { do: "claim", name: "a", size: 1 },
]

/** Every cache of volumes is two seconds behind. */
function lagging(): ClusterOptions {
  let clock: Clock | undefined
  const layer = watching("persistentvolumes", async function* (frames) {
    for await (const frame of frames) {
      await clock!.sleep(2000, { name: "a late watch" })
      yield frame
    }
  })
  const extra = (of: Clock) => {
    clock = of
    return []
  }
  return { layer, extra }
}

test.each<[name: string, options: () => ClusterOptions]>([
  ["caches that are right", () => ({})],
  ["caches that are behind", lagging],
])(
  "no volume is bound twice, no claim is lost, no directory outside is touched, none is left over: %s",
  async (_name, options) => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
        const files = newFiles()
        for (const path of precious) files.write(path, "x")
        await using running = await start(files, options())
        await running.apply(storageClass("made"))
        await running.apply(storageClass("kept", { reclaimPolicy: "Retain" }))
        const taken = new Set<string>()
        for (const step of actions) {
          if (step.do === "take-volume") await ignoring(takeVolume(running, step.name, taken))
          else await act(running, files, step)
          await neverBoundTwice(running)
          await staysTaken(running, taken)
        }
        await running.advance("3m")
        await allIsWell(running)
        directoriesAreRight(files, await running.list(persistentVolumes))
      }),
      { numRuns: 25, examples: [[takenMeanwhile]] },
    )
  },
  60_000,
)

async function act(running: Cluster, files: Files, step: Exclude<Action, { do: "take-volume" }>): Promise<unknown> {
  switch (step.do) {
    case "claim":
      return ignoring(
        running.client.create(persistentVolumeClaims, claim(step.name, { size: `${step.size}Gi`, class: step.class, volume: step.volume })),
      )
    case "volume": {
      const options = { size: `${step.size}Gi`, for: step.for, spec: { persistentVolumeReclaimPolicy: step.policy } }
      return ignoring(running.client.create(persistentVolumes, { ...fullVolume(step.name, options), metadata: { name: step.name } }))
    }
    case "delete-claim":
      return ignoring(running.client.delete(persistentVolumeClaims, `default/${step.name}`))
    case "delete-volume":
      return ignoring(running.client.delete(persistentVolumes, step.name))
    case "crash":
      return running.restartControllers()
    case "wait":
      return running.advance("20s")
    case "write":
      return writeIntoAll(files, await running.list(persistentVolumes))
  }
}

/** Another client binds the volume first, to a claim that does not exist. */
async function takeVolume(running: Cluster, name: string, taken: Set<string>): Promise<void> {
  const { metadata, spec } = await running.client.get(persistentVolumes, name)
  if (spec?.claimRef !== undefined) return
  const claimRef = { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace: "default", name: "stranger", uid: "another" }
  await running.client.patch(persistentVolumes, name, { metadata: { resourceVersion: metadata.resourceVersion }, spec: { claimRef } })
  if (spec?.persistentVolumeReclaimPolicy === "Retain") taken.add(metadata.uid ?? "")
}

async function staysTaken(running: Cluster, taken: ReadonlySet<string>): Promise<void> {
  const found = (await running.list(persistentVolumes)).filter(({ metadata }) => taken.has(metadata.uid ?? ""))
  expect(found.filter(({ spec }) => spec?.claimRef?.uid !== "another")).toEqual([])
}

/** As pods would: only where there is a volume. */
function writeIntoAll(files: Files, volumes: readonly PersistentVolume[]): void {
  for (const { spec } of volumes) {
    const path = spec?.hostPath?.path ?? ""
    if (files.facts(path) !== undefined) files.write(`${path}/sub/file`, "x")
  }
}

/** Names are taken, and things are gone: that is what random histories are like. */
async function ignoring(doing: Promise<unknown>): Promise<void> {
  await doing.catch((error: unknown) => {
    if (!isNotFound(error) && !String(error).includes("already exists")) throw error
  })
}

/** Of the claims that say they are bound, no two have the same volume, and the volume agrees. */
async function neverBoundTwice(running: Cluster): Promise<void> {
  const all = await running.list(persistentVolumeClaims)
  const taken = all.filter(({ status }) => status?.phase === "Bound").map(({ spec }) => spec?.volumeName)
  expect(new Set(taken).size).toBe(taken.length)
}

async function allIsWell(running: Cluster): Promise<void> {
  const [claims, volumes] = [await running.list(persistentVolumeClaims), await running.list(persistentVolumes)]
  for (const one of claims) claimIsWell(one, volumes)
  for (const one of volumes) volumeIsWell(one, claims)
}

function claimIsWell(one: PersistentVolumeClaim, volumes: readonly PersistentVolume[]): void {
  expect(one.status?.phase).not.toBe("Lost")
  if (one.status?.phase === "Bound") {
    expect(volumeOf(one, volumes)).toMatchObject({ spec: { claimRef: { uid: one.metadata.uid } }, status: { phase: "Bound" } })
    return
  }
  // Whatever could be made has been made.
  expect([one.spec?.volumeName ?? "", one.spec?.storageClassName ?? ""]).not.toEqual(["", expect.stringMatching(/made|kept/)])
}

function volumeIsWell({ metadata, spec, status }: PersistentVolume, claims: readonly PersistentVolumeClaim[]): void {
  const owner = claims.find((one) => one.metadata.uid === spec?.claimRef?.uid)
  if (status?.phase === "Bound") expect(owner?.spec?.volumeName).toBe(metadata.name)
  expect(["Available", "Bound", "Released"]).toContain(status?.phase)
  if (status?.phase === "Released") expect(spec?.persistentVolumeReclaimPolicy).toBe("Retain")
}

function volumeOf({ spec }: PersistentVolumeClaim, volumes: readonly PersistentVolume[]): PersistentVolume | undefined {
  return volumes.find(({ metadata }) => metadata.name === spec?.volumeName)
}

/** Of what was made there is a directory as long as there is a volume, and not longer; what people keep elsewhere is untouched. */
function directoriesAreRight(files: Files, volumes: readonly PersistentVolume[]): void {
  const made = volumes.flatMap(({ metadata }) => (metadata.name?.startsWith("pvc-") ? [metadata.name] : []))
  expect(files.list(root).filter((name) => name.startsWith("pvc-"))).toEqual(made.sort())
  expect(files.list("/")).toEqual(["etc", "srv"])
  for (const path of precious) expect(files.read(path)).toHaveLength(1)
}
