import { type FieldError, fieldError, type KubeObject, type ManagedFieldsEntry } from "@pilothouse/api"
import { queryValue } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import { variantPathsOf } from "../body/variant-forms.ts"
import { decodeEntries } from "../managedfields/managers.ts"
import type { ManagedFields } from "../managedfields/object-managed-fields.ts"
import { inTurns } from "../request/turns.ts"
import { managerNameErrors, unprintable } from "../request/write-options.ts"
import type { Call } from "../server/call.ts"
import { fieldManagerEndpoint, trackOrDrop } from "./field-manager-endpoint.ts"

/** Bytes of a manager's name. */
const maxManager = 128

/** Returns the manager of a request: the fieldManager parameter, or the client's name from its User-Agent. */
export function fieldManagerOf({ query, headers }: Pick<Call, "query" | "headers">): string {
  const given = queryValue(query, "fieldManager") ?? ""
  if (given !== "") return given
  const header = headers["user-agent"]
  if (header === undefined) return "unknown"
  const agent = utf8Of(header).split("/", 1)[0]!.replaceAll(unprintable, "")
  return cutToBytes(agent, maxManager) || "unknown"
}

/** Header values come as one character for each byte. */
function utf8Of(header: string): string {
  return /[\x80-\xff]/.test(header) && !/[^\x00-\xff]/.test(header) ? Buffer.from(header, "latin1").toString() : header
}

function cutToBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text
  return Buffer.from(text)
    .subarray(0, limit)
    .toString()
    .replace(/\uFFFD$/, "")
}

/** Takes metadata.managedFields out of a draft: ownership stands beside objects, not in them. */
export function takeManagedFields({ metadata }: Draft<KubeObject>): readonly ManagedFieldsEntry[] | undefined {
  const given = metadata.managedFields
  delete metadata.managedFields
  return given
}

/** Bytes of a subresource's name. */
const maxSubresource = 256

/** Returns what is wrong with the names in the entries of a request. Entries that cannot be decoded are ignored, so nothing is wrong with those. */
export function managedFieldsErrors(given: readonly ManagedFieldsEntry[] | undefined): readonly FieldError[] {
  if (given === undefined || !isDecodable(given)) return []
  return given.flatMap(({ manager = "", subresource = "" }, index) => [
    ...managerNameErrors(manager, `metadata.managedFields[${index}].manager`),
    ...(Buffer.byteLength(subresource) > maxSubresource
      ? [fieldError.tooLong(`metadata.managedFields[${index}].subresource`, maxSubresource)]
      : []),
  ])
}

function isDecodable(entries: readonly ManagedFieldsEntry[]): boolean {
  try {
    decodeEntries(entries)
    return true
  } catch {
    return false
  }
}

/** Returns the managedFields after a create or an update; `live` is what is stored. What goes wrong here never fails the request. */
export function trackedFields(
  call: Call,
  live: KubeObject | undefined,
  next: Draft<KubeObject>,
  given: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFields[] | Promise<readonly ManagedFields[]> {
  const endpoint = fieldManagerEndpoint(call)
  if (endpoint === undefined) return []
  const update = { live, next, given, manager: fieldManagerOf(call), now: call.server.clock.now(), variants: variantPathsOf(next) }
  return inTurns(trackOrDrop(call, endpoint, update), call.stages.pause)
}
