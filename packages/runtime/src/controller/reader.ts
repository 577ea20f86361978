import { type Descriptor, isNotFound, type KubeObject, resourceNameOf } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { Index } from "../cache/index-definition.ts"
import type { Informers } from "../cache/informers.ts"
import type { StoreReader } from "../cache/store.ts"
import type { Client } from "../client/client.ts"
import type { Discovered } from "../client/discovery.ts"
import { declaredKind } from "./declared-kind.ts"

/** Reads of caches. Every object is shared and read-only. */
export interface Reader {
  get<T extends KubeObject>(of: Descriptor<T>, key: string): T | undefined
  list<T extends KubeObject>(of: Descriptor<T>, namespace?: string): readonly T[]
  byIndex<T extends KubeObject>(index: Index<T>, value: string): readonly T[]
  /**
   * Asks the server itself; undefined when it has no such object. Only where a cache is not good enough: before an orphan is adopted, say.
   * Every one costs a call and shows in the trace.
   */
  live<T extends KubeObject>(of: Descriptor<T>, key: string): Promise<T | undefined>
  /** All of a namespace, from the server itself: for resources of which there is no cache. */
  liveList<T extends KubeObject>(of: Descriptor<T>, namespace: string): Promise<readonly T[]>
  /** Every resource that the server has, custom ones too. */
  discovered(): Promise<Discovered>
}

export interface ReaderOptions {
  readonly informers: Informers
  readonly client: Client
  /** The kinds that may be read. */
  readonly declared: readonly Descriptor[]
  readonly controller: string
}

/** Reads only what was declared: a cache that comes into being by being read would answer "there are none" at first. */
export function cacheReader({ informers, client, declared, controller }: ReaderOptions, signal?: AbortSignal): Reader {
  const store = <T extends KubeObject>(of: Descriptor<T>): StoreReader<T> => {
    if (declaredKind(declared, of) === undefined) {
      const message = `the controller ${controller} reads ${resourceNameOf(of)} but does not declare it; add it to its owns, watches or reads`
      throw new PilothouseError("INVALID", message)
    }
    return informers.of(of).store
  }
  return {
    get: (of, key) => store(of).get(key),
    list: (of, namespace) => store(of).list(namespace),
    byIndex: (index, value) => store(index.of).byIndex(index, value),
    live: (of, key) =>
      client.get(of, key, { signal }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined
        throw error
      }),
    liveList: (of, namespace) => Array.fromAsync(client.listAll(of, { namespace, signal })),
    discovered: () => client.discover({ signal }),
  }
}

/** Reads kept in the trace of one reconcile; more would hide what matters. */
const readsKept = 50

/** Passes reads on and notes what was seen: "Deployment default/web@1234", "Pod: 3 by controller-uid". */
export function notingReader(inner: Reader, notes: string[]): Reader {
  const note = (text: string) => {
    if (notes.length < readsKept) notes.push(text)
  }
  const noteOne = (of: Descriptor, key: string, found: KubeObject | undefined, how = "") =>
    note(`${of.kind} ${key}${found === undefined ? " (none)" : `@${found.metadata.resourceVersion}`}${how}`)
  return {
    get(of, key) {
      const found = inner.get(of, key)
      noteOne(of, key, found)
      return found
    },
    list(of, namespace) {
      const found = inner.list(of, namespace)
      note(`${of.kind}: ${found.length}${namespace === undefined ? "" : ` in ${namespace}`}`)
      return found
    },
    byIndex(index, value) {
      const found = inner.byIndex(index, value)
      note(`${index.of.kind}: ${found.length} by ${index.name}`)
      return found
    },
    async live(of, key) {
      const found = await inner.live(of, key)
      noteOne(of, key, found, " (live)")
      return found
    },
    async liveList(of, namespace) {
      const found = await inner.liveList(of, namespace)
      if (found.length > 0) note(`${of.kind}: ${found.length} in ${namespace} (live)`)
      return found
    },
    async discovered() {
      const found = await inner.discovered()
      note(`${found.resources.length} resources, ${found.failed.length} groups that did not answer`)
      return found
    },
  }
}
