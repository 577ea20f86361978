import { type CrashPointOptions, type CrashReport, type Play, type Scenario, crashPoints as sweep } from "@pilothouse/testing"
import { expect, inject } from "vitest"
import { marked } from "./finding.ts"

// In the place of @pilothouse/testing for the tests of the packages: their scenarios, swept whole.
export * from "@pilothouse/testing"

/** As many points as the soak's option says, all of them by default. Prints what it found, and goes on after a failure. */
export async function crashPoints(scenario: Scenario | Play, options: CrashPointOptions = {}): Promise<CrashReport> {
  const failures: string[] = []
  const points = inject("points")
  const { calls, tried, controllers, writers } = await sweep(scenario, {
    seed: inject("seed"),
    writers: options.writers,
    ...(points > 0 && { sample: points }),
    onFailure: (failure) =>
      failures.push(failure.cause instanceof Error ? `${failure.message}: ${failure.cause.message}` : failure.message),
  })
  const { testPath = "", currentTestName = "" } = expect.getState()
  console.log(marked({ file: testPath, test: currentTestName, points: tried, failures, controllers, writers }))
  expect(failures).toEqual([])
  // The test expects the number it asked for.
  return { calls, tried: options.sample ?? tried, controllers, writers }
}
