import { type ControllerDescriptor, type ControllerDescriptorOptions, controllerDescriptor, type Flags } from "@pilothouse/runtime"
import type { Clock, Metrics } from "@pilothouse/seams"
import { MissingCapability } from "./cloud-errors.ts"
import type { CloudProvider } from "./provider.ts"

/** What cloud controllers need from the process that starts them, besides the API server. */
export interface CloudNeeds {
  readonly provider: CloudProvider
  readonly clock: Clock
  readonly metrics?: Metrics
}

/** A row of the table of cloud controllers. */
export type CloudControllerDescriptor = ControllerDescriptor<CloudNeeds>

/** Describes one cloud controller: its name, aliases, flags, and how it is created. */
export function cloudDescriptor<F extends Flags>(given: ControllerDescriptorOptions<F, CloudNeeds>): CloudControllerDescriptor {
  return controllerDescriptor(given)
}

/** Returns a capability of the provider, or throws a CloudError that names what the provider lacks. */
export function requireCapability<K extends "loadBalancers" | "instances" | "routes">(
  provider: CloudProvider,
  capability: K,
  words: string,
): NonNullable<CloudProvider[K]> {
  const found = provider[capability]
  if (found !== undefined) return found as NonNullable<CloudProvider[K]>
  throw new MissingCapability(
    `expected a cloud provider with ${words}, found ${provider.name}, which has none; choose another one or disable the controller`,
    {
      retryable: false,
    },
  )
}
