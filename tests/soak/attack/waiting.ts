import { setTimeout as sleep } from "node:timers/promises"

/** The value, or undefined where it does not come in time. Milliseconds. */
export async function within<T>(promise: Promise<T>, limit: number): Promise<T | undefined> {
  const controller = new AbortController()
  const late = sleep(limit, undefined, { signal: controller.signal }).catch(() => undefined)
  try {
    return await Promise.race([promise, late])
  } finally {
    controller.abort()
  }
}

/** Checks again and again; rejects where it is not so in time. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, limit: number): Promise<void> {
  if (!(await isTrueWithin(isSo, limit))) throw new Error(`expected ${what} within ${limit / 1000} s`)
}

/** Checks again and again. */
export async function isTrueWithin(isSo: () => boolean | Promise<boolean>, limit: number): Promise<boolean> {
  const end = performance.now() + limit
  while (!(await isSo())) {
    if (performance.now() > end) return false
    await sleep(20)
  }
  return true
}

/** Lets time pass for the attacked process: what it does by itself needs some. */
export async function pause(milliseconds: number): Promise<void> {
  await sleep(milliseconds)
}
