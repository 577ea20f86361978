import { PilothouseError } from "./errors.ts"

export function aborted(signal: AbortSignal): PilothouseError {
  return new PilothouseError("ABORTED", "the operation was aborted", { cause: saysMore(signal.reason) ? signal.reason : undefined })
}

/** abort() without a reason makes a DOMException, and one abort often causes the next: neither adds anything to the message. */
function saysMore(reason: unknown): boolean {
  if (reason instanceof PilothouseError) return reason.code !== "ABORTED"
  return !(reason instanceof DOMException && reason.name === "AbortError")
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal)
}

/**
 * Calls `listener` once when the signal aborts; disposing takes the listener away again. Where the signal has aborted already the call comes right after
 * the present one, never during it: a listener may use what this gives back.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): Disposable {
  if (signal === undefined) return { [Symbol.dispose]() {} }
  let disposed = false
  const call = () => {
    if (!disposed) listener()
  }
  if (signal.aborted) queueMicrotask(call)
  else signal.addEventListener("abort", call, { once: true })
  return {
    [Symbol.dispose]() {
      disposed = true
      signal.removeEventListener("abort", call)
    },
  }
}

/** Aborts a controller with a signal, now if that has aborted: what is given the controller's signal then does not even begin. */
export function abortWith(controller: AbortController, signal: AbortSignal | undefined): Disposable {
  if (signal?.aborted) controller.abort(signal.reason)
  return onAbort(signal, () => controller.abort(signal?.reason))
}

/** A promise that rejects with code ABORTED when the signal does, or settles as `work` does, whichever is first. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const listening = onAbort(signal, () => reject(aborted(signal)))
    work.then(resolve, reject).finally(() => listening[Symbol.dispose]())
  })
}
