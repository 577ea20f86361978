import { PilothouseError, type Query } from "@pilothouse/seams"
import { readMember, readText } from "./answer.ts"
import type { CallOptions, Collection, Filter, UpdateOptions } from "./collection.ts"
import { OpenStackError } from "./errors.ts"
import type { ServiceCalls } from "./service-calls.ts"

/** A collection of an OpenStack service: its path, and its names in bodies. */
export interface CollectionPlace {
  readonly calls: Pick<ServiceCalls, "send" | "timeout">
  /** "/v2.0/ports" */
  readonly path: string
  /** The name of one object in a body: "port". */
  readonly one: string
  /** The name of several: "ports". */
  readonly many: string
  readonly pageSize: number
}

/** Pages that lead to themselves would never end; a project has no million of anything. */
const maxPages = 10_000

/** The calls that all kinds of objects have in common. */
export class CollectionCalls<T, New, Change = Partial<New>> implements Collection<T, New, Change> {
  readonly place: CollectionPlace

  constructor(place: CollectionPlace) {
    this.place = place
  }

  async list(filter: Filter = {}, options?: CallOptions): Promise<readonly T[]> {
    const { calls, path, many, pageSize } = this.place
    const found: T[] = []
    let query: Query = { ...toQuery(filter), limit: String(pageSize) }
    for (let page = 0; page < maxPages; page++) {
      const { value } = await calls.send({ verb: "GET", path, query, repeatable: true, options })
      const items = readMember(value, many)
      if (!Array.isArray(items)) throw new PilothouseError("PROTOCOL", `expected a list "${many}" of GET ${path}, found ${typeof items}`)
      found.push(...(items as T[]))
      const marker = nextMarker(readMember(value, `${many}_links`))
      if (marker === undefined || items.length === 0) return found
      query = { ...query, marker }
    }
    throw new PilothouseError("PROTOCOL", `expected an end of the pages of GET ${path}, found none after ${maxPages}`)
  }

  async get(id: string, options?: CallOptions): Promise<T> {
    return this.only((await this.place.calls.send({ verb: "GET", path: this.at(id), repeatable: true, options })).value)
  }

  find(id: string, options?: CallOptions): Promise<T | undefined> {
    return this.get(id, options).catch(unlessGone)
  }

  async create(requested: New, options?: CallOptions): Promise<T> {
    const { calls, path, one } = this.place
    return this.only((await calls.send({ verb: "POST", path, body: { [one]: requested }, repeatable: false, options })).value)
  }

  async update(id: string, change: Change, options: UpdateOptions = {}): Promise<T> {
    const { calls, one } = this.place
    const { ifRevision } = options
    // A repeated call with a revision would meet its own change and be refused.
    const guard = ifRevision === undefined ? {} : { headers: { "if-match": `revision_number=${ifRevision}` } }
    const call = { verb: "PUT" as const, path: this.at(id), body: { [one]: change }, ...guard, options }
    return this.only((await calls.send({ ...call, repeatable: ifRevision === undefined })).value)
  }

  async delete(id: string, options?: CallOptions): Promise<boolean> {
    return this.remove(id, {}, options)
  }

  protected async remove(id: string, query: Query, options?: CallOptions): Promise<boolean> {
    const answer = await this.place.calls.send({ verb: "DELETE", path: this.at(id), query, repeatable: true, options }).catch(unlessGone)
    return answer !== undefined
  }

  at(id: string): string {
    return `${this.place.path}/${encodeURIComponent(id)}`
  }

  only(value: unknown): T {
    const { one, path } = this.place
    const object = readMember(value, one)
    if (typeof object === "object" && object !== null) return object as T
    throw new PilothouseError("PROTOCOL", `expected "${one}" in an answer of ${path}, found ${JSON.stringify(value)?.slice(0, 100)}`)
  }
}

/** Not every refusal of kind "not-found" is about the object itself: only a 404 says that it is gone. */
function unlessGone(error: unknown): undefined {
  if (error instanceof OpenStackError && error.refusal.status === 404) return undefined
  throw error
}

export function toQuery(filter: Filter): Query {
  const entries = Object.entries(filter).flatMap(([name, value]) => {
    if (value === undefined) return []
    return [[name, typeof value === "object" ? value : String(value)] as const]
  })
  return Object.fromEntries(entries)
}

/** The marker in the address of the next page. */
function nextMarker(links: unknown): string | undefined {
  const next = Array.isArray(links) ? links.find((link: unknown) => readText(link, "rel") === "next") : undefined
  if (next === undefined) return undefined
  return new URL(readText(next, "href"), "http://cloud").searchParams.get("marker") ?? undefined
}
