import { setCondition } from "@pilothouse/api"
import { type ServerStorageVersion, type StorageVersion, storageVersions } from "@pilothouse/api/apiserverinternal/v1alpha1"
import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import { type Controller, controller, index, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

const name = "storageversion-garbage-collector-controller"

/**
 * Removes API servers that are gone from StorageVersions: those whose identity Lease in kube-system does not exist. A StorageVersion without servers is
 * deleted. Watches StorageVersions and Leases; a Lease that the cache does not show is read from the server before its entries go.
 */
export function storageVersionGcController(): Controller {
  return controller(name, {
    for: storageVersions,
    predicate: ({ type }) => type !== "deleted",
    watches: [
      watch(
        leases,
        "the identity Lease of an API server is gone",
        ({ metadata }, read) => read.byIndex(versionsByServer, metadata.name ?? "").map((version) => version.metadata.name ?? ""),
        { predicate: ({ type, object }) => type === "deleted" && isIdentity(object) },
      ),
    ],
    indexes: [versionsByServer],
    maxConcurrentReconciles: 1,
    observe,
    decide: (observed, { now }) => decide(observed, now),
  })
}

const versionsByServer = index(storageVersions, "API server", ({ status }) => serversOf(status?.storageVersions))

function serversOf(versions: readonly ServerStorageVersion[] = []): readonly string[] {
  return versions.map(({ apiServerID }) => apiServerID ?? "")
}

/** Whether a Lease says that a kube-apiserver runs. */
function isIdentity({ metadata }: Lease): boolean {
  return metadata.namespace === "kube-system" && metadata.labels?.["apiserver.kubernetes.io/identity"] === "kube-apiserver"
}

export interface Observed {
  readonly version: StorageVersion
  /** API servers without an identity Lease. */
  readonly gone: ReadonlySet<string>
}

async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const seen = read.get(storageVersions, key)
  const suspects = serversOf(seen?.status?.storageVersions).filter((server) => !isKnown(read.get(leases, leaseKey(server))))
  if (seen === undefined) return undefined
  const found = await Promise.all(suspects.map(async (server) => ({ server, lease: await read.live(leases, leaseKey(server)) })))
  const gone = new Set(found.filter(({ lease }) => !isKnown(lease)).map(({ server }) => server))
  const version = read.get(storageVersions, key)
  return version && { version, gone }
}

function leaseKey(server: string): string {
  return `kube-system/${server}`
}

function isKnown(lease: Lease | undefined): boolean {
  return lease !== undefined && isIdentity(lease)
}

/** Drops the entries of servers that are gone, and the object with the last of them. */
export function decide({ version, gone }: Observed, now: number): Plan {
  const all = version.status?.storageVersions ?? []
  const left = all.filter(({ apiServerID = "" }) => !gone.has(apiServerID))
  if (left.length === all.length) return plan().nothing("its API servers have their identity Leases")
  const reason = `the API servers ${[...gone].join(", ")} are gone`
  if (left.length === 0) return plan().operation({ do: "delete", object: version, tolerate: ["NotFound", "Conflict"], reason })
  return plan().status(version, { ...version.status, ...commonVersion(version, left, now), storageVersions: left }, reason)
}

const condition = "AllEncodingVersionsEqual"

/** The version that all servers store in, with the condition that says whether there is one. */
function commonVersion(
  { metadata, status }: StorageVersion,
  versions: readonly ServerStorageVersion[],
  now: number,
): NonNullable<StorageVersion["status"]> {
  const [first] = versions
  const isCommon = versions.every(({ encodingVersion }) => encodingVersion === first?.encodingVersion)
  const commonEncodingVersion = isCommon ? first?.encodingVersion : undefined
  const before = status?.commonEncodingVersion
  const isAnother = before !== undefined && commonEncodingVersion !== undefined && before !== commonEncodingVersion
  const conditions = setCondition(
    // Another common version is a transition, though the condition is true before and after.
    isAnother ? status?.conditions?.filter(({ type }) => type !== condition) : status?.conditions,
    {
      type: condition,
      status: commonEncodingVersion === undefined ? "False" : "True",
      observedGeneration: metadata.generation,
      reason: commonEncodingVersion === undefined ? "CommonEncodingVersionUnset" : "CommonEncodingVersionSet",
      message: `Common encoding version ${commonEncodingVersion === undefined ? "unset" : "set"}`,
    },
    now,
  )
  return { commonEncodingVersion, conditions }
}

/** Off by default, as the kind is: a server without it would be asked for it for ever. */
export const storageVersionGcDescriptor = descriptor({
  name,
  aliases: ["storage-version-gc"],
  onByDefault: false,
  featureGate: { name: "StorageVersionAPI", maturity: "alpha" },
  create: () => storageVersionGcController(),
})
