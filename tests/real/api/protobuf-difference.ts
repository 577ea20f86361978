import { difference } from "./comparable.ts"
import { isRecord, type JsonObject } from "./objects/object.ts"

/**
 * Where our reading of protobuf differs from the server's JSON, but for what decodeProtobuf says of itself: Go writes nil as null, we leave it out.
 * The claim templates of a StatefulSet are whole objects, and say so in JSON; on the wire they have no apiVersion and kind.
 */
export function protobufDifference(theirs: unknown, ours: unknown): string | undefined {
  return difference(likeOurs(theirs, ours), ours)
}

/** The server's value with its nulls as ours has them: left out, or an empty list or map where the type requires one. */
function likeOurs(theirs: unknown, ours: unknown): unknown {
  if (theirs === null) return isEmpty(ours) ? ours : theirs
  if (Array.isArray(theirs)) return theirs.map((item, index) => likeOurs(item, Array.isArray(ours) ? ours[index] : undefined))
  if (!isRecord(theirs)) return theirs
  return Object.fromEntries(
    Object.entries(theirs).map(([key, value]) => {
      const own = isRecord(ours) ? ours[key] : undefined
      return [key, likeOurs(key === "volumeClaimTemplates" && Array.isArray(value) ? value.map(withoutType) : value, own)]
    }),
  )
}

function withoutType({ apiVersion: _version, kind: _kind, ...rest }: JsonObject): JsonObject {
  return rest
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0)
}
