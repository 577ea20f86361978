import { type KubeObject, matchesLabels, selectorOf } from "@pilothouse/api"
import type { ParamKind, ParamRef } from "@pilothouse/api/admissionregistration/v1"
import { listPrefix, readObject } from "../../registry/object-key.ts"
import type { Registry } from "../../registry/registry.ts"
import type { Resource } from "../../resources/resource.ts"
import type { AdmissionServer } from "../plugin.ts"

/** Why a policy or a binding cannot be used; `failurePolicy` decides what becomes of the request. */
export class PolicyConfigurationError extends Error {}

/** Returns the resource of a paramKind, of a definition too; throws where there is none. */
export function paramResource({ registry }: Pick<AdmissionServer, "registry">, { apiVersion = "", kind = "" }: ParamKind): Resource {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  const found = resourceOfKind(registry, group, version, kind)
  if (found !== undefined) return found
  throw new PolicyConfigurationError(`failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`)
}

/** Returns the resource whose objects are of a kind; undefined where none is served. */
export function resourceOfKind(registry: Registry, group: string, version: string, kind: string): Resource | undefined {
  const isKind = (of: { readonly group: string; readonly version: string; readonly kind: string }): boolean =>
    of.group === group && of.version === version && of.kind === kind
  const builtIn = registry.builtInDescriptors().find(isKind)
  return builtIn ? registry.served(builtIn) : registry.customResources.resources().find(({ descriptor }) => isKind(descriptor))
}

/** Returns the params that a binding evaluates its policy with, once for each; undefined stands for an evaluation without any. */
export function collectParams(
  server: AdmissionServer,
  resource: Resource | undefined,
  paramRef: ParamRef | undefined,
  requestNamespace: string,
): readonly (KubeObject | undefined)[] {
  if (resource === undefined || paramRef === undefined) return [undefined]
  const params = findParams(server, resource, paramRef, paramsNamespace(resource, paramRef, requestNamespace))
  if (params.length === 0 && paramRef.parameterNotFoundAction === "Deny") {
    throw new PolicyConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction")
  }
  return params
}

/** Undefined for params of the whole cluster. */
function paramsNamespace({ descriptor }: Resource, { namespace = "" }: ParamRef, requestNamespace: string): string | undefined {
  if (!descriptor.namespaced) {
    if (namespace === "") return undefined
    throw new PolicyConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
  }
  const own = namespace === "" ? requestNamespace : namespace
  if (own !== "") return own
  throw new PolicyConfigurationError("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
}

function findParams(
  { storage }: AdmissionServer,
  resource: Resource,
  { name = "", selector }: ParamRef,
  namespace: string | undefined,
): readonly KubeObject[] {
  if (name !== "") {
    const found = readObject(storage, resource, namespace, name)
    return found === undefined ? [] : [found]
  }
  const selected = selectorOf(selector ?? {})
  const items = storage.list(listPrefix(resource, namespace)).items.map(({ value }) => resource.stored.decode(value))
  return items.filter(({ metadata }) => matchesLabels(selected, metadata.labels))
}
