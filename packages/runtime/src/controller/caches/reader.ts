import { type Descriptor, isNotFound, isUnknownResource, type KubeObject, resourceNameOf } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { Index } from "../../cache/index-definition.ts"
import type { StoreReader } from "../../cache/store.ts"
import type { Client, ClientRequest } from "../../client/client.ts"
import type { Discovered } from "../../client/discovery/discovery.ts"
import type { Caches } from "./caches.ts"
import type { DynamicKind } from "./dynamic-kinds.ts"

/** Reads caches and, where a cache is not enough, the server. Every object is shared and read-only. */
export interface Reader {
  get<T extends KubeObject>(of: Descriptor<T>, key: string): T | undefined
  list<T extends KubeObject>(of: Descriptor<T>, namespace?: string): readonly T[]
  /** Number of objects that list() returns. */
  count(of: Descriptor, namespace?: string): number
  byIndex<T extends KubeObject>(index: Index<T>, value: string): readonly T[]
  /**
   * Reads from the server; undefined when there is no such object, an error when there is no such resource. Only where a cache is not enough, such as before an adoption.
   * Each call is a request and is shown in the trace.
   */
  live<T extends KubeObject>(of: Descriptor<T>, key: string): Promise<T | undefined>
  /** Lists from the server, one namespace or all there is: for resources without a cache. */
  liveList<T extends KubeObject>(of: Descriptor<T>, namespace?: string): Promise<readonly T[]>
  /** Returns all resources of the server, including custom ones. */
  discovered(): Promise<Discovered>
  /** The versions in which the server has a kind, the preferred one first; none where it does not have the kind. */
  versionsOf(group: string, kind: string): Promise<readonly Descriptor[]>
  /** Sends any other GET: a scale, metrics. Each call is a request and is shown in the trace. */
  ask(request: GetRequest): Promise<unknown>
  /** Posts a review, such as a SubjectAccessReview: the server answers it and stores nothing. Each call is a request and is shown in the trace. */
  review<T extends KubeObject>(of: Descriptor<T>, review: T): Promise<T>
  /** The dynamic kinds that are watched. A cache that has not synced yet is incomplete. */
  kinds(): readonly DynamicKind[]
  /** The objects with a value in the same index of every dynamic kind, such as all dependents of an owner. */
  byIndexOfAll(indexOf: (of: Descriptor) => Index, value: string): readonly KindAndObject[]
}

/** A GET. With `of`, errors name that resource. */
export type GetRequest = Pick<ClientRequest, "path" | "query" | "of" | "name">

/** An object of a kind that is only known at run time. */
export interface KindAndObject {
  readonly of: Descriptor
  readonly object: KubeObject
}

export interface ReaderOptions {
  readonly caches: Caches
  readonly client: Client
  readonly controller: string
}

/**
 * Returns a reader of declared and dynamic kinds only: a cache that is created by a read would be empty at first.
 * A removed dynamic kind has no objects.
 */
export function cacheReader({ caches, client, controller }: ReaderOptions, signal?: AbortSignal): Reader {
  const store = <T extends KubeObject>(of: Descriptor<T>): StoreReader<T> | undefined => {
    const found = caches.of(of)?.store
    if (found === undefined && !caches.isDynamic) {
      const message = `the controller ${controller} reads ${resourceNameOf(of)} but does not declare it; add it to its owns, watches or reads`
      throw new PilothouseError("INVALID", message)
    }
    return found
  }
  return {
    get: (of, key) => store(of)?.get(key),
    list: (of, namespace) => store(of)?.list(namespace) ?? [],
    count: (of, namespace) => store(of)?.count(namespace) ?? 0,
    byIndex: (index, value) => store(index.of)?.byIndex(index, value) ?? [],
    kinds: () => caches.kinds(),
    byIndexOfAll: (indexOf, value) =>
      caches.kinds().flatMap(({ of }) => (store(of)?.byIndex(indexOf(of), value) ?? []).map((object) => ({ of, object }))),
    live: (of, key) =>
      client.get(of, key, { signal }).catch((error: unknown) => {
        if (isNotFound(error) && !isUnknownResource(error)) return undefined
        throw error
      }),
    liveList: (of, namespace) => Array.fromAsync(client.listAll(of, { namespace, signal })),
    discovered: () => client.discover({ signal }),
    versionsOf: (group, kind) => client.versionsOf(group, kind, { signal }),
    ask: (request) => client.request({ verb: "GET", ...request, signal }),
    review: (of, review) => client.create(of, review, { signal }),
  }
}

/** Reads recorded in the trace of one reconcile. */
const maxNotedReads = 50

function notingReview(inner: Reader, note: (text: string) => void): Reader["review"] {
  return (of, review) => {
    note(`POST ${of.plural}`)
    return inner.review(of, review)
  }
}

/** Wraps a reader and notes what it returned: "Deployment default/web@1234", "Pod: 3 by controller-uid". */
export function notingReader(inner: Reader, notes: string[]): Reader {
  const note = (text: string) => {
    if (notes.length < maxNotedReads) notes.push(text)
  }
  const noteOne = (of: Descriptor, key: string, found: KubeObject | undefined, how = "") =>
    note(`${of.kind} ${key}${found === undefined ? " (none)" : `@${found.metadata.resourceVersion}`}${how}`)
  const noteMany = (of: Descriptor, found: number, namespace: string | undefined, how = "") =>
    note(`${of.kind}: ${found}${namespace === undefined ? "" : ` in ${namespace}`}${how}`)
  return {
    get(of, key) {
      const found = inner.get(of, key)
      noteOne(of, key, found)
      return found
    },
    list(of, namespace) {
      const found = inner.list(of, namespace)
      noteMany(of, found.length, namespace)
      return found
    },
    count(of, namespace) {
      const found = inner.count(of, namespace)
      noteMany(of, found, namespace)
      return found
    },
    byIndex(index, value) {
      const found = inner.byIndex(index, value)
      note(`${index.of.kind}: ${found.length} by ${index.name}`)
      return found
    },
    kinds: () => inner.kinds(),
    byIndexOfAll(indexOf, value) {
      const found = inner.byIndexOfAll(indexOf, value)
      note(`${found.length} of all kinds by ${value}`)
      return found
    },
    async live(of, key) {
      const found = await inner.live(of, key)
      noteOne(of, key, found, " (live)")
      return found
    },
    async liveList(of, namespace) {
      const found = await inner.liveList(of, namespace)
      if (found.length > 0) noteMany(of, found.length, namespace, " (live)")
      return found
    },
    async discovered() {
      const found = await inner.discovered()
      note(`${found.resources.length} resources, ${found.failed.length} groups that failed`)
      return found
    },
    versionsOf: (group, kind) => inner.versionsOf(group, kind),
    ask(request) {
      note(`GET ${request.path}`)
      return inner.ask(request)
    },
    review: notingReview(inner, note),
  }
}
