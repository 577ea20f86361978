import { deepEqual } from "@pilothouse/api"
import type { Service as KubeService } from "@pilothouse/api/core/v1"
import type { ChainTask } from "@pilothouse/runtime"
import { isHidden, type Service } from "../../model/service.ts"
import { hostnameOf } from "../convert/names.ts"
import { convertService, isDualStack } from "../convert/service.ts"
import type { RegistryState } from "../state/state.ts"
import { putExternalName } from "./external-name.ts"
import { applyGatewayChange } from "./gateways.ts"
import { putWorkloads } from "./workload.ts"

/** Applies a change of a Service to the state, and notifies subscribers. */
export function applyServiceChange(state: RegistryState, { event, key, object }: ChainTask<KubeService>): void {
  const { metadata } = object
  const hostname = hostnameOf(metadata, state.conversion.domainSuffix)
  if (event === "delete" || !state.selection.has(metadata.namespace ?? "")) return removeService(state, hostname)
  const before = state.services.get(hostname)
  const service = convertService(object, state.watched.namespaces.get(metadata.namespace ?? ""), state.conversion)
  const details = { dualStack: isDualStack(object), targetPorts: (object.spec?.ports ?? []).map(({ targetPort }) => targetPort) }
  applyGatewayChange(state, hostname, service)
  if (deepEqual(before, service) && deepEqual(state.details.get(hostname), details)) return
  state.services.put(service)
  state.details.set(hostname, details)
  if (isNews(service) || (before !== undefined && isNews(before))) {
    state.subscribers.serviceUpdate(hostname, before === undefined ? "added" : "updated")
  }
  putExternalName(state, service)
  putWorkloads(state, service)
  state.again(state.sources.ofService(key))
}

/** A hidden service is not announced; but an alias may stand on the way of others, which are visible. */
function isNews(service: Service): boolean {
  return !isHidden(service) || service.aliasOf !== undefined
}

/** There is no such service any more, or its namespace is not selected. */
export function removeService(state: RegistryState, hostname: string): void {
  const service = state.services.get(hostname)
  if (service === undefined) return
  state.services.remove(hostname)
  state.endpoints.drop(hostname)
  state.details.delete(hostname)
  state.changed.delete(hostname)
  state.identities.forget(hostname)
  state.atNodes.delete(hostname)
  applyGatewayChange(state, hostname, undefined)
  // Announced also where it was hidden: subscribers that hold something of it must drop that.
  state.subscribers.serviceUpdate(hostname, "deleted")
  // Its slices may be there for a while; none of them waits for a pod any more.
  state.again(state.sources.ofService(`${service.namespace}/${service.name}`))
}
