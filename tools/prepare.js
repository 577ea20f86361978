// npm ci runs this at its end: makes the bundle that `npm start` runs (see docs/adr/0008-bundle-at-install.md). Never fails an installation:
// without a bundle the sources run.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { findNode } from "../packages/cli/bin/find-node.js"
import { workspace } from "../packages/cli/bin/find-program.js"
import { hasBundler, withoutBundler } from "./bundler.js"

const fromSources = "pilothouse runs from its sources, which start more slowly"

// Installed without what only developers need, or on a system that brings no Node: no bundle could be made.
if (findNode() !== undefined && existsSync(join(workspace, "node_modules", "rolldown", "package.json"))) {
  if (hasBundler(workspace)) makeBundle()
  else console.log(`no bundle is made: ${fromSources}.\nnpm test needs one thing more: ${withoutBundler}.`)
}

function makeBundle() {
  const { status } = spawnSync(process.execPath, ["tools/run.js", "tools/bundle/main.ts"], { cwd: workspace, stdio: "inherit" })
  if (status !== 0) console.error(`the bundle could not be made: ${fromSources}`)
}
