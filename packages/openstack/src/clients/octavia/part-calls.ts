import type { CallOptions, Filter } from "../calls/collection.ts"
import { CollectionCalls } from "../calls/collection-calls.ts"

/** Parts of load balancers. Octavia before v2.5 and neutron-lbaas answer without tags: then there are none. */
export class PartCalls<T extends { readonly tags: readonly string[] }, New, Change> extends CollectionCalls<T, New, Change> {
  override async list(filter?: Filter, options?: CallOptions): Promise<readonly T[]> {
    return (await super.list(filter, options)).map(withTags)
  }

  override only(value: unknown): T {
    return withTags(super.only(value))
  }
}

function withTags<T extends { readonly tags?: readonly string[] }>(part: T): T {
  return part.tags ? part : { ...part, tags: [] }
}
