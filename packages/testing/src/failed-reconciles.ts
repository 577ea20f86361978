import { isConflict, StatusError } from "@pilothouse/api"
import type { Controller } from "@pilothouse/runtime"
import { messageOf, PilothouseError } from "@pilothouse/seams"

/** Codes of failures that a controller plans for, or that a crash of the test causes. */
const planned: ReadonlySet<string> = new Set(["RETRY_AFTER", "CONNECTION_LOST", "LEADERSHIP_LOST"])

/**
 * Fails the test of a controller whose reconciles fail. A mistake of the program (a selector that does not parse, a read of a kind that it does not declare,
 * a TypeError) fails it at the next settled(), advance() or until(), also where a retry succeeds; any other failure when the cluster closes and the key has not recovered.
 *
 * Invariant: #failing has the keys whose last reconcile failed for another reason than a conflict or a planned retry.
 */
export class FailedReconciles {
  readonly #expected: RegExp | undefined
  readonly #failing = new Map<string, PilothouseError>()
  #mistake: PilothouseError | undefined
  #reported = false

  constructor(expected: RegExp | undefined) {
    this.#expected = expected
  }

  /** The same controller, whose failures are noted. */
  watched(controller: Controller): Controller {
    return {
      ...controller,
      onReconciled: (key, end) => {
        this.#note(controller.name, key, end.error)
        return controller.onReconciled?.(key, end)
      },
    }
  }

  /** The controllers have crashed: new ones reconcile every key again. */
  restarted(): void {
    this.#failing.clear()
  }

  refuseMistakes(): void {
    if (this.#mistake === undefined || this.#reported) return
    this.#reported = true
    throw this.#mistake
  }

  /** Runs a check of the same reconciles: where it throws, the test has its failure. */
  reporting(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#reported = true
      throw error
    }
  }

  /** When the cluster closes: the last word on every key. One failure is reported once. */
  refuseAll(): void {
    this.refuseMistakes()
    const [failure] = this.#failing.values()
    if (failure !== undefined && !this.#reported) throw failure
  }

  #note(controller: string, key: string, error: unknown): void {
    const reconciled = `${controller} ${key}`
    this.#failing.delete(reconciled)
    if (error === undefined || isConflict(error) || (error instanceof PilothouseError && planned.has(error.code))) return
    const text = `${reconciled}: ${messageOf(error)}`
    if (this.#expected?.test(text)) return
    const failure = new PilothouseError("INVALID", `a reconcile failed, ${text}; where that is what you test, name it in expectFailure`, {
      cause: error,
    })
    this.#failing.set(reconciled, failure)
    if (isMistake(error)) this.#mistake ??= failure
  }
}

/** A refusal of a server, of a cloud or of a file is no mistake: it may pass. */
function isMistake(error: unknown): boolean {
  if (error instanceof StatusError) return false
  if (error instanceof PilothouseError) return error.code === "INVALID"
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError || error instanceof SyntaxError
}
