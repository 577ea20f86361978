/**
 * Work of several steps, of which each takes some 50 ms for an object with as many fields as a body may have: between two of them other work has its turn.
 */
export type Steps<T> = Generator<undefined, T, undefined>

/** Takes all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
