import { setFlagsFromString } from "node:v8"

/**
 * While a large cluster is read V8 enlarges the space for new objects, and was not seen to give it back: with 10,000 pods the process took 189 MB so,
 * and 134 to 139 MB without the growth. docs/benchmarks.md has the runs, and what is not known of its cost in CPU.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1")
}
