import { type Descriptor, formatTime, type KubeObject } from "@pilothouse/api"
import type { Clock, Log } from "@pilothouse/seams"
import { applyConfiguration } from "../managedfields/apply-configuration.ts"
import { ownedByCreate } from "../managedfields/endpoint.ts"
import { entriesOfCreate, entryOf, ownManager } from "../managedfields/entries.ts"
import { type FieldPath, isEmptySet, recursiveDifference, setOfPaths } from "../managedfields/fieldpath/index.ts"
import { runSteps } from "../managedfields/merge/index.ts"
import { type ManagedFields, type ManagedFieldsSource, setManagedFields } from "../managedfields/object-managed-fields.ts"
import { sharedSet } from "../managedfields/shared-set.ts"
import type { Registry } from "../registry/registry.ts"
import { fieldManagerEndpoint, trackOrDrop } from "./field-manager-endpoint.ts"

type Named = Pick<Descriptor, "group" | "version" | "plural">

interface Around {
  readonly registry: Registry
  readonly clock: Clock
}

/** A status that the server applies in the name of one of its controllers. */
export interface AppliedStatus {
  readonly manager: string
  readonly status: object
}

export interface OwnCreate {
  readonly manager?: string | undefined
  /** What strategies fill in: no manager owns it. */
  readonly filled?: readonly FieldPath[] | undefined
  readonly applied?: AppliedStatus | undefined
}

/**
 * Returns who owns what of an object that the server stores without a request: upstream's server is a client of its own API, so it is as if it had
 * sent one. Computed when it is read first: a server has some 250 such objects at its start, and most are never asked for.
 */
export function ownedAsCreated(server: Around, descriptor: Named, object: KubeObject, create: OwnCreate = {}): ManagedFieldsSource {
  const now = server.clock.now()
  return () => {
    const { manager = ownManager, filled = [], applied } = create
    const endpoint = fieldManagerEndpoint({ resource: server.registry.served(descriptor), subresource: "", server })
    if (endpoint === undefined) return []
    const set = recursiveDifference(ownedByCreate(endpoint, object), setOfPaths(filled))
    const identity = { manager, operation: "Update", apiVersion: endpoint.apiVersion } as const
    const entries = isEmptySet(set) ? [] : [entryOf(identity, formatTime(now), sharedSet(set))]
    if (applied === undefined) return Object.freeze(entries)
    return ownedAsApplied(server, descriptor, setManagedFields({ ...object, status: {} }, entries), applied, now)
  }
}

/** The same at once, for companions of what clients create: those of one shape and second share their entries. */
export function ownedAsCreatedNow(server: Around, descriptor: Named, object: KubeObject): readonly ManagedFields[] {
  const endpoint = fieldManagerEndpoint({ resource: server.registry.served(descriptor), subresource: "", server })
  if (endpoint === undefined) return []
  const identity = { manager: ownManager, operation: "Update", apiVersion: endpoint.apiVersion } as const
  return entriesOfCreate(identity, formatTime(server.clock.now()), sharedSet(ownedByCreate(endpoint, object)))
}

/** Returns who owns what after the server has updated an object that is stored, as if by a request. */
export function ownedAsUpdated(
  server: Around & { readonly log: Log },
  descriptor: Named,
  live: KubeObject,
  next: KubeObject,
  { subresource = "", manager = ownManager } = {},
): readonly ManagedFields[] {
  const resource = server.registry.served(descriptor)
  const endpoint = fieldManagerEndpoint({ resource, subresource, server })
  if (endpoint === undefined) return []
  return runSteps(trackOrDrop({ resource, server }, endpoint, { live, next, given: undefined, manager, now: server.clock.now() }))
}

/** Returns who owns what after a controller of the server has applied the status of an object that is stored. */
export function ownedAsApplied(
  server: Around,
  descriptor: Named,
  live: KubeObject,
  { manager, status }: AppliedStatus,
  now = server.clock.now(),
): readonly ManagedFields[] {
  const endpoint = fieldManagerEndpoint({ resource: server.registry.served(descriptor), subresource: "status", server })
  if (endpoint === undefined) return []
  const { name } = live.metadata
  const config = { apiVersion: endpoint.apiVersion, kind: endpoint.kind.kind, metadata: { name }, status }
  return runSteps(applyConfiguration(endpoint, { live, config, manager, force: true, now })).managedFields
}
