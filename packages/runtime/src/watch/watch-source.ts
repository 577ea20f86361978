import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Client, List } from "../client/client.ts"
import type { ListOptions, WatchOptions } from "../client/wire/options.ts"
import type { WatchEvent } from "../client/wire/watch-stream.ts"

/** Which objects of a resource. */
export interface WatchScope {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Fetches apiVersion, kind and metadata only. */
  readonly metadataOnly?: boolean
  /** Drops managedFields. */
  readonly skipManagedFields?: boolean
  /** The encoding; JSON by default. */
  readonly form?: WatchOptions["form"]
}

/** The two requests a watcher makes. Refusals are thrown as StatusErrors. */
export interface WatchSource<T extends KubeObject> {
  list(options: ListOptions<T>): Promise<List<T>>
  /** Ending the iteration, or aborting the signal, ends the watch. */
  watch(options: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>>
}

/** Returns the source of one kind over a client, within a namespace or selector. */
export function clientSource<T extends KubeObject>(
  client: Pick<Client, "list" | "watch">,
  of: Descriptor<T>,
  scope: WatchScope = {},
): WatchSource<T> {
  return {
    list: (options) => client.list(of, { ...scope, ...options }),
    watch: (options) => client.watch(of, { ...scope, ...options }),
  }
}
