/**
 * Work of several steps, of which each takes some 50 ms for an object with as many fields as a body may have: between two of them other work has its turn.
 */
export type Steps<T> = Generator<Promise<unknown> | undefined, T, unknown>

/** Takes all steps at once: of a kind whose versions need no conversion by others. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Waits in a step for what may come later. */
export function* awaited<T>(value: T | Promise<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value
}
