import { PilothouseError } from "@pilothouse/seams"

/** What kube-apiserver answers: 400 malformed, 409 conflict, 413 too long, 422 does not apply, 500 where upstream has no better word. */
export type PatchStatus = 400 | 409 | 413 | 422 | 500

/** A patch that is malformed or does not apply. The message is the one kube-apiserver shows, where it shows one. */
export class PatchError extends PilothouseError {
  override readonly name: string = "PatchError"
  readonly status: PatchStatus
  /** Whether a `test` operation did not hold, and the rest of the patch could be applied. */
  readonly isFailedTest: boolean

  constructor(status: PatchStatus, message: string, { isFailedTest = false }: { readonly isFailedTest?: boolean } = {}) {
    super("INVALID", message)
    this.status = status
    this.isFailedTest = isFailedTest
  }
}
