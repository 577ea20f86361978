import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Client, List } from "../client/client.ts"
import type { ListOptions, WatchOptions } from "../client/options.ts"
import type { WatchEvent } from "../client/wire/watch-stream.ts"

/** Which objects of a resource. */
export interface WatchScope {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** How much of them: apiVersion, kind and metadata only. */
  readonly metadataOnly?: boolean
  /** Nobody wants their managedFields. */
  readonly skipManagedFields?: boolean
  /** In which form they come; JSON unless told otherwise. */
  readonly form?: WatchOptions["form"]
}

/** The two requests a watcher makes. Refusals are thrown as StatusErrors. */
export interface WatchSource<T extends KubeObject> {
  list(options: ListOptions<T>): Promise<List<T>>
  /** Leaving the loop, or aborting the signal, ends the watch. */
  watch(options: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>>
}

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
