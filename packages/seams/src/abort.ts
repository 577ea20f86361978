import { PilothouseError } from "./errors.ts"

export function aborted(signal: AbortSignal): PilothouseError {
  const cause = signal.reason instanceof PilothouseError ? undefined : signal.reason
  return new PilothouseError("ABORTED", "the operation was aborted", { cause })
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal)
}

/** Calls `listener` once when the signal aborts (at once if it has); disposing takes the listener away again. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): Disposable {
  if (signal === undefined) return { [Symbol.dispose]() {} }
  if (signal.aborted) listener()
  else signal.addEventListener("abort", listener, { once: true })
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) }
}

/** A promise that rejects with code ABORTED when the signal does, or settles as `work` does, whichever is first. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const listening = onAbort(signal, () => reject(aborted(signal)))
    work.then(resolve, reject).finally(() => listening[Symbol.dispose]())
  })
}
