import { type ErrorDetails, PilothouseError } from "@pilothouse/seams"

/** The cloud failed, or refuses the request: `retryable` says which. Both are retried, as a change of the object may make a refused request valid. */
export class CloudError extends PilothouseError {
  override readonly name: string = "CloudError"

  constructor(message: string, details?: ErrorDetails) {
    super("CLOUD", message, details)
  }
}

/** Another controller implements the load balancer of the object: nothing is done here, and no event is recorded. */
export class ImplementedElsewhere extends CloudError {
  override readonly name = "ImplementedElsewhere"
}

/** The provider has no such capability: its cloud has no routes, for example. */
export class MissingCapability extends CloudError {
  override readonly name = "MissingCapability"
}

/** The cloud has no such instance. */
export class InstanceNotFound extends CloudError {
  override readonly name = "InstanceNotFound"
}

/** The cloud has no such balancer. */
export class BalancerNotFound extends CloudError {
  override readonly name = "BalancerNotFound"
}
