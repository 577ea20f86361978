import type { Endpoint } from "./endpoint.ts"
import type { Service, ServicePort } from "./service.ts"

/** One endpoint as an instance of a service, behind one of its ports. */
export interface ServiceInstance {
  readonly service: Service
  readonly servicePort: ServicePort
  readonly endpoint: Endpoint
}
