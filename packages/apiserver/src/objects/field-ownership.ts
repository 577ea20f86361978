import { apiVersionOf, type FieldError, fieldError, type KubeObject, type ManagedFieldsEntry, type Schema } from "@pilothouse/api"
import { messageOf, queryValue } from "@pilothouse/seams"
import { type Draft, draftOf } from "../body/draft.ts"
import { variantPathsOf } from "../body/variant-forms.ts"
import type { FieldManagerEndpoint } from "../managedfields/endpoint.ts"
import { decodeEntries } from "../managedfields/managers.ts"
import type { Versions } from "../managedfields/merge/index.ts"
import type { ManagedFields } from "../managedfields/object-managed-fields.ts"
import { resetFields } from "../managedfields/reset-fields.ts"
import { type TrackedUpdate, trackUpdate } from "../managedfields/track-update.ts"
import { TypedError } from "../managedfields/typed/index.ts"
import type { Registry } from "../registry/registry.ts"
import { inTurns } from "../request/turns.ts"
import { managerNameErrors, unprintable } from "../request/write-options.ts"
import type { Resource } from "../resources/resource.ts"
import { convertObject } from "../resources/stored-form.ts"
import type { Call } from "../server/call.ts"

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

/** By resource and subresource; a resource lives as long as its server. */
const endpoints = new WeakMap<Resource, Map<string, FieldManagerEndpoint | undefined>>()

interface EndpointPlace extends Pick<Call, "resource" | "subresource"> {
  readonly server: Pick<Call["server"], "registry">
}

/** Returns what ownership depends on at the endpoint of a request; undefined for a kind without a schema. */
export function fieldManagerEndpoint({ resource, subresource, server }: EndpointPlace): FieldManagerEndpoint | undefined {
  let known = endpoints.get(resource)
  if (known === undefined) endpoints.set(resource, (known = new Map()))
  if (!known.has(subresource)) known.set(subresource, endpointOf(resource, subresource, server.registry))
  return known.get(subresource)
}

function endpointOf(resource: Resource, subresource: string, registry: Registry): FieldManagerEndpoint | undefined {
  const { schema, apiVersion, descriptor } = resource
  if (schema === undefined) return undefined
  const reset = resetFields(descriptor, subresource, resource.family !== undefined)
  return {
    apiVersion,
    kind: descriptor,
    subresource,
    schema,
    hasOwnSchema: resource.family !== undefined,
    goForm: resource.withNulls,
    merge: { versions: versionsOf(resource, schema, registry), filter: () => reset?.filter },
    resetRoots: reset?.roots ?? [],
  }
}

/** Nearly every kind is served in one version; the others are kept together and converted by their strategies. */
function versionsOf(resource: Resource, schema: Schema, registry: Registry): Versions {
  const { strategy, stored, apiVersion, descriptor } = resource
  if (strategy.storedAs === undefined) {
    return { schemaOf: (version) => (version === apiVersion ? schema : undefined), convert: (object) => object }
  }
  // Sets are not converted between groups: a manager of an event in the one goes when the event is written in the other.
  const isRelated = (other: Resource) => other.stored.prefix === stored.prefix && other.descriptor.group === descriptor.group
  const family = resource.family?.() ?? registry.resources().filter(isRelated)
  const inVersion = (version: string) => family.find((other) => apiVersionOf(other.descriptor) === version)
  return {
    schemaOf: (version) => inVersion(version)?.schema,
    convert(object, version) {
      // What pruning leaves of an object may lack its metadata.
      const whole = { metadata: {}, ...(object as Partial<KubeObject>) } as KubeObject
      const { apiVersion: from = apiVersion } = whole
      if (from === version) return object
      // A conversion goes through Go's types, which have the fields that are always written, whatever was pruned.
      const target = inVersion(version)!
      const filled = (converted: KubeObject) => {
        const made = draftOf(converted) as Draft<KubeObject>
        target.fillZeros(made)
        return made
      }
      const made = convertObject(inVersion(from)!, target, whole)
      return made instanceof Promise ? made.then(filled) : filled(made)
    },
  }
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

interface TrackedBy {
  readonly resource: Pick<Resource, "descriptor">
  readonly server: Pick<Call["server"], "log">
}

/** Returns the managedFields after a create or an update; none, with a line in the log, where they cannot be computed. */
export function* trackOrDrop(
  { resource, server }: TrackedBy,
  endpoint: FieldManagerEndpoint,
  update: TrackedUpdate,
): ReturnType<typeof trackUpdate> {
  try {
    const entries = yield* trackUpdate(endpoint, update)
    yield
    return entries
  } catch (error) {
    const { group, plural } = resource.descriptor
    const { name = "" } = (update.next as KubeObject).metadata
    const fields = { group, resource: plural, name, error: messageOf(error) }
    // A list item without its keys is the client's mistake, and may come with every request; anything else is a fault of this server.
    const level = error instanceof TypedError ? "debug" : "error"
    server.log[level]("managedFields could not be computed; the object is stored without them", fields)
    return []
  }
}
