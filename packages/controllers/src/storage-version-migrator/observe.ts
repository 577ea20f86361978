import { apiVersionOf, type Descriptor, isConditionTrue, type KubeObject, parseTime, pathOf } from "@pilothouse/api"
import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { type StorageVersionMigration, storageVersionMigrations } from "@pilothouse/api/storagemigration/v1beta1"
import type { Reader } from "@pilothouse/runtime"

/** A migration, at the place of its way where it stands, with what the next step needs. */
export type Observed = { readonly migration: StorageVersionMigration } & (
  | { readonly at: "finished" }
  /** Another migration of the resource comes first. */
  | { readonly at: "waiting"; readonly before: string }
  /** It may run. The definition is that of the resource, if it is a custom one. */
  | { readonly at: "due"; readonly definition: CustomResourceDefinition | undefined }
  /** It runs, and what is to be migrated is not known yet. */
  | { readonly at: "running"; readonly resource: Descriptor | undefined; readonly latest: string | undefined }
  | { readonly at: "migrating"; readonly resource: Descriptor | undefined; readonly objects: readonly KubeObject[] }
  /** It has ended and still counts as running. */
  | { readonly at: "ending"; readonly definition: CustomResourceDefinition | undefined }
)

/** What a resource must allow. */
export const requiredVerbs = ["update", "patch", "list"] as const

/** Reads what the next step of a migration needs; undefined where there is none. */
export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const migration = read.get(storageVersionMigrations, key)
  if (migration === undefined) return undefined
  if (isFinished(migration)) {
    return isRunning(migration)
      ? { migration, at: "ending", definition: await definitionOf(migration, read) }
      : { migration, at: "finished" }
  }
  if (!isRunning(migration)) {
    const before = await firstOf(migration, read)
    return before === undefined
      ? { migration, at: "due", definition: await definitionOf(migration, read) }
      : { migration, at: "waiting", before }
  }
  const resource = await resourceOf(migration, read)
  if ((migration.status?.resourceVersion ?? "") === "") {
    const latest = resource !== undefined && isMigratable(resource) ? await latestVersion(resource, read) : undefined
    return { migration, at: "running", resource, latest }
  }
  return { migration, at: "migrating", resource, objects: resource === undefined ? [] : await read.liveList(resource) }
}

export function isFinished({ status }: StorageVersionMigration): boolean {
  return isConditionTrue(status?.conditions, "Succeeded") || isConditionTrue(status?.conditions, "Failed")
}

function isRunning({ status }: StorageVersionMigration): boolean {
  return isConditionTrue(status?.conditions, "Running")
}

export function isMigratable({ verbs }: Descriptor): boolean {
  return requiredVerbs.every((verb) => verbs.includes(verb))
}

/** "boxes.example.com": the name of the resource's definition, if it has one. */
export function resourceNameOf({ spec }: StorageVersionMigration): string {
  const { resource = "", group = "" } = spec?.resource ?? {}
  return `${resource}.${group}`
}

/** Returns the name of the migration of the same resource that comes before this one: one that runs, or an older one. */
async function firstOf(migration: StorageVersionMigration, read: Reader): Promise<string | undefined> {
  const resource = resourceNameOf(migration)
  // The cache may not show yet that another one was started.
  const open = (await read.liveList(storageVersionMigrations)).filter(
    (one) => resourceNameOf(one) === resource && (isRunning(one) || !isFinished(one)),
  )
  const first = open.find(isRunning) ?? open.toSorted(byAge)[0]
  return first === undefined || first.metadata.name === migration.metadata.name ? undefined : first.metadata.name
}

function byAge(one: StorageVersionMigration, other: StorageVersionMigration): number {
  const age = ({ metadata }: StorageVersionMigration) => parseTime(metadata.creationTimestamp ?? "")
  return age(one) - age(other) || ((one.metadata.name ?? "") < (other.metadata.name ?? "") ? -1 : 1)
}

/** In the preferred version of its group. */
async function resourceOf({ spec }: StorageVersionMigration, read: Reader): Promise<Descriptor | undefined> {
  const { resources } = await read.discovered()
  const { group = "", resource } = spec?.resource ?? {}
  return resources.find((one) => one.group === group && one.plural === resource)
}

async function definitionOf(migration: StorageVersionMigration, read: Reader): Promise<CustomResourceDefinition | undefined> {
  if ((migration.spec?.resource.group ?? "") === "") return undefined
  return read.live(customResourceDefinitions, resourceNameOf(migration))
}

/** Returns the resourceVersion of a list: objects of later ones are stored in the present version. */
async function latestVersion(resource: Descriptor, read: Reader): Promise<string | undefined> {
  const list = (await read.ask({ path: pathOf(resource), query: { limit: "1" }, of: resource })) as KubeObject
  return list.metadata.resourceVersion
}

/** "example.com/v1, Resource=boxes", as Go prints it. */
export function resourceText(resource: Descriptor): string {
  return `${resource.group === "" ? `/${resource.version}` : apiVersionOf(resource)}, Resource=${resource.plural}`
}
