// npm run bundle: makes the program of the workspace into a few files that start with less CPU and memory than its sources (ADR 8).
import { bundlesFolder, workspace } from "../../packages/cli/bin/find-program.js"
import { renewBundle } from "./renew-bundle.ts"
import { warmUp } from "./warm-up.ts"

const started = performance.now()
const failure = await renewBundle(bundlesFolder, workspace, warmUp)
if (failure !== undefined) console.warn(`its first start will be slower: ${failure}`)
console.log(`bundled pilothouse in ${((performance.now() - started) / 1000).toFixed(1)} s`)
