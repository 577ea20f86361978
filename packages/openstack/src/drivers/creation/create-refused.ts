import { PilothouseError } from "@pilothouse/seams"
import { OpenStackError } from "../../clients/calls/errors.ts"

/** It ended before anything was asked for. */
export class CreateRefused extends PilothouseError {
  constructor(message: string) {
    super("CLOUD", message, { retryable: true })
  }
}

/** The pod went while it waited for its turn. */
export class PodGone extends CreateRefused {
  constructor() {
    super("the pod is gone, so no port was asked for")
  }
}

/** True where the cloud refused, or received no call, so that nothing was created. After any other error the result is unknown. */
export function isClearRefusal(error: unknown): boolean {
  return error instanceof CreateRefused || (error instanceof OpenStackError && error.refusal.status < 500)
}
