import { deepFreeze } from "@pilothouse/api"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { claim, storageClass } from "../testing/objects.ts"
import type { ProvisionRequest, VolumePlugin } from "./volume-plugin.ts"

export interface VolumePluginUnderTest {
  readonly plugin: Required<Pick<VolumePlugin, "provisioner" | "recycle" | "delete">> & VolumePlugin
  /** Names of what is in the volume; undefined when there is no such volume. */
  holds(volume: PersistentVolume): readonly string[] | undefined
  /** Does what a pod does. */
  put(volume: PersistentVolume, name: string): void
}

const { signal } = new AbortController()

/** The volume that the plugin describes, as the controller would write it. Frozen: arguments are read-only. */
export function describedBy(plugin: VolumePlugin, of: string): PersistentVolume {
  const name = `pvc-uid-${of}`
  const request: ProvisionRequest = deepFreeze({ name, claim: claim(of), class: storageClass("made", { provisioner: plugin.name }) })
  const described = plugin.provisioner?.describe(request)
  return deepFreeze({ apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec: described?.spec })
}

/** What every plugin promises. */
export function volumePluginContract(name: string, make: () => VolumePluginUnderTest): void {
  describe(`the contract of volume plugins: ${name}`, () => {
    provisionRows(make)
    reclaimRows(make)
    sweepRows(make)
  })
}

function provisionRows(make: () => VolumePluginUnderTest): void {
  test("what is described is of its kind, and the same each time, and nothing is made yet", () => {
    const { plugin, holds } = make()
    const volume = describedBy(plugin, "a")
    expect(plugin.supports(volume)).toBe(true)
    expect(describedBy(plugin, "a")).toEqual(volume)
    expect(describedBy(plugin, "b")).not.toEqual(volume)
    expect(holds(volume)).toBeUndefined()
  })

  test("what is provisioned is there and empty; asked again, it is found and keeps what is in it", async () => {
    const { plugin, holds, put } = make()
    const volume = describedBy(plugin, "a")
    await plugin.provisioner.provision(volume, signal)
    expect(holds(volume)).toEqual([])
    put(volume, "letter")
    await plugin.provisioner.provision(volume, signal)
    expect(holds(volume)).toEqual(["letter"])
  })
}

function reclaimRows(make: () => VolumePluginUnderTest): void {
  test("recycle empties a volume and keeps it; twice is once", async () => {
    const { plugin, holds, put } = make()
    const volume = describedBy(plugin, "a")
    await plugin.provisioner.provision(volume, signal)
    for (const name of ["letter", ".hidden"]) put(volume, name)
    for (let time = 0; time < 2; time++) {
      await plugin.recycle(volume, signal)
      expect(holds(volume)).toEqual([])
    }
  })

  test("delete takes the volume with all that is in it; twice is once; what never was is deleted too", async () => {
    const { plugin, holds, put } = make()
    const volume = describedBy(plugin, "a")
    await plugin.delete(volume, signal)
    await plugin.provisioner.provision(volume, signal)
    put(volume, "letter")
    for (let time = 0; time < 2; time++) {
      await plugin.delete(volume, signal)
      expect(holds(volume)).toBeUndefined()
    }
  })

  test("the neighbour is left alone", async () => {
    const { plugin, holds, put } = make()
    const [one, other] = [describedBy(plugin, "a"), describedBy(plugin, "aa")]
    for (const volume of [one, other]) await plugin.provisioner.provision(volume, signal)
    put(other, "letter")
    await plugin.recycle(one, signal)
    await plugin.delete(one, signal)
    expect(holds(other)).toEqual(["letter"])
  })
}

function sweepRows(make: () => VolumePluginUnderTest): void {
  test("unused is what was made and never written to; only that is discarded", async () => {
    const { plugin, holds, put } = make()
    const [one, other] = [describedBy(plugin, "a"), describedBy(plugin, "b")]
    for (const volume of [one, other]) await plugin.provisioner.provision(volume, signal)
    put(other, "letter")
    expect(await plugin.provisioner.unused()).toEqual(["pvc-uid-a"])
    for (const name of ["pvc-uid-a", "pvc-uid-a", "pvc-uid-b", "pvc-uid-c"]) await plugin.provisioner.discard(name, signal)
    expect(holds(one)).toBeUndefined()
    expect(holds(other)).toEqual(["letter"])
  })
}
