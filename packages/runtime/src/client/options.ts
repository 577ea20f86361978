import type { KubeObject } from "@pilothouse/api"
import type { WireForm } from "./wire/wire-form.ts"

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

/** Which version or subresource of an object. */
export interface GetOptions extends CallOptions {
  readonly subresource?: string
  /** "0": any version will do, from the server's cache. */
  readonly resourceVersion?: string
}

/** Which objects, and how much of them. */
export interface ListOptions<T extends KubeObject = KubeObject> extends CallOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan"
  /** Asks for apiVersion, kind and metadata only: enough to count, to own and to collect, and a fraction of the bytes. */
  readonly metadataOnly?: boolean
  /** True: metadata.managedFields may be left out, which saves a fifth of the reading. They may still be there. */
  readonly skipManagedFields?: boolean
  /** What to keep of each object, as it is read; undefined skips it. The rest of a long list then never is in memory at once. */
  readonly keep?: (object: T) => T | undefined
  /** Asks for this form of the list; a server that does not have it sends JSON. */
  readonly form?: WireForm
}

/** Pages of 500 unless told otherwise. */
export type ListAllOptions<T extends KubeObject = KubeObject> = Omit<ListOptions<T>, "continue">

/** Which objects are watched, and from where on. */
export interface WatchOptions extends CallOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: "NotOlderThan"
  readonly sendInitialEvents?: boolean
  readonly allowWatchBookmarks?: boolean
  /** Asks for apiVersion, kind and metadata only. */
  readonly metadataOnly?: boolean
  /** True: metadata.managedFields may be left out, which saves a fifth of the reading. They may still be there. */
  readonly skipManagedFields?: boolean
  /** Asks for this form of the events; a server that does not have it sends JSON. */
  readonly form?: WireForm
  readonly timeoutSeconds?: number
}

/** How an object is written. */
export interface WriteOptions extends CallOptions {
  readonly subresource?: string
  readonly dryRun?: boolean
  /** Who owns the fields that are written. */
  readonly fieldManager?: string
  /** What becomes of fields the server does not know. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict"
}

/** "apply" is server-side apply: it needs a fieldManager. */
export type PatchType = "merge" | "strategic" | "json" | "apply"

/** How an object is patched. */
export interface PatchOptions extends WriteOptions {
  /** "merge" unless told otherwise: works for every kind. */
  readonly type?: PatchType
  /** Server-side apply only: takes fields from other managers. */
  readonly force?: boolean
}

/** How an object is deleted, and under which conditions. */
export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
}

/** Which ones, and how. */
export interface DeleteCollectionOptions extends Omit<DeleteOptions, "preconditions"> {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** How a pod is evicted. */
export interface EvictOptions extends CallOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
}

/** For whom a token is, and for how long. */
export interface TokenOptions extends CallOptions {
  /** Who is to accept the token; the API server unless told otherwise. */
  readonly audiences?: readonly string[]
  readonly expirationSeconds?: number
}
