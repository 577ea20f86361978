import { abortWith } from "../concurrency/abort.ts"
import type { Clock } from "./clock.ts"
import { type Duration, milliseconds } from "./duration.ts"

/** How long work may take, and the error of work that takes longer. */
export interface TimeoutOptions {
  readonly clock: Clock
  readonly timeout: Duration
  /** Of the timer: "time limit of GET /v2.0/ports". */
  readonly name: string
  /** Ends the work before its time. */
  readonly signal?: AbortSignal
  /** Makes the error of work that did not end in time; `cause` is what the work threw when its signal aborted. */
  error(cause?: unknown): Error
}

/** A signal that aborts when the time is over, and when the outer signal does. Disposing it ends the timer. */
export interface Timeout extends Disposable {
  readonly signal: AbortSignal
  /** Whether the time is over. False where only the outer signal has aborted. */
  readonly isOver: boolean
}

/** Starts a timeout. The caller disposes it when the work has ended. */
export function startTimeout({ clock, timeout, name, signal, error }: TimeoutOptions): Timeout {
  const controller = new AbortController()
  let isOver = false
  const timer = clock.timer(milliseconds(timeout), name, () => {
    isOver = true
    controller.abort(error())
  })
  const listening = abortWith(controller, signal)
  return {
    signal: controller.signal,
    get isOver() {
      return isOver
    },
    [Symbol.dispose]() {
      timer[Symbol.dispose]()
      listening[Symbol.dispose]()
    },
  }
}

/**
 * Runs work whose signal aborts when the time is over or the outer signal aborts, and waits until the work has ended. Work that fails after its time
 * rejects with `error`. Work that may ignore its signal is wrapped by the caller: `(signal) => abortable(work(signal), signal)`.
 */
export async function withTimeout<T>(options: TimeoutOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  using timeout = startTimeout(options)
  try {
    return await work(timeout.signal)
  } catch (cause) {
    throw timeout.isOver ? options.error(cause) : cause
  }
}
