import { PilothouseError } from "../errors/errors.ts"

/** Returns the ABORTED error for a signal, with the signal's reason as its cause where that adds anything. */
export function aborted(signal: AbortSignal): PilothouseError {
  return new PilothouseError("ABORTED", "the operation was aborted", { cause: saysMore(signal.reason) ? signal.reason : undefined })
}

/** abort() without a reason makes a DOMException, and one abort often causes the next: neither adds anything to the message. */
function saysMore(reason: unknown): boolean {
  if (reason instanceof PilothouseError) return reason.code !== "ABORTED"
  return !(reason instanceof DOMException && reason.name === "AbortError")
}

/** Throws ABORTED where the signal has aborted already. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal)
}

/**
 * Calls `listener` once when the signal aborts; disposing removes the listener. Where the signal has aborted already the call comes right after
 * the present one, never during it: a listener may use what this returns.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): Disposable {
  if (signal === undefined) return { [Symbol.dispose]() {} }
  if (signal.aborted) {
    let disposed = false
    queueMicrotask(() => {
      if (!disposed) listener()
    })
    return {
      [Symbol.dispose]() {
        disposed = true
      },
    }
  }
  // One object for each call: the same function may listen twice.
  const entry = { listener }
  listenersOf(signal).add(entry)
  return {
    [Symbol.dispose]() {
      forget(signal, entry)
    },
  }
}

interface Listening {
  readonly listener: () => void
}

const listening = Symbol("listening")

interface ObservedSignal extends AbortSignal {
  [listening]?: { readonly entries: Set<Listening>; readonly notify: () => void }
}

/**
 * An AbortSignal walks all its listeners to add or to remove one, and thousands may wait on the signal of a manager: it gets one of ours, with a set behind
 * it. The set is kept on the signal, because a signal is made for every request and a WeakMap of so many short lives costs the collector more.
 */
function listenersOf(signal: ObservedSignal): Set<Listening> {
  if (signal[listening] !== undefined) return signal[listening].entries
  const entries = new Set<Listening>()
  const notify = () => callAll(entries)
  signal[listening] = { entries, notify }
  signal.addEventListener("abort", notify, { once: true })
  return entries
}

function forget(signal: ObservedSignal, entry: Listening): void {
  const known = signal[listening]
  if (known === undefined || !known.entries.delete(entry) || known.entries.size > 0) return
  signal.removeEventListener("abort", known.notify)
  delete signal[listening]
}

/** A listener that throws is reported as the signal itself would, and the others are called all the same. */
function callAll(listeners: Set<Listening>): void {
  for (const entry of listeners) {
    listeners.delete(entry)
    try {
      entry.listener()
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
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
    // Not by finally(), which makes two promises more: every wait comes by here.
    work.then(
      (value) => {
        listening[Symbol.dispose]()
        resolve(value)
      },
      (error: unknown) => {
        listening[Symbol.dispose]()
        reject(error)
      },
    )
  })
}
