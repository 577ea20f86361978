import { type Descriptor, type KubeObject, resourceNameOf } from "@pilothouse/api"
import { PilothouseError, type TransportResponse } from "@pilothouse/seams"
import { type Asked, objectOf, withType } from "./answer.ts"
import { readItems } from "./list-items.ts"
import { typedMetadata } from "./metadata-only.ts"

export interface List<T extends KubeObject> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  /** Present when there are more: ask again with it. */
  readonly continue?: string
  /** How many more, where the server knows. */
  readonly remaining?: number
}

interface WireList {
  readonly kind: string
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number }
  readonly items?: readonly unknown[] | null
}

export interface ListAnswerOptions<T extends KubeObject> {
  readonly metadataOnly?: boolean
  readonly keep?: (object: T) => T | undefined
}

/** The page in the answer to a list of a resource. */
export function listIn<T extends KubeObject>(
  response: TransportResponse,
  asked: Asked & { readonly of: Descriptor<T> },
  { metadataOnly = false, keep }: ListAnswerOptions<T>,
): List<T> {
  const { of } = asked
  const take = (item: unknown): T | undefined => {
    const typed = withType(of, metadataOnly ? typedMetadata(of, item as T) : (item as T))
    return keep === undefined ? typed : keep(typed)
  }
  const { status, body } = response
  const kept: (T | undefined)[] = []
  const read = status < 400 && body.type === "bytes" ? readItems(body.bytes, (item) => kept.push(take(item))) : undefined
  const list = (read ?? objectOf(response, asked)) as WireList
  const { metadata, items } = list
  if (metadata === undefined || items === undefined) {
    throw new PilothouseError("PROTOCOL", `expected a list of ${resourceNameOf(of)}, found a ${list.kind}`)
  }
  // Go writes an empty list as null. What was read before the reading was given up is not asked about again.
  const rest = read === undefined ? (items ?? []).slice(kept.length).map(take) : []
  return {
    items: [...kept, ...rest].filter((item) => item !== undefined),
    resourceVersion: metadata.resourceVersion ?? "",
    continue: metadata.continue || undefined,
    remaining: metadata.remainingItemCount,
  }
}
