import { apiVersionOf, type KubeObject, type ManagedFieldsEntry, type Schema } from "@pilothouse/api"
import { messageOf, queryValue } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import type { FieldManagerEndpoint } from "../managedfields/endpoint.ts"
import type { Versions } from "../managedfields/merge/index.ts"
import type { ManagedFields } from "../managedfields/object-managed-fields.ts"
import { resetFields } from "../managedfields/reset-fields.ts"
import { trackUpdate } from "../managedfields/track-update.ts"
import type { Call } from "../request/call.ts"
import type { Registry } from "../resources/registry.ts"
import type { Resource } from "../resources/resource.ts"

/** Bytes of a manager's name. */
const maxManager = 128

/** Returns the manager of a request: the fieldManager parameter, or the client's name from its User-Agent. */
export function fieldManagerOf({ query, headers }: Pick<Call, "query" | "headers">): string {
  const given = queryValue(query, "fieldManager") ?? ""
  if (given !== "") return given
  const agent = (headers["user-agent"] ?? "").split("/", 1)[0]!.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
  return cutToBytes(agent, maxManager) || "unknown"
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

/** Returns what ownership depends on at the endpoint of a request; undefined for a kind without a schema. */
export function fieldManagerEndpoint({
  resource,
  subresource,
  server,
}: Pick<Call, "resource" | "subresource" | "server">): FieldManagerEndpoint | undefined {
  let known = endpoints.get(resource)
  if (known === undefined) endpoints.set(resource, (known = new Map()))
  if (!known.has(subresource)) known.set(subresource, endpointOf(resource, subresource, server.registry))
  return known.get(subresource)
}

function endpointOf(resource: Resource, subresource: string, registry: Registry): FieldManagerEndpoint | undefined {
  const { schema, apiVersion, descriptor } = resource
  if (schema === undefined) return undefined
  const reset = resetFields(descriptor, subresource)
  return {
    apiVersion,
    kind: descriptor,
    subresource,
    schema,
    merge: { versions: versionsOf(resource, schema, registry), filter: () => reset?.filter },
    resetRoots: reset?.roots ?? [],
  }
}

/** Nearly every kind is served in one version; the others are kept together and converted by their strategies. */
function versionsOf(resource: Resource, schema: Schema, registry: Registry): Versions {
  const { strategy, stored, apiVersion } = resource
  if (strategy.storedAs === undefined) {
    return { schemaOf: (version) => (version === apiVersion ? schema : undefined), convert: (object) => object }
  }
  const family = registry.resources().filter((other) => other.stored.prefix === stored.prefix)
  const inVersion = (version: string) => family.find(({ descriptor }) => apiVersionOf(descriptor) === version)
  return {
    schemaOf: (version) => inVersion(version)?.schema,
    convert: (object, version) =>
      version === apiVersion ? object : inVersion(version)!.stored.decode(stored.encode(object as KubeObject)),
  }
}

/** Takes metadata.managedFields out of a draft: ownership stands beside objects, not in them. */
export function takeManagedFields({ metadata }: Draft<KubeObject>): readonly ManagedFieldsEntry[] | undefined {
  const given = metadata.managedFields
  delete metadata.managedFields
  return given
}

/** Returns the managedFields after a create or an update; `live` is what is stored. What goes wrong here never fails the request. */
export function trackedFields(
  call: Call,
  live: KubeObject | undefined,
  next: Draft<KubeObject>,
  given: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFields[] {
  const endpoint = fieldManagerEndpoint(call)
  if (endpoint === undefined) return []
  try {
    return trackUpdate(endpoint, { live, next, given, manager: fieldManagerOf(call), now: call.server.clock.now() })
  } catch (error) {
    const { group, plural } = call.resource.descriptor
    call.server.log.error("managedFields could not be computed; the object is stored without them", {
      group,
      resource: plural,
      name: next.metadata.name ?? "",
      error: messageOf(error),
    })
    return []
  }
}
