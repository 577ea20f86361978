import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { KubeObject } from "@pilothouse/api"
import { recordingLog, VirtualClock } from "@pilothouse/seams"
import { afterAll } from "vitest"
import type { Revision, Storage, Write } from "../../storage.ts"
import { DescriptorReserve } from "../descriptor-reserve.ts"
import type { Disk } from "../disk.ts"
import { type DiskStorageOptions, diskStorage } from "../open.ts"
import { createSystemDisk } from "../system-disk.ts"

/** The system's disk, without descriptors in reserve: what a test's own disk is made of. */
export const systemDisk: Disk = createSystemDisk(new DescriptorReserve(0))

/** A function that gives fresh directories, which are gone after the file's tests. */
export function directories(): () => string {
  const base = mkdtempSync(join(tmpdir(), "pilothouse-storage-"))
  afterAll(() => rmSync(base, { recursive: true, force: true }))
  return () => join(mkdtempSync(join(base, "case-")), "storage")
}

export const put = (key: string, expected?: Revision, text = ""): Write => ({
  key,
  expected,
  make: (revision): KubeObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${key}${text}`, resourceVersion: String(revision) },
  }),
})

export const drop = (key: string): Write => ({ ...put(key), deletes: true })

/** Of a test that writes to the disk: one that is busy may take seconds for a sync. */
export function diskClock(start?: number): VirtualClock {
  return new VirtualClock({ start, patience: "4m" })
}

/** One storage directory over several runs. */
export function runs(directory: string, options: Partial<DiskStorageOptions> = {}) {
  const clock = diskClock()
  const { log, lines } = recordingLog()
  const file = (name: string) => join(directory, name)
  return {
    clock,
    lines,
    open: (more: Partial<DiskStorageOptions> = {}): Promise<Storage> => diskStorage({ directory, clock, log, ...options, ...more }),
    names: () => readdirSync(directory).sort(),
    read: (name: string): Buffer => readFileSync(file(name)),
    write: (name: string, content: string | Uint8Array) => writeFileSync(file(name), content),
    remove: (name: string) => rmSync(file(name)),
  }
}

/** Everything a reader can see of a storage. */
export function contents(storage: Storage) {
  return storage.list("").items.map(({ key, revision, value }) => [key, revision, value.metadata.name])
}
