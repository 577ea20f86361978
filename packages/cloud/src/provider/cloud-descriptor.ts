import { type ControllerDescriptor, type ControllerDescriptorOptions, controllerDescriptor, type Flags } from "@pilothouse/runtime"
import type { Clock, Metrics } from "@pilothouse/seams"
import { CloudError } from "./cloud-errors.ts"
import type { CloudProvider } from "./provider.ts"

/** What cloud controllers need from whoever starts them, besides the API server. */
export interface CloudNeeds {
  readonly provider: CloudProvider
  readonly clock: Clock
  readonly metrics?: Metrics
}

export type CloudControllerDescriptor = ControllerDescriptor<CloudNeeds>

/** One line of the table of cloud loops. */
export function cloudDescriptor<F extends Flags>(given: ControllerDescriptorOptions<F, CloudNeeds>): CloudControllerDescriptor {
  return controllerDescriptor(given)
}

/** A capability that a controller cannot do without. */
export function requireCapability<K extends "loadBalancers" | "instances" | "routes">(
  provider: CloudProvider,
  capability: K,
  words: string,
): NonNullable<CloudProvider[K]> {
  const found = provider[capability]
  if (found !== undefined) return found as NonNullable<CloudProvider[K]>
  throw new CloudError(
    `expected a cloud provider with ${words}, found ${provider.name}, which has none; choose another one or leave the loop out`,
    {
      retryable: false,
    },
  )
}
