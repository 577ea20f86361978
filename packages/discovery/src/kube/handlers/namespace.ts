import { keyOf } from "@pilothouse/api"
import type { Namespace } from "@pilothouse/api/core/v1"
import type { ChainTask } from "@pilothouse/runtime"
import { networkLabel } from "../networks/networks.ts"
import type { RegistryState } from "../state/state.ts"
import { applyAllGatewayChanges } from "./gateways.ts"
import { putWorkloads } from "./workload.ts"

/** A namespace is looked at or not, and says how the traffic of its services is spread. */
export function applyNamespaceChange(state: RegistryState, { event, key, object }: ChainTask<Namespace>): void {
  const labels = event === "delete" ? undefined : (object.metadata.labels ?? {})
  const { watched, sources } = state
  const flipped = state.selection.put(key, labels)
  for (const service of watched.services.inNamespace(key)) watched.services.again(keyOf(service))
  if (flipped) {
    for (const pod of watched.pods.inNamespace(key)) watched.pods.again(keyOf(pod))
    for (const source of sources.inNamespace(key)) sources.watched.again(source)
  }
  if (key === (state.options.systemNamespace ?? "istio-system") && state.networks.systemSays(labels?.[networkLabel])) {
    networksChanged(state, "the network of the system namespace changed")
  }
}

/** Every endpoint may be elsewhere now. */
export function networksChanged(state: RegistryState, reason: string): void {
  applyAllGatewayChanges(state)
  state.again([...state.handled])
  for (const service of state.services.sorted()) putWorkloads(state, service)
  state.subscribers.configUpdate(reason)
}
