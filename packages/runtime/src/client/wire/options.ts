import type { KubeObject } from "@pilothouse/api"
import type { WireForm } from "./wire-form.ts"

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

/** Options of get. */
export interface GetOptions extends CallOptions {
  readonly subresource?: string
  /** "0": any version, from the server's cache. */
  readonly resourceVersion?: string
}

/** Options of list. */
export interface ListOptions<T extends KubeObject = KubeObject> extends CallOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan"
  /** Requests apiVersion, kind and metadata only: enough to count, to own and to collect, in a fraction of the bytes. */
  readonly metadataOnly?: boolean
  /** Allows dropping metadata.managedFields, which saves a fifth of the decoding. They may still be present. */
  readonly skipManagedFields?: boolean
  /** Transforms each object as it is decoded; undefined skips it. A long list is then never in memory as a whole. */
  readonly keep?: (object: T) => T | undefined
  /** Requests this encoding of the list; a server without it sends JSON. */
  readonly form?: WireForm
}

/** Pages of 500 by default. */
export type ListAllOptions<T extends KubeObject = KubeObject> = Omit<ListOptions<T>, "continue">

/** Options of watch. */
export interface WatchOptions extends CallOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: "NotOlderThan"
  readonly sendInitialEvents?: boolean
  readonly allowWatchBookmarks?: boolean
  /** Requests apiVersion, kind and metadata only. */
  readonly metadataOnly?: boolean
  /** Allows dropping metadata.managedFields, which saves a fifth of the decoding. They may still be present. */
  readonly skipManagedFields?: boolean
  /** Requests this encoding of the events; a server without it sends JSON. */
  readonly form?: WireForm
  readonly timeoutSeconds?: number
}

/** Options of writes. */
export interface WriteOptions extends CallOptions {
  readonly subresource?: string
  readonly dryRun?: boolean
  /** The field manager of the written fields; the client's by default. */
  readonly fieldManager?: string
  /** How the server treats unknown fields. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict"
}

/** The forms of a patch. Server-side apply is a verb of its own. */
export type PatchType = "merge" | "strategic" | "json"

/** Options of patch. */
export interface PatchOptions extends WriteOptions {
  /** "merge" by default: works for every kind. */
  readonly type?: PatchType
}

/** Options of apply. */
export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that other managers own with other values; without it they are a Conflict. */
  readonly force?: boolean
}

/** Options of delete. */
export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
}

/** Options of deleteCollection. */
export interface DeleteCollectionOptions extends Omit<DeleteOptions, "preconditions"> {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Options of evict. */
export interface EvictOptions extends CallOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
}

/** Options of requestToken. */
export interface TokenOptions extends CallOptions {
  /** The audiences of the token; the API server by default. */
  readonly audiences?: readonly string[]
  readonly expirationSeconds?: number
}
