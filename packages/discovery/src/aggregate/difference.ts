import { deepEqual } from "@pilothouse/api"
import { type Endpoint, hasLost } from "../model/endpoint.ts"
import type { Service } from "../model/service.ts"
import type { RegistrySubscriber } from "../registry.ts"

/** What a registry answers about a hostname. */
export interface Answer {
  readonly service: Service | undefined
  readonly endpoints: readonly Endpoint[]
}

/** Notifies a subscriber how the answers about a hostname changed, if they did. */
export function notifyDifference(
  to: RegistrySubscriber,
  about: { readonly cluster: string; readonly hostname: string },
  before: Answer,
  after: Answer,
): void {
  const { cluster, hostname } = about
  if (!deepEqual(before.service, after.service)) to.serviceUpdate(hostname, changeOf(before.service, after.service))
  if (after.service === undefined || deepEqual(before.endpoints, after.endpoints)) return
  const endpoints = () => after.endpoints.filter((endpoint) => endpoint.cluster === cluster)
  to.endpointsUpdate(cluster, hostname, { removed: hasLost(before.endpoints, after.endpoints), endpoints })
}

function changeOf(before: Service | undefined, after: Service | undefined): "added" | "updated" | "deleted" {
  if (before === undefined) return "added"
  return after === undefined ? "deleted" : "updated"
}
