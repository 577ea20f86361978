// npm run bundle: makes the program of the workspace into a few files that start with less CPU and memory than its sources (ADR 8).
import { bundlesFolder, workspace } from "../../packages/cli/bin/find-program.js"
import { renewBundle } from "./renew-bundle.ts"

const started = performance.now()
await renewBundle(bundlesFolder, workspace)
console.log(`bundled pilothouse in ${((performance.now() - started) / 1000).toFixed(1)} s`)
