import { apiVersionOf, type KubeObject, type Schema } from "@pilothouse/api"
import { type Log, messageOf } from "@pilothouse/seams"
import { type Draft, draftOf } from "../body/draft.ts"
import type { FieldManagerEndpoint } from "../managedfields/endpoint.ts"
import type { Versions } from "../managedfields/merge/index.ts"
import { resetFields } from "../managedfields/reset-fields.ts"
import { type TrackedUpdate, trackUpdate } from "../managedfields/track-update.ts"
import { TypedError } from "../managedfields/typed/index.ts"
import type { Registry } from "../registry/registry.ts"
import type { Resource } from "../resources/resource.ts"
import { convertObject } from "../resources/stored-form.ts"

/** By resource and subresource; a resource lives as long as its server. */
const endpoints = new WeakMap<Resource, Map<string, FieldManagerEndpoint | undefined>>()

interface EndpointPlace {
  readonly resource: Resource
  /** "" for the object itself. */
  readonly subresource: string
  readonly server: { readonly registry: Registry }
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
      // What a conversion returns is frozen, and may share parts with what it was given: a draft, which is changed later.
      const made = convertObject(inVersion(from)!, target, draftOf(whole) as KubeObject)
      return made instanceof Promise ? made.then(filled) : filled(made)
    },
  }
}

interface TrackedBy {
  readonly resource: Pick<Resource, "descriptor">
  readonly server: { readonly log: Log }
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
