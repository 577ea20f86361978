import { endpoints, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { type ServiceCIDR, serviceCIDRs } from "@pilothouse/api/networking/v1"
import { messageOf } from "@pilothouse/seams"
import { listPrefix, objectKey } from "../registry/object-key.ts"
import type { Server } from "../server/server.ts"
import { apiServiceName } from "./api-service.ts"
import { defaultServiceCidrName } from "./default-service-cidr.ts"

/** Upstream looks so often whether the API can still be found. */
const mendAfter = 10_000

/** Recreates the Service of the API, its endpoints and the default ServiceCIDR after a deletion, by a call of `mend`, until it is disposed. */
export function keepApiService({ storage, registry, clock, log }: Server, mend: () => Promise<void>): Disposable {
  const held = new DisposableStack()
  let waiting: Disposable | undefined
  held.defer(() => waiting?.[Symbol.dispose]())
  const mendLater = () => {
    if (!held.disposed) waiting ??= clock.timer(mendAfter, "the Service of the API is recreated", mendNow)
  }
  const mendNow = () => {
    waiting = undefined
    mend().catch((error: unknown) => {
      log.error("the Service of the API could not be recreated, trying later", { error: messageOf(error) })
      mendLater()
    })
  }
  const cidrs = listPrefix(registry.served(serviceCIDRs), undefined)
  const watchCidrs = storage.watch(cidrs, storage.revision, ({ type, key, value }) => {
    const isWrong = type === "delete" || (value as ServiceCIDR).status?.conditions === undefined
    if (isWrong && key === `${cidrs}${defaultServiceCidrName}`) mendLater()
  })
  held.use(watchCidrs)
  const { namespace, name } = apiServiceName
  for (const descriptor of [services, endpoints, endpointSlices]) {
    const resource = registry.served(descriptor)
    const kept = objectKey(resource, namespace, name)
    const watching = storage.watch(listPrefix(resource, namespace), storage.revision, ({ type, key }) => {
      if (type === "delete" && key === kept) mendLater()
    })
    held.use(watching)
  }
  return held
}
