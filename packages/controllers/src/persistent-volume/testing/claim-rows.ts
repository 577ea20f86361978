import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { expect } from "vitest"
import { World } from "./model.ts"
import { storageClass } from "./objects.ts"

export interface Row {
  readonly volumes?: readonly PersistentVolume[]
  readonly claim: PersistentVolumeClaim
  readonly classes?: readonly StorageClass[]
  /** The objects after the reconcile; left out: as before. */
  readonly becomes?: { readonly volumes?: readonly string[]; readonly claim: string }
  readonly events?: readonly string[]
}

export const waiting = storageClass("wait", { volumeBindingMode: "WaitForFirstConsumer" })
export const noneFits = "Normal FailedBinding: no persistent volumes available for this claim and no storage class is set"
export const completed = { marks: ["completed"] } as const
export const both = { marks: ["completed", "byUs"] } as const
export const app = { selector: { matchLabels: { app: "db" } } }
export const labelled = { metadata: { labels: { app: "db" } } }

export async function check({ volumes = [], claim: asked, classes = [], becomes, events = [] }: Row): Promise<void> {
  const world = new World({ objects: [...volumes, asked, ...classes] })
  const before = { volumes: world.volumes(), claims: world.claims() }
  await world.lookAtClaim("data")
  expect({ volumes: world.volumes(), claims: world.claims() }).toEqual({
    volumes: becomes?.volumes ?? before.volumes,
    claims: becomes === undefined ? before.claims : [becomes.claim],
  })
  expect(world.events).toEqual(events)
  // What is done is not done again.
  const { length } = world.operations
  await world.lookAtClaim("data")
  expect(world.operations).toHaveLength(length)
}

export const bound = { volumes: ["v Bound data#uid-data byUs"], claim: "data Bound v 1Gi completed byUs" }
export const boundByPerson = { volumes: ["v Bound data#uid-data"], claim: "data Bound v 1Gi completed byUs" }
