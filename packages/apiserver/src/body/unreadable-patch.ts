import type { StatusError } from "@pilothouse/api"

/** The body of a patch that cannot be read. It is refused when it is applied, as upstream: an object that is not there is a 404 before. */
export class UnreadablePatch {
  readonly refusal: StatusError

  constructor(refusal: StatusError) {
    this.refusal = refusal
  }
}
