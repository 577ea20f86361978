import { type ErrorDetails, PilothouseError } from "@pilothouse/seams"

/** The cloud could not do it now, or refuses it: `retryable` says which. Both are tried again; a change of the object may mend the second. */
export class CloudError extends PilothouseError {
  override readonly name: string = "CloudError"

  constructor(message: string, details?: ErrorDetails) {
    super("CLOUD", message, details)
  }
}

/** Another controller does this job for the object: nothing is done here, and nobody is told. */
export class ImplementedElsewhere extends CloudError {
  override readonly name = "ImplementedElsewhere"
}

/** The cloud has no such machine. */
export class InstanceNotFound extends CloudError {
  override readonly name = "InstanceNotFound"
}

/** The cloud has no such balancer. */
export class BalancerNotFound extends CloudError {
  override readonly name = "BalancerNotFound"
}
