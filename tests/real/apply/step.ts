import { patchContentTypes } from "@pilothouse/api/patch"
import type { JsonObject } from "../api/objects/object.ts"
import type { ApiRequest } from "../api-client.ts"

/** One request that both servers receive. Its name says what it does. */
export interface Step extends Omit<ApiRequest, "body"> {
  readonly name: string
  /** A function receives what the server that is asked holds at the path at that time: its uid, its version. */
  readonly body?: unknown
  /** Why both have to refuse it, though not in the same words. */
  readonly alike?: string
}

export type BodyOf = (live: JsonObject) => unknown

export interface More {
  readonly manager?: string
  readonly query?: Readonly<Record<string, string>>
  readonly userAgent?: string
  readonly contentType?: string
}

/** Requests that work with one object. The manager is `m1` by default. */
export interface Subject {
  create(name: string, body: unknown, more?: More): Step
  read(name: string): Step
  remove(name: string): Step
  update(name: string, body: unknown, more?: More): Step
  json(name: string, body: unknown, more?: More): Step
  merge(name: string, body: unknown, more?: More): Step
  strategic(name: string, body: unknown, more?: More): Step
  apply(name: string, body: unknown, more?: More): Step
  force(name: string, body: unknown, more?: More): Step
  /** The same for a subresource of the object. */
  sub(subresource: string): Subject
}

/** The object of a collection's path: `subject("/api/v1/namespaces/default/configmaps", "a")`. */
export function subject(collection: string, name: string, subresource = ""): Subject {
  const path = `${collection}/${name}${subresource === "" ? "" : `/${subresource}`}`
  const patch = (contentType: string, title: string, body: unknown, more: More = {}): Step => ({
    ...rest(more),
    name: title,
    verb: "PATCH",
    path,
    contentType: more.contentType ?? contentType,
    body,
  })
  return {
    create: (title, body, more = {}) => ({ ...rest(more), name: title, verb: "POST", path: subresource === "" ? collection : path, body }),
    read: (title) => ({ name: title, verb: "GET", path }),
    remove: (title) => ({ name: title, verb: "DELETE", path }),
    update: (title, body, more = {}) => ({ ...rest(more), name: title, verb: "PUT", path, body }),
    json: (...given) => patch(patchContentTypes.json, ...given),
    merge: (...given) => patch(patchContentTypes.merge, ...given),
    strategic: (...given) => patch(patchContentTypes.strategic, ...given),
    apply: (...given) => patch(patchContentTypes.apply, ...given),
    force: (title, body, more = {}) => patch(patchContentTypes.apply, title, body, { ...more, query: { force: "true", ...more.query } }),
    sub: (other) => subject(collection, name, other),
  }
}

/** An empty manager sends none. */
function rest({ manager = "m1", query, userAgent, contentType }: More): Pick<Step, "query" | "userAgent" | "contentType"> {
  return {
    query: { ...(manager === "" ? {} : { fieldManager: manager }), ...query },
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(contentType === undefined ? {} : { contentType }),
  }
}

/** Bytes that are sent as they are. */
export function raw(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** What was read, with a change made to it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the cases change what they know to be there
export function changed(live: JsonObject, change: (draft: any) => void): JsonObject {
  const draft = structuredClone(live)
  change(draft)
  return draft
}
