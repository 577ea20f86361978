import { setFlagsFromString } from "node:v8"
import { collectGarbage } from "./collect-garbage.ts"

/**
 * For a program that first reads a large state and then does little: V8 enlarges the space for new objects meanwhile, and was not seen to give it
 * back. With 10,000 pods the process took 189 MB so, and 134 to 139 MB without the growth. docs/benchmarks.md has the runs.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1")
}

/**
 * The state was read: what that left behind goes, and from now on there is as much space for new objects as they need. Without room to grow, in single
 * runs on a busy machine, a change for 100 clients took about a fifth more CPU after such a collection than without one; with it, the runs went either way.
 */
export function settleAfterFirstState(): void {
  collectGarbage()
  setFlagsFromString("--semi-space-growth-factor=2")
}
