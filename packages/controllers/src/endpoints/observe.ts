import { type Ref, splitKey } from "@pilothouse/api"
import { type Endpoints, endpoints, type Pod, type Service, services } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { podsOf, selects } from "../service-endpoints/selector.ts"

export interface Observed {
  readonly key: Ref
  /** Undefined when it is gone: then its Endpoints have to go. */
  readonly service?: Service
  readonly endpoints?: Endpoints
  /** Every pod that the Service selects, in the order of their names. */
  readonly pods: readonly Pod[]
}

export function observe(key: string, read: Reader): Observed {
  const service = read.get(services, key)
  const pods = service !== undefined && selects(service) ? podsOf(service, read) : []
  return { key: splitKey(key), service, endpoints: read.get(endpoints, key), pods }
}
