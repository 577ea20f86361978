import { readMember } from "../calls/answer.ts"
import type { CallOptions } from "../calls/collection.ts"
import { isRefusal } from "../calls/errors.ts"
import type { ServiceCalls } from "../calls/service-calls.ts"
import type { Neutron } from "./neutron.ts"
import type { TaggedKind } from "./types.ts"

/** Tags of all kinds of objects. */
export function tagCalls(calls: ServiceCalls): Pick<Neutron, "setTags" | "addTag" | "removeTag"> {
  const tags = new TagCalls(calls)
  return {
    setTags: (kind, id, requested, options) => tags.set(kind, id, requested, options),
    addTag: (kind, id, tag, options) => tags.add(kind, id, tag, options),
    removeTag: (kind, id, tag, options) => tags.remove(kind, id, tag, options),
  }
}

class TagCalls {
  readonly #calls: ServiceCalls

  constructor(calls: ServiceCalls) {
    this.#calls = calls
  }

  async set(kind: TaggedKind, id: string, tags: readonly string[], options?: CallOptions): Promise<readonly string[]> {
    const { value } = await this.#calls.send({ verb: "PUT", path: tagPath(kind, id), body: { tags }, repeatable: true, options })
    return readMember(value, "tags") as readonly string[]
  }

  async add(kind: TaggedKind, id: string, tag: string, options?: CallOptions): Promise<void> {
    if (fitsPath(tag)) await this.#calls.send({ verb: "PUT", path: tagPath(kind, id, tag), repeatable: true, options })
    else await this.#changeAll(kind, id, (tags) => (tags.includes(tag) ? tags : [...tags, tag]), options)
  }

  async remove(kind: TaggedKind, id: string, tag: string, options?: CallOptions): Promise<void> {
    if (!fitsPath(tag)) return this.#changeAll(kind, id, (tags) => tags.filter((one) => one !== tag), options)
    try {
      await this.#calls.send({ verb: "DELETE", path: tagPath(kind, id, tag), repeatable: true, options })
    } catch (error) {
      // "TagNotFound" is success; that the object itself is gone is not.
      if (!isRefusal(error, "not-found") || !error.refusal.type.startsWith("Tag")) throw error
    }
  }

  async #changeAll(
    kind: TaggedKind,
    id: string,
    change: (tags: readonly string[]) => readonly string[],
    options?: CallOptions,
  ): Promise<void> {
    const { value } = await this.#calls.send({ verb: "GET", path: tagPath(kind, id), repeatable: true, options })
    const tags = readMember(value, "tags") as readonly string[]
    const changed = change(tags)
    if (changed.length !== tags.length) await this.set(kind, id, changed, options)
  }
}

/** Neutron decodes a path before it takes it apart: a tag with a slash in it can only be set with all the others. */
function fitsPath(tag: string): boolean {
  return !tag.includes("/")
}

function tagPath(kind: TaggedKind, id: string, tag?: string): string {
  const tags = `/v2.0/${kind}/${encodeURIComponent(id)}/tags`
  return tag === undefined ? tags : `${tags}/${encodeURIComponent(tag)}`
}
